#include "simd/symmetric_product.hpp"
#include "simd/every_target.hpp"
#include "support/random.hpp"

#include <limits>

namespace mercer::test {

namespace {

template <class T>
class SymmetricProduct : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(SymmetricProduct, Precisions);

TYPED_TEST(SymmetricProduct, adds_both_products_of_a_tile) {
  using T = TypeParam;
  on_every_target([] {
    for (const Index rows : {1, 2, 3, 4, 5, 8, 31})
      for (const Index cols : {1, 2, 7, 16, 33}) {
        Random random(static_cast<unsigned>(rows * 100 + cols));
        const Index stride = cols + 3;
        const Matrix<T> a = random.normal(rows, stride).template cast<T>();
        const Matrix<T> v_rows = random.normal(rows, panel_width).template cast<T>();
        const Matrix<T> v_cols = random.normal(cols, panel_width).template cast<T>();
        Matrix<T> y_rows = random.normal(rows, panel_width).template cast<T>();
        Matrix<T> y_cols = random.normal(cols, panel_width).template cast<T>();
        const Matrix<double> tile = a.leftCols(cols).template cast<double>();
        const Matrix<double> want_rows =
            y_rows.template cast<double>() + tile * v_cols.template cast<double>();
        const Matrix<double> want_cols =
            y_cols.template cast<double>() + tile.transpose() * v_rows.template cast<double>();
        add_symmetric_product(a.data(), rows, cols, stride, v_rows.data(), v_cols.data(),
                              y_rows.data(), y_cols.data());
        // At most 33 sums of numbers of size 10.
        const double tolerance = 400 * static_cast<double>(std::numeric_limits<T>::epsilon());
        EXPECT_LT((y_rows.template cast<double>() - want_rows).cwiseAbs().maxCoeff(), tolerance);
        EXPECT_LT((y_cols.template cast<double>() - want_cols).cwiseAbs().maxCoeff(), tolerance);
      }
  });
}

}  // namespace

}  // namespace mercer::test
