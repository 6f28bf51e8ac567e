#include "terminal/bars.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace mercer::cli {

std::string bar(double share, int width, const Terminal& terminal) {
  static constexpr std::array<const char*, 8> eighths = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  share = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) : 0.0;
  if (!terminal.unicode) {
    const auto length = static_cast<std::size_t>(std::lround(share * width));
    return std::string(length, '#');
  }
  auto steps = static_cast<std::size_t>(std::lround(share * width * 8));
  if (share > 0 && steps == 0) steps = 1;  // little is not nothing
  std::string out;
  for (std::size_t i = 0; i < steps / 8; ++i) out += "█";
  return out + eighths[steps % 8];
}

std::string gauge(double share, int width, const Terminal& terminal) {
  if (!terminal.unicode)
    return "[" +
           padded(bar(share, width - 2, terminal),
                  static_cast<std::size_t>(std::max(0, width - 2))) +
           "]";
  const std::string full = bar(share, width, terminal);
  std::string rest;
  for (std::size_t i = columns_of(full); i < static_cast<std::size_t>(width); ++i) rest += "─";
  return terminal.paint(39, full) + terminal.dim(rest);
}

}  // namespace mercer::cli
