// The intervals of random features hold as often as they say. The truth comes from closed forms:
// explicit monomials for sketches, all pairs for Fourier features.
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>

namespace mercer::test::sample_error_test {

/// Eigenvalues, descending, of the weighted scatter of rows of features about their mean.
Vector<double> scatter_eigenvalues(const Matrix<double>& features, const Vector<double>& weights) {
  const Eigen::RowVectorXd mean = weights.transpose() * features / weights.sum();
  const Matrix<double> about = features.rowwise() - mean;
  const Eigen::MatrixXd scatter = about.transpose() * weights.asDiagonal() * about;
  return Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(scatter).eigenvalues().reverse();
}

/// (x·y + 1)² of three columns as an inner product of ten features.
Matrix<double> monomials(const Matrix<double>& x) {
  Matrix<double> out(x.rows(), 10);
  const double r = std::sqrt(2.0);
  for (Index i = 0; i < x.rows(); ++i) {
    const double a = x(i, 0), b = x(i, 1), c = x(i, 2);
    out.row(i) << 1, r * a, r * b, r * c, a * a, b * b, c * c, r * a * b, r * a * c, r * b * c;
  }
  return out;
}

/// How many of the first `k` eigenvalues of `truth`, over all seeds, lie in their intervals; and
/// how many lie in intervals taken from the stated error bar.
struct Coverage {
  int held = 0, of = 0;
  double confidence = 1;
};
Coverage coverage(const Matrix<double>& x, const Vector<double>& weights, FitOptions options,
                  const Vector<double>& truth, int seeds) {
  Coverage out;
  const auto k = static_cast<Index>(options.components.count());
  for (int seed = 0; seed < seeds; ++seed) {
    options.seed = static_cast<std::uint64_t>(seed);
    const auto model = fit(Rows<double>(x), options, weights);
    const Certificate& c = model.report().certificate;
    out.confidence = c.confidence;
    EXPECT_FALSE(c.reason.empty());
    for (Index i = 0; i < k; ++i, ++out.of)
      if (truth[i] >= c.low[static_cast<std::size_t>(i)] &&
          truth[i] <= c.high[static_cast<std::size_t>(i)])
        ++out.held;
  }
  return out;
}

/// At most as many misses as 95 % coverage has in all but one of a thousand such runs.
void expect_covered(const Coverage& c) {
  EXPECT_EQ(c.confidence, 0.95);
  const double n = c.of, expected = 0.05 * n;
  EXPECT_GE(c.held, n - expected - 3.1 * std::sqrt(0.95 * expected)) << c.held << " of " << c.of;
}

TEST(SampleError, M_P7_sketches_of_rows_that_dominate_cover_as_stated) {
  Random random(1);
  for (const double larger : {1.0, 30.0, 1000.0}) {
    Matrix<double> x = random.normal(3000, 3);
    x.topRows(3) *= larger;
    Vector<double> weights = Vector<double>::Ones(3000);
    for (const bool weighted : {false, true}) {
      if (weighted)
        for (Index i = 0; i < 3000; ++i) weights[i] = i % 7 == 0 ? 0 : random.uniform();
      const Vector<double> truth = scatter_eigenvalues(monomials(x), weights);
      expect_covered(coverage(x, weights,
                              {.components = 2,
                               .kernel = kernels::poly({.degree = 2, .coef0 = 1, .gamma = 1}),
                               .approx = TensorSketch{.features = 32}},
                              truth, 25));
    }
  }
}

TEST(SampleError, M_P7_fourier_features_with_weights_cover_as_stated) {
  Random random(2);
  const Index n = 600;  // more than are sampled
  const Matrix<double> x = random.normal(n, 2);
  Vector<double> weights(n);
  for (Index i = 0; i < n; ++i) weights[i] = i < 3 ? 500 : random.uniform();
  Matrix<double> k(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) k(i, j) = std::exp(-0.5 * (x.row(i) - x.row(j)).squaredNorm());
  const Matrix<double> j = Matrix<double>::Identity(n, n) -
                           Vector<double>::Ones(n) * weights.transpose() / weights.sum();
  const Vector<double> roots = weights.cwiseSqrt();
  const Eigen::MatrixXd a = roots.asDiagonal() * (j * k * j.transpose()) * roots.asDiagonal();
  const Vector<double> truth =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(a).eigenvalues().reverse();
  for (const bool orthogonal : {true, false})
    expect_covered(coverage(x, weights,
                            {.components = 3,
                             .kernel = kernels::rbf({.gamma = 0.5}),
                             .approx = Fourier{.features = 32, .orthogonal = orthogonal}},
                            truth, 25));
}

TEST(SampleError, the_estimated_norm_is_that_of_all_pairs) {
  Random random(3);
  Matrix<double> x = random.normal(1500, 3);
  x.topRows(5) *= 10;
  const Kernel kernel = kernels::poly({.degree = 2, .coef0 = 1, .gamma = 1});
  const Matrix<double> exact = monomials(x), k = exact * exact.transpose();
  int within = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto model = fit(
        x,
        {.components = 1, .kernel = kernel, .approx = TensorSketch{.features = 64}, .seed = seed});
    Matrix<double> phi(x.rows(), 64);
    model.map().apply(Rows<double>(x), phi);
    const double truth = (k - phi * phi.transpose()).norm() / k.norm();
    const Approximation& a = *model.report().approximation;
    EXPECT_GT(a.spread, 0);
    within += std::abs(a.error - truth) <= 3 * a.spread;
  }
  EXPECT_GE(within, 9);
}

TEST(SampleError, M_P1_few_rows_are_compared_pair_by_pair) {
  // Proven, not estimated: no more rows than a sample has.
  Random random(4);
  const Matrix<double> x = random.normal(200, 3);
  const Vector<double> ones = Vector<double>::Ones(200);
  const Vector<double> truth = scatter_eigenvalues(monomials(x), ones);
  const Coverage c = coverage(x, ones,
                              {.components = 5,
                               .kernel = kernels::poly({.degree = 2, .coef0 = 1, .gamma = 1}),
                               .approx = TensorSketch{.features = 64}},
                              truth, 10);
  EXPECT_EQ(c.confidence, 1);
  EXPECT_EQ(c.held, c.of);
}

TEST(SampleError, later_rows_of_a_stream_are_judged_too) {
  // The first thousand rows are all alike, where Fourier features have no error.
  Random random(5);
  Matrix<double> x = random.normal(4000, 3);
  x.topRows(1000) *= 1e-6;
  IncrementalKernelPca<double> pca(
      3,
      {.components = 2, .kernel = kernels::rbf({.gamma = 0.5}), .approx = Fourier{.features = 32}},
      1000);
  pca.update(x);
  EXPECT_GT(pca.model().report().approximation->error, 0.05);
}

}  // namespace mercer::test::sample_error_test
