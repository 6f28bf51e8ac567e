#pragma once
// Decimal text to the nearest float or double: correctly rounded, always.
//
// Most cells look like -12.3456. With at most 16 characters their digits make an integer m that a
// double holds exactly (or, without a point, that the conversion rounds correctly), and 10^f is
// exact up to f = 22, so m / 10^f is one correctly rounded operation. Everything else goes to
// fast_float.

#include <fast_float/fast_float.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <system_error>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace mercer {

/// What the text of a cell is.
enum class Cell : unsigned char { number, missing, infinite, text };

namespace number {

/// Bytes that must be readable before and behind a text given to `plain_decimal`.
constexpr std::size_t padding = 16;

/// Bit i: byte i of the 16 at p is not a digit.
inline std::uint32_t nondigits16(const char* p) {
#ifdef __SSE2__
  const __m128i text = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  const __m128i value = _mm_sub_epi8(text, _mm_set1_epi8('0'));
  const __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(value, _mm_set1_epi8(9)), value);
  return static_cast<std::uint32_t>(_mm_movemask_epi8(digit)) ^ 0xffffu;
#else
  std::uint32_t bits = 0;
  for (unsigned i = 0; i < 16; ++i) bits |= std::uint32_t{p[i] < '0' || p[i] > '9'} << i;
  return bits;
#endif
}

/// The 8 bytes before `end`.
inline std::uint64_t word_before(const char* end) {
  static_assert(std::endian::native == std::endian::little);
  std::uint64_t word;
  std::memcpy(&word, end - 8, 8);
  return word;
}

/// Selects the last n bytes in memory of a word; all of them from n = 8 on.
constexpr std::array<std::uint64_t, 17> last_bytes = [] {
  std::array<std::uint64_t, 17> mask{};
  for (std::size_t n = 1; n < mask.size(); ++n) mask[n] = n < 8 ? ~0ull << (8 * (8 - n)) : ~0ull;
  return mask;
}();

/// The value of 8 digits; zero bytes in front count as zeros. Neighbours are joined three times:
/// 8 digits, 4 pairs, 2 fours, 1 eight; each product adds the left one, times 10, 100 or 10000,
/// onto the right one.
inline std::uint64_t value_of_digits(std::uint64_t word) {
  word = ((word & 0x0f0f0f0f0f0f0f0full) * (10 * (1ull << 8) + 1)) >> 8;
  word = ((word & 0x00ff00ff00ff00ffull) * (100 * (1ull << 16) + 1)) >> 16;
  return ((word & 0x0000ffff0000ffffull) * (10000 * (1ull << 32) + 1)) >> 32;
}

/// The last 8 digits before `end`, of which `fraction` stand behind the point: closes the gap.
inline std::uint64_t digits_around_point(const char* end, std::size_t fraction) {
  const std::uint64_t behind = last_bytes[fraction];
  return (word_before(end) & behind) | (word_before(end - 1) & ~behind);
}

/// Reads `-?digits[.digits]` of at most 16 characters after the sign; false: something else,
/// which may still be a number. Needs `padding` around the text.
inline bool plain_decimal(const char* begin, const char* end, double& value) {
  static constexpr double power[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                     1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  constexpr std::uint64_t e8 = 100'000'000;
  const std::uint64_t negative = *begin == '-';
  begin += negative;
  const auto size = static_cast<std::size_t>(end - begin);
  if (size - 1 >= 16) return false;
  const std::uint32_t others = nondigits16(begin) & ((1u << size) - 1);
  double magnitude;
  if (others == 0) {
    std::uint64_t digits = value_of_digits(word_before(end) & last_bytes[size]);
    if (size > 8) digits += e8 * value_of_digits(word_before(end - 8) & last_bytes[size - 8]);
    magnitude = static_cast<double>(static_cast<std::int64_t>(digits));
  } else {
    const auto whole = static_cast<std::size_t>(std::countr_zero(others));
    if ((others & (others - 1)) != 0 || begin[whole] != '.' || size == 1) return false;
    const std::size_t fraction = size - 1 - whole;
    std::uint64_t digits =
        value_of_digits(digits_around_point(end, fraction) & last_bytes[size - 1]);
    if (size > 9) {
      const std::size_t rest = fraction > 8 ? fraction - 8 : 0;
      digits += e8 * value_of_digits(digits_around_point(end - 8, rest) & last_bytes[size - 9]);
    }
    magnitude = static_cast<double>(static_cast<std::int64_t>(digits)) / power[fraction];
  }
  value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(magnitude) | negative << 63);
  return true;
}

/// A correctly rounded double as the correctly rounded T; false when that cannot be told from it:
/// only when it lies halfway between two floats may the text lie to either side.
inline bool narrow(double wide, double& value) {
  value = wide;
  return true;
}
inline bool narrow(double wide, float& value) {
  constexpr std::uint64_t below_float = (1u << 29) - 1;
  value = static_cast<float>(wide);
  return (std::bit_cast<std::uint64_t>(wide) & below_float) != 1u << 28;
}

}  // namespace number

/// The fast way for the common case; `number::plain_decimal` says what it needs.
template <class T>
inline bool parse_plain(const char* begin, const char* end, T& value) {
  double wide;
  return number::plain_decimal(begin, end, wide) && number::narrow(wide, value);
}

/// A finite number in any notation and nothing else: neither blanks nor a plus.
template <class T>
bool parse_finite(const char* begin, const char* end, T& value) {
  const auto [rest, status] = fast_float::from_chars(begin, end, value);
  return rest == end && status == std::errc{} && std::isfinite(value);
}

/// Any cell, with blanks around it. `value` is set for numbers only. Missing are the empty cell,
/// NA, ? and every spelling of NaN; what is too large for T is infinite.
template <class T>
Cell parse_cell(std::string_view text, T& value) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  if (text.empty() || text == "NA" || text == "?") return Cell::missing;
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  T parsed{};
  const char* end = text.data() + text.size();
  const auto [rest, status] = fast_float::from_chars(text.data(), end, parsed);
  if (rest != end || (status != std::errc{} && status != std::errc::result_out_of_range))
    return Cell::text;
  if (std::isnan(parsed)) return Cell::missing;
  if (std::isinf(parsed)) return Cell::infinite;
  value = parsed;
  return Cell::number;
}

}  // namespace mercer
