#include "simd/centre.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

namespace mercer::centre_test {

template <class T>
void check_rows() {
  test::Random random(1);
  for (Index d = 1; d <= 20; ++d) {
    const Matrix<T> x = random.normal(7, d + 3).cast<T>();
    const Vector<double> centre = random.normal(1, d).row(0);
    Matrix<double> out = Matrix<double>::Constant(7, d + 5, -1);
    Vector<double> sums = Vector<double>::Ones(d);
    subtract_and_sum(x.data(), d + 3, 7, d, centre.data(), out.data(), d + 5, sums.data());
    const Matrix<double> expected =
        x.leftCols(d).template cast<double>().rowwise() - centre.transpose();
    EXPECT_EQ(out.leftCols(d), expected);
    EXPECT_EQ(out.rightCols(5), Matrix<double>::Constant(7, 5, -1));  // nothing beyond is touched
    EXPECT_LT((sums - expected.colwise().sum().transpose() - Vector<double>::Ones(d)).norm(),
              1e-13);
  }
}

TEST(SubtractAndSum, is_exact_for_any_width_and_stride) {
  test::on_every_target([] {
    check_rows<double>();
    check_rows<float>();
  });
}

}  // namespace mercer::centre_test
