// Linear PCA of rows that cost digits: far means, far rows without weight, constant far columns,
// numbers whose squares no double holds. References in long double.
#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/long_double_eigen.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <cmath>
#include <vector>

namespace mercer::test::linear_extremes_test {

const std::vector<Solver> solvers = {Solver::covariance, Solver::gram, Solver::svd,
                                     Solver::randomized};

LongVector exact_eigenvalues(const Matrix<double>& x, const std::vector<double>& weights = {}) {
  LongMatrix a = long_rows(x);
  long_centre(a, weights);
  return long_gram_eigenvalues(a);
}

Csr<double> sparse_of(const Matrix<double>& x) {
  return Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView(0.0, 0.0)));
}

TEST(LinearExtremes, M_P1_rows_of_weight_zero_are_as_if_absent_wherever_they_lie) {
  Random random(1);
  Matrix<double> x = random.normal(120, 3);
  for (Index j = 0; j < 3; ++j) x.col(j) *= static_cast<double>(3 - j);
  std::vector<double> weights(120, 1.0);
  for (Index i = 0; i < 20; ++i) {
    x.row(i).setConstant(1e9);
    weights[static_cast<std::size_t>(i)] = 0;
  }
  const LongVector mu = exact_eigenvalues(x, weights);
  LongMatrix a = long_rows(x);
  const LongVector mean = long_centre(a, weights);
  const Csr<double> csr = sparse_of(x);
  for (const Solver solver : solvers)
    for (const bool sparse : {false, true}) {
      const FitOptions options{.components = 2, .solver = solver};
      const auto model = fit(sparse ? Rows<double>(csr) : Rows<double>(x), options, weights);
      for (Index j = 0; j < 2; ++j)
        EXPECT_NEAR(model.eigenvalues()[j], static_cast<double>(mu[j]),
                    1e-12 * static_cast<double>(mu[0]))
            << static_cast<int>(solver) << sparse;
      EXPECT_NEAR(model.report().total_variance * 99, static_cast<double>(mu.sum()),
                  1e-11 * static_cast<double>(mu.sum()));
      EXPECT_LE(model.explained_variance_ratio().sum(), 1);
      // A mean that was summed from 1e9 on is right to ε·1e9 or better.
      for (Index j = 0; j < 3; ++j)
        EXPECT_NEAR(model.mean()[j], static_cast<double>(mean[j]), 1e-6);
    }
}

TEST(LinearExtremes, M_P1_a_constant_far_column_hides_no_other) {
  Random random(2);
  Matrix<double> x(200, 4);
  x.leftCols(3) = random.normal(200, 3);
  x.col(3).setConstant(1.15e15);
  const LongVector mu = exact_eigenvalues(x);
  for (const Solver solver : solvers) {
    const auto model = fit(x, {.components = variance_fraction(0.9), .solver = solver});
    EXPECT_EQ(model.outputs(), 3) << static_cast<int>(solver);
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(model.eigenvalues()[j], static_cast<double>(mu[j]),
                  1e-12 * static_cast<double>(mu[0]));
    EXPECT_GE(model.explained_variance_ratio().sum(), 0.9);
    EXPECT_EQ(model.column_variance()[3], 0);
  }
}

// Found by an attack: whole numbers about 1e15 are exact, and their variance is no rounding.
TEST(LinearExtremes, M_P1_whole_numbers_about_1e15_keep_their_variance) {
  Random random(17);
  Matrix<double> x(40, 2);
  for (Index i = 0; i < 40; ++i) {
    x(i, 0) = std::round(3 * random.normal());
    x(i, 1) = 1e15 + std::round(0.8 * random.normal());
  }
  const LongVector mu = exact_eigenvalues(x);
  for (const Solver solver : {Solver::automatic, Solver::covariance, Solver::gram, Solver::svd}) {
    const auto model = fit(x, {.components = 2, .solver = solver});
    for (Index j = 0; j < 2; ++j)
      EXPECT_NEAR(model.eigenvalues()[j], static_cast<double>(mu[j]),
                  1e-10 * static_cast<double>(mu[0]));
  }
}

TEST(LinearExtremes, M_P1_a_time_in_microseconds_hides_no_other_column) {
  Random random(3);
  Matrix<double> x(300, 4);
  x.leftCols(3) = random.normal(300, 3);
  for (Index i = 0; i < 300; ++i) x(i, 3) = 1.7e15 + 1e6 * static_cast<double>(i);
  const LongVector mu = exact_eigenvalues(x);
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd}) {
    const auto model = fit(x, {.solver = solver});
    ASSERT_EQ(model.outputs(), 4) << static_cast<int>(solver);
    // The smallest singular value is some 1e-8 of the largest: 8 digits of its square are left.
    for (Index j = 0; j < 4; ++j)
      EXPECT_NEAR(model.eigenvalues()[j] / static_cast<double>(mu[j]), 1, 1e-6)
          << static_cast<int>(solver) << " " << j;
  }
}

// The deviations of 1e16 + N(0, 1) are no larger than the rounding of such numbers, but the numbers
// are what was asked about, and the other columns are ordinary.
TEST(LinearExtremes, M_P1_a_far_column_of_its_own_rounding_takes_no_component_from_the_others) {
  for (const std::uint64_t seed : {3, 4, 5})
    for (const double spread : {0.6, 3.0}) {
      Matrix<double> x = Random(seed).normal(600, 6) * 0.6;
      x.col(1) *= 2;
      x.col(0) = (x.col(0) * (spread / 0.6)).array() + 1e16;
      const LongVector exact = exact_eigenvalues(x);
      for (const Solver solver : solvers)
        for (const auto& components : {all_components(), variance_fraction(0.999), Components(5)}) {
          if (solver == Solver::randomized && components.kind() != Components::Kind::count)
            continue;
          const auto model = fit(x, {.components = components, .solver = solver});
          EXPECT_EQ(model.report().certificate.reason.empty(), spread > 1);
          ASSERT_GE(model.eigenvalues().size(), 5) << seed;
          for (Index i = 0; i < model.eigenvalues().size(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            EXPECT_LE(model.report().certificate.low[at], exact[i]) << i;
            EXPECT_GE(model.report().certificate.high[at], exact[i]) << i;
          }
        }
    }
}

TEST(LinearExtremes, M_P1_the_same_in_single_precision) {
  Matrix<double> x = Random(3).normal(600, 6) * 0.6;
  x.col(0) = x.col(0).array() + 1e7;
  const Matrix<float> rows = x.cast<float>();
  const LongVector exact = exact_eigenvalues(rows.cast<double>());
  for (const Solver solver : solvers) {
    const auto model = fit(rows, {.components = 6, .solver = solver, .tolerance = 1e-5});
    for (Index i = 0; i < 6; ++i) {
      const auto at = static_cast<std::size_t>(i);
      EXPECT_LE(model.report().certificate.low[at], exact[i]) << i;
      EXPECT_GE(model.report().certificate.high[at], exact[i]) << i;
    }
  }
}

// Z-scores do not depend on the scale of a column, but squares of tiny deviations have no digits.
TEST(LinearExtremes, M_P1_z_scores_of_columns_whose_squares_underflow_are_right_or_refused) {
  Matrix<double> x = Random(5).normal(50, 3);
  x.col(2) += x.col(0);
  const auto scores = [](const Matrix<double>& rows, const FitOptions& options) {
    return fit(rows, options).eigenvalues();
  };
  const Vector<double> ordinary = scores(x, {.scale = Scale::std});
  for (const int exponent : {-300, -450, -470, -490, -516, -525, -536, -600, -900, 300, 525, 900}) {
    Matrix<double> y = x;
    y.col(2) = (y.col(2).array() * std::ldexp(1.0, exponent)).eval();
    for (const FitOptions& options :
         {FitOptions{.scale = Scale::std}, FitOptions{.solver = Solver::svd, .scale = Scale::std},
          FitOptions{.solver = Solver::gram, .scale = Scale::std},
          FitOptions{.kernel = kernels::linear(), .scale = Scale::std}}) {
      try {
        const Vector<double> found = scores(y, options);
        ASSERT_EQ(found.size(), 3) << exponent;
        EXPECT_LE((found - ordinary).norm(), 1e-9 * ordinary[0]) << exponent;
      } catch (const Error& error) {
        EXPECT_TRUE(has(error.what(), "squares underflow")) << error.what();
        EXPECT_GT(std::abs(exponent), 470) << "squares of these have all digits";
      }
    }
    try {
      const Matrix<double> found = data_matrix(Rows<double>(y), DataMatrix::correlation);
      EXPECT_LE((found - data_matrix(Rows<double>(x), DataMatrix::correlation)).norm(), 1e-12)
          << exponent;
    } catch (const Error& error) {
      EXPECT_TRUE(has(error.what(), "squares underflow")) << error.what();
    }
  }
}

TEST(LinearExtremes, M_P1_a_fraction_that_is_not_reached_is_an_error_with_the_number) {
  Random random(4);
  Matrix<double> x(100, 2);
  // At 1e16 numbers are 2 apart: the columns differ by no more than their rounding, which has a
  // hundredth of the variance.
  for (Index i = 0; i < 100; ++i) {
    const double value = 1e16 + (i % 2 ? 4.0 : -4.0);
    x.row(i).setConstant(value);
    if (random.normal(1, 1)(0, 0) > 1) x(i, 1) += 2;
  }
  const LongVector mu = exact_eigenvalues(x);
  const double share = static_cast<double>(mu[0] / mu.sum());
  ASSERT_LT(share, 0.995);
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd}) {
    EXPECT_EQ(fit(x, {.components = variance_fraction(0.9), .solver = solver}).outputs(), 1);
    expect_error(Errc::bad_option, {"`components=0.999`", fmt::format("{:.6g}", share).c_str()},
                 [&] { fit(x, {.components = variance_fraction(0.999), .solver = solver}); });
  }
}

TEST(LinearExtremes, M_P1_a_mean_of_1e15_costs_no_digits_by_any_solver) {
  Random random(5);
  for (const double mean : {1e13, 1e14, 1e15}) {
    for (const auto& [n, d] : {std::pair<Index, Index>{60, 4}, {8, 30}}) {
      const Matrix<double> x = (random.normal(n, d).array() * 3 + mean).matrix();
      const LongVector mu = exact_eigenvalues(x);
      const double first = static_cast<double>(mu[0]), sum = static_cast<double>(mu.sum());
      for (const Solver solver : solvers)
        for (const Scale scale : {Scale::none, Scale::std}) {
          const auto model = fit(x, {.components = 1, .solver = solver, .scale = scale});
          const double total = model.report().total_variance;
          if (scale == Scale::std) {
            EXPECT_NEAR(total, static_cast<double>(d), 1e-11 * static_cast<double>(d));
            continue;
          }
          EXPECT_NEAR(total * static_cast<double>(n - 1), sum, 1e-12 * sum)
              << static_cast<int>(solver) << " " << mean;
          EXPECT_NEAR(model.eigenvalues()[0], first, 1e-12 * first);
        }
    }
  }
}

TEST(LinearExtremes, M_P1_powers_of_two_change_nothing_but_the_size) {
  Random random(6);
  const Matrix<double> x = (random.normal(40, 5).array() + 2).matrix();
  const Csr<double> csr = sparse_of(x);
  for (const Solver solver : solvers)
    for (const Scale scale : {Scale::none, Scale::std})
      for (const int power : {400, -400, 440}) {
        const Matrix<double> y = x * std::ldexp(1.0, power);
        const Csr<double> scaled = sparse_of(y);
        const FitOptions options{.components = 3, .solver = solver, .scale = scale, .threads = 1};
        const auto model = fit(x, options), other = fit(y, options);
        const auto sparse = fit(Rows<double>(scaled), options);
        const int squares = scale == Scale::std ? 0 : 2 * power;
        for (Index j = 0; j < 3; ++j) {
          const double mu = std::ldexp(model.eigenvalues()[j], squares);
          EXPECT_NEAR(other.eigenvalues()[j] / mu, 1, 1e-13) << static_cast<int>(solver) << power;
          EXPECT_NEAR(sparse.eigenvalues()[j] / mu, 1, 1e-12);
        }
        EXPECT_NEAR(
            other.report().total_variance / std::ldexp(model.report().total_variance, squares), 1,
            1e-13);
        EXPECT_NEAR(other.mean()[0] / std::ldexp(model.mean()[0], power), 1, 1e-13);
        EXPECT_LT((other.components() - model.components()).norm(), 1e-11);
        if (scale == Scale::std) {
          EXPECT_NEAR(other.scale()[1] / std::ldexp(model.scale()[1], power), 1, 1e-13);
        }
      }
}

/// More rows than half of this.
constexpr std::size_t small_budget = 3 << 20;

TEST(LinearExtremes, M_P1_a_stream_of_large_numbers_is_scaled_block_by_block) {
  Random random(10);
  const Matrix<double> x = (random.normal(60000, 4).array() + 2).matrix();
  const Matrix<double> y = x * 0x1p400;
  for (const Solver solver : {Solver::covariance, Solver::svd, Solver::randomized}) {
    FitOptions options{.components = 2, .solver = solver};
    const auto model = fit(x, options);
    options.memory = small_budget;
    options.threads = 2;  // each takes some of it
    ChunkedSource<double> source{Rows<double>(y), 997};
    const auto other = fit(source, options);
    EXPECT_GE(source.rewinds, 2);
    for (Index j = 0; j < 2; ++j)
      EXPECT_NEAR(other.eigenvalues()[j] / std::ldexp(model.eigenvalues()[j], 800), 1, 1e-12);
  }
}

TEST(LinearExtremes, M_P1_variances_that_no_double_holds_are_refused_and_z_scores_are_not) {
  Random random(7);
  const Matrix<double> x = random.normal(30, 3);
  for (const Solver solver : solvers) {
    FitOptions options{.components = 2, .solver = solver};
    expect_error(Errc::bad_data, {"too small", "multiply all numbers by 1e+170"},
                 [&] { fit((x * 1e-170).eval(), options); });
    expect_error(Errc::bad_data, {"too large", "multiply all numbers by 1e-16"},
                 [&] { fit((x * 1e165).eval(), options); });
    options.scale = Scale::std;
    const auto model = fit(x, options);
    for (const double factor : {0x1p-560, 0x1p560}) {
      const auto other = fit((x * factor).eval(), options);
      for (Index j = 0; j < 2; ++j)
        EXPECT_NEAR(other.eigenvalues()[j] / model.eigenvalues()[j], 1, 1e-13);
    }
  }
}

template <class T>
void expect_equal_rows_refused(const std::vector<T>& row) {
  const Index n = 37, d = static_cast<Index>(row.size());
  Matrix<T> x(n, d);
  for (Index i = 0; i < n; ++i) x.row(i) = Eigen::Map<const Vector<T>>(row.data(), d).transpose();
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) weights.push_back(0.1 * static_cast<double>(1 + i % 7));
  Matrix<T> far = x;  // a row that does not count
  far.row(0) *= T(1000);
  std::vector<double> far_weights = weights;
  far_weights[0] = 0;
  const Csr<T> csr =
      Csr<T>::from(Eigen::SparseMatrix<T, Eigen::RowMajor>(x.sparseView(T(0), T(0))));
  for (const Solver solver : solvers)
    for (const Scale scale : {Scale::none, Scale::std}) {
      const FitOptions options{.components = 1, .solver = solver, .scale = scale};
      SCOPED_TRACE(fmt::format("solver {} scale {} bytes {} first {}", static_cast<int>(solver),
                               scale == Scale::std, sizeof(T), row[0]));
      const auto expect_refused = [&](const char* what, const auto& call) {
        SCOPED_TRACE(what);
        expect_error(Errc::bad_data, {"all rows are equal"}, call);
      };
      expect_refused("dense", [&] { fit(Rows<T>(x), options); });
      expect_refused("weighted", [&] { fit(Rows<T>(x), options, weights); });
      expect_refused("far", [&] { fit(Rows<T>(far), options, far_weights); });
      expect_refused("sparse", [&] { fit(Rows<T>(csr), options); });
      expect_refused("sparse, weighted", [&] { fit(Rows<T>(csr), options, weights); });
    }
  Matrix<T> many(120000, d);
  std::vector<double> many_weights;
  for (Index i = 0; i < many.rows(); ++i) {
    many.row(i) = x.row(0);
    many_weights.push_back(weights[static_cast<std::size_t>(i % n)]);
  }
  for (const Solver solver : {Solver::covariance, Solver::svd, Solver::randomized}) {
    ChunkedSource<T> source(Rows<T>(many), 1009, many_weights);
    SCOPED_TRACE(fmt::format("streamed, solver {}", static_cast<int>(solver)));
    expect_error(Errc::bad_data, {"all rows are equal"}, [&] {
      FitOptions options{.components = 1, .solver = solver};
      options.memory = small_budget / (8 / sizeof(T));
      options.threads = 2;  // each takes some of it
      fit(source, options);
    });
  }
}

TEST(LinearExtremes, rows_that_differ_by_rounding_only_are_not_called_equal) {
  // Doubles near 1e15 are an eighth apart.
  const Matrix<double> x = (0.1 * Random(8).normal(50, 3)).array() + 1e15;
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd, Solver::randomized})
    expect_error(Errc::bad_data, {"up to rounding", "1e+15 in column", "subtract a constant"},
                 [&] { fit(x, {.components = 1, .solver = solver}); });
}

TEST(LinearExtremes, M_P1_equal_rows_are_refused_in_every_representation) {
  expect_equal_rows_refused<double>({0.1, 0.3, 1e9});
  expect_equal_rows_refused<float>({0.1F, 0.3F, 1e5F});
  expect_equal_rows_refused<double>({1e-170, 3e-171, 0.7e-170});
}

TEST(LinearExtremes, the_variance_probe_does_not_see_rows_without_weight) {
  Random random(8);
  Matrix<double> x = random.normal(50, 2);
  std::vector<double> weights(50, 1.0);
  for (Index i = 0; i < 5; ++i) {
    x.row(i).setConstant(1e9);
    weights[static_cast<std::size_t>(i)] = 0;
  }
  LongMatrix a = long_rows(x);
  long_centre(a, weights);
  ChunkedSource<double> source{Rows<double>(x), 9, weights};
  Matrix<double> q(1, 2);
  q << 0.6, 0.8;
  const Vector<double> found = variance_along(source, q, {});
  const LongVector y = a * q.row(0).cast<long double>().transpose();
  EXPECT_NEAR(found[0], static_cast<double>(y.squaredNorm() / 44), 1e-12);
}

}  // namespace mercer::test::linear_extremes_test
