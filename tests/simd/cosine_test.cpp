#include "simd/cosine.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace mercer::cosine_test {

/// Is `got` within two units in the last place, and `more`, of the truth?
template <class T>
void expect_near(T got, long double truth, double more, const char* name, T z) {
  const T near = static_cast<T>(std::fabs(truth));
  const long double unit = std::nextafter(near, T(2)) - near;
  const long double error = std::fabs(static_cast<long double>(got) - truth);
  ASSERT_LE(error, 2 * unit + more) << name << "(" << z << ") = " << got;
}

template <class T>
void check(double largest, double more) {
  test::Random random(11);
  std::vector<T> z{T(0), -T(0), T(1e-30), T(0.7853981633974483), T(-0.7853981633974483)};
  for (int i = 0; i < 30'000; ++i)
    z.push_back(static_cast<T>(largest * std::pow(2 * random.uniform() - 1, i % 3 == 0 ? 1 : 9)));
  // Next to a multiple of π/2, where one of the two nearly vanishes.
  for (int q = -6000; q < 6000; ++q) z.push_back(static_cast<T>(q * 1.57079632679489661923L));
  const auto n = static_cast<Index>(z.size());
  std::vector<T> out(2 * z.size());
  cosines_and_sines(z.data(), n, T(1), out.data());
  for (std::size_t i = 0; i < z.size(); ++i) {
    const auto exact = static_cast<long double>(z[i]);
    expect_near(out[2 * i], std::cos(exact), more, "cos", z[i]);
    expect_near(out[2 * i + 1], std::sin(exact), more, "sin", z[i]);
  }
}

TEST(Cosine, is_within_two_ulp_on_every_instruction_set) {
  test::on_every_target([] {
    check<double>(1e4, 0);
    check<double>(1e12, 0);
    check<float>(1e4, 1e-10);
    check<float>(1e7, 1e-10);
  });
}

template <class T>
void check_place() {
  test::Random random(12);
  std::vector<T> z;
  for (int i = 0; i < 37; ++i) z.push_back(static_cast<T>(i % 11 == 0 ? 3e6 : 8 * random.normal()));
  for (Index n = 0; n <= 37; ++n) {
    std::vector<T> out(2 * static_cast<std::size_t>(n) + 1, T(-7));
    cosines_and_sines(z.data(), n, T(0.25), out.data());
    EXPECT_EQ(out.back(), T(-7));  // nothing beyond is touched
    for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) {
      T alone[2];
      cosines_and_sines(&z[i], 1, T(1), alone);
      EXPECT_EQ(out[2 * i], alone[0] / 4);  // whatever its place and its neighbours
      EXPECT_EQ(out[2 * i + 1], alone[1] / 4);
    }
  }
}

TEST(Cosine, of_any_length_is_scaled_and_in_pairs) {
  test::on_every_target([] {
    check_place<float>();
    check_place<double>();
  });
}

TEST(Cosine, of_no_number_is_none) {
  test::on_every_target([] {
    for (const double wrong :
         {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      const std::vector<double> z{1, wrong, 2, 3, 4};
      std::vector<double> out(10);
      cosines_and_sines(z.data(), 5, 1.0, out.data());
      for (std::size_t i = 0; i < 10; ++i) EXPECT_EQ(std::isfinite(out[i]), i / 2 != 1) << i;
    }
  });
}

}  // namespace mercer::cosine_test
