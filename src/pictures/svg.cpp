#include "pictures/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace mercer::svg {

namespace {

constexpr const char* replacement = "\xef\xbf\xbd";

/// The length of the character at the start of `bytes`, or 0 when there is none that XML allows.
std::size_t character(std::string_view bytes) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= ' ' && first != 0x7f ? 1 : 0;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes.size() < length) return 0;
  std::uint32_t code = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return 0;
    code = code << 6 | (byte(i) & 0x3fU);
  }
  constexpr std::uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  const bool control = code < 0xa0;
  return code < least[length] || code > 0x10ffff || surrogate || control ||
                 (code & 0xfffeU) == 0xfffeU
             ? 0
             : length;
}

}  // namespace

std::string text(std::string_view bytes, std::size_t most) {
  std::string out, last;  // `last` waits: when there is more, an ellipsis takes its place
  for (std::size_t count = 0; !bytes.empty(); ++count) {
    if (count == most) return out + "…";
    out += last;
    const std::size_t length = character(bytes);
    const std::string_view c = bytes.substr(0, std::max<std::size_t>(length, 1));
    last = length == 0 ? replacement
           : c == "&"  ? "&amp;"
           : c == "<"  ? "&lt;"
           : c == ">"  ? "&gt;"
           : c == "\"" ? "&quot;"
                       : std::string(c);
    bytes.remove_prefix(c.size());
  }
  return out + last;
}

std::string number(double value) {
  const auto hundredths = static_cast<long long>(std::llround(value * 100));
  const long long size = std::llabs(hundredths);
  std::string out = fmt::format("{}{}", hundredths < 0 ? "-" : "", size / 100);
  if (size % 100 == 0) return out;
  return out +
         (size % 10 == 0 ? fmt::format(".{}", size / 10 % 10) : fmt::format(".{:02}", size % 100));
}

std::string hex(const Colour& colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", std::lround(colour[0]), std::lround(colour[1]),
                     std::lround(colour[2]));
}

Colour diverging(double share) {
  constexpr Colour middle = {247, 247, 247}, violet = {178, 171, 210}, orange = {253, 184, 99};
  const Colour& end = share < 0 ? violet : orange;
  const double t = std::clamp(std::abs(share), 0.0, 1.0);
  Colour out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = middle[i] + t * (end[i] - middle[i]);
  return out;
}

std::string label_colour(std::size_t i) {
  constexpr const char* colours[label_colours] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                  "#e69f00", "#56b4e9", "#000000"};
  return i < label_colours ? colours[i] : "#7f7f7f";
}

std::vector<Tick> ticks(double low, double high, int count) {
  std::vector<Tick> out;
  const double raw = (high - low) / count;
  if (!std::isfinite(raw) || !(raw > 0)) return out;
  const double power = std::pow(10, std::floor(std::log10(raw)));
  const double lead = raw / power;
  const double step = power * (lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10);
  if (!std::isfinite(step) || !(step > 0)) return out;
  // As many digits as neighbours need to differ.
  const double largest = std::max(std::abs(low), std::abs(high));
  int digits = std::clamp(static_cast<int>(std::ceil(std::log10(largest / step))) + 1, 1, 15);
  if (largest >= 1 && largest < 1e6)  // 100, not 1e+02
    digits = std::max(digits, static_cast<int>(std::floor(std::log10(largest))) + 1);
  const double first = std::ceil(low / step);
  for (int i = 0; i <= 2 * count + 2; ++i) {
    const double value = (first + i) * step;
    if (!(value <= high)) break;
    out.push_back({value, fmt::format("{:.{}g}", value == 0 ? 0.0 : value, digits)});
  }
  return out;
}

}  // namespace mercer::svg
