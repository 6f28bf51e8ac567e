#pragma once
// What an output can show (colour, Unicode, width), and text that is safe to show there.

#include <cstddef>
#include <string>
#include <string_view>

namespace mercer::cli {

struct Terminal {
  int descriptor = 1;
  bool interactive = false;  ///< a person may be watching
  bool color = false;        ///< interactive, and neither NO_COLOR nor TERM=dumb
  bool unicode = false;      ///< interactive, and the locale is UTF-8: blocks and braille
  int width = 80;

  /// `text` in one of the 256 colours, or in bold or dim; as it is without colour.
  std::string paint(int color, std::string_view text) const;
  std::string bold(std::string_view text) const;
  std::string dim(std::string_view text) const;
};

Terminal terminal(int descriptor);

/// Writes to standard output, all of it, or throws as an output file would.
void print(std::string_view text);

/// Writes to standard error; failures are ignored.
void say(std::string_view text);

/// Columns of UTF-8 text in a terminal, one per code point.
std::size_t columns_of(std::string_view text);

/// Text from a file made harmless: control characters become '?', and what is longer than `most`
/// columns ends in an ellipsis.
std::string shown(std::string_view text, std::size_t most, bool unicode);

/// Filled up with spaces on the right, or on the left.
std::string padded(std::string text, std::size_t width);
std::string padded_left(std::string text, std::size_t width);

}  // namespace mercer::cli
