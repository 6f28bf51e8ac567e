// Transform of linear models: rows one by one, in parts and together.

#include "model/sample.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <Eigen/QR>

#include <limits>

namespace mercer::linear_transform_test {

template <class T>
class LinearTransform : public testing::Test {
 protected:
  static Model<T> model(Index d, Index k, test::Random& random) {
    ModelParts<T> p = test::sample_parts<T>();
    p.map = identity_map<T>(d);
    const Eigen::MatrixXd q =
        Eigen::HouseholderQR<Eigen::MatrixXd>(random.normal(d, k)).householderQ() *
        Eigen::MatrixXd::Identity(d, k);
    p.components = q.transpose().cast<T>();
    p.mean = random.normal(d, 1).cast<T>();
    p.scale.resize(0);
    p.column_variance.resize(0);
    p.feature_names.clear();
    p.eigenvalues = Vector<double>::Ones(k);
    p.report.solver.residuals.clear();
    p.report.certificate = {};
    return Model<T>(std::move(p));
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LinearTransform, Precisions, );

TYPED_TEST(LinearTransform, scores_are_products_with_the_centred_rows) {
  using T = TypeParam;
  test::Random random(3);
  for (const Index k : {3, 20, 21, 37}) {
    const Model<T> m = this->model(45, k, random);
    const Matrix<T> x = random.normal(101, 45).template cast<T>();
    const Matrix<double> centred = (x.rowwise() - m.mean().transpose()).template cast<double>();
    const Matrix<double> truth = centred * m.components().transpose().template cast<double>();
    const double size = truth.cwiseAbs().maxCoeff();
    // Sums of 45 products, each rounded once.
    const double allowed = 45 * static_cast<double>(std::numeric_limits<T>::epsilon()) * size;
    EXPECT_LE((m.transform(x).template cast<double>() - truth).cwiseAbs().maxCoeff(), allowed);
  }
}

// BLAS sums the last rows of a block in another order on some machines (AVX-512).
TYPED_TEST(LinearTransform, M_P4_a_row_has_the_same_bits_wherever_it_lies) {
  using T = TypeParam;
  test::Random random(4);
  for (const Index k : {3, 20, 21, 30, 64})
    for (const Index d : {65, 80, 300}) {
      const Model<T> m = this->model(d, k, random);
      const Matrix<T> x = random.normal(311, d).template cast<T>();
      const Matrix<T> all = m.transform(x);
      for (const Index first : {0, 1, 6, 17, 100})
        for (const Index count : {1, 2, 3, 7, 9, 33, 190}) {
          const Matrix<T> part = x.middleRows(first, count);
          EXPECT_TRUE(m.transform(part) == all.middleRows(first, count))
              << k << " components, " << count << " rows from " << first;
        }
    }
}

TYPED_TEST(LinearTransform, M_P4_an_inverted_row_has_the_same_bits_wherever_it_lies) {
  using T = TypeParam;
  test::Random random(5);
  for (const Index k : {1, 3, 21, 64, 260})
    for (const Index d : {270, 299}) {
      const Model<T> m = this->model(d, k, random);
      const Matrix<T> scores = random.normal(311, k).template cast<T>();
      const Matrix<T> all = m.inverse(scores, {.threads = 2});
      const Matrix<double> truth =
          (scores.template cast<double>() * m.components().template cast<double>()).rowwise() +
          m.mean().template cast<double>().transpose();
      const double allowed = (static_cast<double>(k) + 2) *
                             static_cast<double>(std::numeric_limits<T>::epsilon()) *
                             truth.cwiseAbs().maxCoeff();
      EXPECT_LE((all.template cast<double>() - truth).cwiseAbs().maxCoeff(), allowed);
      for (const Index first : {0, 1, 6, 17, 100})
        for (const Index count : {1, 2, 3, 7, 9, 33, 190}) {
          const Matrix<T> part = scores.middleRows(first, count);
          EXPECT_TRUE(m.inverse(part, {.threads = 1}) == all.middleRows(first, count))
              << k << " components, " << count << " rows from " << first;
        }
    }
}

}  // namespace mercer::linear_transform_test
