#pragma once
// A window that moves over the text of a file, and its division into chunks of whole rows that
// threads can parse on their own.
//
// A newline ends a row when an even number of quotes stands before it. So each chunk's quotes are
// counted (in parallel, as it is read), the running sum tells every chunk how it begins, and its
// first row starts after the first newline at even parity.

#include "data/bytes.hpp"
#include "data/csv_buffer.hpp"
#include "data/csv_lanes.hpp"
#include "data/pieces.hpp"

#include <mercer/matrix.hpp>

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mercer::csv {

/// Whole rows; the last byte is a newline.
struct Chunk {
  const char* begin;
  const char* end;
  Index line;       ///< lines of the file before `begin`
  Index lines;      ///< newlines in it: no chunk has more rows
  bool has_quotes;  ///< false: surely not
};

class Text {
 public:
  static constexpr std::size_t longest_row = std::size_t{64} << 20;

  Text(std::unique_ptr<ByteStream> bytes, int threads);

  /// The window. It ends with a newline at the end of the file, even when the file does not.
  const char* begin() const { return window_; }
  const char* end() const { return window_ + size_ + (ends_bare_ ? 1 : 0); }
  /// The window reaches the end of the file.
  bool complete() const { return complete_; }
  Index line() const { return line_; }     ///< lines before the window
  Index line_of(const char* place) const;  ///< of a place in the window, counted from 1
  /// The first byte in the window that no text has; null if there is none.
  const char* control() const;

  /// Makes the window `bytes` long, as far as there is text, and looks at it in stretches. Pointers
  /// into the window are void after this.
  void fill(std::size_t bytes, std::size_t stretch);
  void fill(std::size_t bytes) { fill(bytes, bytes); }
  /// Doubles the window for the row at `row`. Throws when that row is too long.
  void grow(const char* row);
  /// Lets the window begin at `place`, before which there are `line` lines.
  void advance(const char* place, Index line);
  /// Back to where `skip` bytes and `lines` lines are over.
  void rewind(std::size_t skip, Index lines);

  /// The text ends here from now on: at the end of the file, or where a row of it ends.
  void set_end(std::size_t end);

  /// A file that can be read from anywhere: its pieces (data/pieces.hpp).
  bool in_pieces() const { return anywhere_; }
  std::size_t file_bytes() const { return file_bytes_; }
  Tally tally_of(std::size_t begin, std::size_t end, const std::function<void()>& step) const;
  std::optional<TextPlace> row_from(TextPlace from, std::size_t end, bool quoted,
                                    const std::function<void()>& step) const;

  /// At the end of the text: lets go of the window's memory until it is filled again.
  void release();

  /// All whole rows of the window, one chunk for each stretch.
  std::vector<Chunk> chunks() const;

  std::size_t consumed() const { return consumed_; }  ///< bytes before the window
  double expected_bytes() const;                      ///< in the whole text; 0: unknown
  bool can_rewind() const { return bytes_->can_rewind(); }
  std::string name() const { return bytes_->name(); }

 private:
  void make_room(std::size_t bytes);
  void read_at(char* out, std::size_t bytes, std::size_t offset) const;
  const char* last_row_end() const;
  bool has_quotes(const char* begin, const char* end) const;

  std::unique_ptr<ByteStream> bytes_;
  int threads_;
  std::size_t file_bytes_;  // of a plain file
  std::size_t end_;         // where the text ends; that of the file, or of a piece of it
  bool anywhere_;           // the file can be read from anywhere; else in order
  Buffer<char> buffer_;
  char* window_ = nullptr;
  std::size_t size_ = 0;
  std::size_t consumed_ = 0;
  Index line_ = 0;
  bool complete_ = false;
  bool ends_bare_ = false;  // no newline at the end of the file
  std::size_t stretch_ = 1;
  std::vector<Tally> tallies_;  // one a stretch of the window
};

/// Newlines in [begin, end).
inline Index count_lines(const char* begin, const char* end) {
  return static_cast<Index>(tally(begin, end).newlines);
}

}  // namespace mercer::csv
