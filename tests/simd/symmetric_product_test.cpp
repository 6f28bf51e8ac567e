#include "simd/symmetric_product.hpp"
#include "simd/every_target.hpp"
#include "support/random.hpp"

#include <limits>

namespace mercer::test::symmetric_product_test {

TEST(SymmetricProduct, adds_both_products_of_a_tile) {
  on_every_target([] {
    for (const Index rows : {1, 2, 3, 4, 5, 8, 31})
      for (const Index cols : {1, 2, 7, 16, 33}) {
        Random random(static_cast<unsigned>(rows * 100 + cols));
        const Index stride = cols + 3;
        const Matrix<double> a = random.normal(rows, stride);
        const Matrix<double> v_rows = random.normal(rows, panel_width);
        const Matrix<double> v_cols = random.normal(cols, panel_width);
        Matrix<double> y_rows = random.normal(rows, panel_width);
        Matrix<double> y_cols = random.normal(cols, panel_width);
        const Matrix<double> tile = a.leftCols(cols);
        const Matrix<double> want_rows = y_rows + tile * v_cols;
        const Matrix<double> want_cols = y_cols + tile.transpose() * v_rows;
        add_symmetric_product(a.data(), rows, cols, stride, v_rows.data(), v_cols.data(),
                              y_rows.data(), y_cols.data());
        // At most 33 sums of numbers of size 10.
        const double tolerance = 400 * std::numeric_limits<double>::epsilon();
        EXPECT_LT((y_rows - want_rows).cwiseAbs().maxCoeff(), tolerance);
        EXPECT_LT((y_cols - want_cols).cwiseAbs().maxCoeff(), tolerance);
      }
  });
}

}  // namespace mercer::test::symmetric_product_test
