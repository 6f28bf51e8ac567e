// What is stated of the rounding of scores, against scores in long double.
#include "model/score_errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace mercer::test::score_errors_test {

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using WideRow = Eigen::Matrix<long double, 1, Eigen::Dynamic>;

struct Formula {
  Kernel kernel;
  std::function<long double(const WideRow&, const WideRow&)> value;
};

/// Widths from ordinary to nearly constant.
Formula some_kernel(Random& random) {
  const double g = std::pow(10.0, -6 * random.uniform());
  switch (random.bits() % 6) {
    case 0:
      return {kernels::rbf({.gamma = g}), [=](const WideRow& x, const WideRow& y) {
                return std::exp(-static_cast<long double>(g) * (x - y).squaredNorm());
              }};
    case 1:
      return {kernels::laplacian({.gamma = g}), [=](const WideRow& x, const WideRow& y) {
                return std::exp(-static_cast<long double>(g) * (x - y).cwiseAbs().sum());
              }};
    case 2:
      return {kernels::rational_quadratic({.alpha = 1.5, .length = 1 / std::sqrt(g)}),
              [=](const WideRow& x, const WideRow& y) {
                const long double l = 1 / std::sqrt(g);
                return std::pow(1 + (x - y).squaredNorm() / (3 * l * l), -1.5L);
              }};
    case 3:
      return {kernels::exponential({.gamma = g}), [=](const WideRow& x, const WideRow& y) {
                return std::exp(-static_cast<long double>(g) * (x - y).norm());
              }};
    default: {
      const int degree = 2 + static_cast<int>(random.bits() % 4);
      return {kernels::poly({.degree = degree, .coef0 = 1, .gamma = g}),
              [=](const WideRow& x, const WideRow& y) {
                return std::pow(static_cast<long double>(g) * x.dot(y) + 1, degree);
              }};
    }
  }
}

Wide values_of(const Formula& f, const Wide& x, const Wide& y) {
  Wide out(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < y.rows(); ++j) out(i, j) = f.value(x.row(i), y.row(j));
  return out;
}

struct Found {
  int stated = 0, low = 0;     // components with a statement, and those that are further off
  std::vector<double> shares;  // of what is stated
};

/// Scores are B(k − m): B as the model has it, k and m in long double.
template <class T>
void compare(const Matrix<T>& x, const Matrix<T>& fresh, const Formula& f, FitOptions options,
             Found& found, const std::string& what) {
  options.kernel = f.kernel;
  const auto model = fit(x, options);
  const ModelParts<T> parts = model.parts();
  const std::vector<double> errors = score_errors(parts, &f.kernel);
  const Wide anchors = parts.map->anchors().dense().template cast<long double>();
  const Wide rows = x.template cast<long double>(), more = fresh.template cast<long double>();
  const WideRow mean = values_of(f, rows, anchors).colwise().mean();
  const Wide k = values_of(f, more, anchors).rowwise() - mean;
  const Wide exact = k * parts.components.template cast<long double>().transpose();
  const Wide off = model.transform(fresh).template cast<long double>() - exact;
  const double half = std::sqrt(std::numeric_limits<T>::epsilon());
  double worst = 0;
  for (Index j = 0; j < off.cols(); ++j) {
    const double deviation = std::sqrt(model.eigenvalues()[j] / model.report().weight);
    const double measured = static_cast<double>(off.col(j).cwiseAbs().maxCoeff()) / deviation;
    const double stated = errors[static_cast<std::size_t>(j)];
    worst = std::max(worst, stated);
    if (!(stated > half)) {
      EXPECT_LE(measured, half) << what << f.kernel.text() << ", component " << j + 1;
      continue;
    }
    ++found.stated;
    found.shares.push_back(measured / stated);
    if (measured <= stated) continue;
    ++found.low;
    ADD_FAILURE() << what << f.kernel.text() << ", component " << j + 1 << ": " << measured
                  << " and not " << stated;
  }
  const std::string text = lost_digits(model);
  EXPECT_EQ(text.empty(), !(worst > half)) << text;
  // The certificate has the same statement.
  EXPECT_EQ(model.report().certificate.reason.find("scores of new rows") == std::string::npos,
            text.empty());
}

template <class T>
Found hundreds(std::uint64_t seed, int problems) {
  Random random(seed);
  Found found;
  for (int p = 0; p < problems; ++p) {
    const Index n = 20 + static_cast<Index>(random.bits() % 100), d = 1 + random.bits() % 12;
    const double scale = std::pow(10.0, random.uniform() - 0.5);
    const Matrix<T> x = (scale * random.normal(n, d)).template cast<T>(),
                    fresh = (scale * random.normal(40, d)).template cast<T>();
    const Formula f = some_kernel(random);
    FitOptions options{.components = Components(all_components()), .tolerance = 1e-3};
    const char* what = "exact ";
    if (p % 3 == 1) {
      options.approx = Cholesky{.rank = 12};
      what = "cholesky ";
    } else if (p % 3 == 2) {
      options.approx = Nystrom{.landmarks = 15};
      what = "nystrom ";
    }
    try {
      compare<T>(x, fresh, f, options, found, what);
    } catch (const Error&) {
      // Nearly constant kernels may have no component beyond rounding.
    }
  }
  return found;
}

void expect_bounds(Found found) {
  EXPECT_EQ(found.low, 0);
  ASSERT_GT(found.stated, 100);
  // A bound that is far too large would be of no use either.
  std::sort(found.shares.begin(), found.shares.end());
  EXPECT_GT(found.shares[found.shares.size() / 2], 1e-3);
}

TEST(ScoreErrors, M_P2_hold_for_kernels_and_landmarks_in_double) {
  expect_bounds(hundreds<double>(71, 300));
}

TEST(ScoreErrors, M_P2_hold_for_kernels_and_landmarks_in_float) {
  expect_bounds(hundreds<float>(72, 300));
}

}  // namespace mercer::test::score_errors_test
