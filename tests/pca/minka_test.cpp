// How many components: by the evidence for a Gaussian in white noise.
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace mercer::test::minka_test {

/// Equation by equation as in the paper, in long double: p(U), |A|, and their product.
double evidence_of(const Vector<double>& l, Index k, double rows) {
  using Long = long double;
  const Index d = l.size();
  const Long n = rows, pi = std::numbers::pi_v<Long>;
  Long noise = 0;
  for (Index j = k; j < d; ++j) noise += l[j];
  noise /= static_cast<Long>(d - k);
  const auto seen = [&](Index j) { return j < k ? static_cast<Long>(l[j]) : noise; };
  Long log_p = 0;
  for (Index i = 1; i <= k; ++i) {
    const Long half = static_cast<Long>(d - i + 1) / 2;
    log_p += std::lgamma(half) - half * std::log(pi) - std::log(2.0L);
  }
  for (Index j = 0; j < d; ++j) log_p -= n / 2 * std::log(seen(j));
  const auto m = static_cast<Long>(d * k - k * (k + 1) / 2);
  log_p += (m + static_cast<Long>(k)) / 2 * std::log(2 * pi);
  for (Index i = 0; i < k; ++i)
    for (Index j = i + 1; j < d; ++j)
      log_p -= std::log((1 / seen(j) - 1 / seen(i)) * (static_cast<Long>(l[i]) - l[j]) * n) / 2;
  return static_cast<double>(log_p - static_cast<Long>(k) / 2 * std::log(n));
}

Matrix<double> planted(Index n, Index d, Index factors, std::uint64_t seed) {
  Random random(seed);
  const Matrix<double> loads = 3 * random.normal(factors, d), noise = random.normal(n, d);
  return random.normal(n, factors) * loads + noise;
}

TEST(Minka, evidence_is_that_of_the_paper) {
  for (const Index d : {2, 5, 13}) {
    const Vector<double> variances = fit(planted(200, d, 1, 3)).explained_variance();
    const Vector<double> evidence = minka_evidence(variances, 200);
    ASSERT_EQ(evidence.size(), d - 1);
    for (Index k = 1; k < d; ++k)
      EXPECT_NEAR(evidence[k - 1], evidence_of(variances, k, 200), 1e-9 * 200 * d);
  }
}

TEST(Minka, evidence_of_iris_is_scikit_learns) {
  // sklearn.decomposition._pca._assess_dimension(PCA().fit(iris).explained_variance_, k, 150)
  const Matrix<double> iris =
      read_all(*open<double>(data_file("iris.csv"), {.label = "species"})).x;
  const Vector<double> evidence = minka_evidence(fit(iris).explained_variance(), 150);
  EXPECT_NEAR(evidence[0], 364.03373151116006, 1e-6);
  EXPECT_NEAR(evidence[1], 420.9353768472536, 1e-6);
  EXPECT_NEAR(evidence[2], 440.4184836262889, 1e-6);
}

TEST(Minka, finds_the_directions_that_were_planted_at_any_size_of_the_numbers) {
  for (const Index factors : {1, 3, 6})
    for (const double size : {1.0, 1e-9, 1e12}) {
      const Matrix<double> x = size * planted(400, 12, factors, 40 + factors);
      const auto model = fit(x, {.components = minka()});
      EXPECT_EQ(model.outputs(), factors);
      EXPECT_EQ(model.report().chosen->method, "minka");
      const auto counted = fit(x, {.components = factors});
      EXPECT_TRUE(model.components().isApprox(counted.components(), 1e-9));
      EXPECT_TRUE(model.eigenvalues().isApprox(counted.eigenvalues(), 1e-9));
      EXPECT_EQ(model.report().solver.residuals.size(), static_cast<std::size_t>(factors));
    }
}

TEST(Minka, columns_of_no_variance_are_not_counted) {
  Matrix<float> x = Matrix<float>::Zero(60, 6);
  x.leftCols(3) = Random(5).normal(60, 3).cast<float>();
  EXPECT_EQ(fit(x, {.components = minka()}).outputs(), 3);
}

TEST(Minka, a_weight_is_a_row_repeated) {
  const Matrix<double> x = planted(30, 5, 2, 9);
  Matrix<double> twice(60, 5);
  twice << x, x;
  const Vector<double> weights = Vector<double>::Constant(30, 2);
  const auto weighted = fit(Rows<double>(x), {.components = minka()}, weights);
  EXPECT_EQ(weighted.outputs(), fit(twice, {.components = minka()}).outputs());
}

TEST(Minka, equal_variances_are_not_cut_apart) {
  const auto most_likely = [](std::initializer_list<double> variances, double rows) {
    const std::vector<double> v(variances);
    Index best = 0;
    minka_evidence(Eigen::Map<const Vector<double>>(v.data(), std::ssize(v)), rows).maxCoeff(&best);
    return best + 1;
  };
  EXPECT_EQ(most_likely({2, 2, 1, 1}, 100), 2);
  EXPECT_EQ(most_likely({9, 9, 9, 2, 2, 2, 2}, 80), 3);
  EXPECT_EQ(most_likely({3.6, 0.4, 0.4}, 60), 1);
  EXPECT_EQ(most_likely({3.6, 0.4 + 1e-16, 0.4}, 60), 1);
  // A balanced design: six points on three axes, ten times each.
  Matrix<double> x = Matrix<double>::Zero(60, 3);
  for (Index i = 0; i < 60; ++i) x(i, i % 3) = (i % 2 == 0 ? 1 : -1) * (i % 3 == 0 ? 3.0 : 1.0);
  EXPECT_EQ(fit(x, {.components = minka()}).outputs(), 1);
}

TEST(Minka, refuses_what_it_cannot_measure) {
  const Matrix<double> x = planted(10, 20, 2, 1);
  expect_error(Errc::bad_data, {"`components=minka()`", "20", "`components=significant()`"},
               [&] { fit(x, {.components = minka()}); });
  expect_error(Errc::bad_data, {"two columns"},
               [&] { fit(Matrix<double>(x.leftCols(1)), {.components = minka()}); });
  expect_error(Errc::bad_option, {"minka", "linear"},
               [&] { fit(x, {.components = minka(), .kernel = Kernel::parse("rbf")}); });
  expect_error(Errc::bad_option, {"minka"}, [&] {
    merge<double>({fit(x), fit(x)}, {.components = minka()});
  });
}

}  // namespace mercer::test::minka_test
