#include "core/exact_sum.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer::test::exact_sum_test {

double sum(const std::vector<double>& numbers) {
  ExactSums sums(1);
  for (const double x : numbers) sums.add(0, x);
  return sums.value(0);
}

TEST(ExactSums, M_G5_sums_are_rounded_once) {
  EXPECT_EQ(sum({}), 0);
  EXPECT_EQ(sum({1e300, 1, -1e300}), 1);
  EXPECT_EQ(sum({0x1p53, 1, 0x1p-60}), 0x1p53 + 2);  // above the middle
  EXPECT_EQ(sum({0x1p53, 1}), 0x1p53);               // the middle, to even
  EXPECT_EQ(sum({-0x1p53, -1, -0x1p-1074}), -0x1p53 - 2);
  EXPECT_EQ(sum({0x1p-1074, 0x1p-1074}), 0x1p-1073);
  EXPECT_EQ(sum({-0x1p-1074}), -0x1p-1074);
  EXPECT_EQ(sum({1, -0x1p-1074}), 1);
  EXPECT_EQ(sum({0.1, 0.2, -0.3}), 0x1p-55);
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(sum({most, most, -most}), most);
  EXPECT_EQ(sum({most, most}), std::numeric_limits<double>::infinity());
}

TEST(ExactSums, M_G5_infinities_and_nan_are_kept) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(sum({1, infinity, 2}), infinity);
  EXPECT_TRUE(std::isnan(sum({infinity, -infinity})));
  EXPECT_TRUE(std::isnan(sum({std::nan(""), 1})));
}

TEST(ExactSums, M_G5_order_and_grouping_change_no_bit) {
  Random random(1);
  std::vector<double> numbers;
  for (int i = 0; i < 3000; ++i)
    numbers.push_back(random.normal() * std::ldexp(1, static_cast<int>(random.bits() % 120) - 60));
  // Rounded to 64 bits at every addition, which is enough to compare with.
  long double close = 0;
  for (const double x : numbers) close += x;
  const double expected = sum(numbers);
  EXPECT_NEAR(expected, static_cast<double>(close), std::abs(expected) * 1e-12);
  for (int round = 0; round < 20; ++round) {
    for (std::size_t i = numbers.size(); i > 1; --i)
      std::swap(numbers[i - 1], numbers[random.bits() % i]);
    ExactSums all(2);
    for (std::size_t first = 0; first < numbers.size();) {
      const std::size_t end = std::min(numbers.size(), first + 1 + random.bits() % 700);
      ExactSums some(2);
      for (; first < end; ++first) {
        some.add(0, numbers[first]);
        some.add(1, -numbers[first]);
      }
      all.add(some);
    }
    EXPECT_EQ(all.value(0), expected);
    EXPECT_EQ(all.value(1), -expected);
  }
}

}  // namespace mercer::test::exact_sum_test
