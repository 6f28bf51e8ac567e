#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/fit.hpp>
#include <mercer/score.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::limits_test {

using test::Random;

/// The share of fresh Gaussian rows beyond each limit, over several fits.
struct Alarms {
  double t2 = 0, spe = 0;
};
Alarms gaussian_alarms(Index n, const Vector<double>& deviations, Index k, double level,
                       Scale scale = Scale::none) {
  Random random(77);
  const Index d = deviations.size(), fresh = 2000;
  const int fits = 20;
  const bool turned = d <= 10;  // more columns take long without optimisation
  const Matrix<double> axes = turned ? random.rotation(d) : Matrix<double>();
  const auto draw = [&](Index rows) {
    const Matrix<double> z = random.normal(rows, d) * deviations.asDiagonal();
    return turned ? Matrix<double>(z * axes) : z;
  };
  Alarms sum;
  for (int f = 0; f < fits; ++f) {
    const auto model = fit(draw(n), {.components = k, .scale = scale});
    const Scorer scorer(model);
    const ScoreLimits limits = scorer.limits(level);
    for (const Flag flag : flagged(scorer(draw(fresh)), limits)) {
      sum.t2 += flag == Flag::t2 || flag == Flag::both;
      sum.spe += flag == Flag::spe || flag == Flag::both;
    }
  }
  return {sum.t2 / (fits * fresh), sum.spe / (fits * fresh)};
}

// 40,000 rows: a share of 1 % has a deviation of 0.05 %, and fits differ by more than that.
TEST(ScoreLimits, limits_flag_one_gaussian_row_in_a_hundred) {
  Vector<double> deviations(10);
  deviations << 5, 4, 3, 1.5, 1.2, 1, 0.8, 0.6, 0.4, 0.2;
  for (const Index n : {60, 500}) {
    const Alarms at = gaussian_alarms(n, deviations, 3, 0.99);
    EXPECT_NEAR(at.t2, 0.01, 0.003) << n;
    EXPECT_NEAR(at.spe, 0.01, n < 100 ? 0.006 : 0.004) << n;  // 60 rows tell variances to 20 %
  }
  const Alarms at = gaussian_alarms(200, deviations, 3, 0.95, Scale::std);
  EXPECT_NEAR(at.t2, 0.05, 0.008);
  EXPECT_NEAR(at.spe, 0.05, 0.012);
}

TEST(ScoreLimits, limits_hold_with_more_columns_than_rows) {
  Vector<double> deviations = Vector<double>::Ones(80);
  deviations.head(3) << 20, 15, 10;
  const Alarms at = gaussian_alarms(40, deviations, 3, 0.99);
  EXPECT_NEAR(at.t2, 0.01, 0.004);
  EXPECT_LE(at.spe, 0.03);  // 40 rows say little of 77 directions
  EXPECT_GE(at.spe, 0.0005);
}

TEST(ScoreLimits, limits_of_a_kernel_model_come_from_its_rows) {
  Random random(12);
  const auto ring = [&](Index n) {
    Matrix<double> x(n, 2);
    for (Index i = 0; i < n; ++i) {
      const double angle = 6.283185307179586 * random.uniform(), r = 3 + 0.2 * random.normal();
      x.row(i) << r * std::cos(angle), r * std::sin(angle);
    }
    return x;
  };
  double t2 = 0, spe = 0;
  for (int f = 0; f < 6; ++f) {
    const auto model = fit(ring(250), {.components = 6, .kernel = kernels::rbf({.gamma = 0.5})});
    const Scorer scorer(model);
    const ScoreLimits limits = scorer.limits(0.95);
    EXPECT_HAS(limits.spe_from, "training rows");
    const RowScores rows = scorer(ring(1000));
    for (const Flag flag : flagged(rows, limits)) {
      t2 += flag == Flag::t2 || flag == Flag::both;
      spe += flag == Flag::spe || flag == Flag::both;
    }
    // The middle of the ring is no place for a row, and only the SPE knows.
    Matrix<double> middle = Matrix<double>::Zero(1, 2);
    EXPECT_GT(scorer(middle).spe[0], *limits.spe);
  }
  // Quantiles of 250 rows: 5 % ± 1.4 % each.
  EXPECT_NEAR(t2 / 6000, 0.05, 0.02);
  EXPECT_NEAR(spe / 6000, 0.05, 0.02);
}

TEST(ScoreLimits, rows_that_landmarks_and_random_features_keep_give_limits_too) {
  Random random(15);
  const auto ring = [&](Index n) {
    Matrix<double> x(n, 2);
    for (Index i = 0; i < n; ++i) {
      const double angle = 6.283185307179586 * random.uniform(), r = 3 + 0.2 * random.normal();
      x.row(i) << r * std::cos(angle), r * std::sin(angle);
    }
    return x;
  };
  const Matrix<double> x = ring(600), fresh = ring(2000);
  const Approx approximations[] = {Cholesky{.rank = 60}, Fourier{.features = 200}};
  for (const Approx& approx : approximations) {
    FitOptions options{.components = 6, .kernel = kernels::rbf({.gamma = 0.5}), .approx = approx};
    // Too few to tell of 95 %.
    options.keep_rows = 10;
    EXPECT_EQ(Scorer(fit(x, options)).limits(0.95).t2_from.find("training rows"),
              std::string::npos);
    options.keep_rows = 400;
    const auto model = fit(x, options);
    const Scorer scorer(model);
    const ScoreLimits limits = scorer.limits(0.95);
    EXPECT_HAS(limits.spe_from, "400 training rows");
    double t2 = 0, spe = 0;
    for (const Flag flag : flagged(scorer(fresh), limits)) {
      t2 += flag == Flag::t2 || flag == Flag::both;
      spe += flag == Flag::spe || flag == Flag::both;
    }
    // Quantiles of 400 rows: 5 % ± 1.1 %.
    EXPECT_NEAR(t2 / 2000, 0.05, 0.033);
    EXPECT_NEAR(spe / 2000, 0.05, 0.033);
  }
}

TEST(ScoreLimits, limits_of_good_rows_need_no_assumption) {
  Random random(13);
  const auto heavy = [&](Index n) {  // far from Gaussian
    return Matrix<double>(random.normal(n, 4).array().cube());
  };
  const auto model = fit(heavy(300), {.components = 2});
  const Scorer scorer(model);
  const ScoreLimits limits = limits_of(scorer(heavy(3000)), 0.99);
  const std::vector<Flag> flags = flagged(scorer(heavy(20000)), limits);
  double t2 = 0, spe = 0;
  for (const Flag flag : flags) {
    t2 += flag == Flag::t2 || flag == Flag::both;
    spe += flag == Flag::spe || flag == Flag::both;
  }
  // 3,000 rows: 1 % ± 0.18 %.
  EXPECT_NEAR(t2 / 20000, 0.01, 0.006);
  EXPECT_NEAR(spe / 20000, 0.01, 0.006);
  const RowScores few = scorer(heavy(5));
  EXPECT_EQ(*limits_of(few, 0.99).t2, few.t2.maxCoeff());
}

}  // namespace mercer::limits_test
