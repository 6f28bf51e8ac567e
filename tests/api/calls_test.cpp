// Every call of "what must simply work": x is an `Eigen::MatrixXd`, r the same as a row-major
// `mercer::Matrix<double>`, k a kernel. The answers are those of `Rows<double>(r)`.

#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <type_traits>

namespace mercer::api_calls_test {

using Eigen::MatrixXd;
using Eigen::MatrixXi;

struct ApiCalls : testing::Test {
  MatrixXd x = test::Random(1).normal(60, 3) * Eigen::Vector3d(3, 2, 1).asDiagonal();
  Matrix<double> r = x;
  Rows<double> rows{r};
  Kernel k = kernels::rbf({.gamma = 0.2});
};

// Numbers that rows are not made of are refused by a concept, not by the linker.
template <class X>
concept can_fit = requires(const X& x) {
  fit(x);
};
static_assert(can_fit<MatrixXd> && can_fit<Eigen::MatrixXf> && can_fit<Csr<float>>);
static_assert(!can_fit<MatrixXi> && !can_fit<Eigen::MatrixXcd> && !can_fit<std::vector<double>>);
template <class X>
concept can_use = requires(const X& x, const Kernel& k) {
  significance(x);
  tune(x);
  check_kernel(k, x);
  k.matrix(x);
  kernel_grid({"rbf"}, x);
};
static_assert(can_use<MatrixXd> && can_use<Matrix<float>> && !can_use<MatrixXi>);
template <class X>
concept can_learn = requires(const X& x, Hebbian& h) {
  learn(x);
  h.update(x);
};
static_assert(can_learn<MatrixXd> && can_learn<Matrix<double>> && !can_learn<Eigen::MatrixXf>);
// Weights are spans, not pointers that nobody can check.
template <class W>
concept weighs = requires(const MatrixXd& x, W w) {
  fit(x, FitOptions{}, w);
};
static_assert(weighs<std::vector<double>> && !weighs<const double*> && !weighs<std::nullptr_t>);

TEST_F(ApiCalls, M_H1_fit_takes_any_matrix) {
  const Vector<double> wanted = fit(rows).eigenvalues();
  EXPECT_EQ(fit(x).eigenvalues(), wanted);
  EXPECT_EQ(fit(r).eigenvalues(), wanted);
  EXPECT_EQ(fit(r.topRows(60)).eigenvalues(), wanted);
  EXPECT_EQ(fit(2 * x).eigenvalues(), 4 * wanted);
  EXPECT_EQ(fit(x, squares_map<double>(3)).eigenvalues(),
            fit(rows, squares_map<double>(3)).eigenvalues());
  EXPECT_EQ(fit(r.topRows(3)).eigenvalues(), fit(rows.middle(0, 3)).eigenvalues());
}

TEST_F(ApiCalls, M_H1_a_fraction_of_components_is_a_fraction_and_a_count_a_count) {
  const Vector<double> ratios = fit(x).explained_variance_ratio();
  const double two = ratios[0] + ratios[1];
  ASSERT_GT(two, 0.9);  // so that 0.9 takes two of three
  ASSERT_LT(ratios[0], 0.9);
  EXPECT_EQ(fit(x, {.components = 0.9}).outputs(), 2);
  EXPECT_EQ(fit(x, {.components = 0.9f}).outputs(), 2);
  EXPECT_EQ(fit(x, {.components = 1.0}).outputs(), 3);  // all of the variance
  EXPECT_EQ(fit(x, {.components = 1}).outputs(), 1);
  EXPECT_EQ(fit(x, {.components = 2u}).outputs(), 2);
  EXPECT_EQ(fit(x, {.components = std::size_t{3}}).outputs(), 3);
  EXPECT_EQ(Components(8).kind(), Components::Kind::count);
  EXPECT_EQ(Components(0.9).kind(), Components::Kind::fraction);
  EXPECT_EQ(Components(0.9).fraction(), 0.9);
  static_assert(!std::is_constructible_v<Components, bool>);
  try {
    fit(x, {.components = 8.0});
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "`components=8` is not a fraction of the variance: it must lie between 0 and 1");
  }
}

TEST_F(ApiCalls, M_H1_weights_are_a_vector_of_any_kind) {
  const std::vector<double> list(60, 2.0);
  const Eigen::VectorXd vector = Eigen::VectorXd::Constant(60, 2.0);
  const Vector<double> wanted = fit(rows, {}, Weights(list)).eigenvalues();
  EXPECT_NEAR(wanted[0], 2 * fit(x).eigenvalues()[0], 1e-10);
  EXPECT_EQ(fit(x, {}, list).eigenvalues(), wanted);
  EXPECT_EQ(fit(x, {}, vector).eigenvalues(), wanted);
  EXPECT_EQ(fit(x, {}, std::span(list)).eigenvalues(), wanted);
  EXPECT_EQ(fit(x, identity_map<double>(3), {}, list).eigenvalues(), wanted);
  EXPECT_EQ(learn(x, {.epochs = 1}, vector).rows, 60);
  EXPECT_EQ(significance(x, {}, {.permutations = 5}, vector).p_values,
            significance(rows, {}, {.permutations = 5}, list).p_values);
  IncrementalPca<double> pca(3);
  pca.update(x, vector);
  EXPECT_EQ(pca.moments().weight(), 120);
  Hebbian neurons(identity_map<double>(3), {});
  neurons.update(x, list);
  EXPECT_EQ(neurons.row_weight(), 120);
}

TEST_F(ApiCalls, M_H1_learners_take_any_matrix) {
  const LearnOptions options{.epochs = 2, .order = Order::as_it_comes};
  EXPECT_EQ(learn(x, options).model.components(), learn(rows, options).model.components());
  Hebbian one(identity_map<double>(3), {}), other(identity_map<double>(3), {});
  one.update(x);
  other.update(rows);
  EXPECT_EQ(one.weights(), other.weights());
  one.load_state(other.save_state());
  KernelHebbian learner(k, x, {.components = 1});
  learner.epoch();
  EXPECT_EQ(learner.steps(), 60);
}

TEST_F(ApiCalls, M_H1_kernels_take_any_matrix_and_factors_on_either_side) {
  const Matrix<double> wanted = k.matrix(rows);
  EXPECT_EQ(k.matrix(r), wanted);
  EXPECT_EQ(k.matrix(x), wanted);
  EXPECT_EQ(k.matrix(x, {.threads = 1}), wanted);
  EXPECT_EQ(k.matrix(x, r, {.threads = 2}).rows(), 60);
  EXPECT_EQ(k.matrix(r.topRows(3)), wanted.topLeftCorner(3, 3));
  EXPECT_EQ(k.diagonal(x), k.diagonal(rows));
  EXPECT_EQ(kernels::rbf().completed(x).text(), kernels::rbf().completed(rows).text());
  EXPECT_EQ((k * 3.0).text(), (3.0 * k).text());
  EXPECT_EQ((k * 3).matrix(x), (3 * k).matrix(x));
  EXPECT_TRUE(check_kernel(k, x).valid());
  EXPECT_EQ(check_kernel(k, x, {.rows = 20, .threads = 1}).rows, 20);
}

TEST_F(ApiCalls, M_H1_selection_and_tuning_take_any_matrix) {
  EXPECT_EQ(significance(x).p_values, significance(rows).p_values);
  EXPECT_EQ(significance(x, identity_map<double>(3)).p_values,
            significance(rows, identity_map<double>(3)).p_values);
  EXPECT_EQ(kernel_grid({"rbf"}, x), kernel_grid({"rbf"}, rows));
  const TuneOptions options{.kernels = {"rbf(gamma=0.1)", "rbf(gamma=1)"}, .components = {1, 2}};
  EXPECT_EQ(tune(x, options).best, tune(rows, options).best);
  const Tuned found = tune(x, {.components = {1}, .folds = 2});  // nine widths of rbf
  EXPECT_EQ(found.cells.size(), 9u);
  Matrix<double> holes = r;
  holes(3, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(impute(MatrixXd(holes), {.components = 1}).x, impute(holes, {.components = 1}).x);
  EXPECT_EQ(variance_along(x, Matrix<double>::Identity(3, 3)),
            variance_along(rows, Matrix<double>::Identity(3, 3)));
}

TEST_F(ApiCalls, M_H1_models_take_any_matrix) {
  const auto model = fit(x, {.components = 2, .kernel = k});
  const Matrix<double> wanted = model.transform(rows);
  EXPECT_EQ(model.transform(x), wanted);
  EXPECT_EQ(model.transform(x, {.threads = 1}), wanted);
  EXPECT_EQ(model.transform(MatrixXd(x)), wanted);
  EXPECT_EQ(model.transform(r.topRows(3)), wanted.topRows(3));
  EXPECT_EQ(gradient(model, x, 0), gradient(model, rows, 0));
  const Scorer scorer(model, {.threads = 1});
  EXPECT_EQ(scorer(x).t2, scorer(rows).t2);
  const Decoder<double> decoder(model);
  EXPECT_EQ(decoder.denoise(x).rows, decoder.denoise(rows).rows);
  EXPECT_EQ(preimages(model, MatrixXd(wanted)).rows, preimages(model, wanted).rows);
  const auto linear = fit(x, {.components = 2});
  const MatrixXd scores = linear.transform(x);
  EXPECT_EQ(linear.inverse(scores), linear.inverse(linear.transform(rows), {.threads = 1}));
}

TEST_F(ApiCalls, M_H1_what_comes_in_batches_has_one_pair_of_names_for_its_state) {
  Moments moments(3), later(3);
  moments.add(x);
  later.load_state(moments.save_state());
  EXPECT_EQ(later.scatter(), moments.scatter());
  IncrementalPca<double> pca(3), next(3);
  pca.update(x);
  next.load_state(pca.save_state());
  EXPECT_EQ(next.model().components(), pca.model().components());
  Hebbian hebbian(identity_map<double>(3), {});
  hebbian.update(x);
  hebbian.load_state(hebbian.save_state());
  KernelHebbian kernel(k, x);
  kernel.load_state(kernel.save_state());
}

}  // namespace mercer::api_calls_test
