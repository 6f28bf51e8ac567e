// Relations between columns, and between features of a map.
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/expression.hpp>
#include <mercer/fit.hpp>
#include <mercer/merge.hpp>
#include <mercer/relations.hpp>
#include <mercer/score.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::relations_test {

using test::has;
using test::refusal;

/// Points of a x² + b xy + c y² = 1, an ellipse.
Matrix<double> conic(double a, double b, double c, Index rows, double noise = 0) {
  test::Random random(5);
  Matrix<double> x(rows, 2);
  for (Index i = 0; i < rows; ++i) {
    const double angle = 6.283185307179586 * random.uniform();
    const double u = std::cos(angle), v = std::sin(angle);
    const double r = 1 / std::sqrt(a * u * u + b * u * v + c * v * v);
    x(i, 0) = r * u + noise * random.normal();
    x(i, 1) = r * v + noise * random.normal();
  }
  return x;
}

/// The line p + t·q, or the plane with another direction.
Matrix<double> flat(const std::vector<Vector<double>>& directions, const Vector<double>& point,
                    Index rows) {
  test::Random random(6);
  Matrix<double> x(rows, point.size());
  for (Index i = 0; i < rows; ++i) {
    x.row(i) = point.transpose();
    for (const auto& q : directions) x.row(i) += random.normal() * q.transpose();
  }
  return x;
}

/// The largest |c·f(x) − constant| over rows, in long double, where features are columns.
double largest_violation(const Relation& r, const Matrix<double>& f) {
  long double most = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    long double sum = -static_cast<long double>(r.constant);
    for (Index j = 0; j < f.cols(); ++j)
      sum += static_cast<long double>(r.coefficients[static_cast<std::size_t>(j)]) * f(i, j);
    most = std::max(most, std::abs(sum));
  }
  return static_cast<double>(most);
}

TEST(Relations, M_T3_a_circle_is_found_by_every_map_that_has_squares) {
  const Matrix<double> x = conic(1, 0, 1, 200);
  const auto model = fit(x, monomial_map<double>(2, 2));
  EXPECT_EQ(model.report().rank, 2);
  ASSERT_EQ(relations(model).size(), 1u);
  const Relation& r = relations(model)[0];
  EXPECT_NEAR(r.coefficients[0], 1, 1e-13);
  EXPECT_EQ(r.coefficients[1], 0);
  EXPECT_NEAR(r.coefficients[2], 1, 1e-13);
  EXPECT_EQ(r.constant, 1);
  EXPECT_LT(r.residual, 1e-15);
  EXPECT_EQ(to_text(r, term_names(model)), "1.00·x1^2 + 1.00·x2^2 = 1.00");
  const auto same = fit(x, expression_map<double>("x1^2, x2^2, sqrt(2)*x1*x2", 2));
  EXPECT_EQ(to_text(relations(same).at(0), term_names(same)), "1.00·x1^2 + 1.00·x2^2 = 1.00");
  // The constant feature is a null direction too, but no news.
  const auto full = fit(x, polynomial_map<double>(2, 2));
  EXPECT_EQ(full.report().rank, 4);
  ASSERT_EQ(relations(full).size(), 1u);
  EXPECT_EQ(to_text(relations(full)[0], term_names(full)), "1.00·x1^2 + 1.00·x2^2 = 1.00");
}

TEST(Relations, M_T3_an_ellipse_with_a_cross_term_is_recovered_to_1e_10) {
  const double a = 0.7, b = -0.4, c = 1.9;
  const Matrix<double> x = conic(a, b, c, 300);
  const auto model = fit(x, monomial_map<double>(2, 2));  // its feature is √2·x1·x2
  const Relation& r = relations(model).at(0);
  EXPECT_NEAR(r.coefficients[0], a, 1e-10);
  EXPECT_NEAR(r.coefficients[1], b, 1e-10);
  EXPECT_NEAR(r.coefficients[2], c, 1e-10);
  const auto plain = fit(x, plain_map<double>(2, 2));
  const Relation& p = relations(plain).at(0);
  EXPECT_EQ(p.coefficients[0], 0);
  EXPECT_EQ(p.coefficients[1], 0);
  EXPECT_NEAR(p.coefficients[2], a, 1e-10);
  EXPECT_NEAR(p.coefficients[3], b, 1e-10);
  EXPECT_NEAR(p.coefficients[4], c, 1e-10);
}

TEST(Relations, M_T3_a_noisy_ellipse_is_recovered_within_its_standard_errors) {
  const Matrix<double> x = conic(0.7, -0.4, 1.9, 2000, 0.005);
  const auto model = fit(x, plain_map<double>(2, 2, {.exactly = true}));
  EXPECT_TRUE(relations(model).empty());
  const Relation r = smallest_relation(model);
  const double truth[] = {0.7, -0.4, 1.9};
  for (std::size_t j = 0; j < 3; ++j) {
    EXPECT_NEAR(r.coefficients[j], truth[j], 5 * r.errors[j]);
    EXPECT_LT(r.errors[j], 0.005);
    EXPECT_GT(r.errors[j], 1e-5);
  }
  EXPECT_EQ(r.constant, 1);
  EXPECT_GT(r.deviation, 0.005);
  EXPECT_LT(r.deviation, 0.03);
}

TEST(Relations, M_T3_standard_errors_are_the_spread_over_samples) {
  // Gaussian rows: Anderson's formula against 200 samples.
  const Vector<double> deviations{{3.0, 1.0, 0.1}};
  std::vector<double> spread(3, 0.0), stated(3, 0.0);
  for (std::uint64_t s = 0; s < 200; ++s) {
    Matrix<double> x = test::Random(s + 1).normal(400, 3) * deviations.asDiagonal();
    const Matrix<double> turn{{0.8, 0.6, 0}, {-0.36, 0.48, 0.8}, {0.48, -0.64, 0.6}};
    x = (x * turn).rowwise() + Vector<double>{{1.0, 2.0, 3.0}}.transpose();
    const Relation r = smallest_relation(fit(x));
    // The direction of 0.1 is the last row of `turn`, and its constant 0.48 − 1.28 + 1.8 = 1.
    const double truth[] = {0.48, -0.64, 0.6};
    for (std::size_t j = 0; j < 3; ++j) {
      spread[j] += std::pow(r.coefficients[j] - truth[j], 2) / 200;
      stated[j] += r.errors[j] * r.errors[j] / 200;
    }
  }
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(stated[j] / spread[j], 1, 0.35) << j;
}

TEST(Relations, M_T3_a_line_in_space_satisfies_two_and_a_plane_one) {
  const Matrix<double> line = flat({Vector<double>{{1, 2, 3}}}, Vector<double>{{1, 0, 2}}, 100);
  const auto model = fit(line);
  EXPECT_EQ(model.report().rank, 1);
  ASSERT_EQ(relations(model).size(), 2u);
  for (const Relation& r : relations(model)) {
    EXPECT_LT(largest_violation(r, line), 1e-14);
    EXPECT_EQ(std::count(r.coefficients.begin(), r.coefficients.end(), 0.0), 1);
  }
  const Matrix<double> plane =
      flat({Vector<double>{{1, 0, 1}}, Vector<double>{{0, 1, 1}}}, Vector<double>{{0, 0, 5}}, 100);
  const auto flat_model = fit(plane);
  ASSERT_EQ(relations(flat_model).size(), 1u);
  EXPECT_EQ(to_text(relations(flat_model)[0], term_names(flat_model)),
            "-0.200·x1 - 0.200·x2 + 0.200·x3 = 1.00");
  EXPECT_LT(largest_violation(relations(flat_model)[0], plane), 1e-14);
}

TEST(Relations, M_T3_dependent_columns_come_apart_and_units_do_not_matter) {
  Matrix<double> x = test::Random(3).normal(150, 6);
  x.col(2) = x.col(0) + x.col(1);
  x.col(4) = 1e6 * x.col(3);
  for (const Scale scale : {Scale::none, Scale::std}) {
    const auto model = fit(x, {.scale = scale});
    EXPECT_EQ(model.report().rank, 4);
    ASSERT_EQ(relations(model).size(), 2u);
    EXPECT_EQ(to_text(relations(model)[0], term_names(model)), "1.00·x4 - 1.00e-06·x5 = 0");
    EXPECT_EQ(to_text(relations(model)[1], term_names(model)), "1.00·x1 + 1.00·x2 - 1.00·x3 = 0");
    EXPECT_EQ(relations(model)[1].constant, 0);
    EXPECT_EQ(relations(model)[1].coefficients[5], 0);
  }
  x.col(5).setConstant(7);
  EXPECT_EQ(to_text(relations(fit(x))[0], {"a", "b", "c", "d", "e", "f"}), "0.143·f = 1.00");
}

/// The residual as documented, from the rows in long double.
double residual_of(const Relation& r, const Matrix<double>& f) {
  long double squares = 0, terms = 0;
  for (Index i = 0; i < f.rows(); ++i) {
    long double sum = -static_cast<long double>(r.constant);
    for (Index j = 0; j < f.cols(); ++j) {
      const long double term =
          static_cast<long double>(r.coefficients[static_cast<std::size_t>(j)]) * f(i, j);
      sum += term;
      terms += term * term;
    }
    squares += sum * sum;
  }
  return static_cast<double>(std::sqrt(squares / terms));
}

/// Integers 0 … 999.
Matrix<double> integers(Index rows, Index columns) {
  test::Random random(8);
  Matrix<double> x(rows, columns);
  for (double& value : x.reshaped()) value = std::floor(1000 * random.uniform());
  return x;
}

TEST(Relations, M_T3_independent_columns_of_any_scale_satisfy_none) {
  const std::vector<Vector<double>> scales = {
      Vector<double>{{1, 1e-16, 1}}, Vector<double>{{1, 1e-200, 1}}, Vector<double>{{1e8, 1e-8, 1}},
      Vector<double>{{1e-30, 1, 1e30}}};
  const Matrix<double> x = integers(40, 3);
  for (const auto& scale : scales)
    for (const bool keep_null : {false, true}) {
      const auto model = fit(Matrix<double>(x * scale.asDiagonal()), {.keep_null = keep_null});
      EXPECT_TRUE(relations(model).empty()) << scale.transpose();
      EXPECT_EQ(model.report().rank, 3) << scale.transpose();
    }
  // Components below the rounding of the others have no variance to divide by.
  const Matrix<double> small = x * scales[0].asDiagonal();
  EXPECT_HAS(refusal([&] { Scorer<double> s(fit(small, {.keep_null = true})); }, Errc::bad_option),
             "1 component of zero variance");
  EXPECT_HAS(refusal([&] { smallest_relation(fit(small)); }, Errc::bad_option),
             "differ too much in scale");
}

TEST(Relations, M_T3_a_copy_in_other_units_is_found_for_units_that_are_far_apart) {
  for (const double times : {1e12, 1e-12, 1e20, 3e100}) {
    Matrix<double> x = test::Random(4).normal(60, 3).array() + 0.5;
    x.col(2) = times * x.col(0);
    const auto model = fit(x);
    EXPECT_EQ(model.report().rank, 2);
    ASSERT_EQ(relations(model).size(), 1u) << times;
    const Relation& r = relations(model)[0];
    EXPECT_EQ(r.constant, 0);
    EXPECT_EQ(r.coefficients[1], 0);
    EXPECT_NEAR(r.coefficients[0] / r.coefficients[2] / times, -1, 1e-13);
    EXPECT_LT(r.residual, 1e-15);
    EXPECT_NEAR(r.residual, residual_of(r, x), 5e-16);
  }
}

TEST(Relations, M_T3_far_means_and_unequal_scales_cost_no_digits) {
  const Matrix<double> x = integers(50, 2);
  Matrix<double> far(50, 3), wide(50, 3);
  far << x.array() + 1e9, 2 * x.col(0) - x.col(1);
  far.col(2).array() += 1e9 + 5;
  wide << x, 1e6 * (2 * x.col(0) - x.col(1));
  wide.col(2).array() += 5;
  const auto expect = [](const Matrix<double>& rows, const Vector<double>& truth) {
    const auto model = fit(rows);
    ASSERT_EQ(relations(model).size(), 1u);
    const Relation& r = relations(model)[0];
    EXPECT_EQ(r.constant, 1);
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(r.coefficients[static_cast<std::size_t>(j)] / truth[j], 1, 1e-12) << j;
    EXPECT_NEAR(r.residual, residual_of(r, rows), 2e-16);
    EXPECT_LT(r.residual, 1e-15);
  };
  // c = 2a − b + 5 and c = 10⁶(2a − b) + 5, with 1 on the right.
  expect(far, Vector<double>{{-0.4, 0.2, 0.2}});
  expect(wide, Vector<double>{{-4e5, 2e5, 0.2}});
}

TEST(Relations, M_T3_a_constant_that_is_known_to_few_digits_does_not_spoil_the_coefficients) {
  // c = π·a − b + 7, rounded, of numbers near 10⁹; π is no short decimal.
  Matrix<double> x = integers(50, 3);
  const double pi = 3.141592653589793;
  x.leftCols(2).array() += 1e9;
  x.col(2) = (pi * x.col(0) - x.col(1)).array() + 7;
  const auto model = fit(x);
  ASSERT_EQ(relations(model).size(), 1u);
  const Relation& r = relations(model)[0];
  EXPECT_NEAR(r.coefficients[0] / r.coefficients[2], -pi, 1e-8);
  EXPECT_NEAR(r.residual, residual_of(r, x), 1e-15);
  EXPECT_LT(r.residual, 1e-10);
}

TEST(Relations, M_T3_are_found_in_streams_with_weights_and_saved) {
  const Matrix<double> x = conic(0.7, -0.4, 1.9, 500);
  const std::vector<double> weights(500, 0.5);
  const auto model = fit(x, monomial_map<double>(2, 2), {}, weights);
  EXPECT_NEAR(relations(model).at(0).coefficients[1], -0.4, 1e-10);
  const auto again = Model<double>::deserialize(model.serialize());
  EXPECT_EQ(again.report().rank, 2);
  ASSERT_EQ(relations(again).size(), 1u);
  EXPECT_EQ(relations(again)[0].coefficients, relations(model)[0].coefficients);
  EXPECT_HAS(to_json(model), "\"relations\": [");
  // A merged model does not claim them for rows that it has not seen.
  EXPECT_TRUE(relations(merge<double>({model, again})).empty());
}

TEST(Relations, M_T3_null_directions_are_kept_as_components_on_request) {
  const Matrix<double> x = conic(1, 0, 1, 200);
  const auto without = fit(x, monomial_map<double>(2, 2));
  for (const Solver solver : {Solver::automatic, Solver::covariance, Solver::svd}) {
    const auto model = fit(x, monomial_map<double>(2, 2), {.keep_null = true, .solver = solver});
    ASSERT_EQ(model.outputs(), 3);
    EXPECT_LT(model.eigenvalues()[2], 1e-28);
    EXPECT_EQ(model.report().certificate.low[2], 0);
    EXPECT_GE(model.report().certificate.high[2], model.eigenvalues()[2]);
    EXPECT_NEAR(model.explained_variance_ratio().sum(), 1, 1e-12);
    EXPECT_NEAR(model.explained_variance_ratio()[0], without.explained_variance_ratio()[0], 1e-12);
    EXPECT_NEAR(std::abs(model.components()(2, 0)), std::sqrt(0.5), 1e-12);
    EXPECT_NEAR(model.components()(2, 0), model.components()(2, 2), 1e-12);
    EXPECT_LT(model.transform(x).col(2).cwiseAbs().maxCoeff(), 1e-14);
    EXPECT_HAS(refusal([&] { Scorer<double> scorer(model); }, Errc::bad_option),
               "1 component of zero variance");
    EXPECT_EQ(Model<double>::deserialize(model.serialize()).outputs(), 3);
  }
  EXPECT_EQ(fit(x, monomial_map<double>(2, 2), {.components = 3, .keep_null = true}).outputs(), 3);
}

TEST(Relations, M_T3_coefficients_below_their_own_error_are_0) {
  // c = 10⁹(a − 10⁶), but for 1 in one cell, which is within ε of each a; b has no part in it.
  const int a[] = {-2, 8, 2, 9, -9, -1, -2, 6, 8, 3, -2, 7};
  const int b[] = {9, -5, 6, -7, 6, 8, -3, 8, 6, -5, -5, 3};
  Matrix<double> x(12, 3);
  for (Index i = 0; i < 12; ++i) x.row(i) << 1e6 + a[i], b[i], 1e9 * a[i];
  x(4, 2) += 1;
  const auto model = fit(x);
  ASSERT_EQ(relations(model).size(), 1u);
  const Relation& r = relations(model)[0];
  EXPECT_EQ(r.coefficients[1], 0);
  EXPECT_NEAR(r.coefficients[0], 1e-6, 1e-17);
  EXPECT_NEAR(r.coefficients[2], -1e-15, 1e-25);
  EXPECT_EQ(r.constant, 1);
}

TEST(Relations, M_T3_options_that_exclude_each_other_are_refused) {
  const Matrix<double> x = test::Random(1).normal(3, 4);
  const auto complaint = [&](const FitOptions& options) {
    return refusal([&] { fit(x, options); }, Errc::bad_option);
  };
  EXPECT_HAS(complaint({.keep_null = true}), "3 rows of 4 features always have");
  EXPECT_HAS(complaint({.keep_null = true, .kernel = kernels::rbf()}), "for linear PCA and maps");
  EXPECT_HAS(complaint({.keep_null = true, .solver = Solver::gram}), "needs `solver=covariance`");
  EXPECT_HAS(complaint({.components = 0.9, .keep_null = true}), "or a number of them");
  const Matrix<double> many = test::Random(1).normal(30, 3);
  EXPECT_HAS(refusal([&] { smallest_relation(fit(many, {.components = 2})); }, Errc::bad_option),
             "2 of 3 components");
  EXPECT_HAS(refusal([&] { smallest_relation(fit(x)); }, Errc::bad_option),
             "3 rows of 4 features satisfy relations because they are few; fit at least 5 rows");
}

}  // namespace mercer::relations_test
