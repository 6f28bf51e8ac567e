#include "simd/inner_products.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace mercer::inner_products_test {

TEST(InnerProducts, the_upper_triangle_is_right_for_any_number_of_columns) {
  test::on_every_target([] {
    test::Random random(1);
    for (const Index d : {1, 2, 5, 6, 7, 8, 11, 12, 15, 16, 17, 31, 32, 33, 47, 48, 49, 64, 70}) {
      const Index n = 1 + d % 5 * 7, stride = padded_columns(d);
      Matrix<double> a = Matrix<double>::Zero(n, stride), c = Matrix<double>::Zero(stride, stride);
      a.leftCols(d) = random.normal(n, d);
      add_inner_products_padded(a.data(), n, d, c.data());
      add_inner_products_padded(a.data(), n, d, c.data());  // it adds
      const Matrix<double> expected = 2 * a.leftCols(d).transpose() * a.leftCols(d);
      for (Index i = 0; i < d; ++i)
        for (Index j = i; j < d; ++j)
          ASSERT_NEAR(c(i, j), expected(i, j), 1e-12 * (1 + expected.norm()));
    }
  });
}

}  // namespace mercer::inner_products_test
