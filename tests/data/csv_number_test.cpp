// Decimal text to the nearest number, beside the C library.

#include "data/number.hpp"

#include "support/random.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace mercer::csv_number_test {

using test::Random;

double reference(const char* text, char** end, double) { return std::strtod(text, end); }
float reference(const char* text, char** end, float) { return std::strtof(text, end); }

template <class T>
bool same_bits(T a, T b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

/// Texts of every kind: decimals, long ones, integers, exponents, digits at random, and halfway
/// cases between neighbouring floats.
std::string text_of(Random& random) {
  const auto below = [&](std::uint64_t n) { return static_cast<int>(random.bits() % n); };
  const double value = random.normal() * std::pow(10, below(9) - 3);
  switch (below(7)) {
    case 0:
      return fmt::format("{:.{}f}", value, below(9));
    case 1:
      return fmt::format("{:.{}g}", value * std::pow(10, below(60) - 30), 1 + below(17));
    case 2:
      return fmt::format("{}", static_cast<std::int64_t>(random.bits()) >> below(63));
    case 3:
      return fmt::format("{}.{}", random.bits() >> (14 + below(50)),
                         random.bits() >> (14 + below(50)));
    case 4:
      return fmt::format("{}", value);
    case 5: {
      const float low =
          std::bit_cast<float>(static_cast<std::uint32_t>(0x3f800000 + below(1 << 26)));
      const double middle = (static_cast<double>(low) + std::nextafter(low, 1e30f)) / 2;
      return fmt::format("{:.{}f}", middle, below(13));
    }
    default: {
      std::string text;
      for (int left = 1 + below(18); left > 0; --left)
        text += "0123456789.-e+"[below(below(4) ? 10 : 14)];
      return text;
    }
  }
}

template <class T>
void agree_with_the_c_library() {
  Random random(7);
  int plain = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::string text = text_of(random);
    // What stands around a cell must not matter.
    const char around = "0.,-9"[random.bits() % 5];
    const std::string padded =
        std::string(number::padding, around) + text + std::string(number::padding, around);
    const char* begin = padded.data() + number::padding;
    const char* end = begin + text.size();
    char* stop = nullptr;
    const T expected = reference(text.c_str(), &stop, T{});
    const bool whole = *stop == '\0';

    T value{};
    if (parse_plain(begin, end, value)) {
      ++plain;
      ASSERT_TRUE(whole && same_bits(value, expected)) << text;
    }
    value = T{};
    const Cell cell = parse_cell<T>(text, value);
    ASSERT_EQ(cell != Cell::text, whole) << text;
    ASSERT_EQ(cell == Cell::infinite, whole && std::isinf(expected)) << text;
    if (cell == Cell::number) ASSERT_TRUE(same_bits(value, expected)) << text;
    T finite{};
    if (parse_finite(begin, end, finite)) ASSERT_TRUE(same_bits(finite, expected)) << text;
  }
  EXPECT_GT(plain, 400'000);
}

TEST(Number, doubles_agree_with_the_c_library) { agree_with_the_c_library<double>(); }
TEST(Number, floats_agree_with_the_c_library) { agree_with_the_c_library<float>(); }

TEST(Number, plain_decimals_take_the_fast_way) {
  const auto plain = [](const std::string& text) {
    const std::string padded = std::string(16, '7') + text + std::string(16, '7');
    double value;
    return parse_plain(padded.data() + 16, padded.data() + 16 + text.size(), value);
  };
  for (const char* text : {"0", "-0", "7", "-12.5", ".5", "5.", "1234567890123456",
                           "0.12345678901234", "-12345678.1234567"})
    EXPECT_TRUE(plain(text)) << text;
  for (const char* text : {"", "-", ".", "-.", "1.2.3", "1e5", "12345678901234567", "1,5", "+1",
                           "x", "--1", "1-", " 1"})
    EXPECT_FALSE(plain(text)) << text;
}

TEST(Number, a_float_is_rounded_once) {
  // Just above the middle between 1 and its next float: as a double it is the middle itself, and
  // rounding that again would go to the even neighbour, 1.
  const std::string text = "1.000000059604644776";
  float value = 0;
  EXPECT_EQ(parse_cell<float>(text, value), Cell::number);
  EXPECT_EQ(value, std::nextafter(1.0f, 2.0f));
  // 2^24 + 1 is a middle too, and an exact one.
  const std::string blank(16, ' ');
  const std::string middle = blank + "16777217.0" + blank;
  EXPECT_FALSE(parse_plain(middle.data() + 16, middle.data() + 26, value));
}

TEST(Number, missing_tokens) {
  double value = 0;
  for (const char* text : {"", " ", "\t ", "NA", " NA ", "NaN", "nan", "-nan", "NAN", "?"})
    EXPECT_EQ(parse_cell<double>(text, value), Cell::missing) << text;
  for (const char* text :
       {"na", "N/A", "null", "None", "??", "NA1", "+-1", "0x10", "1d5", "1 2", "e5", "-", "+"})
    EXPECT_EQ(parse_cell<double>(text, value), Cell::text) << text;
}

}  // namespace mercer::csv_number_test
