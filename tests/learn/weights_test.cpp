// Rows with weights: a row of weight w acts as w of them.
#include <mercer/hebbian.hpp>

#include <mercer/fit.hpp>
#include <mercer/kernel_hebbian.hpp>

#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer::weights_test {

using test::error_of;

/// Two crossed clouds: the even rows vary along one axis, the odd ones less along another; by their
/// weights that is the first component.
struct Crossed {
  Matrix<double> x;
  Vector<double> weights;
};
Crossed crossed(Index n, std::uint64_t seed, double of_even = 1, double of_odd = 4) {
  test::Random random(seed);
  Crossed c{0.3 * random.normal(n, 4), Vector<double>(n)};
  for (Index i = 0; i < n; ++i) {
    c.x(i, i % 2) += (i % 2 == 0 ? 1.8 : 1.2) * random.normal();
    c.weights[i] = i % 2 == 0 ? of_even : of_odd;
  }
  c.x = (c.x * random.rotation(4)).eval();
  c.x.array() += 2;
  return c;
}

/// The weighted eigenproblem by itself.
struct Answer {
  Vector<double> mean, values;  // over the sum of the weights, descending
  Matrix<double> vectors;       // rows
};
Answer answer(const Crossed& c) {
  const double total = c.weights.sum();
  Answer a;
  a.mean = c.x.transpose() * c.weights / total;
  const Matrix<double> z = c.x.rowwise() - a.mean.transpose();
  const Eigen::MatrixXd r = z.transpose() * c.weights.asDiagonal() * z / total;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(r);
  a.values = eigen.eigenvalues().reverse();
  a.vectors = eigen.eigenvectors().rowwise().reverse().transpose();
  return a;
}

Matrix<double> repeated(const Crossed& c) {
  Matrix<double> out(static_cast<Index>(c.weights.sum()), c.x.cols());
  Index next = 0;
  for (Index i = 0; i < c.x.rows(); ++i)
    for (double w = 0; w < c.weights[i]; ++w) out.row(next++) = c.x.row(i);
  return out;
}

double degrees(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
  return std::acos(std::min(1.0, std::abs(a.dot(b)) / (a.norm() * b.norm()))) * 180 / M_PI;
}

Hebbian learner(LearnerOptions options) { return {identity_map<double>(4), std::move(options)}; }

TEST(RowWeights, every_rule_finds_the_weighted_components) {
  const Crossed c = crossed(600, 1);
  const Answer exact = answer(c);
  Crossed plain = c;
  plain.weights.setOnes();
  // What it would find without them lies elsewhere.
  ASSERT_GT(degrees(answer(plain).vectors.row(0), exact.vectors.row(0)), 20);
  for (const char* rule : {"gha", "block-oja", "ccipca", "oja", "hebb-normalized"})
    for (const Index batch : {1, 20}) {
      const Index k = std::string(rule) == "oja" || std::string(rule) == "hebb-normalized" ? 1 : 2;
      Hebbian neurons = learner({.rule = rule, .components = k, .batch = batch});
      for (int epoch = 0; epoch < 60; ++epoch) neurons.update(c.x, c.weights);
      const auto model = neurons.model();
      for (Index j = 0; j < k; ++j) {
        EXPECT_LT(degrees(model.components().row(j), exact.vectors.row(j)), 2)
            << rule << ' ' << batch << ' ' << j;
        EXPECT_NEAR(model.explained_variance()[j], exact.values[j], 0.03 * exact.values[0])
            << rule << ' ' << batch << ' ' << j;
      }
      // Mean and total variance are no matter of rates.
      EXPECT_LT((model.mean() - exact.mean).norm(), 1e-10) << rule << ' ' << batch;
      EXPECT_NEAR(model.report().total_variance, exact.values.sum(), 1e-3 * exact.values.sum());
      EXPECT_TRUE(model.report().weighted);
      EXPECT_NEAR(model.report().weight, 60 * c.weights.sum(), 1e-6);
    }
}

TEST(RowWeights, whole_weights_in_mini_batches_are_repeated_rows) {
  Crossed c = crossed(120, 2);
  for (Index i = 0; i < 120; ++i)
    c.weights[i] = static_cast<double>(1 + i % 3);  // 60 a batch of 30
  const Matrix<double> copies = repeated(c);
  // 1/n of step n by weight: 2·1/(2n) of a batch whose rows weigh 2 in the mean.
  for (const Rate& rate : {Rate::harmonic(), Rate::power(0.5, 0, 1)})
    for (const char* rule : {"gha", "block-oja", "ccipca"}) {
      Hebbian weighted = learner({.rule = rule, .components = 2, .rate = rate, .batch = 30});
      Hebbian many = learner({.rule = rule, .components = 2, .rate = rate, .batch = 60});
      weighted.update(c.x, c.weights);
      many.update(copies);
      EXPECT_LT((weighted.weights() - many.weights()).norm(), 1e-12) << rule;
      EXPECT_LT((weighted.mean() - many.mean()).norm(), 1e-12);
      EXPECT_NEAR(weighted.total_variance(), many.total_variance(), 1e-12);
      const auto a = weighted.model(), b = many.model();
      EXPECT_LT((a.components() - b.components()).norm(), 1e-11) << rule;
      EXPECT_LT((a.eigenvalues() - b.eigenvalues()).norm(), 1e-10 * b.eigenvalues().norm());
      EXPECT_EQ(weighted.row_weight(), static_cast<double>(many.rows()));
      EXPECT_NEAR(weighted.time(), many.time(), 1e-12);
    }
}

TEST(RowWeights, with_a_neuron_a_column_ccipca_is_the_weighted_answer) {
  // The weights of the 8 spare neurons and the mean are exact whatever the weights are.
  const Crossed c = crossed(400, 3, 0.7, 2.25);
  Hebbian ccipca = learner({.rule = "ccipca", .components = 2, .batch = 20});
  for (int epoch = 0; epoch < 4; ++epoch) ccipca.update(c.x, c.weights);
  const auto model = ccipca.model();
  const Answer exact = answer(c);
  for (Index j = 0; j < 2; ++j)
    EXPECT_LT(degrees(model.components().row(j), exact.vectors.row(j)), 1e-3) << j;
}

TEST(RowWeights, row_by_row_they_are_repeated_rows_in_the_limit) {
  const Crossed c = crossed(80, 4);
  const Matrix<double> copies = repeated(c);
  const auto gap = [&](double eta) {
    const LearnerOptions options{.rule = "gha",
                                 .components = 2,
                                 .rate = Rate::constant(eta),
                                 .centre = LearnedMean::known,
                                 .mean = answer(c).mean};
    Hebbian weighted = learner(options), many = learner(options);
    weighted.update(c.x, c.weights);
    many.update(copies);
    EXPECT_NEAR(weighted.time(), many.time(), 1e-12);
    return (weighted.weights() - many.weights()).norm();
  };
  // A step of 4η and four of η differ by terms in η²: of 80 rows, a quarter when η is halved.
  const double ratio = gap(2e-4) / gap(1e-4);
  EXPECT_GT(ratio, 3.5);
  EXPECT_LT(ratio, 4.5);
}

TEST(RowWeights, a_row_of_weight_0_is_as_if_it_had_not_come) {
  Crossed c = crossed(90, 5);
  c.x.row(0) *= 100;  // would be the first direction of ccipca
  for (Index i = 0; i < 90; i += 3) c.weights[i] = 0;
  Matrix<double> others(60, 4);
  Vector<double> weights(60);
  for (Index i = 0, next = 0; i < 90; ++i)
    if (i % 3 != 0) {
      others.row(next) = c.x.row(i);
      weights[next++] = c.weights[i];
    }
  for (const char* rule : {"gha", "ccipca"})
    for (const Index batch : {1, 7}) {
      const LearnerOptions options{.rule = rule, .components = 2, .batch = batch};
      Hebbian all = learner(options), some = learner(options);
      all.update(c.x, c.weights);
      some.update(others, weights);
      EXPECT_EQ(all.weights(), some.weights()) << rule << ' ' << batch;
      EXPECT_EQ(all.mean(), some.mean());
    }
  Hebbian none = learner({});
  none.update(c.x, Vector<double>::Zero(90).eval());
  EXPECT_HAS(error_of([&] { none.model(); }).what(), "the weight of all 90 rows is 0");
}

TEST(RowWeights, a_state_goes_on_with_the_weights_of_rows_that_wait) {
  const Crossed c = crossed(100, 6, 0.5, 1.75);
  for (const Index batch : {1, 16}) {
    const LearnerOptions options{
        .rule = "gha", .components = 2, .batch = batch, .forgetting = 1e-3};
    Hebbian whole = learner(options), first = learner(options), second = learner(options);
    whole.update(c.x, c.weights);
    first.update(c.x.topRows(41), c.weights.head(41));
    second.load_state(first.save_state());
    second.update(c.x.bottomRows(59), c.weights.tail(59));
    EXPECT_EQ(second.save_state(), whole.save_state());
  }
}

TEST(RowWeights, features_and_their_input_mean_are_weighted) {
  const Crossed c = crossed(300, 7);
  Hebbian neurons(polynomial_map<double>(4, 2), {.rule = "gha", .components = 1});
  for (int epoch = 0; epoch < 3; ++epoch) neurons.update(c.x, c.weights);
  EXPECT_LT((neurons.model().input_mean() - answer(c).mean).norm(), 1e-12);
  Matrix<double> phi(300, neurons.mean().size());
  polynomial_map<double>(4, 2)->apply(Rows<double>(c.x), phi);
  EXPECT_LT((neurons.mean() - phi.transpose() * c.weights / c.weights.sum()).norm(), 1e-9);
}

TEST(RowWeights, those_that_are_none_are_refused_by_row) {
  Crossed c = crossed(10, 8);
  Hebbian neurons = learner({});
  neurons.update(c.x, c.weights);
  c.weights[4] = -2;
  EXPECT_HAS(error_of([&] { neurons.update(c.x, c.weights); }).what(), "row 15 is -2");
  c.weights[4] = std::numeric_limits<double>::infinity();
  EXPECT_HAS(error_of([&] { neurons.update(c.x, c.weights); }).what(), "row 15 is inf");
  EXPECT_HAS(error_of([&] { KernelHebbian(kernels::rbf(), c.x, {}, c.weights); }).what(),
             "row 5 is inf");
}

TEST(RowWeights, kernel_learning_finds_weighted_kernel_pca) {
  Crossed c = crossed(90, 9);
  c.weights[7] = 0;
  const Kernel kernel = kernels::rbf({.gamma = 0.3});
  const auto exact = fit(Rows<double>(c.x), {.components = 2, .kernel = kernel}, c.weights);
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{0}}) {
    KernelHebbian learned(kernel, c.x, {.components = 2, .memory = memory}, c.weights);
    for (int e = 0; e < 150; ++e) learned.epoch();
    const auto model = learned.model();
    // The row of weight 0 is no anchor of exact kernel PCA.
    Vector<double> mean(89);
    mean << model.mean().head(7), model.mean().tail(82);
    EXPECT_LT((mean - exact.mean()).norm(), 1e-10);
    EXPECT_NEAR(model.report().total_variance, exact.report().total_variance, 1e-10);
    EXPECT_LT((model.input_mean() - answer(c).mean).norm(), 1e-12);
    EXPECT_EQ(model.report().weight, c.weights.sum());
    // Variances are quadratic in the angle, scores linear: 2 degrees are 0.1 % and 4 %.
    for (Index j = 0; j < 2; ++j)
      EXPECT_NEAR(model.explained_variance()[j] / exact.explained_variance()[j], 1, 2e-3) << j;
    const Matrix<double> there = exact.transform(c.x);
    EXPECT_LT((model.transform(c.x) - there).norm(), 0.05 * there.norm());
    EXPECT_NEAR(learned.total_variance(),
                exact.report().total_variance * (c.weights.sum() - 1) / c.weights.sum(), 1e-10);
  }
}

}  // namespace mercer::weights_test
