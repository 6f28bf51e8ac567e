// Runs on rows that count as often as their weights say.

#include "learn/learning.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <mercer/fit.hpp>
#include <mercer/learn.hpp>

#include <cmath>

namespace mercer::test::learn_weights_test {

/// Weights that turn the components: rows that lie along the second axis count most.
Vector<double> turning_weights(const Matrix<double>& x) {
  const auto model = fit(x, {.components = 2});
  const Matrix<double> y = model.transform(x);
  Vector<double> weights(x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    weights[i] = std::abs(y(i, 1)) > std::abs(y(i, 0)) ? 4 : 0.25;
  return weights;
}

TEST(LearnWeights, row_weights_count_in_components_theory_scale_and_mean) {
  const Matrix<double> x = cloud(400);
  const Vector<double> weights = turning_weights(x);
  for (const Scale scale : {Scale::none, Scale::std}) {
    const auto exact = fit(Rows<double>(x), {.components = 2, .scale = scale, .ddof = 0}, weights);
    LearnOptions options = gha(2);
    options.scale = scale;
    options.epochs = 80;
    options.theory = true;
    const Learned learned = learn(Rows<double>(x), options, weights);
    EXPECT_LT(degrees_between(learned.model.components().row(0), exact.components().row(0)), 2);
    EXPECT_LT((learned.model.mean() - exact.mean()).norm(), 1e-8);
    EXPECT_NEAR(learned.theory->eigenvalues[0], exact.eigenvalues()[0] / weights.sum(),
                1e-9 * exact.eigenvalues()[0]);
    EXPECT_LT(learned.theory->angles[0], 2);
    const Report& report = learned.model.report();
    EXPECT_TRUE(report.weighted);
    EXPECT_EQ(report.n_samples, 400);
    EXPECT_NEAR(report.weight, weights.sum(), 1e-9);
    EXPECT_NEAR(learned.model.explained_variance()[0], exact.explained_variance()[0],
                0.05 * exact.explained_variance()[0]);
    if (scale == Scale::std)
      EXPECT_LT((learned.model.scale() - exact.scale()).norm(), 1e-10 * exact.scale().norm());
  }
}

TEST(LearnWeights, weighted_runs_follow_their_ode) {
  Random random(31);
  Matrix<double> x = random.normal(4000, 3);
  x.col(1) *= 0.7;
  x.col(2) *= 0.4;
  Vector<double> weights(4000);
  for (Index i = 0; i < 4000; ++i) weights[i] = 3 * random.uniform() * random.uniform();
  LearnOptions options = gha(1);
  options.learner.rule = "oja";
  options.learner.rate = Rate::constant(0.001);
  options.learner.centre = LearnedMean::none;
  options.epochs = 1;
  options.theory = true;
  // A random walk of 4000 steps of 0.001: 0.06.
  EXPECT_LT(learn(Rows<double>(x), options, weights).theory->mean_gap, 0.1);
}

TEST(LearnWeights, weighted_runs_of_kernels_find_weighted_kernel_pca) {
  const Matrix<double> x = 0.3 * cloud(150, 1);
  const Vector<double> weights = turning_weights(x);
  const Kernel kernel = kernels::rbf({.gamma = 0.2});
  const auto exact = fit(Rows<double>(x), {.components = 1, .kernel = kernel}, weights);
  const Matrix<double> there = exact.transform(x);
  for (const Index landmarks : {0, 150}) {
    LearnOptions options = gha(1);
    options.kernel = kernel;
    options.landmarks = landmarks;
    options.epochs = 60;
    const Learned learned = learn(Rows<double>(x), options, weights);
    const Matrix<double> y = learned.model.transform(x);
    // The largest coefficient of a component may be another one here: signs are free.
    const double sign = y.cwiseProduct(there).sum() < 0 ? -1 : 1;
    EXPECT_LT((sign * y - there).norm(), 0.1 * there.norm()) << landmarks;
    EXPECT_LT((learned.model.input_mean() - x.transpose() * weights / weights.sum()).norm(), 1e-9);
    EXPECT_NEAR(learned.model.report().weight, weights.sum(), 1e-9);
  }
}

TEST(LearnWeights, weighted_runs_stop_and_go_on_bit_for_bit) {
  const TempDir dir;
  const Matrix<double> x = cloud(200);
  const Vector<double> weights = turning_weights(x);
  LearnOptions options = gha(2);
  options.epochs = 5;
  options.learner.batch = 7;
  const Learned whole = learn(Rows<double>(x), options, weights);
  options.checkpoint = dir / "run.ckpt";
  options.checkpoint_every = 20;
  options.monitor = [&](const Progress& p) { return p.done < 500; };
  try {
    learn(Rows<double>(x), options, weights);
  } catch (const Error& error) {
    ASSERT_EQ(error.code(), Errc::interrupted);
  }
  options.monitor = {};
  options.resume = true;
  expect_error(Errc::bad_file, {"weights"}, [&] { learn(Rows<double>(x), options); });
  const Learned resumed = learn(Rows<double>(x), options, weights);
  ASSERT_TRUE(resumed.resumed_at.has_value());
  EXPECT_EQ(resumed.model.components(), whole.model.components());
  EXPECT_EQ(resumed.model.eigenvalues(), whole.model.eigenvalues());
  EXPECT_EQ(resumed.model.report().weight, whole.model.report().weight);
}

TEST(LearnWeights, weights_that_are_none_are_refused_by_row) {
  const Matrix<double> x = cloud(20);
  Vector<double> weights = Vector<double>::Ones(20);
  weights[11] = -0.5;
  expect_error(Errc::bad_data, {"row 12", "-0.5"},
               [&] { learn(Rows<double>(x), gha(1), weights); });
  weights.setZero();
  expect_error(Errc::bad_data, {"weight of all"}, [&] { learn(Rows<double>(x), gha(1), weights); });
}

}  // namespace mercer::test::learn_weights_test
