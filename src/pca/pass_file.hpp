#pragma once
// Files of a checkpoint: bytes at their places, and errors with the remedy.

#include <cstddef>
#include <cstdint>
#include <string>

namespace mercer {

class OpenFile {
 public:
  OpenFile(const std::string& path, int flags);
  ~OpenFile();
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;
  int fd() const { return fd_; }  ///< negative: errno says why

 private:
  int fd_;
};

[[noreturn]] void refuse_write(const std::string& path, int error);

/// `path`: for the error.
void write_at(int fd, const std::string& path, const void* data, std::size_t size, std::int64_t at);

/// False: they are not there.
bool read_at(int fd, void* data, std::int64_t size, std::int64_t at);

/// Of a small file; empty if it cannot be read.
std::string whole_file(const std::string& path);

}  // namespace mercer
