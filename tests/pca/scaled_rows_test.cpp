// Rows that are divided by their deviations: what their rounding does, and what is divided.
#include "support/errors.hpp"
#include "support/long_double_eigen.hpp"
#include "support/random.hpp"

#include <mercer/fit.hpp>
#include <mercer/incremental.hpp>
#include <mercer/source.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <cmath>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace mercer::scaled_rows_test {

using test::LongMatrix;
using test::LongVector;
using test::Random;

/// z-scores with the deviation over N − 1; `keep`: the mean is left in.
LongMatrix exact_scores(const Matrix<double>& x, bool keep = false) {
  LongMatrix a = test::long_rows(x), z = a;
  test::long_centre(a);
  const auto n = static_cast<long double>(x.rows());
  for (Index j = 0; j < x.cols(); ++j) {
    const long double deviation = a.col(j).norm() / std::sqrt(n - 1);
    z.col(j) = (keep ? z.col(j) : a.col(j)) / deviation;
  }
  return z;
}

using LongKernel = std::function<long double(const LongVector&, const LongVector&)>;

LongVector exact_eigenvalues(const LongMatrix& z, const LongKernel& kernel, bool center) {
  LongMatrix k(z.rows(), z.rows());
  for (Index i = 0; i < z.rows(); ++i)
    for (Index j = 0; j < z.rows(); ++j)
      k(i, j) = kernel(z.row(i).transpose(), z.row(j).transpose());
  if (center) {
    k.rowwise() -= k.colwise().mean().eval();
    k.colwise() -= k.rowwise().mean().eval();
  }
  return test::long_eigenvalues(k);
}

struct Case {
  const char* text;
  LongKernel exact;
};

const std::vector<Case> kernels_by_formula{
    {"linear", [](const auto& x, const auto& y) { return x.dot(y); }},
    {"poly(degree=3)",
     [](const auto& x, const auto& y) { return std::pow(x.dot(y) + 1.0L, 3.0L); }},
    {"rbf(gamma=0.5)",
     [](const auto& x, const auto& y) { return std::exp(-0.5L * (x - y).squaredNorm()); }},
    // k − 1, which is the same once it is centred.
    {"rbf(gamma=1e-9)",
     [](const auto& x, const auto& y) { return std::expm1(-1e-9L * (x - y).squaredNorm()); }},
    {"laplacian(gamma=1e9)",
     [](const auto& x, const auto& y) { return std::exp(-1e9L * (x - y).cwiseAbs().sum()); }},
    {"exponential(sigma=0.01)",
     [](const auto& x, const auto& y) { return std::exp(-(x - y).norm() / 0.01L); }}};

std::vector<Matrix<double>> far_rows() {
  std::vector<Matrix<double>> all;
  Matrix<double> near(4, 1), far(5, 1);
  near << 0, 1, 1.000000001, 3;
  far << 0.1, 0.7, 2.3, -1.1, 0.4;
  all.push_back(near);
  for (const double mean : {0.0, 1e3, 1e9}) all.push_back(far.array() + mean);
  Random random(5);
  Matrix<double> many = random.normal(30, 3);
  many.col(1) *= 1e-3;
  many.col(2).array() += 1e7;
  many.row(7) = many.row(3);
  many(7, 0) += 1e-10;
  all.push_back(many);
  return all;
}

TEST(ScaledRows, intervals_of_kernels_hold_the_exact_z_scores_or_the_fit_is_refused) {
  int answered = 0;
  for (const Matrix<double>& x : far_rows())
    for (const Case& c : kernels_by_formula)
      for (const std::string name : {"", "cholesky(rank=", "nystrom(landmarks="})
        for (const double tolerance : {1e-10, 1e-6}) {
          FitOptions options{.components = at_most(4),
                             .kernel = Kernel::parse(c.text),
                             .tolerance = tolerance,
                             .scale = Scale::std};
          const std::string approx = name.empty() ? "" : name + std::to_string(x.rows()) + ")";
          if (!approx.empty()) options.approx = parse_approx(approx);
          std::optional<Model<double>> model;
          try {
            model = fit(x, options);
          } catch (const Error& error) {
            EXPECT_NE(error.code(), Errc::bad_option) << error.what();
          }
          if (!model) continue;
          ++answered;
          const LongVector truth = exact_eigenvalues(exact_scores(x), c.exact, true);
          const Certificate& found = model->report().certificate;
          for (std::size_t j = 0; j < found.low.size(); ++j) {
            const auto value = static_cast<double>(truth[static_cast<Index>(j)]);
            // The reference is right to some 1e-18 of K.
            const double slack = 1e-13 * model->eigenvalues()[0];
            EXPECT_LE(found.low[j], value + slack) << c.text << approx << x.rows() << j;
            EXPECT_GE(found.high[j], value - slack) << c.text << approx << x.rows() << j;
          }
        }
  EXPECT_GE(answered, 90);
}

TEST(ScaledRows, ordinary_z_scores_are_not_refused) {
  Random random(8);
  Matrix<double> x = random.normal(400, 6);
  x.col(2).array() += 1e4;
  for (const char* kernel : {"rbf(gamma=1)", "rbf(gamma=0.01)", "laplacian(gamma=1)", "cosine",
                             "poly(degree=3)", "matern(nu=1.5, length=3)"})
    EXPECT_NO_THROW(fit(x, {.components = 3, .kernel = Kernel::parse(kernel), .scale = Scale::std}))
        << kernel;
}

TEST(ScaledRows, without_centring_rows_are_divided_by_the_deviation_about_the_mean) {
  Matrix<double> x(4, 2);
  x << 4, 1, 5, 2, 6, 9, 5, 4;
  const LongMatrix z = exact_scores(x, true);
  const LongVector truth = test::long_gram_eigenvalues(z);
  EXPECT_NEAR(static_cast<double>(truth[0]), 159.07, 0.01);
  const auto expect_truth = [&](const Model<double>& model, const char* what, Index most = 2) {
    for (Index j = 0; j < std::min(most, model.eigenvalues().size()); ++j) {
      const auto value = static_cast<double>(truth[j]);
      EXPECT_NEAR(model.eigenvalues()[j], value, 1e-10 * value) << what;
      if (model.report().certificate.low.empty()) continue;
      EXPECT_LE(model.report().certificate.low[static_cast<std::size_t>(j)], value) << what;
      EXPECT_GE(model.report().certificate.high[static_cast<std::size_t>(j)], value) << what;
    }
    // Scores of the rows have these eigenvalues.
    const Matrix<double> scores = model.transform(x);
    for (Index j = 0; j < scores.cols(); ++j)
      EXPECT_NEAR(scores.col(j).squaredNorm(), model.eigenvalues()[j],
                  1e-9 * model.eigenvalues()[0])
          << what;
  };
  const FitOptions options{.center = false, .scale = Scale::std};
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd}) {
    FitOptions o = options;
    o.solver = solver;
    expect_truth(fit(x, o), "linear");
  }
  FitOptions few = options;
  few.components = 1;
  few.solver = Solver::randomized;
  expect_truth(fit(x, few), "randomized", 1);
  IncrementalPca<double> pca(2, options);
  pca.update(Rows<double>(x));
  expect_truth(pca.model(), "incremental");
  FitOptions kernel = options;
  kernel.components = 2;
  kernel.kernel = kernels::linear();
  expect_truth(fit(x, kernel), "kernel");
  kernel.approx = parse_approx("cholesky(rank=2)");
  expect_truth(fit(x, kernel), "landmarks");
  // x itself as features of its own.
  const auto same = function_map<double>("same", 2, 2, [](auto from, auto to) {
    for (std::size_t j = 0; j < 2; ++j) to[j] = from[j];
  });
  expect_truth(fit(x, same, options), "map");
  const Vector<double> along = variance_along(Rows<double>(x), fit(x, options).components(),
                                              FitOptions{.center = false, .scale = Scale::std});
  EXPECT_NEAR(along[0], static_cast<double>(truth[0]) / 3, 1e-9 * along[0]);
}

TEST(ScaledRows, M_P1_sparse_rows_that_keep_their_mean_have_the_deviations_about_it) {
  // Σx² − (Σx)²/N of sparse rows loses all digits of a deviation of 1 beside a mean of 1e9.
  for (const double mean : {0.0, 1e4, 1e9, 1e12}) {
    Matrix<double> x = Random(91).normal(12, 3);
    x.col(1) = (mean + (8 * x.col(1)).array().round()).matrix();
    const auto sparse =
        Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
    const long double truth = test::long_gram_eigenvalues(exact_scores(x, true))[0];
    const auto holds = [&](const Model<double>& model, int method) {
      EXPECT_LE(model.report().certificate.low[0], truth) << mean << " " << method;
      EXPECT_GE(model.report().certificate.high[0], truth) << mean << " " << method;
    };
    FitOptions options{.components = 1, .center = false, .scale = Scale::std};
    for (const Solver solver :
         {Solver::automatic, Solver::covariance, Solver::gram, Solver::svd, Solver::randomized}) {
      options.solver = solver;
      holds(fit(Rows<double>(sparse), options), static_cast<int>(solver));
    }
    options.solver = Solver::automatic;
    IncrementalPca<double> pca(3, options);
    pca.update(Rows<double>(sparse));
    holds(pca.model(), -1);
  }
}

TEST(ScaledRows, M_P1_a_column_that_counts_as_constant_is_named) {
  // Whole numbers that differ by a unit in the last place are no different from rounded ones.
  Matrix<double> x(4, 2);
  x << 1, 0, 2, 1, 4, 1, 3, 0;
  x.col(1).array() += 4e15;
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd}) {
    const auto model = fit(x, {.solver = solver, .scale = Scale::std});
    EXPECT_HAS(model.report().certificate.reason, "column 2 varies by no more than the rounding");
  }
  EXPECT_HAS(fit(x, {.kernel = Kernel::parse("rbf(gamma=0.1)"), .scale = Scale::std})
                 .report()
                 .certificate.reason,
             "column 2 varies by no more than the rounding of its numbers and is not scaled");
  EXPECT_HAS(fit(x, squares_map<double>(2), {.scale = Scale::std}).report().certificate.reason,
             "column 2 varies by no more than the rounding of its numbers and is not scaled");
  // A column that is constant is not worth a word, nor is one that varies by more.
  x.col(1).setConstant(0.1);
  EXPECT_EQ(fit(x, {.scale = Scale::std}).report().certificate.reason, "");
  x.col(1) << 100, 101, 101, 100;
  EXPECT_EQ(fit(x, {.scale = Scale::std}).report().certificate.reason, "");
}

}  // namespace mercer::scaled_rows_test
