#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/map.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/SparseCore>

namespace mercer::tensor_sketch_test {

using test::error_of;

template <class T>
Matrix<T> features_of(const Map<T>& phi, const Rows<T>& x) {
  Matrix<T> f(x.rows(), phi.features());
  phi.apply(x, f);
  return f;
}

/// Row i by the definition: a sum over all p-tuples of entries of (√γ x, √c).
Vector<double> by_definition(const Matrix<double>& hashes, const Vector<double>& entries,
                             Index features) {
  Vector<double> out = Vector<double>::Zero(features);
  const Index p = hashes.rows(), d = entries.size();
  std::vector<Index> tuple(static_cast<std::size_t>(p), 0);
  for (bool more = true; more;) {
    double product = 1;
    Index bucket = 0;
    for (Index j = 0; j < p; ++j) {
      const Index c = tuple[static_cast<std::size_t>(j)];
      product *= entries[c] * (hashes(j, c) < 0 ? -1 : 1);
      bucket += static_cast<Index>(std::abs(hashes(j, c))) - 1;
    }
    out[bucket % features] += product;
    more = false;
    for (Index& c : tuple) {
      if (more = ++c < d; more) break;
      c = 0;
    }
  }
  return out;
}

struct Law {
  const char* kernel;
  double gamma, coef0;
  int degree;
  double factor;
};
constexpr Law laws[] = {
    {"linear", 1, 0, 1, 1},
    {"poly(degree=1, coef0=2)", 1, 2, 1, 1},
    {"poly(degree=2, coef0=0)", 1, 0, 2, 1},
    {"poly(degree=3, coef0=0.5, gamma=0.25)", 0.25, 0.5, 3, 1},
    {"poly(degree=4, coef0=1, gamma=0.5)", 0.5, 1, 4, 1},
    {"3*poly(degree=5, coef0=1, gamma=0.5)", 0.5, 1, 5, 3},
    {"linear^3", 1, 0, 3, 1},
    {"(2*poly(degree=2, coef0=1))^2", 1, 1, 4, 4},
};

template <class T>
class TensorSketch : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(TensorSketch, Precisions);

TYPED_TEST(TensorSketch, is_a_count_sketch_of_all_products_of_entries) {
  using T = TypeParam;
  constexpr Index d = 4, n = 11;  // more rows than are done at a time
  Matrix<T> x = test::Random(1).normal(n, d).cast<T>();
  x = (x.array() > T(-0.5)).select(x, Matrix<T>::Zero(n, d));
  const Csr<T> sparse = Csr<T>::from(Eigen::SparseMatrix<T, Eigen::RowMajor>(x.sparseView()));
  for (const Law& law : laws)
    for (const Index features : {1, 2, 32, 128}) {
      SCOPED_TRACE(fmt::format("{} {}", law.kernel, features));
      const auto phi = tensor_sketch_map<T>(Kernel::parse(law.kernel), d, features, {.seed = 5});
      EXPECT_EQ(phi->inputs(), d);
      EXPECT_EQ(phi->features(), features);
      EXPECT_EQ(phi->space(), Space::features);
      const Matrix<double> hashes = phi->anchors().dense().template cast<double>();
      ASSERT_EQ(hashes.rows(), law.degree);
      ASSERT_EQ(hashes.cols(), d + 1);
      const Matrix<T> dense = features_of(*phi, Rows<T>(x));
      EXPECT_EQ(dense, features_of(*phi, Rows<T>(sparse)));
      for (Index i = 0; i < n; ++i) {
        Vector<double> entries(d + 1);
        entries << std::sqrt(law.gamma) * x.row(i).template cast<double>().transpose(),
            std::sqrt(law.coef0);
        const Vector<double> truth =
            std::sqrt(law.factor) * by_definition(hashes, entries, features);
        // A transform is off by a few ε of the largest number in it; p of them are multiplied.
        const double size =
            std::sqrt(law.factor) * std::pow(entries.template lpNorm<1>(), law.degree);
        EXPECT_LT((dense.row(i).transpose().template cast<double>() - truth).norm(),
                  10 * std::numeric_limits<T>::epsilon() * size);
      }
    }
}

TEST(TensorSketchMap, estimates_without_bias_and_within_its_variance) {
  constexpr Index d = 5, features = 16, seeds = 4000;
  Matrix<double> x = test::Random(2).normal(3, d);
  x.rowwise().normalize();
  for (const Law& law : laws) {
    SCOPED_TRACE(law.kernel);
    const Kernel kernel = Kernel::parse(law.kernel);
    Matrix<double> sum = Matrix<double>::Zero(3, 3), squares = sum;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) {
      const auto f = features_of(*tensor_sketch_map<double>(kernel, d, features, {.seed = seed}),
                                 Rows<double>(x));
      const Matrix<double> k = f * f.transpose();
      sum += k;
      squares += k.cwiseAbs2();
    }
    for (Index i = 0; i < 3; ++i)
      for (Index j = 0; j <= i; ++j) {
        const double k =
            law.factor * std::pow(law.gamma * x.row(i).dot(x.row(j)) + law.coef0, law.degree);
        const double variance = squares(i, j) / seeds - std::pow(sum(i, j) / seeds, 2);
        EXPECT_NEAR(sum(i, j) / seeds, k, 4.5 * std::sqrt(variance / seeds));
        const double norm = law.factor * std::pow(law.gamma + law.coef0, law.degree);
        EXPECT_LT(variance, std::pow(3, law.degree) / features * norm * norm);
      }
  }
}

TEST(TensorSketchMap, of_degree_one_is_a_count_sketch) {
  Matrix<double> hashes(1, 4), x(2, 3);
  hashes << 2, -4, 2, -1;
  x << 1, 10, 100, -3, 0, 0.5;
  const auto phi = tensor_sketch_map<double>(kernels::poly({.degree = 1, .coef0 = 4}), 4, hashes);
  Matrix<double> truth(2, 4);
  truth << -2, 101, 0, -10, -2, -2.5, 0, 0;
  EXPECT_LT((features_of(*phi, Rows<double>(x)) - truth).cwiseAbs().maxCoeff(), 1e-13);
}

TYPED_TEST(TensorSketch, of_a_row_does_not_depend_on_the_others) {
  using T = TypeParam;
  const auto phi = tensor_sketch_map<T>(kernels::poly({.degree = 3}), 6, 64);
  Matrix<T> x = test::Random(4).normal(9, 6).template cast<T>();
  x.row(4) *= T(1e5);
  const Matrix<T> all = features_of(*phi, Rows<T>(x));
  for (Index i = 0; i < 9; ++i)
    EXPECT_EQ(Matrix<T>(all.row(i)), features_of(*phi, Rows<T>(x).middle(i, 1)));
}

TYPED_TEST(TensorSketch, refuses_what_is_no_polynomial_and_hashes_that_lead_nowhere) {
  using T = TypeParam;
  const auto refused = [](Errc code, const char* part, auto call) {
    const Error error = error_of(call);
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_HAS(error.what(), part);
  };
  const Kernel poly = kernels::poly({.degree = 2});
  for (const char* text :
       {"rbf", "rbf(gamma=1)", "sigmoid", "poly + linear", "cosine", "constant", "poly(coef0=-1)"})
    refused(Errc::bad_option, "has no TensorSketch; kernels that have one: linear, poly",
            [&] { tensor_sketch_map<T>(Kernel::parse(text), 2, 8); });
  for (const Index features : {Index{-8}, Index{0}, Index{1000}, Index{1} << 21, Index{1} << 62})
    refused(Errc::bad_option, "must be a power of two up to 1048576",
            [&] { tensor_sketch_map<T>(poly, 2, features); });
  refused(Errc::bad_option, "0 columns", [&] { tensor_sketch_map<T>(poly, 0, 8); });
  refused(Errc::out_of_memory, "use a smaller degree",
          [&] { tensor_sketch_map<T>(poly, Index{1} << 60, 8); });
  for (const double wrong : {0.0, 9.0, -9.0, 1.5, 1e30, std::nan(""), HUGE_VAL}) {
    Matrix<T> hashes = Matrix<T>::Ones(2, 3);
    hashes(1, 2) = static_cast<T>(wrong);
    refused(Errc::bad_option, "not a signed bucket",
            [&] { tensor_sketch_map<T>(poly, 8, hashes); });
  }
  refused(Errc::bad_option, "with 3 hash functions of 2 columns",
          [&] { tensor_sketch_map<T>(poly, 8, Matrix<T>::Ones(3, 3).eval()); });
  refused(Errc::bad_option, "hash functions of 0 columns",
          [&] { tensor_sketch_map<T>(poly, 8, Matrix<T>::Ones(2, 1).eval()); });
}

}  // namespace mercer::tensor_sketch_test
