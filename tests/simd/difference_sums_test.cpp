#include "simd/difference_sums.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

#include <vector>

namespace mercer::difference_sums_test {

template <class T>
void check(Index n, Index m, Index d) {
  test::Random random(static_cast<std::uint64_t>(n + 31 * m + 1009 * d));
  Matrix<T> x = random.normal(n, d + 1).cwiseAbs().cast<T>();
  Matrix<T> y = random.normal(m, d + 2).cwiseAbs().cast<T>();
  x.col(0).setZero();
  y.col(0).setZero();  // 0/0
  std::vector<T> scratch(difference_scratch);
  for (const auto sum : {DifferenceSum::inner, DifferenceSum::absolute, DifferenceSum::squared,
                         DifferenceSum::chi2, DifferenceSum::harmonic}) {
    Matrix<T> out = Matrix<T>::Constant(n, m + 1, T(-1));
    difference_sums(sum, x.data(), d + 1, n, y.data(), d + 2, m, d, out.data(), m + 1,
                    scratch.data());
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < m; ++j) {
        long double truth = 0;
        for (Index k = 0; k < d; ++k) truth += difference_term<long double>(sum, x(i, k), y(j, k));
        ASSERT_NEAR(out(i, j), static_cast<double>(truth),
                    static_cast<double>(std::numeric_limits<T>::epsilon() * (1 + truth)) *
                        static_cast<double>(4 + d / 8))
            << i << " " << j;
      }
      EXPECT_EQ(out(i, m), -1);  // nothing beyond is touched
    }
  }
}

TEST(DifferenceSums, any_shape_gives_the_sums_of_the_formula) {
  test::on_every_target([] {
    for (const Index n : {1, 3, 4, 9})
      for (const Index m : {1, 7, 8, 33})
        for (const Index d : {1, 6, 50}) {
          check<double>(n, m, d);
          check<float>(n, m, d);
        }
    check<double>(5, 9, 1100);  // several blocks of columns
  });
}

}  // namespace mercer::difference_sums_test
