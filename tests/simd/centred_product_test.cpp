#include "simd/centred_product.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

namespace mercer::centred_product_test {

template <class T>
void check(Index rows, Index cols, Index k) {
  test::Random random(static_cast<std::uint64_t>(rows + 31 * cols + 1009 * k));
  const Matrix<T> a = random.normal(rows, cols + 1).cast<T>();
  const Matrix<T> b = random.normal(k, cols + 3).cast<T>();
  const Vector<T> mean = random.normal(cols, 1).cast<T>();
  const Matrix<double> truth = (a.leftCols(cols).template cast<double>().rowwise() -
                                mean.template cast<double>().transpose()) *
                               b.leftCols(cols).template cast<double>().transpose();
  Matrix<T> y = Matrix<T>::Constant(rows, k + 1, T(7));
  const double tolerance = 8 * std::numeric_limits<T>::epsilon() * static_cast<double>(4 + cols);
  const auto product = [&](bool add) {
    centred_product(a.data(), rows, cols, cols + 1, mean.data(), b.data(), k, cols + 3, y.data(),
                    k + 1, add);
  };
  product(false);
  EXPECT_LE((y.leftCols(k).template cast<double>() - truth).cwiseAbs().maxCoeff(), tolerance);
  const Matrix<T> once = y;
  product(true);
  EXPECT_EQ(y.leftCols(k), 2 * once.leftCols(k));
  EXPECT_EQ(y.col(k), Vector<T>::Constant(rows, T(7)));

  // A row by itself gives the same bits.
  Matrix<T> alone(1, k);
  centred_product(a.row(rows - 1).data(), 1, cols, cols + 1, mean.data(), b.data(), k, cols + 3,
                  alone.data(), k, false);
  EXPECT_EQ(alone.row(0), once.row(rows - 1).head(k));
}

TEST(CentredProduct, is_the_plain_one_for_every_shape_and_instruction_set) {
  test::on_every_target([] {
    for (const Index rows : {1, 2, 3, 4, 5, 9})
      for (const Index cols : {1, 3, 4, 8, 17, 64, 100})
        for (const Index k : {1, 2, 3, 10}) {
          SCOPED_TRACE(testing::Message() << rows << "×" << cols << ", k = " << k);
          check<float>(rows, cols, k);
          check<double>(rows, cols, k);
        }
  });
}

}  // namespace mercer::centred_product_test
