#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/map.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

namespace mercer::fourier_test {

using test::error_of;

/// A kernel and its formula in the difference of two rows.
struct Law {
  Kernel kernel;
  double (*value)(const Vector<double>& difference);
};

std::vector<Law> laws() {
  using V = const Vector<double>&;
  using namespace kernels;
  return {
      {rbf({.gamma = 0.3}), [](V z) { return std::exp(-0.3 * z.squaredNorm()); }},
      {laplacian({.gamma = 0.4}), [](V z) { return std::exp(-0.4 * z.lpNorm<1>()); }},
      {exponential({.gamma = 0.7}), [](V z) { return std::exp(-0.7 * z.norm()); }},
      {matern({.nu = 0.5, .length = 2}), [](V z) { return std::exp(-z.norm() / 2); }},
      {matern({.nu = 1.5, .length = 0.8}),
       [](V z) {
         const double s = std::sqrt(3) * z.norm() / 0.8;
         return (1 + s) * std::exp(-s);
       }},
      {matern({.nu = 2.5, .length = 1.2}),
       [](V z) {
         const double s = std::sqrt(5) * z.norm() / 1.2;
         return (1 + s + s * s / 3) * std::exp(-s);
       }},
      {2.5 * rbf({.gamma = 0.1}), [](V z) { return 2.5 * std::exp(-0.1 * z.squaredNorm()); }},
  };
}

template <class T>
Matrix<T> features_of(const Map<T>& phi, const Rows<T>& x) {
  Matrix<T> f(x.rows(), phi.features());
  phi.apply(x, f);
  return f;
}

TEST(FourierMap, estimates_every_kernel_that_has_frequencies_without_bias) {
  constexpr Index d = 3, features = 14, seeds = 3000;  // two blocks of directions and a part of one
  const Matrix<double> x = 0.7 * test::Random(1).normal(4, d);
  for (const Law& law : laws())
    for (const bool orthogonal : {true, false}) {
      SCOPED_TRACE(law.kernel.text());
      Matrix<double> sum = Matrix<double>::Zero(4, 4);
      for (std::uint64_t seed = 0; seed < seeds; ++seed) {
        const auto phi =
            fourier_map<double>(law.kernel, d, features, {.orthogonal = orthogonal, .seed = seed});
        const Matrix<double> f = features_of(*phi, Rows<double>(x));
        sum += f * f.transpose();
      }
      for (Index i = 0; i < 4; ++i)
        for (Index j = 0; j < i; ++j) {
          const Vector<double> z = (x.row(i) - x.row(j)).transpose();
          // E cos² = (1 + E cos 2ωz)/2 for one frequency, and there are features/2 · seeds.
          const double one = law.value(Vector<double>::Zero(d)), k = law.value(z);
          const double variance = one * (one + law.value(2 * z)) / 2 - k * k;
          EXPECT_NEAR(sum(i, j) / seeds, k, 4.5 * std::sqrt(variance / (features / 2 * seeds)))
              << orthogonal;
        }
    }
}

TEST(FourierMap, has_the_exact_diagonal) {
  const Matrix<double> x = test::Random(2).normal(5, 4) * 10;
  for (const Law& law : laws()) {
    const auto phi = fourier_map<double>(law.kernel, 4, 30);
    const Vector<double> squares = features_of(*phi, Rows<double>(x)).rowwise().squaredNorm();
    const double one = law.value(Vector<double>::Zero(4));
    for (Index i = 0; i < 5; ++i) EXPECT_NEAR(squares[i], one, 1e-14 * one) << law.kernel.text();
  }
}

TEST(FourierMap, with_orthogonal_frequencies_has_smaller_errors) {
  constexpr Index d = 16, n = 12;
  const Matrix<double> x = test::Random(3).normal(n, d);
  const Kernel kernel = kernels::rbf({.gamma = 0.5 / d});
  const Matrix<double> k = kernel.matrix(Rows<double>(x));
  double errors[2] = {};
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    for (const bool orthogonal : {false, true}) {
      const auto phi = fourier_map<double>(kernel, d, 64, {.orthogonal = orthogonal, .seed = seed});
      const Matrix<double> f = features_of(*phi, Rows<double>(x));
      errors[orthogonal] += (f * f.transpose() - k).squaredNorm();
    }
  EXPECT_LT(errors[1], 0.6 * errors[0]);
}

TEST(FourierMap, has_orthogonal_frequencies_unless_told_otherwise) {
  constexpr Index d = 7;
  const auto angles = [](const Map<double>& phi) {
    Matrix<double> w = phi.anchors().dense();
    w.rowwise().normalize();
    Matrix<double> gram = (w * w.transpose()).topLeftCorner(d, d);
    gram.diagonal().setZero();
    return gram.cwiseAbs().maxCoeff();
  };
  EXPECT_LT(angles(*fourier_map<double>(kernels::rbf({.gamma = 1}), d, 20)), 1e-14);
  EXPECT_LT(angles(*fourier_map<double>(kernels::matern({.length = 1}), d, 20)), 1e-14);
  EXPECT_GT(angles(*fourier_map<double>(kernels::rbf({.gamma = 1}), d, 20, {.orthogonal = false})),
            0.1);
  // Not the same in all directions, so independent entries whatever is asked for.
  const Kernel laplacian = kernels::laplacian({.gamma = 1});
  const auto one = fourier_map<double>(laplacian, d, 20, {.orthogonal = true, .seed = 4});
  const auto other = fourier_map<double>(laplacian, d, 20, {.orthogonal = false, .seed = 4});
  EXPECT_EQ(Matrix<double>(one->anchors().dense()), Matrix<double>(other->anchors().dense()));
  EXPECT_GT(angles(*one), 0.1);
}

template <class T>
class Fourier : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(Fourier, Precisions);

TYPED_TEST(Fourier, is_cosines_and_sines_of_the_products_whole_or_in_strips_dense_or_sparse) {
  using T = TypeParam;
  constexpr Index d = 6, features = 600, n = 300;  // more than two strips, more rows than a tile
  Matrix<T> x = test::Random(5).normal(n, d).cast<T>();
  x = (x.array() > T(0.5)).select(x, Matrix<T>::Zero(n, d));
  const Csr<T> sparse = Csr<T>::from(Eigen::SparseMatrix<T, Eigen::RowMajor>(x.sparseView()));
  const auto phi = fourier_map<T>(0.25 * kernels::rbf({.gamma = 0.3}), d, features,
                                  {.orthogonal = true, .seed = 9});
  ASSERT_EQ(phi->features(), features);
  ASSERT_EQ(phi->inputs(), d);
  ASSERT_LT(phi->strip(), features);
  EXPECT_EQ(phi->space(), Space::features);

  const Matrix<double> z =
      x.template cast<double>() * phi->anchors().dense().template cast<double>().transpose();
  Matrix<double> truth(n, features);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < features / 2; ++j) {
      truth(i, 2 * j) = std::sqrt(0.5 / features) * std::cos(z(i, j));
      truth(i, 2 * j + 1) = std::sqrt(0.5 / features) * std::sin(z(i, j));
    }
  // The error of a product of size up to 10, times a scale of 0.03.
  const double tolerance = 3 * std::numeric_limits<T>::epsilon();
  for (const Rows<T>& rows : {Rows<T>(x), Rows<T>(sparse)}) {
    EXPECT_LT((features_of(*phi, rows).template cast<double>() - truth).cwiseAbs().maxCoeff(),
              tolerance);
    for (const Index first : {Index{0}, Index{1}, Index{254}, features - 7})
      for (const Index count : {Index{6}, Index{7}}) {
        Matrix<T> part(n, count);
        phi->apply_strip(rows, first, part);
        EXPECT_LT(
            (part.template cast<double>() - truth.middleCols(first, count)).cwiseAbs().maxCoeff(),
            tolerance)
            << first << " " << count;
      }
  }
}

TYPED_TEST(Fourier, is_a_function_of_its_seed_in_either_precision) {
  using T = TypeParam;
  const Kernel kernel = kernels::matern({.nu = 2.5, .length = 2});
  const auto numbers = [&](std::uint64_t seed) {
    return Matrix<T>(
        fourier_map<T>(kernel, 5, 16, {.orthogonal = true, .seed = seed})->anchors().dense());
  };
  EXPECT_EQ(numbers(7), numbers(7));
  EXPECT_NE(numbers(7), numbers(8));
  const auto exact = fourier_map<double>(kernel, 5, 16, {.orthogonal = true, .seed = 7});
  EXPECT_EQ(numbers(7), Matrix<T>(exact->anchors().dense().template cast<T>()));
}

TYPED_TEST(Fourier, refuses_what_has_no_frequencies) {
  using T = TypeParam;
  const auto refused = [](Errc code, const char* part, auto call) {
    const Error error = error_of(call);
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_HAS(error.what(), part);
  };
  const Kernel rbf = kernels::rbf({.gamma = 1});
  for (const char* text : {"poly", "linear", "rbf(gamma=1) + rbf(gamma=2)", "rbf(gamma=1)^2",
                           "chi2", "constant", "sigmoid"})
    refused(Errc::bad_option,
            "has no Fourier features; kernels that have them: rbf, laplacian, exponential, matern",
            [&] { fourier_map<T>(Kernel::parse(text), 2, 8); });
  refused(Errc::bad_option, "a parameter of rbf() is open",
          [&] { fourier_map<T>(kernels::rbf(), 2, 8); });
  for (const Index features : {-2, 0, 7})
    refused(Errc::bad_option, "must be an even number of at least 2",
            [&] { fourier_map<T>(rbf, 2, features); });
  refused(Errc::bad_option, "0 columns", [&] { fourier_map<T>(rbf, 0, 8); });
  refused(Errc::out_of_memory, "use fewer features",
          [&] { fourier_map<T>(rbf, 1'000'000, Index{1} << 60); });
  refused(Errc::bad_option, "0 frequencies", [&] { fourier_map<T>(rbf, Matrix<T>(0, 2)); });
  const T infinity = std::numeric_limits<T>::infinity();
  refused(Errc::bad_option, "not all finite",
          [&] { fourier_map<T>(rbf, Matrix<T>::Constant(1, 2, infinity).eval()); });
  if (std::is_same_v<T, float>)
    refused(Errc::bad_option, "not all finite in this precision",
            [&] { fourier_map<T>(kernels::rbf({.gamma = 1e100}), 2, 8); });
}

}  // namespace mercer::fourier_test
