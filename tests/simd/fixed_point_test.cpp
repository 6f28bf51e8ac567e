#include "simd/fixed_point.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

#include <cmath>
#include <limits>
#include <vector>

namespace mercer::fixed_point_test {

TEST(FixedPoint, is_off_by_half_a_unit_at_most_and_comes_back_the_same) {
  test::on_every_target([] {
    test::Random random(1);
    for (Index n = 0; n <= 37; ++n) {
      const Vector<double> x = random.normal(1, n + 1).row(0).head(n);
      const double largest = n > 0 ? x.cwiseAbs().maxCoeff() : 1, unit = largest / 2147483647;
      std::vector<std::int32_t> fixed(static_cast<std::size_t>(n) + 1, 77);
      const double most = to_fixed_point(x.data(), n, unit, fixed.data());
      EXPECT_EQ(fixed.back(), 77);  // nothing beyond is touched
      EXPECT_EQ(most, n > 0 ? 2147483647.0 : 0.0);
      Vector<double> back(n), again(n);
      from_fixed_point(fixed.data(), n, unit, back.data());
      for (Index i = 0; i < n; ++i) EXPECT_LE(std::abs(back[i] - x[i]), 0.5000001 * unit);
      EXPECT_EQ(to_fixed_point(back.data(), n, unit, fixed.data()), most);
      from_fixed_point(fixed.data(), n, unit, again.data());
      EXPECT_EQ(back, again);
    }
  });
}

TEST(Widen, is_exact_for_any_length) {
  test::on_every_target([] {
    for (Index n = 0; n <= 37; ++n) {
      const Vector<float> x = test::Random(2).normal(1, n + 1).row(0).head(n).cast<float>();
      Vector<double> out = Vector<double>::Constant(n + 1, -7);
      widen(x.data(), n, out.data());
      EXPECT_EQ(Vector<double>(out.head(n)), Vector<double>(x.cast<double>()));
      EXPECT_EQ(out[n], -7);
    }
  });
}

TEST(FixedPoint, tells_when_a_number_does_not_fit) {
  test::on_every_target([] {
    for (const double wrong : {3e9, -3e9, std::numeric_limits<double>::infinity(),
                               std::numeric_limits<double>::quiet_NaN()})
      for (std::size_t at = 0; at < 19; ++at) {
        std::vector<double> x(19, 1.0);
        std::vector<std::int32_t> fixed(19);
        x[at] = wrong;
        EXPECT_FALSE(to_fixed_point(x.data(), 19, 1.0, fixed.data()) <= 2147483647.0)
            << wrong << " at " << at;
      }
  });
}

}  // namespace mercer::fixed_point_test
