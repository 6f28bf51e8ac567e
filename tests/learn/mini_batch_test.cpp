// The mini-batch form of ccipca, which carries the covariance of all rows so far in its neurons.
#include <mercer/hebbian.hpp>

#include <mercer/fit.hpp>

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>

namespace mercer::mini_batch_test {

/// Rows of variances that fall as `variance(j)`, j = 1 …, along rotated axes, mean 3.
template <class Variance>
Matrix<double> rows_of(Index n, Index d, std::uint64_t seed, Variance variance) {
  test::Random random(seed);
  Vector<double> deviations(d);
  for (Index j = 0; j < d; ++j) deviations[j] = std::sqrt(variance(static_cast<double>(j + 1)));
  Matrix<double> x = random.normal(n, d) * deviations.asDiagonal() * random.rotation(d);
  x.array() += 3;
  return x;
}

Hebbian learner(Index d, Index k, Index batch, double forgetting = 0) {
  return Hebbian(identity_map<double>(d),
                 {.rule = "ccipca", .components = k, .batch = batch, .forgetting = forgetting});
}

double explained(const Matrix<double>& x, const Matrix<double>& b) {
  const Matrix<double> centred = x.rowwise() - x.colwise().mean();
  return (centred * b.transpose()).squaredNorm() / centred.squaredNorm();
}

/// Incremental PCA as published (Ross, Lim, Lin & Yang 2008): the SVD of k directions scaled by
/// their singular values, the centred batch, and one row for the step of the mean.
Matrix<double> incremental_pca(const Matrix<double>& x, Index k, Index batch) {
  const Index d = x.cols();
  Eigen::MatrixXd kept(0, d);  // Σ Vᵀ
  Eigen::RowVectorXd mean = Eigen::RowVectorXd::Zero(d);
  Matrix<double> directions;
  for (Index i = 0; i < x.rows(); i += batch) {
    const Eigen::MatrixXd block = x.middleRows(i, batch);
    const Eigen::RowVectorXd own = block.colwise().mean();
    const double before = static_cast<double>(i), now = static_cast<double>(batch);
    Eigen::MatrixXd stack(kept.rows() + batch + 1, d);
    stack << kept, block.rowwise() - own, std::sqrt(before * now / (before + now)) * (mean - own);
    // The squares of its singular values are enough here, and the quicker to find.
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> pairs(stack.transpose() * stack);
    directions = pairs.eigenvectors().rightCols(k).transpose();
    kept = pairs.eigenvalues().tail(k).cwiseMax(0).cwiseSqrt().asDiagonal() * directions;
    mean += now / (before + now) * (own - mean);
  }
  return directions;
}

TEST(MiniBatch, M_E4_one_pass_explains_no_less_than_incremental_pca) {
  constexpr Index n = 4000, d = 60, k = 6, batch = 200;
  double (*const decays[])(double) = {[](double j) { return 1 / (j * j); },
                                      [](double j) { return 1 / j; },
                                      [](double j) { return std::pow(0.85, j); }};
  for (const auto decay : decays)
    for (const std::uint64_t seed : {1, 2}) {
      const Matrix<double> x = rows_of(n, d, seed, decay);
      Hebbian ccipca = learner(d, k, batch);
      ccipca.update(x);
      EXPECT_GE(explained(x, ccipca.model().components()),
                explained(x, incremental_pca(x, k, batch)))
          << decay(2) << ' ' << seed;
    }
}

TEST(MiniBatch, with_a_neuron_a_column_it_is_exact_in_one_pass) {
  // 3 components and 8 spare neurons span all 11 columns, so that nothing is ever lost.
  const Matrix<double> x = rows_of(1037, 11, 4, [](double j) { return 1 / j; });
  Hebbian ccipca = learner(11, 3, 100);
  ccipca.update(x);
  EXPECT_EQ(ccipca.rows(), 1000);
  ccipca.flush();  // 37 rows, as a smaller one
  EXPECT_EQ(ccipca.rows(), 1037);
  EXPECT_EQ(ccipca.steps(), 11);
  const auto exact = fit(x, {.components = 3});
  const auto model = ccipca.model();
  EXPECT_LT((model.mean() - exact.mean()).norm(), 1e-12);
  // A step is a step of orthogonal iteration: each of 11 leaves λ_j+1/λ_j of what was left, and
  // close pairs are not parted yet; their span is.
  EXPECT_NEAR(explained(x, model.components()), explained(x, exact.components()), 1e-12);
}

TEST(MiniBatch, a_drifting_stream_is_followed_when_the_past_is_forgotten) {
  const auto decay = [](double j) { return std::pow(0.5, j); };
  const Matrix<double> before = rows_of(8000, 20, 5, decay), after = rows_of(2000, 20, 6, decay);
  const auto run = [&](double forgetting) {
    Hebbian ccipca = learner(20, 2, 100, forgetting);
    ccipca.update(before);
    ccipca.update(after);
    return explained(after, ccipca.model().components());
  };
  // The last 2000 rows weigh 1 − e^-10 of all: what is left is the noise of the last 200.
  EXPECT_GT(run(0.005), 0.98 * explained(after, fit(after, {.components = 2}).components()));
  EXPECT_LT(run(0), 0.9 * run(0.005));
}

TEST(MiniBatch, rows_without_variance_at_first_do_not_put_neurons_to_sleep) {
  Matrix<double> x = rows_of(2000, 30, 7, [](double j) { return std::pow(0.5, j); });
  x.topRows(300).rowwise() = x.row(0).eval();      // constant
  x.middleRows(300, 200).rightCols(25).setZero();  // and of low rank
  Hebbian ccipca = learner(30, 3, 50);
  ccipca.update(x);
  // Without its third neuron it would lose an eighth; what the shape of the first 500 rows costs is
  // of the order of the square of their share of the variance.
  const double best = explained(x, fit(x, {.components = 3}).components());
  EXPECT_GT(explained(x, ccipca.model().components()), best - 1e-3);
}

TEST(MiniBatch, rows_of_lower_rank_than_components_end_in_a_model) {
  Matrix<double> x = Matrix<double>::Zero(100, 6);
  x.leftCols(2) = rows_of(100, 2, 8, [](double j) { return 1 / j; });
  Hebbian ccipca = learner(6, 4, 10);
  ccipca.update(x);
  const auto model = ccipca.model();
  EXPECT_NEAR(explained(x, model.components().topRows(2)), 1, 1e-12);
  // The first of ten mini-batches met random weights, and counts 10⁻³ in the variances.
  EXPECT_LT(model.explained_variance()[2], 2e-3);
}

}  // namespace mercer::mini_batch_test
