#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/approx.hpp>
#include <mercer/fit.hpp>
#include <mercer/merge.hpp>
#include <mercer/score.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/LU>
#include <Eigen/SparseCore>

#include <cmath>
#include <limits>
#include <string_view>

namespace mercer::score_test {

using test::Random;

void expect_close(const Vector<double>& a, const Vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  EXPECT_LE((a - b).cwiseAbs().maxCoeff(), tolerance * (1 + b.cwiseAbs().maxCoeff()));
}

TEST(Score, of_linear_pca_is_distance_and_reconstruction_error) {
  Random random(1);
  const Matrix<double> x = random.normal(50, 5), fresh = 2 * random.normal(20, 5);
  for (const Scale scale : {Scale::none, Scale::std}) {
    const auto model = fit(x, {.components = 2, .scale = scale});
    const RowScores rows = Scorer(model)(fresh);
    const Matrix<double> y = model.transform(fresh);
    Matrix<double> rest = fresh - model.inverse(y),
                   all = fresh.rowwise() - model.mean().transpose();
    if (scale == Scale::std)
      for (Index j = 0; j < 5; ++j) {
        rest.col(j) /= model.scale()[j];
        all.col(j) /= model.scale()[j];
      }
    expect_close(rows.spe, rest.rowwise().squaredNorm(), 1e-12);
    expect_close(rows.size, all.rowwise().squaredNorm(), 1e-12);
    const Vector<double> lambda = model.explained_variance();
    for (Index i = 0; i < 20; ++i)
      EXPECT_NEAR(rows.t2[i], y(i, 0) * y(i, 0) / lambda[0] + y(i, 1) * y(i, 1) / lambda[1], 1e-11);
    EXPECT_LE((rows.scores - y).cwiseAbs().maxCoeff(), 1e-12);
  }
}

/// So files of scores have the same bytes however rows are cut into blocks.
TEST(Score, M_G5_statistics_of_a_row_do_not_depend_on_the_rows_beside_it) {
  const Matrix<double> x = Random(7).normal(60, 7);
  const Kernel rbf = kernels::rbf({.gamma = 0.1});
  for (const FitOptions& options :
       {FitOptions{.components = 3}, FitOptions{.components = 3, .kernel = rbf},
        FitOptions{.components = 3, .kernel = rbf, .approx = Nystrom{.landmarks = 30}}}) {
    const auto model = fit(x, options);
    const Scorer scorer(model);
    const RowScores all = scorer(x);
    for (const Index count : {1, 2, 3, 5, 7})
      for (Index i = 0; i + count <= 60; i += count) {
        const RowScores some = scorer(Matrix<double>(x.middleRows(i, count)));
        ASSERT_EQ(some.t2, all.t2.segment(i, count)) << count << " from " << i;
        ASSERT_EQ(some.spe, all.spe.segment(i, count)) << count << " from " << i;
      }
  }
}

TEST(Score, t2_of_all_components_is_the_mahalanobis_distance) {
  Random random(2);
  const Matrix<double> x = random.normal(40, 3) * random.normal(3, 3);
  const auto model = fit(x);
  const Matrix<double> centred = x.rowwise() - x.colwise().mean();
  const Eigen::MatrixXd inverse = (centred.transpose() * centred / 39).inverse();
  const RowScores rows = Scorer(model)(x);
  for (Index i = 0; i < 40; ++i)
    EXPECT_NEAR(rows.t2[i], centred.row(i).dot(inverse * centred.row(i).transpose()), 1e-10);
  EXPECT_EQ(rows.spe.maxCoeff(), 0);
}

/// ‖φ(x) − m‖² and ‖y‖² in an explicit feature space with φ(x)·φ(y) = k(x, y).
TEST(Score, of_a_polynomial_kernel_is_that_of_its_explicit_features) {
  Random random(3);
  const Matrix<double> x = random.normal(60, 2), fresh = random.normal(15, 2);
  const Kernel kernel = kernels::poly({.degree = 2, .coef0 = 1, .gamma = 1});
  for (const bool center : {true, false}) {
    const auto by_map = fit(x, polynomial_map<double>(2, 2), {.components = 2, .center = center});
    const RowScores wanted = Scorer(by_map)(fresh);
    const auto exact = fit(x, {.components = 2, .kernel = kernel, .center = center});
    // As many landmarks as the feature space has dimensions see all of it.
    const auto landmarks = fit(
        x, {.components = 2, .kernel = kernel, .approx = Cholesky{.rank = 6}, .center = center});
    for (const Model<double>* model : {&exact, &landmarks}) {
      const Scorer scorer(*model);
      EXPECT_EQ(scorer.no_spe(), "");
      const RowScores rows = scorer(fresh);
      expect_close(rows.t2, wanted.t2, 1e-7);
      expect_close(rows.spe, wanted.spe, 1e-7);
      expect_close(rows.size, wanted.size, 1e-7);
    }
  }
}

TEST(Score, of_training_rows_adds_up_to_what_the_model_says) {
  Random random(4);
  const Matrix<double> x = random.normal(80, 3);
  for (const auto& kernel :
       {std::optional<Kernel>(), std::optional<Kernel>(kernels::rbf({.gamma = 0.5}))}) {
    const auto model = fit(x, {.components = 2, .kernel = kernel});
    const RowScores rows = Scorer(model)(x);
    ScoreTotals totals;
    totals.add(rows);
    const double kept = model.explained_variance_ratio().sum();
    EXPECT_NEAR(totals.explained(), kept, 1e-9);
    EXPECT_NEAR(totals.size / 79, model.report().total_variance, 1e-9);
    const Matrix<double> shares = rows.contributions(model.eigenvalues());
    for (Index c = 0; c < 2; ++c) EXPECT_NEAR(shares.col(c).sum(), 1, 1e-9);
    for (Index i = 0; i < 80; ++i)
      EXPECT_NEAR(rows.cos2().row(i).sum(), 1 - rows.spe[i] / rows.size[i], 1e-9);
  }
}

TEST(Score, blocks_and_threads_change_nothing) {
  Random random(5);
  const Matrix<double> x = random.normal(1500, 4);
  const auto model = fit(x, {.components = 2});
  const RowScores all = Scorer(model, {.threads = 1})(x), again = Scorer(model, {.threads = 3})(x);
  EXPECT_TRUE(all.t2 == again.t2 && all.spe == again.spe);
  const Csr<double> csr = Csr<double>::from(Eigen::SparseMatrix<double>(x.sparseView()));
  expect_close(Scorer(model)(Rows<double>(csr)).spe, all.spe, 1e-14);
}

TEST(Score, a_limit_that_nobody_knows_is_none_with_a_reason) {
  Random random(14);
  const Matrix<double> x = random.normal(60, 6);
  const auto by_products = fit(x, {.components = 2, .solver = Solver::randomized});
  const ScoreLimits limits = Scorer(by_products).limits();
  EXPECT_TRUE(limits.t2.has_value());
  EXPECT_FALSE(limits.spe.has_value());
  EXPECT_HAS(limits.spe_from, "spectrum of the discarded variance is unknown");

  const auto all = fit(x);
  EXPECT_FALSE(Scorer(all).limits().spe.has_value());
  EXPECT_HAS(Scorer(all).limits().spe_from, "keeps all variance");

  const auto wide = fit(Matrix<double>(random.normal(4, 6)), {.components = 3});
  EXPECT_FALSE(Scorer(wide).limits().spe.has_value());

  const Matrix<double> k = kernels::rbf({.gamma = 1.0}).matrix(Rows<double>(x));
  const auto similarities = fit(k, {.components = 2, .precomputed = true});
  const Scorer scorer(similarities);
  EXPECT_HAS(scorer.no_spe(), "kernel matrix");
  EXPECT_EQ(scorer(k).spe.size(), 0);
  EXPECT_EQ(scorer(k).cos2().size(), 0);
  EXPECT_FALSE(scorer.limits().t2.has_value());
  EXPECT_HAS(scorer.limits().t2_from, "no rows to leave out");
  EXPECT_HAS(scorer.limits().spe_from, "no SPE");
  ScoreTotals totals;
  totals.add(scorer(k));
  EXPECT_FALSE(totals.complete);
  for (const Flag flag : flagged(scorer(k), {.level = 0.9, .spe = 0.0}))
    EXPECT_EQ(flag, Flag::none);
}

TEST(Score, the_solvers_agree_on_how_variance_is_left_out) {
  Random random(15);
  const Matrix<double> x = random.normal(40, 7);
  const Vector<double> lambda = fit(x).explained_variance();
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd})
    EXPECT_NEAR(fit(x, {.components = 2, .solver = solver}).report().total_squares,
                lambda.squaredNorm(), 1e-12 * lambda.squaredNorm());
}

TEST(Score, of_weighted_rows_is_that_of_repeated_ones) {
  Random random(16);
  const Matrix<double> x = random.normal(30, 2), fresh = random.normal(5, 2);
  Matrix<double> twice(45, 2);
  twice << x, x.topRows(15);
  std::vector<double> weights(30, 1);
  std::fill(weights.begin(), weights.begin() + 15, 2);
  const FitOptions options{.components = 3, .kernel = kernels::rbf({.gamma = 0.5})};
  const auto weighted = fit(Rows<double>(x), options, weights);
  const auto repeated = fit(twice, options);
  const RowScores a = Scorer(weighted)(fresh), b = Scorer(repeated)(fresh);
  expect_close(a.t2, b.t2, 1e-7);
  expect_close(a.spe, b.spe, 1e-7);
}

TEST(Score, of_a_float_model_is_near_that_in_double) {
  Random random(17);
  const Matrix<double> x = random.normal(220, 3);
  const Matrix<float> f = x.cast<float>();
  for (const auto& kernel :
       {std::optional<Kernel>(), std::optional<Kernel>(kernels::rbf({.gamma = 0.5}))}) {
    const FitOptions options{.components = 2, .kernel = kernel, .tolerance = 1e-5};
    const auto precise = fit(x, options);
    const auto model = fit(f, options);
    expect_close(Scorer(model)(f).spe, Scorer(precise)(x).spe, 1e-4);
    EXPECT_NEAR(*Scorer(model).limits().spe, *Scorer(precise).limits().spe, 1e-3);
  }
}

TEST(Score, missing_cells_may_lie_on_the_mean) {
  Random random(18);
  const Matrix<double> x = random.normal(50, 3);
  Matrix<double> holes = x.topRows(4), filled = holes;
  holes(2, 1) = std::numeric_limits<double>::quiet_NaN();
  filled(2, 1) = x.col(1).mean();
  for (const auto& kernel :
       {std::optional<Kernel>(), std::optional<Kernel>(kernels::rbf({.gamma = 0.5}))}) {
    const auto model = fit(x, {.components = 2, .kernel = kernel, .scale = Scale::std});
    const Scorer scorer(model);
    expect_close(scorer(Rows<double>(holes), Missing::mean).spe, scorer(filled).spe, 1e-12);
    test::expect_error(Errc::bad_data, {"row 3, column 2 is nan"}, [&] { scorer(holes); });
  }
}

TEST(Score, missing_cells_may_be_what_the_others_say) {
  Random random(19);
  const Matrix<double> x = random.normal(60, 2) * random.normal(2, 5) + 0.1 * random.normal(60, 5);
  Matrix<double> holes = x.topRows(5);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  holes(1, 2) = holes(3, 0) = holes(3, 4) = nan;
  for (const Scale scale : {Scale::none, Scale::std}) {
    const auto model = fit(x, {.components = 2, .scale = scale});
    const Scorer scorer(model);
    const RowScores rows = scorer(Rows<double>(holes), Missing::em);
    const Matrix<double> y = model.transform(holes, {.missing = Missing::em});
    EXPECT_LT((rows.scores - y).norm(), 1e-12);
    const Matrix<double> back = model.inverse(y);
    const Vector<double> variance = model.explained_variance();
    for (Index i = 0; i < 5; ++i) {
      double spe = 0;
      for (Index j = 0; j < 5; ++j)
        if (!std::isnan(holes(i, j)))
          spe += std::pow((holes(i, j) - back(i, j)) / (scale == Scale::std ? model.scale()[j] : 1),
                          2);
      EXPECT_NEAR(rows.spe[i], spe, 1e-12);
      EXPECT_NEAR(rows.t2[i], y(i, 0) * y(i, 0) / variance[0] + y(i, 1) * y(i, 1) / variance[1],
                  1e-11);
      EXPECT_NEAR(rows.size[i], rows.spe[i] + y.row(i).squaredNorm(), 1e-11);
    }
    // Rows without holes are what they were.
    EXPECT_EQ(scorer(holes.topRows(1).eval()).spe[0], rows.spe[0]);
    holes.row(4).setConstant(nan);
    test::expect_error(Errc::bad_data, {"row 5 is entirely missing"},
                       [&] { scorer(Rows<double>(holes), Missing::em); });
    holes.row(4) = x.row(4);
  }
  const auto kernel = fit(x, {.components = 2, .kernel = kernels::rbf({.gamma = 0.5})});
  const Scorer of_kernel(kernel);
  test::expect_error(Errc::bad_option, {"`missing=em` is for linear models"},
                     [&] { of_kernel(Rows<double>(holes), Missing::em); });
}

TEST(Score, totals_of_weighted_rows_are_those_of_repeated_ones) {
  Random random(20);
  const Matrix<double> x = random.normal(40, 4), fresh = random.normal(6, 4);
  const auto model = fit(x, {.components = 2});
  const Scorer scorer(model);
  const double weights[] = {2, 1, 0, 3, 1, 1};
  Matrix<double> repeated(8, 4);
  for (Index i = 0, next = 0; i < 6; ++i)
    for (double w = 0; w < weights[i]; ++w) repeated.row(next++) = fresh.row(i);
  ScoreTotals weighted, many;
  weighted.add(scorer(fresh), weights);
  many.add(scorer(repeated));
  EXPECT_EQ(weighted.rows, 6);
  EXPECT_EQ(weighted.weight, 8);
  EXPECT_NEAR(weighted.mean_spe(), many.mean_spe(), 1e-13);
  EXPECT_NEAR(weighted.explained(), many.explained(), 1e-13);
  expect_close(weighted.squares, many.squares, 1e-13);
}

TEST(Score, models_that_merged_with_all_components_know_what_they_leave_out) {
  Random random(21);
  const Matrix<double> x = random.normal(90, 6);
  const auto part = [&](Index first, Index k) {
    return fit(Matrix<double>(x.middleRows(first, 45)), {.components = k});
  };
  const auto together = fit(x, {.components = 2});
  const auto merged = merge<double>({part(0, 6), part(45, 6)}, {.components = 2});
  EXPECT_NEAR(merged.report().total_squares, together.report().total_squares,
              1e-10 * together.report().total_squares);
  EXPECT_NEAR(*Scorer(merged).limits().spe, *Scorer(together).limits().spe, 1e-8);
  const auto cut = merge<double>({part(0, 3), part(45, 3)}, {.components = 2});
  EXPECT_FALSE(Scorer(cut).limits().spe.has_value());
}

// Found by an attack: the ridge of the matrix that the mean is solved with was not counted.
TEST(Score, M_P3_of_a_wide_kernel_with_weights_is_not_called_indefinite) {
  const Matrix<double> x{{-355.0}, {-2699.0}, {-1752.0}};
  const std::vector<double> weights = {0.9, 0.16, 0.11};
  for (const double gamma : {1.4e-13, 4.9e-13, 2.9e-12}) {
    const Kernel kernel = kernels::rbf({.gamma = gamma});
    const auto model =
        fit(Rows<double>(x), {.components = 1, .kernel = kernel, .ddof = 0}, weights);
    const Vector<double> rows = Vector<double>::LinSpaced(217, -4000, 4000);
    const RowScores scores = Scorer(model, {.threads = 1})(Matrix<double>(rows));
    // ‖φ(x) − m‖² of a kernel this wide is 2γ(x − mean)² to first order.
    const double mean = (0.9 * -355 + 0.16 * -2699 + 0.11 * -1752) / 1.17;
    const double square = 2 * gamma *
                          (0.9 * std::pow(-355 - mean, 2) + 0.16 * std::pow(-2699 - mean, 2) +
                           0.11 * std::pow(-1752 - mean, 2)) /
                          1.17;
    for (Index i = 0; i < rows.size(); ++i) {
      const double about = rows[i] - mean, exact = 2 * gamma * about * about;
      EXPECT_NEAR(scores.size[i], exact, 1e-3 * (exact + square)) << gamma;
    }
  }
}

TEST(Score, bad_input_is_refused) {
  Random random(19);
  const auto model = fit(random.normal(20, 3), {.components = 2});
  const Scorer scorer(model);
  test::expect_error(Errc::bad_data, {"2 columns", "fitted to 3"},
                     [&] { scorer(random.normal(4, 2)); });
  test::expect_error(Errc::bad_data, {"2 columns"}, [&] { scorer(random.normal(0, 2)); });
  for (const double level : {0.0, 1.0, -1.0, std::numeric_limits<double>::quiet_NaN()}) {
    test::expect_error(Errc::bad_option, {"level"}, [&] { scorer.limits(level); });
    test::expect_error(Errc::bad_option, {"level"},
                       [&] { limits_of(scorer(random.normal(4, 3)), level); });
  }
  test::expect_error(Errc::bad_data, {"at least one row"}, [&] { limits_of({}, 0.9); });
}

TEST(Score, M_P3_squares_that_no_number_holds_are_refused) {
  Matrix<double> x(3, 2);
  x << 1, 1, 2, 1, -1, 3;
  const auto model = fit(x, {.components = 1});
  const Scorer scorer(model);
  Matrix<double> far(2, 2);
  far << 1, 2, 1e160, -1e160;
  test::expect_error(Errc::bad_data, {"row 2:", "overflows"}, [&] { scorer(far); });
}

TEST(Score, M_P3_a_kernels_spe_that_is_lost_in_rounding_is_refused) {
  // Rows along a component of the linear kernel, 2/√5 off it: SPE is 0.8 for each of them.
  const double c = 1 / std::sqrt(5.0), s = 2 / std::sqrt(5.0);
  Matrix<double> x(5, 2);
  const double along[] = {-2, -1, 0, 1, 2}, off[] = {0.5, -0.5, 0, -0.5, 0.5};
  for (Index i = 0; i < 5; ++i) x.row(i) << along[i] * c - off[i] * s, along[i] * s + off[i] * c;
  const auto model = fit(x, {.components = 1, .kernel = kernels::linear()});
  const Scorer scorer(model);
  const auto row = [](double t) { return Matrix<double>(Eigen::RowVector2d(t + 1, 2 * t)); };
  EXPECT_NEAR(scorer(row(0)).spe[0], 0.8, 1e-12);
  EXPECT_NEAR(scorer(row(1e4)).spe[0], 0.8, 1e-5);
  for (const double t : {1e8, 1e12})
    test::expect_error(Errc::bad_data, {"row 1:", "lost in rounding"}, [&] { scorer(row(t)); });
}

TEST(Score, M_P1_cosines_of_rows_of_any_length_are_those_of_their_directions) {
  Matrix<double> x(3, 2);
  x << 1, 1, 2, 1, -1, 3;
  const auto model = fit(x, {.components = 2, .kernel = Kernel::parse("cosine")});
  const Matrix<double> expected = model.transform(Matrix<double>(Matrix<double>::Ones(1, 2)));
  for (const double length : {1e160, 1e250, 1e-161, 1e-170, 1e-250}) {
    const Matrix<double> found =
        model.transform(Matrix<double>(Matrix<double>::Constant(1, 2, length)));
    EXPECT_LT((found - expected).cwiseAbs().maxCoeff(), 1e-14) << length;
  }
  // Products of two such rows vanish.
  EXPECT_THROW(Kernel::parse("cosine").matrix(Rows<double>(Matrix<double>(1e-170 * x))), Error);
}

TEST(Score, M_P1_kernels_of_squares_that_underflow_are_refused) {
  Matrix<double> x(3, 2);
  x << 1, 1.1, 2, 1, -1, 3;
  for (const double size : {1e-158, 1e-161}) {
    const Matrix<double> small = size * x;
    for (const char* kernel : {"exponential(gamma={})", "matern(nu=1.5, length={})"}) {
      const bool length = std::string_view(kernel).starts_with("matern");
      const Kernel k = Kernel::parse(fmt::format(
          fmt::runtime(kernel), length ? fmt::format("{}", size) : fmt::format("{}", 1 / size)));
      try {
        const auto model = fit(small, {.kernel = k});
        const auto same = fit(Matrix<double>(x),
                              {.kernel = Kernel::parse(fmt::format(fmt::runtime(kernel), "1"))});
        // Where it is answered, the interval holds the same problem in other units.
        EXPECT_LE(model.report().certificate.low[0], same.eigenvalues()[0] * (1 + 1e-12));
        EXPECT_GE(model.report().certificate.high[0], same.eigenvalues()[0] * (1 - 1e-12));
      } catch (const Error& e) {
        EXPECT_HAS(e.what(), "rounding");
      }
    }
  }
}

}  // namespace mercer::score_test
