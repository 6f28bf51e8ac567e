#pragma once
// Pieces of SVG: texts that cannot break out of the XML, short numbers, colours, axes.

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::svg {

/// Any bytes as XML text of at most `most` characters: markup is escaped, what is no UTF-8 or no
/// XML character becomes U+FFFD, and what is longer ends in an ellipsis.
std::string text(std::string_view bytes, std::size_t most = 40);

/// Two decimals at most: "12.5", "-0.25", "3".
std::string number(double value);

using Colour = std::array<double, 3>;  // red, green, blue: 0 … 255

/// "#f7f7f7".
std::string hex(const Colour& colour);

/// From −1, violet, over 0, nearly white, to 1, orange: light enough for dots on top, and
/// distinguishable without red and green (the inner half of PuOr, colorbrewer2.org).
Colour diverging(double share);

/// The colour of the i-th label: Okabe and Ito's, which differ for the colour-blind too; grey
/// after.
std::string label_colour(std::size_t i);
constexpr std::size_t label_colours = 7;

struct Tick {
  double value;
  std::string text;
};

/// About `count` multiples of 1, 2 or 5 times a power of ten in [low, high].
std::vector<Tick> ticks(double low, double high, int count);

}  // namespace mercer::svg
