#include "data/line_reader.hpp"

#include <algorithm>
#include <cstring>

namespace mercer {

std::optional<std::string_view> LineReader::next() {
  std::size_t searched = begin_;
  for (;;) {
    const char* const from = buffer_.data() + searched;
    const void* const newline =
        end_ > searched ? std::memchr(from, '\n', end_ - searched) : nullptr;
    if (!newline) {
      searched = end_ - begin_;  // where the search goes on once the rest has moved to the front
      if (refill()) continue;
      if (begin_ == end_) return std::nullopt;
    }
    const char* const line = buffer_.data() + begin_;
    const char* stop = newline ? static_cast<const char*>(newline) : buffer_.data() + end_;
    begin_ = newline ? static_cast<std::size_t>(stop + 1 - buffer_.data()) : end_;
    if (stop > line && stop[-1] == '\r') --stop;
    ++number_;
    return std::string_view(line, static_cast<std::size_t>(stop - line));
  }
}

/// Moves the rest to the front and reads on behind it.
bool LineReader::refill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  dropped_ += begin_;
  begin_ = 0;
  if (at_end_) return false;
  const std::size_t wanted = std::max(chunk_, end_);  // a long line: double, not chunk by chunk
  if (buffer_.size() < end_ + wanted) buffer_.resize(end_ + wanted);
  const std::size_t got = bytes_.read(buffer_.data() + end_, wanted);
  at_end_ = got < wanted && bytes_.at_end();
  end_ += got;
  return got > 0;
}

std::string_view take_word(std::string_view& rest) {
  const auto space = [](char c) { return c == ' ' || c == '\t'; };
  std::size_t begin = 0;
  while (begin < rest.size() && space(rest[begin])) ++begin;
  std::size_t end = begin;
  while (end < rest.size() && !space(rest[end])) ++end;
  const std::string_view word = rest.substr(begin, end - begin);
  rest.remove_prefix(end);
  return word;
}

}  // namespace mercer
