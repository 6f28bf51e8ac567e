#include <mercer/kernel_hebbian.hpp>

#include <mercer/fit.hpp>
#include <mercer/hebbian.hpp>

#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace mercer::kernel_hebbian_test {

using test::error_of;

/// Three clusters of different sizes: kernel PCA has two directions that stand out.
Matrix<double> clusters(Index n, std::uint64_t seed) {
  test::Random random(seed);
  Matrix<double> x = 0.4 * random.normal(n, 3);
  for (Index i = 0; i < n; ++i) x(i, i % 6 < 3 ? 0 : i % 6 < 5 ? 1 : 2) += 3;
  return x;
}

/// Of two directions in feature space, as combinations of the same rows.
double feature_degrees(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b,
                       const Matrix<double>& k) {
  const double ab = a.dot(b * k), aa = a.dot(a * k), bb = b.dot(b * k);
  return std::acos(std::min(1.0, std::abs(ab) / std::sqrt(aa * bb))) * 180 / M_PI;
}

TEST(KernelHebbian, M_E4_finds_the_directions_of_exact_kernel_pca) {
  const Matrix<double> x = clusters(90, 1);
  const Kernel kernel = kernels::rbf({.gamma = 0.3});
  KernelHebbian learner(kernel, x, {.components = 2});
  for (int e = 0; e < 150; ++e) learner.epoch();
  const auto model = learner.model();
  const auto exact = fit(x, {.components = 2, .kernel = kernel});
  const Matrix<double> k = kernel.matrix(Rows<double>(x));
  for (Index j = 0; j < 2; ++j) {
    EXPECT_LT(feature_degrees(model.components().row(j), exact.components().row(j), k), 2) << j;
    EXPECT_NEAR(model.explained_variance()[j] / exact.explained_variance()[j], 1, 1e-3);
  }
  EXPECT_NEAR(model.report().total_variance / exact.report().total_variance, 1, 1e-10);
  // And it is the same kind of model: means, signs, scores of rows it has not seen.
  EXPECT_LT((model.mean() - exact.mean()).norm(), 1e-12);
  const Matrix<double> fresh = clusters(20, 2);
  const Matrix<double> there = exact.transform(fresh);
  EXPECT_LT((model.transform(fresh) - there).norm(), 0.05 * there.norm());
}

TEST(KernelHebbian, keeping_the_kernel_matrix_or_not_gives_the_same_steps) {
  const Matrix<double> x = clusters(80, 3);
  KernelHebbian kept(kernels::rbf({.gamma = 0.3}), x, {.components = 2});
  KernelHebbian computed(kernels::rbf({.gamma = 0.3}), x, {.components = 2, .memory = 0});
  for (int e = 0; e < 5; ++e) kept.epoch(), computed.epoch();
  // Tiles of other shapes round differently, by 1e-15 a number.
  EXPECT_LT((kept.coefficients() - computed.coefficients()).norm(), 1e-10);
  EXPECT_LT((kept.model().components() - computed.model().components()).norm(), 1e-10);
}

TEST(KernelHebbian, M_E9_steps_do_not_depend_on_cuts_and_go_on_from_a_state) {
  const Matrix<double> x = clusters(150, 3);
  std::vector<Index> order;
  for (Index i = 0; i < 300; ++i) order.push_back(i * 37 % 150);
  for (const std::size_t memory : {std::size_t{1} << 30, std::size_t{0}}) {
    const KernelHebbianOptions options{.components = 2, .memory = memory};
    const auto learner = [&] { return KernelHebbian(kernels::rbf({.gamma = 0.3}), x, options); };
    KernelHebbian whole = learner();
    whole.update(order);
    const std::span<const Index> all(order);
    for (const std::size_t cut : {std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
      KernelHebbian parts = learner();
      for (std::size_t i = 0; i < all.size(); i += cut) {
        parts.update(all.subspan(i, std::min(cut, all.size() - i)));
        KernelHebbian next = learner();
        next.load_state(parts.save_state());
        parts = std::move(next);
      }
      EXPECT_EQ(parts.coefficients(), whole.coefficients()) << memory << ' ' << cut;
      EXPECT_EQ(parts.save_state(), whole.save_state());
    }
    whole.epoch();
    KernelHebbian other = learner();
    EXPECT_HAS(error_of([&] { other.load_state("not the state"); }).what(),
               "not the state of a kernel");
    EXPECT_HAS(error_of([&] { other.update(std::vector<Index>{150}); }).what(),
               "no row 150 of 150");
  }
}

TEST(KernelHebbian, convergence_is_seen_when_it_is_there_and_not_before) {
  const Matrix<double> x = clusters(90, 1);
  const Kernel kernel = kernels::rbf({.gamma = 0.3});
  KernelHebbian learner(kernel, x, {.components = 2});
  learner.look();
  learner.epoch();
  EXPECT_FALSE(learner.look().converged);
  for (int e = 0; e < 150; ++e) learner.epoch();
  const Matrix<double> before = learner.coefficients(), k = kernel.matrix(Rows<double>(x));
  learner.look();
  for (int e = 0; e < 50; ++e) learner.epoch();
  const Convergence there = learner.look();
  EXPECT_TRUE(there.converged) << there.text;
  // The turn another way: by the centred kernel matrix itself.
  const Matrix<double> centre =
      Matrix<double>::Identity(90, 90) - Matrix<double>::Constant(90, 90, 1.0 / 90);
  double turn = 0;
  for (Index j = 0; j < 2; ++j)
    turn = std::max(
        turn, feature_degrees(learner.coefficients().row(j), before.row(j), centre * k * centre));
  EXPECT_NEAR(there.angle_change, turn, 1e-4);
  EXPECT_NEAR(learner.norm(), 1, 0.02);
  const auto exact = fit(x, {.components = 2, .kernel = kernel});
  EXPECT_NEAR(learner.output_variances()[0], exact.eigenvalues()[0] / 90,
              0.02 * exact.eigenvalues()[0] / 90);
  EXPECT_NEAR(learner.total_variance(), exact.report().total_variance * 89 / 90, 1e-10);
}

TEST(KernelHebbian, the_norm_that_is_kept_up_to_date_is_the_norm) {
  const Matrix<double> x = clusters(80, 2);
  Vector<double> weights(80);
  for (Index i = 0; i < 80; ++i) weights[i] = static_cast<double>(i % 4) * 0.5;  // some are 0
  const Matrix<double> k = kernels::rbf({.gamma = 0.3}).matrix(Rows<double>(x));
  for (const bool weighted : {false, true}) {
    const Vector<double> s =
        weighted ? Vector<double>(weights / weights.sum()) : Vector<double>::Constant(80, 1.0 / 80);
    const Matrix<double> centre =
        Matrix<double>::Identity(80, 80) - Vector<double>::Ones(80) * s.transpose();
    using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    const Wide centred =
        centre.cast<long double>() * k.cast<long double>() * centre.transpose().cast<long double>();
    KernelHebbian learner(kernels::rbf({.gamma = 0.3}), x,
                          {.components = 2, .rate = Rate::constant(0.2)},
                          weighted ? Weights(weights) : Weights());
    learner.epoch();
    double worst = 0;
    for (int e = 0; e < 30; ++e) {
      const double norm = learner.norm();  // from the first call on by an update a step
      const Wide a = learner.coefficients().row(0).cast<long double>();
      const auto direct = static_cast<double>(std::sqrt((a * centred * a.transpose())(0, 0)));
      worst = std::max(worst, std::abs(norm / direct - 1));
      learner.epoch();
    }
    EXPECT_LT(worst, 1e-12) << weighted;
  }
}

TEST(KernelHebbian, linear_kernel_is_sangers_rule_in_the_input_space) {
  Matrix<double> x = clusters(60, 4);
  x.rowwise() -= x.colwise().mean().eval();
  const Rate rate = Rate::power(0.5, 20, 0.8);
  KernelHebbian dual(kernels::linear(), x, {.components = 2, .rate = rate, .shuffle = false});
  const Matrix<double> start = dual.coefficients() * x;
  dual.epoch();
  Matrix<double> w = start;  // the rule as books write it
  for (Index i = 0; i < 60; ++i) {
    const Vector<double> y = w * x.row(i).transpose();
    const double eta = 0.5 * std::pow(i + 1 + 20, -0.8);
    const Matrix<double> old = w;
    for (Index j = 0; j < 2; ++j) {
      Eigen::RowVectorXd rest = x.row(i);
      for (Index l = 0; l <= j; ++l) rest -= y[l] * old.row(l);
      w.row(j) += eta * y[j] * rest;
    }
  }
  EXPECT_LT((dual.coefficients() * x - w).norm(), 1e-12);
}

TEST(KernelHebbian, bad_input_is_refused) {
  const Matrix<double> x = clusters(10, 5);
  Matrix<double> hole = x;
  hole(3, 1) = std::nan("");
  EXPECT_HAS(error_of([&] { KernelHebbian(kernels::rbf(), hole); }).what(), "row 4");
  EXPECT_HAS(error_of([&] { KernelHebbian(kernels::rbf(), x, {.components = 10}); }).what(),
             "`components=10` is too large: 10 rows have at most 9 components");
  EXPECT_HAS(error_of([&] { KernelHebbian(kernels::rbf(), Rows<double>(x).middle(0, 1)); }).what(),
             "two rows");
  EXPECT_HAS(error_of([&] { KernelHebbian(kernels::rbf(), x).model(); }).what(), "epoch");
  KernelHebbian wild(kernels::rbf({.gamma = 1}), x, {.rate = Rate::constant(50)});
  const Error error = error_of([&] {
    for (int e = 0; e < 50; ++e) wild.epoch();
  });
  EXPECT_EQ(error.code(), Errc::not_converged);
  EXPECT_HAS(error.what(), "rate 50");
}

TEST(LandmarkMap, its_inner_products_are_the_kernel_on_the_landmarks) {
  const Matrix<double> x = clusters(30, 6);
  const Kernel kernel = kernels::rbf({.gamma = 0.3});
  const auto phi = landmark_map(kernel, x);
  Matrix<double> f(30, phi->features());
  phi->apply(x, f);
  EXPECT_LT((f * f.transpose() - kernel.matrix(Rows<double>(x))).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(LandmarkMap, a_stream_learns_kernel_components_and_the_model_is_one_of_a_kernel_map) {
  const Matrix<double> x = clusters(3000, 7);
  const Kernel kernel = kernels::rbf({.gamma = 0.3});
  const auto phi = landmark_map(kernel, Matrix<double>(x.topRows(60)));
  Hebbian neurons(phi, {.rule = "gha", .components = 2});
  for (int e = 0; e < 2; ++e) neurons.update(x);
  const auto model = neurons.model();
  EXPECT_EQ(model.map().text(), "kernel");
  EXPECT_EQ(model.map().features(), 60);
  // Folded or not, the scores are those of the learned weights.
  Matrix<double> f(10, phi->features());
  phi->apply(Rows<double>(x).middle(0, 10), f);
  const Matrix<double> y =
      (f.rowwise() - neurons.mean().transpose()) * neurons.weights().transpose();
  const Matrix<double> scores = model.transform(Rows<double>(x).middle(0, 10));
  for (Index j = 0; j < 2; ++j) {
    const double along = std::abs(scores.col(j).dot(y.col(j)));
    EXPECT_GT(along, 0.999 * scores.col(j).norm() * y.col(j).norm());
  }
  const auto exact = fit(Matrix<double>(x.topRows(500)), {.components = 2, .kernel = kernel});
  for (Index j = 0; j < 2; ++j)
    EXPECT_NEAR(model.explained_variance()[j] / exact.explained_variance()[j], 1, 0.1);
  const auto again = Model<double>::deserialize(model.serialize());
  EXPECT_EQ(again.transform(Rows<double>(x).middle(0, 10)), scores);
}

TEST(KernelHebbian, M_P1_kernels_whose_squares_no_double_holds_are_refused) {
  const Matrix<double> x = clusters(20, 5);
  for (const double scale : {1e100, 1e-100}) {
    const Matrix<double> rows = scale * x;
    EXPECT_HAS(test::refusal([&] { KernelHebbian(kernels::linear(), rows, {}); }, Errc::bad_data),
               "scale the data");
  }
}

}  // namespace mercer::kernel_hebbian_test
