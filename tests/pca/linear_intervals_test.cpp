// Intervals of linear PCA over hostile problems: does each hold the eigenvalue of the exact scatter
// matrix? The reference is computed in long double by Jacobi rotations.
#include "pca/intervals.hpp"

#include "pca/invariants.hpp"
#include "support/errors.hpp"
#include "support/long_double_eigen.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <cmath>
#include <vector>

namespace mercer::test::linear_intervals_test {

template <class T>
struct Problem {
  Matrix<T> x;
  std::vector<double> weights;
  FitOptions options;
  bool sparse = false;
};

Index below(Random& random, Index n) { return static_cast<Index>(random.bits() % n); }

/// Far means, constant far columns, columns of different sizes, duplicates, weights of 0 far away.
template <class T>
Problem<T> any_problem(Random& random) {
  constexpr bool narrow = std::is_same_v<T, float>;
  const Index n = 2 + below(random, 39), d = 1 + below(random, 6);
  Matrix<double> x = random.normal(n, d);
  for (Index j = 0; j < d; ++j) {
    const Index kind = below(random, 6);
    if (kind == 1) x.col(j).array() *= std::ldexp(1.0, static_cast<int>(below(random, 9)) - 4);
    if (kind == 2) x.col(j).array() += narrow ? 1e3 : std::pow(10.0, 4 + below(random, 10));
    if (kind == 3) x.col(j).setConstant(narrow ? 4096.0 : 1.15e15);
    if (kind == 4) x.col(j) = x.col(j).array().round();
    if (kind == 5 && j > 0) x.col(j) = x.col(0);
  }
  Problem<T> p;
  if (below(random, 3) == 0) {
    for (Index i = 0; i < n; ++i) {
      const double w = static_cast<double>(below(random, 4));
      p.weights.push_back(below(random, 2) ? w : 0.3 * w);
      if (p.weights.back() == 0) x.row(i).setConstant(narrow ? 1e6 : 1e9);
    }
  }
  const int power = narrow ? 0 : (static_cast<int>(below(random, 5)) - 2) * 200;
  p.x = (x * std::ldexp(1.0, power)).template cast<T>();
  p.options.center = below(random, 8) != 0;
  p.options.scale = below(random, 4) == 0 ? Scale::std : Scale::none;
  p.options.ddof = static_cast<int>(below(random, 2));
  p.options.threads = 1;
  p.sparse = below(random, 5) == 0;
  return p;
}

/// The eigenvalues of the problem, and the trace.
template <class T>
LongVector exact(const Problem<T>& p, LongVector& columns) {
  LongMatrix a = long_rows(p.x);
  long double weight = 0, second = 0;
  for (Index i = 0; i < a.rows(); ++i)
    weight += p.weights.empty() ? 1.0L : p.weights[static_cast<std::size_t>(i)];
  const LongMatrix raw = a;
  LongMatrix about = a;  // deviations are about the mean, also where rows keep it
  long_centre(about, p.weights);
  if (p.options.center) a = about;
  for (Index i = 0; i < a.rows() && !p.options.center && !p.weights.empty(); ++i)
    a.row(i) *= std::sqrt(static_cast<long double>(p.weights[static_cast<std::size_t>(i)]));
  for (Index j = 0; j < a.cols() && p.options.scale == Scale::std; ++j) {
    second = 0;
    for (Index i = 0; i < a.rows(); ++i)
      second += (p.weights.empty() ? 1.0L : p.weights[static_cast<std::size_t>(i)]) * raw(i, j) *
                raw(i, j);
    const long double epsilon = std::numeric_limits<T>::epsilon();
    const long double squares = about.col(j).squaredNorm();
    if (squares > epsilon * epsilon * second)
      a.col(j) /= std::sqrt(squares / (weight - p.options.ddof));
    else if (p.options.center) a.col(j).setZero();  // constant columns stay out
  }
  columns = a.colwise().squaredNorm().transpose() / (weight - p.options.ddof);
  return long_gram_eigenvalues(a);
}

template <class T>
Model<T> fitted(const Problem<T>& p) {
  const double* weights = p.weights.empty() ? nullptr : p.weights.data();
  if (!p.sparse) return fit(Rows<T>(p.x), p.options, weights);
  const Csr<T> csr =
      Csr<T>::from(Eigen::SparseMatrix<T, Eigen::RowMajor>(p.x.sparseView(T(0), T(0))));
  return fit(Rows<T>(csr), p.options, weights);
}

struct Tally {
  int answered = 0, refused = 0;
};

template <class T>
void check(Solver solver, int problems, Tally& tally, double tolerance = 1e-10) {
  Random random(1000 + static_cast<std::uint64_t>(solver) + 10 * sizeof(T));
  for (int i = 0; i < problems; ++i) {
    Problem<T> p = any_problem<T>(random);
    p.options.solver = solver;
    p.options.tolerance = tolerance;
    if (solver == Solver::randomized) p.options.components = at_most(2);
    LongVector columns;
    const LongVector mu = exact(p, columns);
    SCOPED_TRACE(
        fmt::format("problem {}: {} x {}, solver {}, bytes {}, center {}, scale {}, "
                    "weights {}, sparse {}",
                    i, p.x.rows(), p.x.cols(), static_cast<int>(solver), sizeof(T),
                    p.options.center, p.options.scale == Scale::std, !p.weights.empty(), p.sparse));
    try {
      const Model<T> model = fitted(p);
      ++tally.answered;
      const Certificate& c = model.report().certificate;
      ASSERT_EQ(c.low.size(), static_cast<std::size_t>(model.outputs()));
      for (Index j = 0; j < model.outputs(); ++j) {
        const auto at = static_cast<std::size_t>(j);
        // The reference has rounding errors of its own, of 2⁻⁶⁴ and their sums.
        const long double own = 1e-17L * mu[0];
        EXPECT_LE(c.low[at], mu[j] + own) << "component " << j;
        EXPECT_GE(c.high[at], mu[j] - own) << "component " << j;
        EXPECT_LE(c.high[at] - c.low[at], 2.01 * tolerance * mu[0]) << "component " << j;
      }
      const double total = static_cast<double>(columns.sum());
      EXPECT_NEAR(model.report().total_variance, total, 1e-10 * total);
      EXPECT_LE(model.explained_variance_ratio().sum(), 1 + 1e-12);
      for (Index j = 0; j < p.x.cols(); ++j)
        EXPECT_NEAR(model.column_variance()[j], static_cast<double>(columns[j]),
                    1e-10 * total + 1e-10 * static_cast<double>(columns[j]));
    } catch (const Error& error) {
      ++tally.refused;
      // What may be refused: rows without variance, without weight, or one row.
      const std::string text = error.what();
      EXPECT_TRUE(text.find("all rows are equal") != text.npos ||
                  text.find("the row weights add up") != text.npos ||
                  text.find("randomized can tell") != text.npos ||
                  (tolerance < 1e-10 && text.find("uncertain by") != text.npos))
          << text;
    }
  }
}

TEST(LinearIntervals, hold_the_eigenvalues_of_the_exact_scatter_matrix_whatever_the_solver) {
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd, Solver::randomized}) {
    Tally tally;
    check<double>(solver, 120, tally);
    check<float>(solver, 60, tally);
    EXPECT_GT(tally.answered, 5 * tally.refused);
  }
}

TEST(LinearIntervals, M_P1_of_a_factor_that_is_held_against_the_scatter_matrix_hold_too) {
  // The bounds for a QR itself exceed this tolerance, so the factor is checked after the fact.
  for (const Solver solver : {Solver::svd, Solver::covariance}) {
    Tally tally;
    check<double>(solver, 150, tally, 3e-12);
    EXPECT_GT(tally.answered, 2 * tally.refused);
  }
}

TEST(LinearIntervals, M_P1_ordinary_rows_are_within_the_tolerance_whatever_the_solver) {
  // The worst case of a QR of so many columns is some 1e-9 of the first eigenvalue.
  const Index sizes[][2] = {{700, 300}, {60, 500}, {3000, 40}};
  for (const auto& [n, d] : sizes)
    for (const bool steep : {false, true}) {
      Random random(17);
      Matrix<double> x = random.normal(n, d);
      for (Index j = 0; j < d && steep; ++j) x.col(j) *= std::pow(0.97, static_cast<double>(j));
      x.array() += 3;
      for (const Solver solver :
           {Solver::automatic, Solver::covariance, Solver::gram, Solver::svd, Solver::randomized}) {
        if (solver == Solver::gram && n > 1000) continue;  // a matrix of all rows
        const bool some = solver == Solver::randomized;
        const auto model =
            fit(x, {.components = some ? Components(3) : all_components(), .solver = solver});
        const Certificate& c = model.report().certificate;
        for (Index j = 0; j < model.outputs(); ++j) {
          const auto at = static_cast<std::size_t>(j);
          EXPECT_LE(c.high[at] - c.low[at], 2.01e-10 * model.eigenvalues()[0])
              << n << " x " << d << ", solver " << static_cast<int>(solver);
        }
      }
    }
}

TEST(LinearIntervals, are_narrow_where_nothing_is_difficult) {
  Random random(3);
  const Matrix<double> x = random.normal(300, 5);
  for (const Solver solver : {Solver::covariance, Solver::gram, Solver::svd, Solver::randomized}) {
    const auto model = fit(x, {.components = 2, .solver = solver});
    const Certificate& c = model.report().certificate;
    EXPECT_EQ(c.confidence, solver == Solver::randomized ? c.confidence : 1.0);
    // The residuals of products with vectors are as small as the tolerance asks for, no smaller;
    // the proven bound for a QR grows with d·N.
    const double width = solver == Solver::randomized ? 2e-10
                         : solver == Solver::svd      ? 1e-10
                                                      : 1e-11;
    for (std::size_t j = 0; j < 2; ++j)
      EXPECT_LT(c.high[j] - c.low[j], width * model.eigenvalues()[0]) << static_cast<int>(solver);
  }
}

TEST(LinearIntervals, of_a_cluster_hold_as_many_eigenvalues_as_there_are_pairs) {
  // Three pairs whose intervals meet: residuals 1, 1 and 1 make a radius of √3 for each; a fourth
  // far below has its own.
  Vector<double> values(4), residuals(4);
  values << 10, 9.5, 9, 1;
  residuals << 1, 1, 1, 0.25;
  const Certificate c = intervals_of({.values = values, .residuals = residuals}, 4, 1);
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(c.high[j] - c.low[j], 2 * std::sqrt(3.0), 1e-14);
  EXPECT_NEAR(c.high[3] - c.low[3], 0.5, 1e-14);
}

TEST(LinearIntervals, what_exceeds_the_tolerance_is_refused_with_the_number) {
  Vector<double> values(1), residuals(1);
  values << 2;
  residuals << 1e-3;
  expect_error(Errc::not_converged, {"5.0e-04", "1.0e-10", "`tolerance=1e-03`"},
               [&] { require_within({.values = values, .residuals = residuals}, 1, 1e-10); });
}

TEST(LinearInvariants, a_spectrum_that_no_matrix_has_is_an_error_that_says_what_to_send) {
  Vector<double> values(2);
  values << 3, 1;
  const std::vector<double> none;
  EXPECT_NO_THROW(require_invariants({values, none, none, 4, 1e-12}, "pca"));
  expect_error(Errc::not_converged, {"pca", "exceed the trace", "please send"}, [&] {
    require_invariants({values, none, none, 3.5, 1e-12}, "pca");
  });
  expect_error(Errc::not_converged, {"eigenvalue 1", "exceeds the trace"}, [&] {
    require_invariants({values, none, none, 2.5, 1e-12}, "pca");
  });
  values << 3, -1e-9;
  expect_error(Errc::not_converged, {"eigenvalue 2 is -1"}, [&] {
    require_invariants({values, none, none, 4, 1e-12}, "pca");
  });
  values << 3, 1;
  const std::vector<double> low{3.1, 0.9}, high{3.2, 1.1};
  expect_error(Errc::not_converged, {"outside its interval"}, [&] {
    require_invariants({values, low, high, 5, 0}, "pca");
  });
  expect_error(Errc::not_converged, {"0.9"},
               [&] { require_fraction(values, 1, 0.9, 4, 1e-12, "pca"); });
}

TEST(LinearIntervals, M_P1_missing_cells_on_a_rounded_mean_are_in_the_interval) {
  // A mean of 1e9 is rounded to 1e-7: cells that are filled with it are off by as much.
  for (const double base : {0.0, 1e3, 1e6, 1e9, 1e12, 1e15})
    for (const bool holes : {true, false})
      for (const Solver solver :
           {Solver::automatic, Solver::covariance, Solver::gram, Solver::svd, Solver::randomized}) {
        Matrix<double> x(4, 2);
        x << 1, 0, 2, 1, 4, 5, 3, 9;
        x.col(0).array() += base;
        LongMatrix a = long_rows(x);
        a.col(0).array() -= static_cast<long double>(base);
        if (holes) {
          x(3, 0) = std::nan("");
          a(3, 0) = 7 / 3.0L;  // the mean of the others, whatever it rounds to
        }
        long_centre(a);
        const LongVector truth = long_gram_eigenvalues(a);
        try {
          const auto model = fit(
              x, {.components = 2, .solver = solver, .tolerance = 1e-3, .missing = Missing::mean});
          const Certificate& c = model.report().certificate;
          for (std::size_t j = 0; j < 2; ++j) {
            EXPECT_LE(c.low[j], truth[static_cast<Index>(j)]) << base;
            EXPECT_GE(c.high[j], truth[static_cast<Index>(j)]) << base;
          }
        } catch (const Error& e) {
          EXPECT_GE(base, 1e12) << e.what();
        }
      }
}

}  // namespace mercer::test::linear_intervals_test
