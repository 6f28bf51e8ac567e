#include "data/csv_text.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "data/number.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace mercer::csv {

namespace {

// What number parsing may read before a cell, and number parsing or lanes behind the text.
constexpr std::size_t front_padding = 64;
constexpr std::size_t back_padding = 128;
static_assert(front_padding >= number::padding);
static_assert(back_padding >= number::padding + lane_padding);

/// How much of a piece is read at once to count or to search in it.
constexpr std::size_t piece_read = std::size_t{1} << 20;

/// The first row that begins at `edge` or later; `inside`: `edge` is in a quoted cell.
const char* row_start(const char* edge, const char* end, bool inside) {
  if (!inside && edge[-1] == '\n') return edge;
  for (const char* p = edge; p < end; ++p) {
    if (*p == '"') inside = !inside;
    if (*p == '\n' && !inside) return p + 1;
  }
  return end;
}

}  // namespace

Text::Text(std::unique_ptr<ByteStream> bytes, int threads)
    : bytes_(std::move(bytes)),
      threads_(threads),
      file_bytes_(bytes_->descriptor() >= 0 ? bytes_->size() : 0),
      end_(file_bytes_),
      anywhere_(file_bytes_ > 0) {}

Index Text::line_of(const char* place) const { return line_ + count_lines(window_, place) + 1; }

const char* Text::control() const {
  const auto has_control = [](const Tally& t) { return t.control; };
  if (std::none_of(tallies_.begin(), tallies_.end(), has_control)) return nullptr;
  const char* stop = window_ + size_;
  const char* found = std::find_if(static_cast<const char*>(window_), stop, is_control);
  return found == stop ? nullptr : found;
}

void Text::make_room(std::size_t bytes) {
  const std::size_t needed = front_padding + bytes + back_padding;
  if (needed > buffer_.size()) {
    Buffer<char> larger(needed);
    std::memset(larger.data(), '\n', front_padding);
    if (size_ > 0) std::memcpy(larger.data() + front_padding, window_, size_);
    buffer_ = std::move(larger);
  } else if (size_ > 0) {
    std::memmove(buffer_.data() + front_padding, window_, size_);
  }
  window_ = buffer_.data() + front_padding;
}

void Text::read_at(char* out, std::size_t bytes, std::size_t offset) const {
  while (bytes > 0) {
    const ssize_t n = ::pread(bytes_->descriptor(), out, bytes, static_cast<off_t>(offset));
    if (n < 0 && errno == EINTR) continue;
    require(n >= 0, Errc::io, "cannot read '{}': {}", name(), std::strerror(errno));
    if (n == 0) bytes_->require_unchanged();
    require(n > 0, Errc::io, "'{}' was truncated while it was read", name());
    out += n;
    offset += static_cast<std::size_t>(n);
    bytes -= static_cast<std::size_t>(n);
  }
}

void Text::fill(std::size_t bytes, std::size_t stretch) {
  std::size_t had = size_;
  std::size_t fresh = complete_ || bytes <= had ? 0 : bytes - had;
  if (anywhere_) fresh = std::min(fresh, end_ - consumed_ - had);
  make_room(had + fresh);
  if (!anywhere_ && fresh > 0) {
    const std::size_t got = bytes_->read(window_ + had, fresh);
    complete_ = got < fresh && bytes_->at_end();
    had += got;
    fresh = 0;
  }
  size_ = had + fresh;
  stretch_ = std::max<std::size_t>(stretch, 1);
  tallies_.resize((size_ + stretch_ - 1) / stretch_);
  parallel_for(static_cast<Index>(tallies_.size()), threads_, [&](Index i) {
    const std::size_t begin = static_cast<std::size_t>(i) * stretch_;
    const std::size_t end = std::min(begin + stretch_, size_);
    const std::size_t unread = std::max(begin, had);
    if (unread < end) read_at(window_ + unread, end - unread, consumed_ + unread);
    tallies_[static_cast<std::size_t>(i)] = tally(window_ + begin, window_ + end);
  });
  if (anywhere_) complete_ = consumed_ + size_ == end_;
  if (anywhere_ && complete_ && fresh > 0) bytes_->require_unchanged();
  ends_bare_ = complete_ && size_ > 0 && window_[size_ - 1] != '\n';
  std::memset(window_ + size_, '\n', back_padding);
}

void Text::grow(const char* row) {
  const auto offset = static_cast<std::size_t>(row - window_);
  require(size_ - offset <= longest_row, Errc::bad_data,
          "'{}', line {}: longer than {}; is a quote unclosed, or are line ends missing?",
          Input(name()), line_of(row), format_bytes(longest_row));
  fill(std::min(2 * size_ + 64, offset + longest_row + 1));
}

void Text::advance(const char* place, Index line) {
  // The newline at the very end may be ours, not the file's.
  const std::size_t bytes = std::min(static_cast<std::size_t>(place - window_), size_);
  window_ += bytes;
  size_ -= bytes;
  consumed_ += bytes;
  line_ = line;
  if (size_ == 0) ends_bare_ = false;
}

void Text::release() {
  if (size_ > 0) return;
  buffer_ = {};
  window_ = nullptr;
}

void Text::rewind(std::size_t skip, Index lines) {
  bytes_->require_unchanged();
  size_ = 0;
  complete_ = false;
  if (!anywhere_) {
    bytes_->rewind();
    consumed_ = 0;
    fill(skip);
    require(size_ == skip, Errc::io, "'{}' was truncated while it was read", name());
    size_ = 0;
  }
  consumed_ = skip;
  line_ = lines;
}

void Text::set_end(std::size_t end) {
  end_ = end;
  complete_ = false;
}

Tally Text::tally_of(std::size_t begin, std::size_t end, const std::function<void()>& step) const {
  std::vector<std::string> parts(static_cast<std::size_t>(threads_));
  std::vector<Tally> tallies(parts.size());
  Tally sum;
  while (begin < end) {
    step();
    const std::size_t count = std::min(parts.size(), (end - begin + piece_read - 1) / piece_read);
    parallel_for(static_cast<Index>(count), threads_, [&](Index i) {
      const auto at = static_cast<std::size_t>(i);
      const std::size_t from = begin + at * piece_read;
      parts[at].resize(std::min(piece_read, end - from));
      read_at(parts[at].data(), parts[at].size(), from);
      tallies[at] = tally(parts[at].data(), parts[at].data() + parts[at].size());
    });
    for (std::size_t i = 0; i < count; ++i) {
      sum.newlines += tallies[i].newlines;
      sum.quotes += tallies[i].quotes;
    }
    begin += std::min(end - begin, count * piece_read);
  }
  return sum;
}

std::optional<TextPlace> Text::row_from(TextPlace from, std::size_t end, bool quoted,
                                        const std::function<void()>& step) const {
  // Begins with the byte before the place, which may be the newline that ends a row.
  std::string text(std::min(piece_read, end - from.byte + 1), '\0');
  read_at(text.data(), 1, from.byte - 1);
  if (text[0] == '\n' && !quoted) return from;
  while (from.byte < end) {
    step();
    text.resize(std::min(piece_read, end - from.byte));
    read_at(text.data(), text.size(), from.byte);
    for (const char c : text) {
      ++from.byte;
      from.lines += c == '\n';
      if (c == '"') quoted = !quoted;
      if (c == '\n' && !quoted) return from.byte < end ? std::optional(from) : std::nullopt;
    }
  }
  return std::nullopt;
}

const char* Text::last_row_end() const {
  std::size_t quotes = 0;
  for (const Tally& t : tallies_) quotes += t.quotes;
  bool inside = quotes % 2 != 0;
  for (const char* p = window_ + size_; p > window_; --p) {
    if (p[-1] == '\n' && !inside) return p;
    if (p[-1] == '"') inside = !inside;
  }
  return window_;
}

bool Text::has_quotes(const char* begin, const char* end) const {
  const auto first = static_cast<std::size_t>(begin - window_) / stretch_;
  const auto last = static_cast<std::size_t>(end - 1 - window_) / stretch_;
  for (std::size_t i = first; i <= last && i < tallies_.size(); ++i)
    if (tallies_[i].quotes != 0) return true;
  return false;
}

std::vector<Chunk> Text::chunks() const {
  const char* stop = complete_ ? end() : last_row_end();
  std::vector<Chunk> chunks;
  const auto add = [&](const char* begin, const char* end, Index line, Index next_line) {
    chunks.push_back({begin, end, line, next_line - line, has_quotes(begin, end)});
  };
  const char* begin = window_;
  Index line = line_;
  Index lines = line_;
  std::size_t quotes = 0;
  for (std::size_t i = 0; i < tallies_.size(); ++i) {
    lines += static_cast<Index>(tallies_[i].newlines);
    quotes += tallies_[i].quotes;
    const char* edge = window_ + (i + 1) * stretch_;
    if (edge >= stop) break;
    if (edge <= begin) continue;  // within a row longer than a stretch
    const char* start = row_start(edge, stop, quotes % 2 != 0);
    if (start == stop) break;
    const Index next_line = lines + count_lines(edge, start);
    add(begin, start, line, next_line);
    begin = start;
    line = next_line;
  }
  if (begin < stop) add(begin, stop, line, line + count_lines(begin, stop));
  return chunks;
}

double Text::expected_bytes() const {
  if (anywhere_) return static_cast<double>(end_);
  const auto read = static_cast<double>(consumed_ + size_);
  if (complete_) return read;
  const double fraction = bytes_->fraction_read();
  return fraction > 0 ? read / fraction : 0;
}

}  // namespace mercer::csv
