// Stated errors of kernel values against long double values from differences, on ordinary and on
// hostile rows.
#include "kernels/entry_error.hpp"

#include "kernels/evaluate_tile.hpp"
#include "kernels/flat.hpp"
#include "kernels/reference.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace mercer::entry_error_test {

using test::Pair;
using test::Random;
using test::Reference;
using Long = std::vector<long double>;

struct Data {
  const char* name;
  Matrix<double> x;
};

constexpr Index count = 16;

/// Rows that break careless formulas. `far`: how far clusters and columns lie out.
std::vector<Data> hostile(Index d, double far) {
  Random random(static_cast<std::uint64_t>(17 + d));
  const Matrix<double> x = random.normal(count, d);
  std::vector<Data> all = {{"ordinary", x}};
  Matrix<double> y = x;
  for (Index i = 0; i < count; ++i) y.row(i).array() += i % 2 == 0 ? far : -far;
  all.push_back({"two far clusters", y});
  y = x;
  for (Index i = 1; i < count; i += 2) y.row(i) = y.row(i - 1) * (1 + 1e-6);
  all.push_back({"near pairs", y});
  y = 100 * x;
  for (Index i = 1; i < count; i += 2) y.row(i) = y.row(i - 1);
  all.push_back({"duplicates", y});
  y = x;
  y.col(d - 1).setConstant(1e7 * far);
  all.push_back({"constant far column", y});
  all.push_back({"far mean", (x.array() + far).matrix()});
  y = x;
  y.col(0) *= 1e6;
  all.push_back({"one long column", y});
  all.push_back({"small", 1e-5 * x});
  y = x;
  y.row(3) *= 1e5;
  all.push_back({"one far row", y});
  all.push_back({"grid", (2 * x).array().round().matrix()});
  return all;
}

/// The kernels of the table, and others that are narrow, wide and composed.
std::vector<Reference> many() {
  std::vector<Reference> all = test::references();
  for (const double gamma : {1e-9, 1e-3, 40.0})
    all.push_back({kernels::rbf({.gamma = gamma}), [gamma](const Long& x, const Long& y) {
                     return std::exp(-static_cast<long double>(gamma) * test::squared(x, y));
                   }});
  all.push_back({kernels::exponential({.gamma = 300}), [](const Long& x, const Long& y) {
                   return std::exp(-300 * std::sqrt(test::squared(x, y)));
                 }});
  all.push_back({2 * kernels::rbf({.gamma = 0.5}) * kernels::linear() +
                     pow(kernels::cosine() + kernels::constant(2), 3),
                 [](const Long& x, const Long& y) {
                   const long double n = std::sqrt(test::dot(x, x)) * std::sqrt(test::dot(y, y));
                   const long double c = n > 0 ? test::dot(x, y) / n : 0;
                   return 2 * std::exp(-0.5L * test::squared(x, y)) * test::dot(x, y) +
                          (c + 2) * (c + 2) * (c + 2);
                 }});
  return all;
}

template <class T>
Long wide_row(const Matrix<T>& x, Index i) {
  return {x.row(i).begin(), x.row(i).end()};
}

/// The largest share of the stated error that is used up; above 1 it does not hold.
template <class T>
double share_used(const Reference& r, const Matrix<T>& x, const Rows<T>& rows) {
  const Index n = x.rows();
  std::vector<Long> wide;
  for (Index i = 0; i < n; ++i) wide.push_back(wide_row(x, i));
  Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic> truth(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      truth(i, j) = r.formula(wide[static_cast<std::size_t>(i)], wide[static_cast<std::size_t>(j)]);
  if (!(truth.cwiseAbs().maxCoeff() < std::numeric_limits<T>::max())) {
    EXPECT_THROW(r.kernel.matrix(rows, rows), Error);  // no T holds these values
    return 0;
  }
  const EntryError e = entry_error(r.kernel, rows);
  const Matrix<T> k = r.kernel.matrix(rows, rows);
  double worst = 0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      const long double allowed = e.relative * std::fabs(truth(i, j)) + e.absolute +
                                  e.diagonal * std::sqrt(std::fabs(truth(i, i) * truth(j, j)));
      const long double off = std::fabs(static_cast<long double>(k(i, j)) - truth(i, j));
      if (off > 0) worst = std::max(worst, static_cast<double>(off / allowed));
    }
  return worst;
}

template <class T>
void expect_errors_hold(double far) {
  for (const Index d : {1, 2, 3, 50})
    for (const Data& data : hostile(d, far)) {
      const Matrix<T> any = data.x.cast<T>(), positive = data.x.cwiseAbs().cast<T>();
      for (const Reference& r : many()) {
        const bool counts = r.kernel.text().find("chi2") != std::string::npos;
        const Matrix<T>& x = counts ? positive : any;
        const Csr<T> sparse = test::sparse_copy(x);
        EXPECT_LE(share_used<T>(r, x, Rows<T>(x)), 1)
            << r.kernel.text() << ", " << data.name << ", d = " << d;
        EXPECT_LE(share_used<T>(r, x, Rows<T>(sparse)), 1)
            << r.kernel.text() << ", " << data.name << ", sparse, d = " << d;
      }
    }
}

TEST(EntryError, M_P1_holds_for_every_kernel_on_hostile_rows) { expect_errors_hold<double>(1e8); }

TEST(EntryError, M_P1_holds_for_rows_of_floats) { expect_errors_hold<float>(1e4); }

TEST(EntryError, M_P1_is_not_larger_than_it_must_be) {
  // Bounds are for the worst order and sign of d + 10 roundings, which random rows do not meet: the
  // factor is some multiple of (d + 10). A thousand for d = 3, and 4,000 for d = 50.
  for (const Index d : {3, 50}) {
    Random random(5);
    const Matrix<double> x = random.normal(60, d).cwiseAbs();
    for (const Reference& r : test::references()) {
      if (r.kernel.text().starts_with("constant")) continue;
      EXPECT_GE(share_used<double>(r, x, Rows<double>(x)), d == 3 ? 1e-3 : 2.5e-4)
          << r.kernel.text() << ", d = " << d;
    }
  }
}

TEST(EntryError, M_P2_clusters_far_apart_do_not_blur_their_neighbours) {
  // γ·ε·(‖x‖² + ‖y‖²) is 1: inner products alone would leave no digit.
  Random random(6);
  Matrix<double> x = random.normal(300, 3);
  for (Index i = 0; i < x.rows(); ++i) x.row(i).array() += i % 2 == 0 ? 1e8 : -1e8;
  const Pair formula = [](const Long& p, const Long& q) {
    return std::exp(-0.5L * test::squared(p, q));
  };
  const Kernel kernel = kernels::rbf({.gamma = 0.5});
  const Matrix<double> truth = test::by_formula(formula, x, x);
  const Csr<double> sparse = test::sparse_copy(x);
  EXPECT_LT((kernel.matrix<double>(x) - truth).cwiseAbs().maxCoeff(), 1e-14);
  EXPECT_LT((kernel.matrix<double>(sparse) - truth).cwiseAbs().maxCoeff(), 1e-14);
  const Matrix<float> f = (1e-4 * x).cast<float>() * 1.0F;
  EXPECT_LT((kernel.matrix<float>(f).cast<double>() - test::by_formula(formula, f, f))
                .cwiseAbs()
                .maxCoeff(),
            7e-8);
}

TEST(EntryError, M_P2_distances_from_differences_have_a_smaller_bound_that_holds) {
  Random random(9);
  const Matrix<double> x = 30 * random.normal(40, 50);
  const Kernel kernel = kernels::rbf({.gamma = 0.01});
  RowExtent extent = extent_of(Rows<double>(x));
  const EntryError fast = value_bound<double>(kernel, extent).error;
  extent.differences = true;
  const EntryError slow = value_bound<double>(kernel, extent).error;
  EXPECT_LT(4 * slow.relative, fast.relative);
  Matrix<double> k(40, 40);
  evaluate_tile<double>(*kernel.node(), Rows<double>(x), Rows<double>(x), k, {.differences = true});
  for (Index i = 0; i < 40; ++i)
    for (Index j = 0; j < 40; ++j) {
      const long double truth =
          std::exp(-static_cast<long double>(0.01) * test::squared(wide_row(x, i), wide_row(x, j)));
      EXPECT_LE(std::fabs(k(i, j) - truth), slow.relative * truth + slow.absolute);
    }
}

TEST(EntryError, a_tile_decides_by_all_its_rows) {
  // Three hundred rows about 0, and a far pair where no small sample looks.
  Random random(7);
  Matrix<double> x = random.normal(256, 2);
  x.row(77).array() += 3e7;
  x.row(78) = x.row(77).array() + 0.5;
  const Matrix<double> k = kernels::rbf({.gamma = 0.5}).matrix<double>(x);
  const double squared = (x.row(77) - x.row(78)).squaredNorm();
  EXPECT_NEAR(k(77, 78), std::exp(-0.5 * squared), 1e-15);
}

TEST(FlatKernel, M_P1_values_about_the_mean_have_all_their_digits) {
  Random random(8);
  const Matrix<double> x = random.normal(40, 3).cwiseAbs();
  const Csr<double> sparse = test::sparse_copy(x);
  const auto fall = [](const char* text) {
    const Kernel k = Kernel::parse(text);
    return k;
  };
  struct Case {
    const char* text;
    std::function<long double(long double squared, long double absolute)> fallen;  // 1 − k
  };
  const auto matern = [](long double s, long double q) {
    // Σ over n ≥ 2 of −(−s)ⁿ/n!·(1 − n + q·n(n−1)), s small.
    long double sum = 0, term = 1;
    for (int n = 1; n < 12; ++n) {
      term *= -s / n;
      sum -= term * (1 - n + q * n * (n - 1));
    }
    return sum;
  };
  const std::vector<Case> cases = {
      {"rbf(gamma=1e-09)", [](long double z, long double) { return -std::expm1(-1e-9L * z); }},
      {"3*rbf(gamma=1e-09) + 5",
       [](long double z, long double) { return -3 * std::expm1(-1e-9L * z); }},
      {"laplacian(gamma=1e-09)",
       [](long double, long double l) { return -std::expm1(-1e-9L * l); }},
      {"exponential(gamma=1e-09)",
       [](long double z, long double) { return -std::expm1(-1e-9L * std::sqrt(z)); }},
      {"matern(nu=1.5, length=10000)",
       [=](long double z, long double) { return matern(std::sqrt(3 * z) / 1e4L, 0); }},
      {"matern(nu=2.5, length=10000)",
       [=](long double z, long double) { return matern(std::sqrt(5 * z) / 1e4L, 1.0L / 3); }},
      {"rational_quadratic(alpha=1, length=100000)",
       [](long double z, long double) { return z / 2e10L / (1 + z / 2e10L); }},
      {"rational_quadratic(alpha=2, length=100000)",
       [](long double z, long double) { return -std::expm1(-2 * std::log1p(z / 4e10L)); }}};
  for (const Case& c : cases)
    for (const Rows<double>& rows : {Rows<double>(x), Rows<double>(sparse)}) {
      const auto flat = FlatKernel<double>::of(fall(c.text), rows);
      ASSERT_TRUE(flat.has_value()) << c.text;
      Matrix<double> k(40, 40);
      flat->tile(0, 0, k);
      k.diagonal() = flat->diagonal();
      Long centre(3);
      for (Index j = 0; j < 3; ++j)
        centre[static_cast<std::size_t>(j)] = rows.sparse() ? x(0, j) : x.col(j).mean();
      const auto falls = [&](const Long& p, const Long& q) {
        long double l = 0;
        for (std::size_t j = 0; j < 3; ++j) l += std::fabs(p[j] - q[j]);
        return c.fallen(test::squared(p, q), l);
      };
      for (Index i = 0; i < 40; ++i)
        for (Index j = 0; j < 40; ++j) {
          const Long p = wide_row(x, i), q = wide_row(x, j);
          const long double truth = falls(p, centre) + falls(q, centre) - falls(p, q);
          // The mean itself is rounded, which moves the origin, not the centred matrix: 1e-15.
          ASSERT_NEAR(k(i, j), static_cast<double>(truth),
                      flat->error().entries.absolute + flat->error().rows[i] +
                          flat->error().rows[j] + 1e-15 * k.diagonal().maxCoeff())
              << c.text << rows.sparse() << i << " " << j;
        }
      EXPECT_LT(flat->error().rows.maxCoeff(), 5e-13 * k.diagonal().maxCoeff()) << c.text;
      EXPECT_LT(flat->error().entries.absolute, 1e-300);
    }
  EXPECT_FALSE(FlatKernel<double>::of(kernels::rbf({.gamma = 1}), Rows<double>(x)).has_value());
  EXPECT_FALSE(FlatKernel<double>::of(kernels::linear(), Rows<double>(x)).has_value());
}

}  // namespace mercer::entry_error_test
