// Limits of T² and SPE on rows that were not in the fit. Rates may differ from the nominal one by
// four standard errors of 2,000 rows: 4·√(0.05·0.95/2000) = 1.9 % at 5 %, 0.9 % at 1 %.
#include "support/errors.hpp"
#include "support/random.hpp"

#include "diagnostics/left_out.hpp"
#include "diagnostics/limits.hpp"

#include <mercer/fit.hpp>
#include <mercer/score.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <cmath>

namespace mercer::limits_test {

using test::Random;

/// The share of fresh Gaussian rows beyond each limit, over several fits.
struct Alarms {
  double t2 = 0, spe = 0;
};
Alarms gaussian_alarms(Index n, const Vector<double>& deviations, Index k, double level, int fits,
                       const FitOptions& more = {}) {
  Random random(77);
  const Index d = deviations.size(), fresh = 1000;
  Alarms sum;
  for (int f = 0; f < fits; ++f) {
    FitOptions options = more;
    options.components = k;
    const auto model = fit(Matrix<double>(random.normal(n, d) * deviations.asDiagonal()), options);
    const Scorer scorer(model, {.threads = 1});
    const ScoreLimits limits = scorer.limits(level);
    EXPECT_TRUE(limits.t2 && limits.spe) << limits.t2_from << "; " << limits.spe_from;
    const Matrix<double> rows = random.normal(fresh, d) * deviations.asDiagonal();
    for (const Flag flag : flagged(scorer(rows), limits)) {
      sum.t2 += flag == Flag::t2 || flag == Flag::both;
      sum.spe += flag == Flag::spe || flag == Flag::both;
    }
  }
  const double rows = static_cast<double>(fits * fresh);
  return {sum.t2 / rows, sum.spe / rows};
}

void expect_rates(const Alarms& at, double level, const char* what) {
  const double error = 4 * std::sqrt(level * (1 - level) / 2000);
  EXPECT_NEAR(at.t2, 1 - level, error) << what;
  EXPECT_NEAR(at.spe, 1 - level, error) << what;
}

Vector<double> flat(Index d) { return Vector<double>::Ones(d); }
Vector<double> steep(Index d, double ratio) {
  Vector<double> out(d);
  for (Index i = 0; i < d; ++i) out[i] = std::pow(ratio, static_cast<double>(-i));
  return out;
}

// A component that is only the largest of equals is too long in the sample, so that new rows hardly
// reach Hotelling's limit: 0.02 to 0.2 % of them were beyond it where it said 5 %.
TEST(ScoreLimits, M_P7_limits_hold_for_flat_spectra_and_few_rows) {
  expect_rates(gaussian_alarms(27, flat(5), 1, 0.95, 30), 0.95, "1 of 5");
  expect_rates(gaussian_alarms(27, flat(5), 4, 0.95, 40), 0.95, "4 of 5");
  expect_rates(gaussian_alarms(100, flat(10), 1, 0.99, 15), 0.99, "1 of 10");
}

TEST(ScoreLimits, M_P7_levels_that_rows_carry_are_the_largest_that_need_no_more) {
  for (const Index n : {6, 20, 39, 40, 150, 199, 200, 1000}) {
    const double gaussian = level_of_gaussian_limits(n, 1), good = level_of_good_limits(n);
    EXPECT_EQ(gaussian > 0, n >= 27);
    if (gaussian > 0) EXPECT_LE(rows_for_gaussian_limits(gaussian, 1), n);
    EXPECT_GT(gaussian < 0.999 ? rows_for_gaussian_limits(gaussian + 0.001, 1) : n + 1, n);
    EXPECT_LE(rows_for_good_limits(good), n);
    EXPECT_GT(good < 0.999 ? rows_for_good_limits(good + 0.001) : n + 1, n);
    const double kept = level_of_left_out_limits(n);
    EXPECT_EQ(kept > 0, n >= 200);
    if (kept > 0) {
      EXPECT_LE(rows_for_left_out_limits(kept), n);
    }
  }
  EXPECT_EQ(level_of_good_limits(10), 0.909);  // 10/11
  EXPECT_EQ(level_of_good_limits(99), 0.99);
}

TEST(ScoreLimits, M_P7_limits_hold_for_steep_spectra) {
  expect_rates(gaussian_alarms(27, steep(5, 1.8), 2, 0.95, 40), 0.95, "2 of 5");
  expect_rates(gaussian_alarms(60, steep(6, 2), 5, 0.95, 20), 0.95, "5 of 6");
  expect_rates(gaussian_alarms(5000, steep(4, 2), 2, 0.99, 5), 0.99, "2 of 4");
}

TEST(ScoreLimits, M_P7_limits_hold_with_more_columns_than_rows) {
  Vector<double> deviations = flat(80);
  deviations.head(3) << 20, 15, 10;
  expect_rates(gaussian_alarms(40, deviations, 3, 0.95, 8), 0.95, "3 of 80");
}

TEST(ScoreLimits, M_P7_limits_hold_for_z_scores_and_without_centring) {
  expect_rates(gaussian_alarms(27, steep(6, 1.5), 2, 0.95, 30, {.scale = Scale::std}), 0.95,
               "z-scores");
  expect_rates(gaussian_alarms(40, steep(6, 1.5), 2, 0.95, 20, {.center = false, .ddof = 0}), 0.95,
               "about 0");
}

TEST(ScoreLimits, M_P7_all_components_have_hotellings_law) {
  Random random(5);
  const auto model = fit(random.normal(30, 4));
  // 4·(30² − 1)/(30·26)·F(4, 26) at 95 %, by R's qf.
  EXPECT_NEAR(*Scorer(model).limits(0.95).t2, 4.0 * 899 / 780 * 2.742594, 1e-4);
}

TEST(ScoreLimits, M_P7_too_few_rows_for_the_level_are_refused_with_the_number_it_needs) {
  Random random(6);
  const auto model = fit(random.normal(6, 3), {.components = 1});
  const Scorer scorer(model);
  const ScoreLimits six = scorer.limits(0.99);
  EXPECT_FALSE(six.t2 || six.spe);
  EXPECT_EQ(six.t2_from, "99 % needs 40 rows in the fit, there are 6");
  EXPECT_EQ(six.spe_from, six.t2_from);
  // 10 rows are too few for any level, unless all directions are kept.
  EXPECT_EQ(scorer.limits(0.4).t2_from, "40 % needs 27 rows in the fit, there are 6");
  const auto all = fit(random.normal(6, 3));
  // 3·(6² − 1)/(6·3)·F(3, 3) at 95 %, by R's qf.
  EXPECT_NEAR(*Scorer(all).limits(0.95).t2, 3.0 * 35 / 18 * 9.276628, 1e-4);
  for (const Flag flag : flagged(scorer(Matrix<double>(9 * random.normal(5, 3))), six))
    EXPECT_EQ(flag, Flag::none);

  const ScoreLimits ten = limits_of(scorer(random.normal(10, 3)), 0.99);
  EXPECT_FALSE(ten.t2 || ten.spe);
  EXPECT_EQ(ten.t2_from, "99 % needs 99 good rows, there are 10");
  const RowScores enough = scorer(random.normal(99, 3));
  EXPECT_EQ(*limits_of(enough, 0.99).t2, enough.t2.maxCoeff());

  const auto rings =
      fit(random.normal(60, 3), {.components = 2, .kernel = kernels::rbf({.gamma = 0.1})});
  EXPECT_EQ(Scorer(rings).limits(0.95).spe_from,
            "features are not Gaussian, and 95 % needs 200 rows of the fit in the model, there are "
            "60");
}

TEST(ScoreLimits, M_P7_good_rows_give_the_level_whatever_their_distribution) {
  // 19 good rows: the largest is exceeded by one further row in 20.
  Random random(13);
  int t2 = 0, spe = 0;
  constexpr int draws = 4000;
  for (int i = 0; i < draws; ++i) {
    RowScores good{{}, Vector<double>(19), Vector<double>(19), {}};
    for (Index j = 0; j < 19; ++j) {
      good.t2[j] = std::pow(random.normal(), 6);
      good.spe[j] = random.uniform();
    }
    const ScoreLimits limits = limits_of(good, 0.95);
    t2 += std::pow(random.normal(), 6) > *limits.t2;
    spe += random.uniform() > *limits.spe;
  }
  const double error = 4 * std::sqrt(0.05 * 0.95 / draws);
  EXPECT_NEAR(t2 / static_cast<double>(draws), 0.05, error);
  EXPECT_NEAR(spe / static_cast<double>(draws), 0.05, error);
}

/// PCA of the rows without one, and that row's statistics, the long way.
TEST(ScoreLimits, M_P7_a_row_left_out_is_scored_as_a_fit_without_it_would) {
  Random random(8);
  const Index n = 14, d = 5, k = 2;
  const Matrix<double> x = random.normal(n, d);
  const Matrix<double> centred = x.rowwise() - x.colwise().mean();
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> whole(centred.transpose() * centred);
  FittedRows fitted;
  fitted.eigenvalues = whole.eigenvalues().reverse();
  fitted.squares = (centred * whole.eigenvectors().rowwise().reverse()).cwiseAbs2();
  fitted.components = k;
  fitted.rows = n;
  const LeftOutScores found = left_out_scores(fitted, {.threads = 2});
  for (Index i = 0; i < n; ++i) {
    Matrix<double> others(n - 1, d);
    others << x.topRows(i), x.bottomRows(n - 1 - i);
    const Eigen::RowVectorXd mean = others.colwise().mean();
    others.rowwise() -= mean;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> pca(others.transpose() * others / (n - 2));
    const Eigen::RowVectorXd row = x.row(i) - mean;
    double t2 = 0, spe = row.squaredNorm();
    for (Index c = 0; c < k; ++c) {
      const double y = row * pca.eigenvectors().col(d - 1 - c);
      t2 += y * y / pca.eigenvalues()[d - 1 - c];
      spe -= y * y;
    }
    EXPECT_NEAR(found.t2[i], t2, 1e-9 * t2);
    EXPECT_NEAR(found.spe[i], spe, 1e-9 * (1 + spe));
  }
}

Matrix<double> ring(Random& random, Index n) {
  Matrix<double> x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 6.283185307179586 * random.uniform(), r = 3 + 0.2 * random.normal();
    x.row(i) << r * std::cos(angle), r * std::sin(angle);
  }
  return x;
}

TEST(ScoreLimits, M_P7_limits_of_a_kernel_model_come_from_its_rows) {
  Random random(12);
  Alarms sum;
  constexpr int fits = 8;
  for (int f = 0; f < fits; ++f) {
    const auto model =
        fit(ring(random, 250), {.components = 6, .kernel = kernels::rbf({.gamma = 0.5})});
    const Scorer scorer(model);
    const ScoreLimits limits = scorer.limits(0.95);
    EXPECT_EQ(limits.spe_from, "leave-one-out quantile of 250 training rows");
    for (const Flag flag : flagged(scorer(ring(random, 1000)), limits)) {
      sum.t2 += flag == Flag::t2 || flag == Flag::both;
      sum.spe += flag == Flag::spe || flag == Flag::both;
    }
    // The middle of the ring is no place for a row, and only the SPE knows.
    EXPECT_GT(scorer(Matrix<double>(Matrix<double>::Zero(1, 2))).spe[0], *limits.spe);
  }
  expect_rates({sum.t2 / (fits * 1000), sum.spe / (fits * 1000)}, 0.95, "ring");
}

/// The long way: PCA of one half, and the rows of the other.
TEST(ScoreLimits, M_P7_the_correction_is_that_of_limits_of_halves) {
  Random random(19);
  const Index n = 80, d = 4, k = 2;
  const Matrix<double> x = random.normal(n, d).array().cube();
  FittedRows fitted;
  fitted.components = k;
  fitted.rows = n;
  const LimitFactors found = factors_by_halves(x * x.transpose(), fitted, 0.9, {.threads = 2});
  // Over many random halves the factors are those of 8 splits to within their noise.
  std::vector<double> t2, spe;
  std::vector<Index> order(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) order[static_cast<std::size_t>(i)] = i;
  for (int split = 0; split < 200; ++split) {
    for (std::size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.bits() % i]);
    const auto half = [&](Index from, Index skip) {
      Matrix<double> rows(n / 2 - (skip < 0 ? 0 : 1), d);
      for (Index i = 0, to = 0; i < n / 2; ++i)
        if (i != skip) rows.row(to++) = x.row(order[static_cast<std::size_t>(from + i)]);
      return rows;
    };
    const auto statistics = [&](Matrix<double> of, const Matrix<double>& rows,
                                std::vector<double>& along, std::vector<double>& off) {
      const Eigen::RowVectorXd mean = of.colwise().mean();
      of.rowwise() -= mean;
      const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> pca(of.transpose() * of /
                                                               static_cast<double>(of.rows() - 1));
      for (Index i = 0; i < rows.rows(); ++i) {
        const Eigen::RowVectorXd row = rows.row(i) - mean;
        double a = 0, b = row.squaredNorm();
        for (Index c = 0; c < k; ++c) {
          const double y = row * pca.eigenvectors().col(d - 1 - c);
          a += y * y / pca.eigenvalues()[d - 1 - c];
          b -= y * y;
        }
        along.push_back(a);
        off.push_back(b);
      }
    };
    std::vector<double> own_t2, own_spe, new_t2, new_spe;
    for (Index i = 0; i < n / 2; ++i)
      statistics(half(0, i), x.row(order[static_cast<std::size_t>(i)]), own_t2, own_spe);
    statistics(half(0, -1), half(n / 2, -1), new_t2, new_spe);
    std::sort(own_t2.begin(), own_t2.end());
    std::sort(own_spe.begin(), own_spe.end());
    // The 37th of 40: 0.9·41 = 36.9.
    for (const double value : new_t2) t2.push_back(value / own_t2[36]);
    for (const double value : new_spe) spe.push_back(value / own_spe[36]);
  }
  std::sort(t2.begin(), t2.end());
  std::sort(spe.begin(), spe.end());
  const std::size_t at = t2.size() * 37 / 41;
  EXPECT_NEAR(std::log(found.t2), std::log(t2[at]) / 2, 0.1);
  EXPECT_NEAR(std::log(found.spe), std::log(spe[at]) / 2, 0.1);
}

// With a narrow width every row has a direction of its own, and says nothing of the next one.
TEST(ScoreLimits, M_P7_a_narrow_kernel_does_not_take_every_new_row_for_an_outlier) {
  Random random(16);
  const Matrix<double> x = random.normal(220, 3);
  const auto model = fit(x, {.components = 6, .kernel = kernels::rbf({.gamma = 20.0})});
  const Scorer scorer(model);
  const ScoreLimits limits = scorer.limits(0.95);
  double spe = 0;
  for (const Flag flag : flagged(scorer(random.normal(1000, 3)), limits))
    spe += flag == Flag::spe || flag == Flag::both;
  EXPECT_LE(spe / 1000, 0.07);  // 95 % of the rows by their training values
}

TEST(ScoreLimits, M_P7_rows_that_landmarks_and_random_features_keep_give_limits_too) {
  Random random(15);
  const Matrix<double> x = ring(random, 600), fresh = ring(random, 2000);
  const Approx approximations[] = {Cholesky{.rank = 60}, Fourier{.features = 200}};
  for (const Approx& approx : approximations) {
    FitOptions options{.components = 6, .kernel = kernels::rbf({.gamma = 0.5}), .approx = approx};
    options.keep_rows = 10;
    const auto few = fit(x, options);
    EXPECT_EQ(Scorer(few).limits(0.95).t2_from,
              "features are not Gaussian, and 95 % needs 200 rows of the fit in the model, there "
              "are 10");
    options.keep_rows = 400;
    const auto model = fit(x, options);
    const Scorer scorer(model);
    const ScoreLimits limits = scorer.limits(0.95);
    EXPECT_EQ(limits.spe_from, "leave-one-out quantile of 400 training rows");
    double t2 = 0, spe = 0;
    for (const Flag flag : flagged(scorer(fresh), limits)) {
      t2 += flag == Flag::t2 || flag == Flag::both;
      spe += flag == Flag::spe || flag == Flag::both;
    }
    // One set of 400 rows: a quantile of 5 % ± 1.1 %.
    EXPECT_NEAR(t2 / 2000, 0.05, 0.033);
    EXPECT_NEAR(spe / 2000, 0.05, 0.033);
  }
}

TEST(ScoreLimits, M_P7_a_small_share_of_the_variance_is_not_none) {
  // 2.5e-11 of the variance is left out, some hundred times the bound on its rounding.
  Random random(17);
  Matrix<double> x = random.normal(200, 2);
  x.col(0) *= 2e5;
  const auto model = fit(x, {.components = 1});
  const ScoreLimits limits = Scorer(model).limits(0.95);
  ASSERT_TRUE(limits.spe) << limits.spe_from;
  EXPECT_NEAR(*limits.spe, 3.84, 0.9);  // χ²(1) of a column of deviation 1, estimated from 200 rows
  // Nothing is left of the next digits.
  x.col(0) *= 1e4;
  const auto lost = fit(x, {.components = 1});
  EXPECT_FALSE(Scorer(lost).limits(0.95).spe);
}

TEST(ScoreLimits, M_P3_components_longer_than_the_row_are_an_alarm) {
  // A sigmoid is nearly positive semi-definite on rows near 0, and not beyond them.
  Random random(18);
  const Matrix<double> x = 0.2 * random.normal(40, 2);
  const auto model = fit(
      x, {.components = 2, .kernel = Kernel::parse("sigmoid(gamma=1, coef0=0.5)"), .clip = true});
  const Scorer scorer(model);
  test::expect_error(Errc::invalid_kernel, {"row 1:", "not positive semi-definite"},
                     [&] { scorer(Matrix<double>(Matrix<double>::Constant(1, 2, 3.0))); });
}

TEST(ScoreLimits, M_P3_a_half_with_a_negative_eigenvalue_is_an_alarm) {
  // Inner products of 60 rows, and a direction in which squares are negative: what `clip` cuts off.
  Random random(19);
  const Matrix<double> x = random.normal(60, 4), y = random.normal(60, 1);
  FittedRows fitted;
  fitted.components = 2;
  fitted.rows = 60;
  const Matrix<double> valid = x * x.transpose();
  EXPECT_GT(factors_by_halves(valid, fitted, 0.9, {.threads = 1}).spe, 0);
  // Rounding of the sizes that products have is none.
  const Matrix<double> rounded = valid - 1e-14 * (y * y.transpose());
  EXPECT_GT(factors_by_halves(rounded, fitted, 0.9, {.threads = 1}).spe, 0);
  const Matrix<double> indefinite = valid - 0.01 * (y * y.transpose());
  test::expect_error(Errc::invalid_kernel,
                     {"half of the model's rows", "not positive semi-definite"},
                     [&] { factors_by_halves(indefinite, fitted, 0.9, {.threads = 1}); });
}

TEST(ScoreLimits, M_P7_limits_go_on_rising_beyond_the_rows_that_were_drawn) {
  // Two directions of equal variance are left out of many rows: SPE/σ² is χ²(2), whose quantile is
  // −2 log(1 − level). 4,096 rows are drawn for a limit, none of them beyond 99.99 %.
  const Vector<double> deviations = Eigen::Vector4d(6, 4, 1, 1);
  const Matrix<double> x = Random(5).normal(4000, 4) * deviations.asDiagonal();
  const auto model = fit(x, {.components = 2});
  const double variance = (model.report().total_variance - model.explained_variance().sum()) / 2;
  double before = 0;
  for (const double beyond : {1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    const ScoreLimits limits = Scorer<double>(model, {.threads = 1}).limits(1 - beyond);
    ASSERT_TRUE(limits.spe) << limits.spe_from;
    EXPECT_GT(*limits.spe, 1.1 * before);
    // Where 4 of the rows drawn lie beyond, their number and with it the limit is off by half.
    EXPECT_NEAR(*limits.spe / variance, -2 * std::log(beyond), 2.5) << beyond;
    before = *limits.spe;
  }
}

}  // namespace mercer::limits_test
