#pragma once
// Bytes in order, from a file, a gzip file (known by its first two bytes, not by its name) or
// standard input.

#include <mercer/progress.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace mercer {

class ByteStream {
 public:
  virtual ~ByteStream() = default;

  /// Fills up to `capacity` bytes; less only at the end, or when a live pipe has no more for now.
  /// 0: the end.
  /// Throws `Errc::io` (unreadable), `Errc::bad_file` (damaged gzip) or `Errc::interrupted`
  /// (a read was interrupted by a signal and the monitor says stop).
  virtual std::size_t read(char* out, std::size_t capacity) = 0;

  /// After a read that gave less than was asked for: was it the end?
  virtual bool at_end() const { return true; }

  /// Back to the first byte; throws `Errc::io` for standard input.
  virtual void rewind() = 0;
  virtual bool can_rewind() const = 0;

  /// Throws `Errc::bad_data` when the file is no longer the one that was opened: another size or
  /// another time of change. `rewind`, and `read` at the end, ask this too.
  virtual void require_unchanged() const {}

  /// Bytes that `read` will give in all, when known (plain files); 0 otherwise.
  virtual std::size_t size() const = 0;
  /// Share of the underlying file that has been read, 0 … 1; 0 when unknown. Works for gzip too.
  virtual double fraction_read() const = 0;

  /// The path, or "standard input".
  virtual std::string name() const = 0;

  /// File descriptor of a plain, seekable file (for pread and mmap); −1 otherwise.
  virtual int descriptor() const { return -1; }
};

/// "-" is standard input. Directories, missing and unreadable files: `Errc::io`, one line that
/// names the path and the reason. `live`: reading from a pipe waits for the first byte only.
std::unique_ptr<ByteStream> open_bytes(const std::string& path, const Monitor& monitor,
                                       bool live = false);

}  // namespace mercer
