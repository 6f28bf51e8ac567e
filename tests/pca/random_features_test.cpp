// PCA of random features finds what kernel PCA finds.
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

namespace mercer::random_features_test {

/// The first half on a ring of radius 1, the others on one of radius 3.
Matrix<double> rings(Index n) {
  test::Random random(8);
  Matrix<double> x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 6.283185307179586 * random.uniform();
    const double radius = (i < n / 2 ? 1 : 3) + 0.1 * random.normal();
    x.row(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return x;
}

/// The component along which one half of the scores lies below the other; −1: none.
Index separating(const Matrix<double>& scores) {
  const Index half = scores.rows() / 2;
  for (Index c = 0; c < scores.cols(); ++c) {
    const auto a = scores.col(c).head(half), b = scores.col(c).tail(half);
    if (a.maxCoeff() < b.minCoeff() || b.maxCoeff() < a.minCoeff()) return c;
  }
  return -1;
}

double correlation(Vector<double> a, Vector<double> b) {
  a.array() -= a.mean();
  b.array() -= b.mean();
  return std::abs(a.dot(b)) / (a.norm() * b.norm());
}

TEST(RandomFeatures, separate_rings_as_the_kernel_does) {
  const Matrix<double> x = rings(300);
  const auto check = [&](const Kernel& kernel, const std::shared_ptr<const Map<double>>& map,
                         Index k = 6) {
    SCOPED_TRACE(kernel.text());
    const auto exact = fit(x, {.components = k, .kernel = kernel});
    const auto model = fit(x, map, {.components = k});
    const Matrix<double> truth = exact.transform(x), scores = model.transform(x);
    const Index a = separating(truth), b = separating(scores);
    ASSERT_GE(a, 0);
    ASSERT_GE(b, 0);
    EXPECT_GT(correlation(truth.col(a), scores.col(b)), 0.99);
    // Errors of single values are of size 1/√D = 0.016, and they average out.
    EXPECT_NEAR(model.eigenvalues()[0] / exact.eigenvalues()[0], 1, 0.05);
    EXPECT_NEAR(model.report().total_variance / exact.report().total_variance, 1, 0.02);
  };
  const Kernel rbf = kernels::rbf({.gamma = 0.5}), matern = kernels::matern({.length = 2});
  check(rbf, fourier_map<double>(rbf, 2, 4096, {.orthogonal = true, .seed = 1}));
  check(matern, fourier_map<double>(matern, 2, 4096, {.orthogonal = true, .seed = 1}));
  const Kernel poly = kernels::poly({.degree = 2, .coef0 = 0});
  check(poly, tensor_sketch_map<double>(poly, 2, 4096, {.seed = 1}), 3);
}

TEST(RandomFeatures, of_sparse_rows_and_of_a_file_are_those_of_dense_ones) {
  const Matrix<double> x = rings(200);
  const Csr<double> sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
  for (const auto& map : {fourier_map<double>(kernels::rbf({.gamma = 0.5}), 2, 64),
                          tensor_sketch_map<double>(kernels::poly(), 2, 64)}) {
    const auto dense = fit(x, map, {.components = 3});
    const auto other = fit(Rows<double>(sparse), map, {.components = 3});
    const auto loaded = Model<double>::deserialize(dense.serialize());
    const Matrix<double> scores = dense.transform(x);
    const double size = scores.cwiseAbs().maxCoeff();
    EXPECT_LT((other.transform(x) - scores).cwiseAbs().maxCoeff(), 1e-9 * size);
    EXPECT_LT((dense.transform(Rows<double>(sparse)) - scores).cwiseAbs().maxCoeff(), 1e-9 * size);
    EXPECT_EQ(loaded.transform(x), scores);
  }
}

}  // namespace mercer::random_features_test
