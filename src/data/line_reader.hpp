#pragma once
// Lines of a byte stream, with their numbers. Memory: a chunk and the longest line.

#include "data/bytes.hpp"

#include <optional>
#include <string_view>
#include <vector>

namespace mercer {

class LineReader {
 public:
  /// `chunk`: how many bytes to ask for at once.
  explicit LineReader(ByteStream& bytes, std::size_t chunk = std::size_t{1} << 16)
      : bytes_(bytes), chunk_(chunk) {}

  /// The next line without its end (\n or \r\n), valid until the next call; nothing at the end.
  std::optional<std::string_view> next();

  /// 1-based number of the line that `next` gave last.
  long long number() const { return number_; }
  /// Bytes of the lines given so far.
  double bytes_read() const { return static_cast<double>(dropped_ + begin_); }

 private:
  bool refill();

  ByteStream& bytes_;
  std::size_t chunk_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // what is left of the buffer: [begin_, end_)
  std::size_t end_ = 0;
  std::size_t dropped_ = 0;  // bytes that have left the buffer
  bool at_end_ = false;
  long long number_ = 0;
};

/// Takes the next word (up to a space or tab) off the front; empty at the end.
std::string_view take_word(std::string_view& rest);

}  // namespace mercer
