// The intervals of approximate kernel PCA hold the eigenvalues of the exact centred kernel matrix.
// Those are computed here in long double, distances from differences.
#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

#include <algorithm>
#include <cmath>
#include <functional>
#include <type_traits>

namespace mercer::test::approximate_certificate_test {

using Long = long double;
using LongMatrix = Eigen::Matrix<Long, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<Long, Eigen::Dynamic, 1>;
using LongKernel = std::function<Long(const LongVector&, const LongVector&)>;

/// A kernel, and what it is in long double.
struct Pair {
  Kernel kernel;
  LongKernel exact;
};

Pair gaussian(double gamma) {
  return {kernels::rbf({.gamma = gamma}), [gamma](const LongVector& x, const LongVector& y) {
            return std::exp(-static_cast<Long>(gamma) * (x - y).squaredNorm());
          }};
}
Pair city_block(double gamma) {
  return {kernels::laplacian({.gamma = gamma}), [gamma](const LongVector& x, const LongVector& y) {
            return std::exp(-static_cast<Long>(gamma) * (x - y).cwiseAbs().sum());
          }};
}
Pair quadratic(double gamma, double coef0) {
  return {kernels::poly({.degree = 2, .coef0 = coef0, .gamma = gamma}),
          [gamma, coef0](const LongVector& x, const LongVector& y) {
            const Long inner = static_cast<Long>(gamma) * x.dot(y) + static_cast<Long>(coef0);
            return inner * inner;
          }};
}

/// Eigenvalues of √W J K Jᵀ √W, J = I − 1wᵀ/Σw, descending.
template <class T>
LongVector exact_eigenvalues(const Matrix<T>& x, const LongKernel& kernel,
                             const std::vector<double>& weights) {
  const Index n = x.rows();
  const LongMatrix rows = x.template cast<Long>();
  LongMatrix k(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j <= i; ++j)
      k(i, j) = k(j, i) = kernel(rows.row(i).transpose(), rows.row(j).transpose());
  LongVector w = LongVector::Ones(n);
  for (Index i = 0; i < n && !weights.empty(); ++i)
    w[i] = static_cast<Long>(weights[static_cast<std::size_t>(i)]);
  const LongMatrix j = LongMatrix::Identity(n, n) - LongVector::Ones(n) * w.transpose() / w.sum();
  const LongVector roots = w.cwiseSqrt();
  const LongMatrix a = roots.asDiagonal() * (j * k * j.transpose()) * roots.asDiagonal();
  const LongMatrix half = (a + a.transpose()) / 2;
  return Eigen::SelfAdjointEigenSolver<LongMatrix>(half, Eigen::EigenvaluesOnly)
      .eigenvalues()
      .reverse();
}

/// Data that break an approximation, by number.
constexpr int kinds = 8;
Matrix<double> problem(int kind, Index n, Random& random) {
  switch (kind) {
    case 0:  // one column: landmarks that nearly repeat each other
      return random.normal(n, 1);
    case 1: {  // a grid with duplicates
      Matrix<double> x(n, 2);
      for (Index i = 0; i < x.size(); ++i) x.data()[i] = std::floor(5 * random.uniform());
      return x;
    }
    case 2: {  // three rows that carry everything
      Matrix<double> x = random.normal(n, 3);
      x.topRows(3) *= 100;
      return x;
    }
    case 3: {  // two clusters far from each other
      Matrix<double> x = random.normal(n, 2);
      x.topRows(n / 2).array() += 20;
      return x;
    }
    case 4: {  // near pairs
      Matrix<double> x = random.normal(n, 2);
      for (Index i = 1; i < n; i += 2) x.row(i) = x.row(i - 1).array() + 1e-7;
      return x;
    }
    case 5:  // columns of very different sizes
      return random.normal(n, 3) * Eigen::Vector3d(10, 1, 0.01).asDiagonal();
    case 6:  // on a line
      return random.normal(n, 1) * Eigen::RowVector3d(1, 2, -1);
    default:
      return random.normal(n, 4);
  }
}

std::vector<double> some_weights(int kind, Index n, Random& random) {
  std::vector<double> weights;
  for (Index i = 0; i < n && kind % 3 > 0; ++i)
    weights.push_back(kind % 3 == 1            ? 0.1 + random.uniform()
                      : random.uniform() < 0.3 ? 0.0
                      : random.uniform() < 0.2 ? 100
                                               : 1);
  return weights;
}

struct Counts {
  int held = 0, refused = 0;
};

/// Fits, and holds the intervals against the truth. A fit may be refused for its rounding alone.
template <class T>
void check(const Matrix<T>& x, const Pair& pair, const std::vector<double>& weights,
           const std::string& approx, const LongVector& truth, Counts& counts) {
  SCOPED_TRACE(pair.kernel.text() + " " + approx);
  const FitOptions options{.components = at_most(3),
                           .kernel = pair.kernel,
                           .approx = parse_approx(approx),
                           .threads = 1};
  try {
    const auto model = fit(Rows<T>(x), options, weights.empty() ? nullptr : weights.data());
    const Certificate& c = model.report().certificate;
    ASSERT_EQ(c.low.size(), static_cast<std::size_t>(model.outputs()));
    EXPECT_EQ(c.confidence, 1);
    const Approximation& a = *model.report().approximation;
    for (Index i = 0; i < model.outputs(); ++i) {
      const auto low = static_cast<Long>(c.low[static_cast<std::size_t>(i)]);
      const auto high = static_cast<Long>(c.high[static_cast<std::size_t>(i)]);
      // The eigenvalues in long double are right to about 1e-17 of the first.
      EXPECT_GE(truth[i], low - 1e-17L * truth[0]) << i;
      EXPECT_LE(truth[i], high + 1e-17L * truth[0]) << i;
      EXPECT_LE(static_cast<Long>(model.eigenvalues()[i] - a.below), truth[i] + 1e-17L * truth[0]);
      EXPECT_GE(static_cast<Long>(model.eigenvalues()[i] + a.above), truth[i] - 1e-17L * truth[0]);
    }
    // What rounding does is within the tolerance, whatever is left out.
    EXPECT_LE(c.rounding, (std::is_same_v<T, float> ? 1e-5 : 1e-10) * model.eigenvalues()[0]);
    EXPECT_LE(model.explained_variance_ratio().sum(), 1 + 1e-10);
    ++counts.held;
  } catch (const Error& e) {
    EXPECT_HAS(e.what(), "rounding may move the eigenvalues");
    ++counts.refused;
  }
}

TEST(ApproximateCertificate, M_P1_intervals_of_landmarks_hold_the_eigenvalues_of_the_problem) {
  Counts counts;
  int number = 0;
  for (int kind = 0; kind < kinds; ++kind)
    for (const Pair& pair :
         {gaussian(5), gaussian(0.5), gaussian(1e-3), city_block(0.3), quadratic(0.5, 1)}) {
      Random random(static_cast<unsigned>(100 + number));
      const Index n = 36;
      const Matrix<double> x = problem(kind, n, random);
      const std::vector<double> weights = some_weights(number++, n, random);
      const LongVector truth = exact_eigenvalues(x, pair.exact, weights);
      for (const char* approx :
           {"nystrom(landmarks=36)", "nystrom(landmarks=36, by=cholesky)",
            "nystrom(landmarks=12, by=kmeans)", "nystrom(landmarks=12, by=leverage)",
            "nystrom(landmarks=6)", "cholesky(rank=12)", "cholesky(tolerance=0.001)"})
        check(x, pair, weights, approx, truth, counts);
    }
  EXPECT_EQ(counts.held, kinds * 5 * 7);
  EXPECT_EQ(counts.refused, 0);
}

TEST(ApproximateCertificate, M_P1_float_rows_have_the_intervals_of_their_own_numbers) {
  Counts counts;
  for (int kind = 0; kind < kinds; ++kind) {
    Random random(static_cast<unsigned>(kind));
    const Matrix<float> x = problem(kind, 36, random).cast<float>();
    const std::vector<double> weights = some_weights(kind, 36, random);
    for (const Pair& pair : {gaussian(0.5), quadratic(0.5, 1)}) {
      const LongVector truth = exact_eigenvalues(x, pair.exact, weights);
      for (const char* approx : {"nystrom(landmarks=36)", "cholesky(rank=12)"})
        check(x, pair, weights, approx, truth, counts);
    }
  }
  EXPECT_EQ(counts.held, kinds * 2 * 2);
}

TEST(ApproximateCertificate, M_P1_landmarks_that_nearly_repeat_each_other_do_not_blow_up) {
  // 300 numbers on a line and a kernel of numerical rank 30: in the order they were drawn,
  // landmarks gave a first eigenvalue a thousand times too large.
  Random random(24);
  const Matrix<double> x = random.normal(300, 1);
  const Pair pair = gaussian(5);
  // NumPy's rng(24) has 59.27; ours are other numbers of the same kind.
  const LongMatrix rows = x.cast<Long>();
  LongMatrix k(300, 300);
  for (Index i = 0; i < 300; ++i)
    for (Index j = 0; j < 300; ++j) k(i, j) = pair.exact(rows.row(i), rows.row(j));
  const LongVector means = k.rowwise().mean();
  const Long mean = means.mean();
  for (Index i = 0; i < 300; ++i)
    for (Index j = 0; j < 300; ++j) k(i, j) += mean - means[i] - means[j];
  // The first eigenvalue by the power method, to 1e-15.
  LongVector v = LongVector::Ones(300) + rows.col(0);
  for (int step = 0; step < 300; ++step) v = (k * v).normalized();
  const Long truth = v.dot(k * v);
  for (const char* by : {"uniform", "kmeans", "leverage", "cholesky"}) {
    const auto model =
        fit(x, {.components = 1,
                .kernel = pair.kernel,
                .approx = parse_approx(std::string("nystrom(landmarks=300, by=") + by + ")")});
    const Certificate& c = model.report().certificate;
    EXPECT_NEAR(model.eigenvalues()[0], static_cast<double>(truth), 1e-9) << by;
    EXPECT_LE(c.low[0], static_cast<double>(truth)) << by;
    EXPECT_GE(c.high[0], static_cast<double>(truth)) << by;
    EXPECT_LE(c.high[0] - c.low[0], 1e-8) << by;
    EXPECT_LE(model.explained_variance_ratio()[0], 1);
  }
}

TEST(ApproximateCertificate, M_P4_the_same_bits_for_any_number_of_threads_and_any_cut) {
  Random random(5);
  const Matrix<double> x = random.normal(5000, 4);
  std::vector<double> weights;
  for (Index i = 0; i < x.rows(); ++i) weights.push_back(random.uniform());
  for (const char* text : {"nystrom(landmarks=70)", "nystrom(landmarks=40, by=kmeans)",
                           "nystrom(landmarks=40, by=leverage)", "cholesky(rank=70)",
                           "cholesky(tolerance=0.2)", "fourier(features=64)"}) {
    FitOptions options{.components = 3,
                       .kernel = kernels::rbf({.gamma = 0.2}),
                       .approx = parse_approx(text),
                       .threads = 1};
    const auto one = fit(Rows<double>(x), options, weights.data());
    const auto expect_same = [&](const Model<double>& other, const std::string& what) {
      EXPECT_EQ(one.eigenvalues(), other.eigenvalues()) << text << what;
      EXPECT_EQ(one.components(), other.components()) << text << what;
      EXPECT_EQ(one.mean(), other.mean()) << text << what;
      EXPECT_EQ(one.report().certificate.high, other.report().certificate.high) << text << what;
      EXPECT_EQ(one.report().approximation->error, other.report().approximation->error);
    };
    for (const int threads : {2, 3, 5, 8, 16}) {
      options.threads = threads;
      expect_same(fit(Rows<double>(x), options, weights.data()),
                  " threads " + std::to_string(threads));
    }
    options.threads = 2;
    options.memory = 30'000'000;
    for (const Index chunk : {Index{5000}, Index{777}, Index{31}}) {
      ChunkedSource<double> source{Rows<double>(x), chunk, weights.data()};
      expect_same(fit(source, options), " chunks of " + std::to_string(chunk));
    }
  }
}

TEST(ApproximateCertificate, M_P4_batches_give_the_same_bits_however_they_are_cut) {
  Random random(6);
  const Matrix<double> x = random.normal(4000, 3);
  for (const char* text : {"cholesky(rank=40)", "fourier(features=64)"}) {
    const FitOptions options{
        .components = 3, .kernel = kernels::rbf({.gamma = 0.3}), .approx = parse_approx(text)};
    const auto model_of = [&](Index batch, bool look) {
      IncrementalKernelPca<double> pca(x.cols(), options, 1000);
      for (Index i = 0; i < x.rows(); i += batch) {
        pca.update(Rows<double>(x).middle(i, std::min(batch, x.rows() - i)));
        if (look && pca.fixed()) pca.model();  // looking changes nothing
      }
      return pca.model();
    };
    const auto whole = model_of(4000, false);
    for (const Index batch : {Index{1000}, Index{333}}) {
      const auto cut = model_of(batch, true);
      EXPECT_EQ(cut.eigenvalues(), whole.eigenvalues()) << text;
      EXPECT_EQ(cut.components(), whole.components()) << text;
      EXPECT_EQ(cut.report().certificate.high, whole.report().certificate.high) << text;
    }
  }
}

TEST(ApproximateCertificate, M_P2_an_error_beyond_the_limit_is_refused_with_the_number) {
  Random random(7);
  const Matrix<double> x = random.normal(300, 5);
  const auto with = [&](const char* text) {
    return fit(
        x, {.components = 2, .kernel = kernels::rbf({.gamma = 0.3}), .approx = parse_approx(text)});
  };
  for (const char* text :
       {"nystrom(landmarks=20, error=0.05)", "cholesky(rank=20, error=0.05)",
        "nystrom(landmarks=20, by=cholesky, error=0.05)", "fourier(features=20, error=0.05)"})
    expect_error(Errc::not_converged, {"error is 0.", "limit of 0.05"}, [&] { with(text); });
  // A rank is the most that is taken.
  const auto reached = with("cholesky(rank=300, error=0.05)");
  EXPECT_LE(reached.report().approximation->error, 0.05);
  EXPECT_LT(reached.report().approximation->rank, 300);
  EXPECT_EQ(reached.report().approximation->text, "cholesky(rank=300, error=0.05)");
  EXPECT_LE(with("nystrom(landmarks=300, error=0.001)").report().approximation->error, 0.001);
}

TEST(ApproximateCertificate, M_P2_rounding_beyond_the_tolerance_is_refused_with_the_number) {
  // k = 1 − 1e-9‖x − y‖²: what varies is in the last seven digits of each value.
  Random random(8);
  const Matrix<double> x = random.normal(100, 2);
  FitOptions options{
      .components = 1, .kernel = kernels::rbf({.gamma = 1e-9}), .approx = Nystrom{.landmarks = 50}};
  expect_error(Errc::not_converged, {"rounding may move the eigenvalues", "tolerance of 1e-10"},
               [&] { fit(x, options); });
  options.tolerance = 1e-4;
  const auto model = fit(x, options);
  const LongVector truth = exact_eigenvalues(x, gaussian(1e-9).exact, {});
  EXPECT_LE(static_cast<Long>(model.report().certificate.low[0]), truth[0]);
  EXPECT_GE(static_cast<Long>(model.report().certificate.high[0]), truth[0]);
  EXPECT_LE(model.report().certificate.rounding, 1e-4 * model.eigenvalues()[0]);
}

TEST(ApproximateCertificate, M_P1_far_clusters_are_within_their_intervals) {
  // Distances within a cluster are what is left of numbers 10⁸ times as large.
  Counts counts;
  for (const double far : {1e4, 1e8}) {
    Random random(11);
    Matrix<double> x = random.normal(40, 3);
    x.topRows(20).array() += far;
    x.bottomRows(20).array() -= far;
    for (const Pair& pair : {gaussian(0.5), city_block(0.3)}) {
      const LongVector truth = exact_eigenvalues(x, pair.exact, {});
      for (const char* approx : {"nystrom(landmarks=40)", "cholesky(rank=20)"})
        check(x, pair, {}, approx, truth, counts);
    }
  }
  EXPECT_EQ(counts.held, 2 * 2 * 2);
}

TEST(ApproximateCertificate, equal_rows_about_the_origin_have_the_square_of_their_length) {
  const Matrix<double> x = Matrix<double>::Constant(7, 2, 3.0);
  const auto model = fit(x, {.components = 1,
                             .kernel = kernels::rbf({.gamma = 0.3}),
                             .approx = parse_approx("nystrom(landmarks=4)"),
                             .center = false});
  EXPECT_NEAR(model.eigenvalues()[0], 7, 1e-12);  // k = 1 for each of 49 pairs
}

TEST(ApproximateCertificate, M_P2_kernels_of_any_size_have_the_same_digits) {
  // Bounds are made of squares: 1e-200 of a kernel must not be 0 to them.
  Random random(12);
  const Matrix<double> x = random.normal(60, 2);
  for (const char* approx : {"nystrom(landmarks=30)", "cholesky(rank=20)"})
    for (const int power : {-900, -460, 460, 900}) {
      const auto with = [&](double factor) {
        return fit(x, {.components = 3,
                       .kernel = factor * kernels::rbf({.gamma = 0.3}),
                       .approx = parse_approx(approx)});
      };
      const double factor = std::ldexp(1.0, power);
      const auto one = with(1), other = with(factor);
      const Certificate &c = one.report().certificate, &scaled = other.report().certificate;
      EXPECT_LT((other.eigenvalues() / factor - one.eigenvalues()).cwiseAbs().maxCoeff(), 1e-12);
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_NEAR(scaled.low[j] / factor, c.low[j], 1e-9) << approx << power;
        EXPECT_NEAR(scaled.high[j] / factor, c.high[j], 1e-9) << approx << power;
      }
      EXPECT_GT(scaled.rounding, 0);
      // Scores are √factor of the others: components have unit length in feature space.
      const Matrix<double> a = one.transform(Rows<double>(x)), b = other.transform(Rows<double>(x));
      EXPECT_LT((b / std::ldexp(1.0, power / 2) - a).cwiseAbs().maxCoeff(), 1e-8) << approx;
    }
}

TEST(ApproximateCertificate, M_P3_a_kernel_that_is_not_valid_on_some_rows_is_refused) {
  // Three times too similar to one row, which a look at a sample of rows misses.
  const Kernel kernel =
      Kernel::function("marked", [](std::span<const double> x, std::span<const double> y) {
        const double rbf = std::exp(-0.1 * (x[0] - y[0]) * (x[0] - y[0]));
        return x[1] != y[1] ? 3 * rbf : rbf;
      });
  Random random(9);
  Matrix<double> x = Matrix<double>::Zero(4000, 2);
  x.col(0) = random.normal(4000, 1);
  x(2000, 1) = 1;
  expect_error(Errc::invalid_kernel, {"not positive semi-definite", "row 2001"}, [&] {
    fit(x, {.components = 2, .kernel = kernel, .approx = Nystrom{.landmarks = 30}});
  });
}

TEST(ApproximateCertificate, M_P1_far_means_and_wide_rows_are_within_tight_intervals) {
  // All rows are landmarks, so that intervals hold rounding alone; distances are from products of
  // rows about the landmarks' mean, of landmarks among themselves from differences.
  Counts counts;
  for (int number = 0; number < 300; ++number) {
    Random random(static_cast<unsigned>(1000 + number));
    const Index n = 8 + number % 17, d = 1 + number % 23;
    Matrix<double> x = random.normal(n, d);
    x.array() *= std::pow(10.0, number % 3 - 1);
    x.array() += std::pow(10.0, number % 5 - 1) * random.normal();
    const double gamma = std::pow(4.0, number % 7 - 3) / static_cast<double>(d);
    const Pair pair = number % 4 == 3 ? city_block(gamma) : gaussian(gamma);
    const std::vector<double> weights = some_weights(number, n, random);
    const LongVector truth = exact_eigenvalues(x, pair.exact, weights);
    for (const char* by : {"uniform", "kmeans"})
      check(x, pair, weights,
            "nystrom(landmarks=" + std::to_string(n) + ", by=" + std::string(by) + ")", truth,
            counts);
  }
  EXPECT_GE(counts.held, 570);  // kernels that are nearly constant on the rows may be refused
}

TEST(ApproximateCertificate, M_P2_ordinary_rows_are_answered_whatever_the_seed) {
  // 64 columns with a mean of 3 and a spread of 1 at most: the bound was 1.3e-10 of the first
  // eigenvalue, above the tolerance, for every other seed.
  const Matrix<double> x = Matrix<double>::NullaryExpr(3000, 64, [](Index i, Index j) {
    return 3 + std::sin(static_cast<double>(i) * 0.37 * static_cast<double>(j + 1)) /
                   static_cast<double>(j + 1);
  });
  for (std::uint64_t seed = 0; seed < 8; ++seed)
    for (const char* approx : {"nystrom(landmarks=50)", "nystrom(landmarks=50, by=kmeans)"}) {
      const auto model = fit(x, {.components = 3,
                                 .kernel = kernels::rbf({.gamma = 0.2}),
                                 .approx = parse_approx(approx),
                                 .seed = seed});
      EXPECT_LE(model.report().certificate.rounding, 5e-11 * model.eigenvalues()[0]) << approx;
    }
}

TEST(ApproximateCertificate, M_P1_landmarks_of_a_kernel_that_need_not_be_valid_are_rows) {
  // Valid on the rows, but not on rows and centres of k-means together: what the centres leave out
  // would have a negative eigenvalue.
  const auto k = [](long double x, long double y) { return std::tanh(2 * x * y + 0.1L); };
  int held = 0;
  for (int number = 0; number < 60; ++number) {
    Random random(static_cast<unsigned>(number));
    Matrix<double> x = 0.2 * random.normal(2, 1);
    if (number == 0) x << 0.2, -0.1;
    const long double a = x(0), b = x(1);
    const long double truth = (k(a, a) + k(b, b) - 2 * k(a, b)) / 2;
    try {
      const auto model = fit(x, {.components = 1,
                                 .kernel = Kernel::parse("sigmoid(gamma=2, coef0=0.1)"),
                                 .approx = parse_approx("nystrom(landmarks=1, by=kmeans)")});
      EXPECT_LE(static_cast<Long>(model.report().certificate.low[0]), truth) << number;
      EXPECT_GE(static_cast<Long>(model.report().certificate.high[0]), truth) << number;
      ++held;
    } catch (const Error& e) {
      EXPECT_NE(e.code(), Errc::bad_option) << e.what();
    }
  }
  EXPECT_GE(held, 20);
  // Of many rows only a sample is known to be valid, and the certificate says so.
  const Kernel own =
      Kernel::function("own", [](std::span<const double> x, std::span<const double> y) {
        return std::exp(-(x[0] - y[0]) * (x[0] - y[0]));
      });
  const Matrix<double> many = Random(7).normal(1500, 1);
  const auto model = fit(many, {.components = 1, .kernel = own, .approx = Nystrom{.landmarks = 5}});
  EXPECT_HAS(
      model.report().certificate.reason,
      "provided that function(own) is positive semi-definite on all rows, which was seen on 1000");
}

}  // namespace mercer::test::approximate_certificate_test
