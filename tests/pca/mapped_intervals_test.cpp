// Intervals of PCA in the space of a map hold the eigenvalues of the exact features.
#include "support/errors.hpp"
#include "support/long_double_eigen.hpp"

#include <mercer/fit.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace mercer::mapped_intervals_test {

using Quad = __float128;  // products of three doubles are nearly exact

/// Scatter of x^p about its mean, of one column.
double exact_scatter(const std::vector<double>& x, int p) {
  std::vector<Quad> powers;
  Quad mean = 0;
  for (const double v : x) {
    Quad power = 1;
    for (int i = 0; i < p; ++i) power *= v;
    powers.push_back(power);
    mean += power / static_cast<Quad>(x.size());
  }
  Quad sum = 0;
  for (const Quad v : powers) sum += (v - mean) * (v - mean);
  return static_cast<double>(sum);
}

template <class T>
Matrix<T> column(const std::vector<double>& x) {
  Matrix<T> out(static_cast<Index>(x.size()), 1);
  for (std::size_t i = 0; i < x.size(); ++i) out(static_cast<Index>(i), 0) = static_cast<T>(x[i]);
  return out;
}

template <class T>
void expect_held(const Model<T>& model, double truth) {
  const Certificate& c = model.report().certificate;
  ASSERT_FALSE(c.low.empty());
  EXPECT_LE(c.low[0], truth);
  EXPECT_GE(c.high[0], truth);
  EXPECT_NEAR(model.eigenvalues()[0], truth, 1e-5 * truth);
}

const std::vector<std::vector<double>> far_columns{
    {1000000000001, 999999999999, 1000000000001, 999999999999},
    {10000001, 9999999.5, 10000000.25, 9999998.1},
    {1e5 + 0.1, 1e5 - 0.7, 1e5 + 2.3, 1e5 - 1.1, 1e5 + 0.4},
    {101.3, 99.1, 100.7, 98.2, 103.9}};

TEST(MappedIntervals, hold_the_exact_features_or_the_fit_is_refused) {
  const std::vector<std::pair<int, std::shared_ptr<const Map<double>>>> maps{
      {2, squares_map<double>(1)},
      {2, monomial_map<double>(1, 2)},
      {3, monomial_map<double>(1, 3)}};
  int answered = 0;
  for (const auto& x : far_columns)
    for (const auto& [degree, map] : maps)
      for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd}) {
        for (const double tolerance : {1e-10, 1e-4}) {
          std::optional<Model<double>> model;
          try {
            model = fit(column<double>(x), map, {.solver = solver, .tolerance = tolerance});
          } catch (const Error& error) {
            EXPECT_EQ(error.code(), Errc::not_converged) << error.what();
          }
          if (!model) continue;
          ++answered;
          expect_held(*model, exact_scatter(x, degree));
        }
      }
  EXPECT_GE(answered, 40);
}

TEST(MappedIntervals, refusals_name_the_map_the_number_and_the_remedy) {
  const Matrix<double> x = column<double>(far_columns[0]);
  test::expect_error(Errc::not_converged, {"squares", "features", "`scale=std`"},
                     [&] { fit(x, squares_map<double>(1)); });
}

TEST(MappedIntervals, features_of_floats_are_made_in_double) {
  Matrix<float> x(4, 2);
  x << 1, 2, 3, 5, 2, 7, 9, 1;
  x *= 0.275F;
  test::LongMatrix features = test::long_rows(x).cwiseAbs2();
  test::long_centre(features);
  const auto truth = static_cast<double>(test::long_gram_eigenvalues(features)[0]);
  const auto model = fit(x, squares_map<float>(2), {.components = 1});
  expect_held(model, truth);
  EXPECT_NEAR(model.eigenvalues()[0], truth, 1e-12 * truth);

  const auto own = function_map<float>("square", 2, 2, [](auto from, auto to) {
    for (std::size_t j = 0; j < 2; ++j) to[j] = from[j] * from[j];
  });
  expect_held(fit(x, own, {.components = 1}), truth);
}

TEST(MappedIntervals, hold_features_of_exact_z_scores) {
  for (const auto& x : far_columns)
    for (const int degree : {2, 3}) {
      Quad mean = 0, squares = 0;
      for (const double v : x) mean += static_cast<Quad>(v) / static_cast<Quad>(x.size());
      for (const double v : x) squares += (v - mean) * (v - mean);
      const Quad variance = squares / static_cast<Quad>(x.size() - 1);
      // z^p about its mean, in units of the deviation.
      std::vector<Quad> powers;
      Quad centre = 0;
      for (const double v : x) {
        Quad power = 1;
        for (int i = 0; i < degree; ++i) power *= v - mean;
        powers.push_back(power);
        centre += power / static_cast<Quad>(x.size());
      }
      Quad sum = 0, unit = 1;
      for (const Quad v : powers) sum += (v - centre) * (v - centre);
      for (int i = 0; i < degree; ++i) unit *= variance;
      const auto truth = static_cast<double>(sum / unit);
      if (truth < 1e-3) continue;  // two values: all squares are equal
      expect_held(fit(column<double>(x), monomial_map<double>(1, degree), {.scale = Scale::std}),
                  truth);
    }
}

}  // namespace mercer::mapped_intervals_test
