// Intervals of exact kernel PCA against references in long double or in closed form, on data that
// were made to break it.
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/SparseCore>

#include <cmath>
#include <map>

namespace mercer::test::kernel_certificate_test {

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// Points of a coarse grid, some of them several times.
Matrix<double> grid(std::uint64_t seed, Index n, Index side, double step) {
  Random random(seed);
  Matrix<double> x(n, 2);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < 2; ++j)
      x(i, j) = step * static_cast<double>(random.bits() % static_cast<std::uint64_t>(side));
  return x;
}

/// Largest eigenvalues of JKJ where k is 1 for equal rows and 0 for others: those of D − nnᵀ/N for
/// the numbers n of equal rows, from the secular equation Σ n²/(n − λ) = N.
std::vector<long double> of_equal_rows(const Matrix<double>& x, std::size_t count) {
  std::map<std::pair<double, double>, int> cells;
  for (Index i = 0; i < x.rows(); ++i) ++cells[{x(i, 0), x(i, 1)}];
  std::map<int, int, std::greater<>> sizes;
  for (const auto& [cell, size] : cells) ++sizes[size];
  const auto sum = [&](long double at) {
    long double total = 0;
    for (const auto& [size, cells_of_it] : sizes)
      total += cells_of_it * static_cast<long double>(size) * size / (size - at);
    return total;
  };
  std::vector<long double> values;
  for (auto it = sizes.begin(); it != sizes.end() && values.size() < count; ++it) {
    for (int copy = 1; copy < it->second; ++copy) values.push_back(it->first);
    const auto next = std::next(it);
    long double low = next == sizes.end() ? 0 : next->first, high = it->first;
    for (int step = 0; step < 200; ++step) {
      const long double middle = (low + high) / 2;
      (sum(middle) > static_cast<long double>(x.rows()) ? high : low) = middle;
    }
    values.push_back(low);
  }
  values.resize(count);
  return values;
}

template <class T>
void expect_intervals(const Model<T>& model, const std::vector<long double>& truth,
                      const std::string& what) {
  const Certificate& c = model.report().certificate;
  ASSERT_EQ(c.low.size(), static_cast<std::size_t>(model.outputs())) << what;
  ASSERT_EQ(c.high.size(), c.low.size());
  for (std::size_t j = 0; j < c.low.size(); ++j) {
    EXPECT_LE(c.low[j], truth[j]) << what << ", eigenvalue " << j + 1;
    EXPECT_GE(c.high[j], truth[j]) << what << ", eigenvalue " << j + 1;
    EXPECT_LE(c.low[j], model.eigenvalues()[static_cast<Index>(j)]);
    EXPECT_GE(c.high[j], model.eigenvalues()[static_cast<Index>(j)]);
  }
  EXPECT_GE(c.confidence, 1 - 1e-6);
  // What is proven needs no reason; scores that keep few digits are stated besides.
  EXPECT_EQ(c.confidence < 1, !c.reason.empty() && !c.reason.starts_with("scores of new rows"));
}

TEST(KernelCertificate, M_P1_sixty_grids_with_equal_rows_have_their_largest_eigenvalues) {
  int by_lapack = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Matrix<double> x = grid(seed, 400, 25, 10);
    const auto truth = of_equal_rows(x, 3);
    for (const Index k : {1, 3}) {
      const auto model =
          fit(x, {.components = k, .kernel = kernels::rbf({.gamma = 1}), .threads = 1});
      by_lapack += model.report().solver.name != "krylov";
      for (Index j = 0; j < k; ++j)
        EXPECT_NEAR(model.eigenvalues()[j], static_cast<double>(truth[static_cast<std::size_t>(j)]),
                    1e-9)
            << "seed " << seed << ", eigenvalue " << j + 1 << " of " << k;
      expect_intervals(model, truth, "seed " + std::to_string(seed));
    }
  }
  // Many copies of an eigenvalue may leave Krylov in doubt, and LAPACK has the last word: two of
  // 120 fits as measured, not a bound that was derived.
  EXPECT_LE(by_lapack, 2);
}

TEST(KernelCertificate, M_P1_equal_eigenvalues_are_no_failure_of_the_dense_solver) {
  const Matrix<double> x = grid(3, 300, 20, 10);
  const auto truth = of_equal_rows(x, 90);
  for (const Index k : {1, 7, 60, 90}) {
    const auto model = fit(x, {.components = k,
                               .kernel = kernels::laplacian({.gamma = 10}),
                               .solver = Solver::dense,
                               .threads = 1});
    expect_intervals(model, truth, std::to_string(k));
  }
}

/// exp(−γ‖x−y‖²) or exp(−γ‖x−y‖₁), centred, weighted; distances from differences. Entries are k −
/// 1, which centring does not see: flat kernels keep their digits.
std::vector<long double> reference(const Matrix<double>& x, const Vector<double>& w, bool squared,
                                   double gamma) {
  const Index n = x.rows();
  Wide k(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      long double distance = 0;
      for (Index c = 0; c < x.cols(); ++c) {
        const long double d = static_cast<long double>(x(i, c)) - x(j, c);
        distance += squared ? d * d : std::abs(d);
      }
      k(i, j) = std::expm1(-static_cast<long double>(gamma) * distance);
    }
  const Eigen::Matrix<long double, Eigen::Dynamic, 1> v = w.cast<long double>();
  const Eigen::Matrix<long double, Eigen::Dynamic, 1> mean = k * v / v.sum();
  const long double all = v.dot(mean) / v.sum();
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      k(i, j) = std::sqrt(v[i] * v[j]) * (k(i, j) - mean[i] - mean[j] + all);
  const Eigen::SelfAdjointEigenSolver<Wide> solver(k, Eigen::EigenvaluesOnly);
  std::vector<long double> out(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i) out[static_cast<std::size_t>(i)] = solver.eigenvalues()[n - 1 - i];
  return out;
}

Matrix<double> hostile_rows(Random& random, Index n, Index d, std::uint64_t kind) {
  Matrix<double> x = random.normal(n, d);
  switch (kind) {
    case 0:
      return x;
    case 1:  // a grid with equal rows
      return (2 * x).array().round().matrix();
    case 2:  // clusters
      for (Index i = 0; i < n; ++i) x.row(i).array() += 30.0 * static_cast<double>(i % 3);
      return x;
    case 3:  // near pairs
      for (Index i = 1; i < n; i += 2) x.row(i) = x.row(i - 1).array() + 1e-7;
      return x;
    case 4:  // a line
      for (Index i = 0; i < n; ++i) x.row(i).setConstant(x(i, 0));
      return x;
    default:  // nearly all rows equal
      for (Index i = 2; i < n; ++i) x.row(i) = x.row(0);
      return x;
  }
}

template <class T>
void hostile_problems(std::uint64_t first, std::uint64_t count) {
  int answered = 0, refused = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Random random(seed);
    const Index n = 2 + static_cast<Index>(random.bits() % 40);
    const Index d = 1 + static_cast<Index>(random.bits() % 3);
    const std::uint64_t kind = random.bits() % 6;
    const Matrix<T> rows = hostile_rows(random, n, d, kind).template cast<T>();
    const Matrix<double> x = rows.template cast<double>();
    const double gamma = std::pow(10.0, static_cast<double>(random.bits() % 17) - 8);
    // Squared distances of other rows than those on a grid are a question of their own.
    const bool squared = random.bits() % 2 == 0 && (kind == 1 || (gamma <= 1 && kind != 2));
    const bool weighted = random.bits() % 3 == 0;
    Vector<double> w = Vector<double>::Ones(n);
    if (weighted)
      for (Index i = 0; i < n; ++i) w[i] = static_cast<double>(random.bits() % 3) + 1;
    const auto truth = reference(x, w, squared, gamma);
    const std::string what = "seed " + std::to_string(seed);
    for (const Solver solver : {Solver::dense, Solver::krylov, Solver::automatic}) {
      FitOptions options{.components = at_most(1 + static_cast<Index>(random.bits() % 5)),
                         .solver = solver,
                         .threads = 1};
      options.kernel =
          squared ? kernels::rbf({.gamma = gamma}) : kernels::laplacian({.gamma = gamma});
      try {
        const auto model = fit(Rows<T>(rows), options, weighted ? Weights(w) : Weights());
        expect_intervals(model, truth, what);
        ++answered;
        const double allowed = sizeof(T) == sizeof(float) ? 1e-5 : 1e-10;
        for (Index j = 0; j < model.outputs(); ++j)
          EXPECT_NEAR(model.eigenvalues()[j],
                      static_cast<double>(truth[static_cast<std::size_t>(j)]),
                      2 * allowed * static_cast<double>(truth[0]))
              << what << ", eigenvalue " << j + 1;
      } catch (const Error& error) {
        ++refused;
        // Rows that are all alike to the kernel, or as good as that.
        EXPECT_TRUE(error.code() == Errc::bad_data || error.code() == Errc::not_converged)
            << what << ": " << error.what();
        EXPECT_LT(static_cast<double>(truth[0]), 1e-4 * w.sum()) << what << ": " << error.what();
      }
    }
  }
  EXPECT_GT(answered, 2 * refused);
}

TEST(KernelCertificate, M_P1_M_P2_intervals_hold_the_eigenvalues_of_hostile_rows) {
  hostile_problems<double>(1000, 120);
}

TEST(KernelCertificate, M_P1_M_P2_intervals_of_float_rows_hold_the_eigenvalues_of_these_numbers) {
  hostile_problems<float>(2000, 60);
}

TEST(KernelCertificate, M_P2_a_few_hundred_rows_by_krylov_and_by_lapack) {
  Random random(7);
  const Matrix<double> x = hostile_rows(random, 130, 2, 1);
  const auto truth = reference(x, Vector<double>::Ones(130), true, 0.7);
  for (const Solver solver : {Solver::dense, Solver::krylov})
    for (const Index k : {1, 6, 20})
      expect_intervals(fit(x, {.components = k,
                               .kernel = kernels::rbf({.gamma = 0.7}),
                               .solver = solver,
                               .threads = 1}),
                       truth, std::to_string(k));
}

TEST(KernelCertificate, M_P4_the_same_bits_for_any_number_of_threads) {
  Random random(8);
  const Matrix<double> x = random.normal(530, 3);
  const Matrix<float> coarse = x.cast<float>();
  for (const Solver solver : {Solver::dense, Solver::krylov})
    for (const bool narrow : {false, true}) {
      FitOptions options{.components = 4,
                         .kernel = kernels::rbf({.gamma = narrow ? 3.0 : 0.3}),
                         .solver = solver,
                         .threads = 1};
      const auto one = fit(x, options);
      const auto coarse_one = fit(coarse, options);
      for (const int threads : {2, 3, 5, 8, 16}) {
        options.threads = threads;
        const auto many = fit(x, options);
        EXPECT_EQ(one.eigenvalues(), many.eigenvalues()) << threads;
        EXPECT_EQ(one.components(), many.components()) << threads;
        EXPECT_EQ(one.mean(), many.mean()) << threads;
        EXPECT_EQ(one.report().certificate.high, many.report().certificate.high) << threads;
        EXPECT_EQ(coarse_one.components(), fit(coarse, options).components()) << threads;
        if (solver == Solver::dense) break;  // LAPACK has one: two are enough to see that
      }
    }
}

TEST(KernelCertificate, M_P1_every_row_takes_part_in_the_check_of_a_matrix) {
  // Rows 6, 12 and 18 of 600 are not among 500 evenly spaced ones.
  Matrix<double> pair = Matrix<double>::Identity(600, 600), three = pair;
  pair(5, 11) = pair(11, 5) = -79;
  for (const Index i : {5, 11, 17})
    for (const Index j : {5, 11, 17})
      if (i != j) three(i, j) = -0.9;  // no two rows show it: 1 − 2·0.9 < 0
  for (const Solver solver : {Solver::automatic, Solver::krylov, Solver::dense}) {
    const FitOptions options{.components = 2, .precomputed = true, .solver = solver};
    expect_error(Errc::invalid_kernel,
                 {"not positive semi-definite", "rows 6 and 12", "-78", "`clip`"},
                 [&] { fit(pair, options); });
    expect_error(Errc::invalid_kernel,
                 {"not positive semi-definite", "600 rows", "-0.79", "`clip`"},
                 [&] { fit(three, options); });
    Matrix<double> negative = Matrix<double>::Identity(600, 600);
    negative(5, 5) = -1;
    expect_error(Errc::invalid_kernel, {"not positive semi-definite", "`clip`"},
                 [&] { fit(negative, options); });
  }
  const auto clipped = fit(pair, {.components = 2, .precomputed = true, .clip = true});
  EXPECT_LE(clipped.explained_variance_ratio().sum(), 1);
}

TEST(KernelCertificate, M_P1_two_rows_that_break_a_sigmoid_kernel_are_seen) {
  // tanh(x·y) is 1 and 0.01 on the diagonal of rows 6 and 12, 0.46 beside it, 0 for all others.
  Matrix<double> x = Matrix<double>::Zero(600, 2);
  x.row(5) << 5, 0;
  x.row(11) << 0.1, 0;
  for (const Solver solver : {Solver::krylov, Solver::dense})
    expect_error(Errc::invalid_kernel, {"sigmoid", "not positive semi-definite"}, [&] {
      fit(x, {.components = 1, .kernel = kernels::sigmoid({.gamma = 1}), .solver = solver});
    });
}

TEST(KernelCertificate, M_P2_a_fraction_that_takes_many_components_is_reached) {
  Random random(9);
  const Matrix<double> x = random.normal(400, 4);
  const Kernel narrow = kernels::rbf({.gamma = 1.0});
  const auto all = fit(x, {.kernel = narrow, .solver = Solver::dense, .threads = 1});
  double sum = 0;
  Index want = 0;
  const Vector<double> ratio = all.explained_variance_ratio();
  while (sum < 0.99) sum += ratio[want++];
  ASSERT_GT(want, 150);
  for (const Solver solver : {Solver::automatic, Solver::krylov, Solver::dense}) {
    const auto model = fit(
        x,
        {.components = variance_fraction(0.99), .kernel = narrow, .solver = solver, .threads = 1});
    EXPECT_EQ(model.outputs(), want);
    EXPECT_GE(model.explained_variance_ratio().sum(), 0.99);
  }
}

TEST(KernelCertificate, M_P2_a_power_of_two_changes_no_digit) {
  Random random(10);
  const Matrix<double> x = random.normal(60, 3);
  const auto plain = fit(x, {.components = 3, .kernel = kernels::linear(), .threads = 1});
  for (const int exponent : {-400, -250, 250, 400}) {
    const Matrix<double> y = x * std::ldexp(1.0, exponent);
    for (const Solver solver : {Solver::dense, Solver::krylov}) {
      const auto scaled =
          fit(y, {.components = 3, .kernel = kernels::linear(), .solver = solver, .threads = 1});
      for (Index j = 0; j < 3; ++j)
        EXPECT_NEAR(std::ldexp(scaled.eigenvalues()[j], -2 * exponent), plain.eigenvalues()[j],
                    1e-10 * plain.eigenvalues()[0]);
    }
  }
  expect_error(Errc::bad_data, {"scale the data"}, [&] {
    fit(Matrix<double>(1e-170 * x), {.components = 1, .kernel = kernels::linear()});
  });
}

TEST(KernelCertificate, M_P2_equal_rows_are_refused_alike_in_every_form) {
  const Matrix<double> x = Matrix<double>::Constant(300, 3, 0.7);
  const Matrix<float> coarse = x.cast<float>();
  const Csr<double> sparse = Csr<double>::from(
      Eigen::SparseMatrix<double, Eigen::RowMajor>(Eigen::MatrixXd(x).sparseView()));
  const Matrix<double> ones = Matrix<double>::Ones(300, 300);
  const std::vector<double> weights(300, 2.5);
  const std::string want = "all rows are equal under this kernel: there is no variance to explain";
  // Floats may have made them so.
  const std::string want_of_floats =
      "all rows are equal under this kernel in single precision: there is no variance to explain";
  for (const Solver solver : {Solver::automatic, Solver::dense, Solver::krylov}) {
    const FitOptions options{
        .components = 2, .kernel = kernels::rbf({.gamma = 0.5}), .solver = solver};
    EXPECT_EQ(refusal([&] { fit(x, options); }, Errc::bad_data), want);
    EXPECT_EQ(refusal([&] { fit(coarse, options); }, Errc::bad_data), want_of_floats);
    EXPECT_EQ(refusal([&] { fit(Rows<double>(sparse), options); }, Errc::bad_data), want);
    EXPECT_EQ(refusal([&] { fit(Rows<double>(x), options, weights); }, Errc::bad_data), want);
    EXPECT_EQ(refusal([&] { fit(ones, {.components = 2, .precomputed = true, .solver = solver}); },
                      Errc::bad_data),
              want);
  }
}

TEST(KernelCertificate, M_P1_rounding_that_outweighs_the_tolerance_is_refused_with_its_size) {
  // A precomputed matrix whose halves differ by 1e-14, and whose variance is 1e-6 of its entries.
  Random random(11);
  const Matrix<double> z = random.normal(40, 2);
  Matrix<double> k = Matrix<double>::Ones(40, 40) + 1e-6 * (z * z.transpose());
  k = (0.5 * (k + k.transpose())).eval();
  const auto model = fit(k, {.components = 2, .precomputed = true, .tolerance = 1e-6});
  EXPECT_GT(model.report().certificate.rounding, 0);
  expect_error(Errc::not_converged, {"rounding", "tolerance of 1.0e-12", "of the largest"},
               [&] { fit(k, {.components = 2, .precomputed = true, .tolerance = 1e-12}); });
}

TEST(KernelCertificate, M_P3_ratios_of_float_kernels_do_not_add_up_to_more_than_all) {
  // Entries rounded to floats leave eigenvalues of 1e-8 below 0, which the trace counted: two
  // cosines then had 1.0000000001 of it.
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Matrix<float> x = Random(seed).normal(200, 2).cast<float>();
    for (const char* kernel : {"cosine", "linear", "poly(degree=2)"}) {
      const auto model = fit(x, {.kernel = Kernel::parse(kernel)});
      EXPECT_LE(model.explained_variance_ratio().sum(), 1 + 1e-15 * 200) << kernel;
    }
  }
}

}  // namespace mercer::test::kernel_certificate_test
