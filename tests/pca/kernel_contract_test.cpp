// The contract of exact kernel PCA on ordinary rows: residual and rounding together stay within the
// tolerance; and refusals are true.
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace mercer::test::kernel_contract_test {

/// Residual and rounding of the worst component, relative to the first eigenvalue.
double uncertainty(const Model<double>& model) {
  const std::vector<double>& residuals = model.report().solver.residuals;
  return *std::max_element(residuals.begin(), residuals.end()) +
         model.report().certificate.rounding / model.eigenvalues()[0];
}

TEST(KernelContract, M_P2_ordinary_rows_are_within_the_tolerance) {
  Random random(21);
  const Matrix<double> narrow = random.normal(500, 10), wide = random.normal(400, 50);
  for (const char* text : {"rbf(gamma=1e-6)",
                           "rbf(gamma=1e-4)",
                           "rbf(gamma=0.01)",
                           "rbf(gamma=0.1)",
                           "rbf(gamma=1)",
                           "rbf(gamma=10)",
                           "rbf",
                           "laplacian(gamma=0.001)",
                           "laplacian",
                           "exponential",
                           "matern(nu=1.5)",
                           "matern(nu=2.5)",
                           "rational_quadratic",
                           "rational_quadratic(alpha=0.5)",
                           "cosine",
                           "linear",
                           "poly(degree=2, gamma=0.1, coef0=1)",
                           "poly(degree=3, gamma=1, coef0=1)",
                           "rbf + linear",
                           "rbf*poly(degree=2)"})
    for (const Matrix<double>* x : {&narrow, &wide}) {
      const auto model = fit(*x, {.components = 3, .kernel = Kernel::parse(text), .threads = 1});
      EXPECT_LE(uncertainty(model), 1e-10) << text << ", " << x->cols() << " columns";
      EXPECT_GE(model.report().certificate.confidence, 1 - 1e-6);
    }
}

TEST(KernelContract, M_P2_narrow_kernels_of_many_rows_are_within_the_tolerance) {
  // Nearly the identity: bounds that multiply the largest error with N would exceed it.
  Random random(22);
  const Matrix<double> x = 3 * random.normal(1200, 50);
  const auto model = fit(x, {.components = 2, .kernel = kernels::rbf({.gamma = 1}), .threads = 1});
  EXPECT_LE(uncertainty(model), 1e-10);
  EXPECT_LE(model.report().certificate.rounding, 2e-11);
  EXPECT_NEAR(model.eigenvalues()[0], 1, 1e-9);  // no two rows are near
}

TEST(KernelContract, M_P2_a_refusal_for_rounding_has_a_tolerance_that_works) {
  Random random(23);
  const Matrix<double> z = random.normal(40, 2);
  Matrix<double> k = Matrix<double>::Ones(40, 40) + 1e-6 * (z * z.transpose());
  k = (0.5 * (k + k.transpose())).eval();
  FitOptions options{.components = 2, .precomputed = true, .tolerance = 1e-12};
  const std::string text = refusal([&] { fit(k, options); }, Errc::not_converged);
  const std::string before = "allow a tolerance of ";
  ASSERT_NE(text.find(before), std::string::npos) << text;
  options.tolerance = std::stod(text.substr(text.find(before) + before.size()));
  EXPECT_LE(uncertainty(fit(k, options)), options.tolerance);
}

TEST(KernelContract, M_P2_rows_that_are_not_equal_are_not_called_equal) {
  Random random(24);
  const Matrix<double> x = 1e-170 * random.normal(50, 3);
  const FitOptions given{.components = 1, .kernel = kernels::rbf({.gamma = 1})};
  const std::string text = refusal([&] { fit(x, given); }, Errc::bad_data);
  EXPECT_EQ(text.find("all rows are equal"), std::string::npos) << text;
  EXPECT_NE(text.find("`scale=std`"), std::string::npos) << text;
  const std::string open =
      refusal([&] { fit(x, {.components = 1, .kernel = kernels::rbf()}); }, Errc::bad_data);
  EXPECT_EQ(open.find("all rows are equal"), std::string::npos) << open;
  // The remedy.
  FitOptions scaled = given;
  scaled.scale = Scale::std;
  EXPECT_GT(fit(x, scaled).eigenvalues()[0], 1);
}

TEST(KernelContract, M_P2_no_number_of_components_is_offered_that_is_refused) {
  // Variance of 1e-13 beside values of 1: some of it is more than rounding, but not certain.
  Random random(25);
  for (const double spread : {1e-5, 3e-6, 1e-6, 3e-7, 1e-7, 3e-8}) {
    const Matrix<double> x = (spread * random.normal(60, 2)).array() + 1;
    const FitOptions options{.components = 40, .kernel = Kernel::parse("poly(degree=2)")};
    try {
      fit(x, options);
      ADD_FAILURE() << "40 components of rows in 5 dimensions";
    } catch (const Error& e) {
      const std::string text = e.what(), before = "; use `components=";
      if (text.find(before) == std::string::npos) continue;
      FitOptions fewer = options;
      fewer.components =
          static_cast<Index>(std::stol(text.substr(text.find(before) + before.size())));
      EXPECT_NO_THROW(fit(x, fewer)) << text;
    }
  }
}

TEST(KernelContract, M_P2_scores_that_keep_few_digits_are_said_to) {
  Random random(26);
  const Matrix<double> x = random.normal(40, 2);
  const auto model =
      fit(x, {.components = 2, .kernel = kernels::rational_quadratic({.length = 1e5})});
  const std::string& reason = model.report().certificate.reason;
  const std::string before = "scores of new rows have errors of up to about ";
  ASSERT_NE(reason.find(before), std::string::npos) << reason;
  const double stated = std::stod(reason.substr(reason.find(before) + before.size()));
  // Those of training rows come from eigenvectors, which are accurate.
  const Vector<double> exact = model.training_scores().col(1);
  const double measured = (model.transform(x).col(1) - exact).norm() / exact.norm();
  EXPECT_LT(measured, 10 * stated);
  EXPECT_GT(measured, 0.01 * stated);

  // So are those of landmarks, all rows here.
  const auto landmarks = fit(x, {.components = Components(all_components()),
                                 .kernel = kernels::rbf({.gamma = 1e-3}),
                                 .approx = Cholesky{.rank = 12}});
  EXPECT_NE(landmarks.report().certificate.reason.find("scores of new rows have errors"),
            std::string::npos)
      << landmarks.report().certificate.reason;

  const auto ordinary = fit(x, {.components = 2, .kernel = kernels::rbf({.gamma = 1})});
  EXPECT_EQ(ordinary.report().certificate.reason.find("scores"), std::string::npos);
}

}  // namespace mercer::test::kernel_contract_test
