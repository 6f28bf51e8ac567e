#include "operators/kernel_matrix.hpp"
#include "support/random.hpp"

#include <mercer/operator.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::test::kernel_matrix_test {

static_assert(SymmetricOperator<KernelMatrix<double>>);

constexpr std::size_t everything = std::size_t{1} << 40;

/// K of the plain formula, with weights and centring as the header states them.
Matrix<double> reference(const Matrix<double>& x, double gamma, const Vector<double>& w,
                         bool center) {
  const Index n = x.rows();
  Matrix<double> k(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) k(i, j) = std::exp(-gamma * (x.row(i) - x.row(j)).squaredNorm());
  if (center) {  // (I − 1wᵀ/s) K (I − w1ᵀ/s), entry by entry
    const Vector<double> mean = k * w / w.sum();
    const double all = w.dot(mean) / w.sum();
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) k(i, j) += all - mean[i] - mean[j];
  }
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) k(i, j) *= std::sqrt(w[i] * w[j]);
  return k;
}

template <class T>
class KernelMatrixOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelMatrixOf, Precisions);

TYPED_TEST(KernelMatrixOf, M_D1_is_the_centred_matrix_however_much_of_it_is_kept) {
  using T = TypeParam;
  Random random(1);
  const Index n = 600;  // three tiles across, the last one cut
  const Matrix<double> x = random.normal(n, 5);
  const Matrix<T> rows = x.cast<T>();
  const Matrix<double> v = random.normal(n, 11);
  const double gamma = 0.2;
  Vector<double> w(n);
  for (Index i = 0; i < n; ++i) w[i] = 0.5 + static_cast<double>(i % 3);
  for (const bool center : {true, false})
    for (const bool weighted : {true, false}) {
      const Matrix<double> a =
          reference(rows.template cast<double>(), gamma,
                    weighted ? w : Vector<double>(Vector<double>::Ones(n)), center);
      const Matrix<double> want = a * v;
      for (const std::size_t memory : {std::size_t{0}, 2 * sizeof(T) * 256 * 256, everything}) {
        KernelMatrix<T> k(kernel_tiles(kernels::rbf({.gamma = gamma}), Rows<T>(rows)),
                          {.center = center,
                           .weights = weighted ? w.data() : nullptr,
                           .memory = memory,
                           .threads = 2});
        // Sums of 600 products, each rounded.
        const double tolerance = 100 * static_cast<double>(std::numeric_limits<T>::epsilon());
        Matrix<double> out(n, 11);
        for (int pass = 0; pass < 2; ++pass) {
          k.apply(v, out);
          EXPECT_LT((out - want).norm(), tolerance * a.norm() * v.norm());
        }
        EXPECT_NEAR(k.trace(), a.trace(), tolerance * a.trace());
      }
    }
}

TEST(KernelMatrix, rounded_tiles_move_it_by_less_than_it_says) {
  Random random(5);
  const Index n = 600;
  const Matrix<double> x = random.normal(n, 5), v = random.normal(n, 9);
  const Vector<double> ones = Vector<double>::Ones(n);
  const Matrix<double> want = reference(x, 0.2, ones, true) * v;
  const Tiles<double> tiles = kernel_tiles(kernels::rbf({.gamma = 0.2}), Rows<double>(x));
  for (const std::size_t memory : {std::size_t{2} * 4 * 256 * 256, everything}) {
    KernelMatrix<double> k(tiles, {.memory = memory, .rounded = true, .threads = 2});
    Matrix<double> first(n, 9), second(n, 9);
    k.apply(v, first);
    k.apply(v, second);
    // One matrix in every pass: solvers mix products of several. The first pass has a vector more,
    // and so another order of sums.
    EXPECT_LT((first - second).norm(), 1e-13 * want.norm());
    const double moved = (first - want).norm();
    EXPECT_LE(moved, k.rounding() * v.norm());
    EXPECT_GT(moved, 1e-4 * k.rounding() * v.norm());  // and it was rounded
    EXPECT_NEAR(k.rounding(), std::ldexp(static_cast<double>(n), -32), 1e-5 * k.rounding());
    k.apply_exact(v, second);
    EXPECT_LT((second - want).norm(), 1e-13 * want.norm());
  }
  EXPECT_EQ(
      KernelMatrix<double>(tiles, {.memory = 3 * 4 * 256 * 256, .rounded = true}).kept_tiles(), 3);
}

TEST(KernelMatrix, entries_beyond_the_diagonal_cannot_be_rounded) {
  Random random(6);
  Matrix<double> k = random.normal(300, 300);  // no kernel's matrix
  k = (k + k.transpose()).eval();
  k.diagonal().setOnes();
  KernelMatrix<double> a(matrix_tiles(Rows<double>(k)), {.memory = everything, .rounded = true});
  const Matrix<double> v = random.normal(300, 2);
  Matrix<double> out(300, 2);
  a.apply(v, out);
  EXPECT_EQ(a.rounding(), std::numeric_limits<double>::infinity());
}

TEST(KernelMatrix, is_bitwise_the_same_for_one_and_two_threads) {
  Random random(2);
  const Matrix<double> x = random.normal(700, 4), v = random.normal(700, 9);
  Matrix<double> one(700, 9), two(700, 9);
  for (auto [threads, out] : {std::pair{1, &one}, std::pair{2, &two}}) {
    KernelMatrix<double> k(kernel_tiles(kernels::rbf({.gamma = 1.0}), Rows<double>(x)),
                           {.memory = everything, .threads = threads});
    k.apply(v, *out);
  }
  EXPECT_EQ((one.array() == two.array()).count(), one.size());
}

TEST(KernelMatrix, a_matrix_computed_elsewhere_acts_like_its_kernel) {
  Random random(3);
  const Matrix<double> x = random.normal(300, 3), v = random.normal(300, 4);
  const Kernel kernel = kernels::laplacian({.gamma = 0.3});
  const Matrix<double> matrix = kernel.matrix(Rows<double>(x));
  KernelMatrix<double> a(kernel_tiles(kernel, Rows<double>(x)), {.memory = everything});
  KernelMatrix<double> b(matrix_tiles(Rows<double>(matrix)), {});
  Matrix<double> ya(300, 4), yb(300, 4);
  a.apply(v, ya);
  b.apply(v, yb);
  EXPECT_LT((ya - yb).norm(), 1e-12 * ya.norm());
}

TEST(KernelMatrix, stops_when_its_monitor_says_so) {
  Random random(4);
  const Matrix<double> x = random.normal(1000, 3), v = random.normal(1000, 4);
  KernelMatrix<double> a(kernel_tiles(kernels::linear(), Rows<double>(x)),
                         {.monitor = [](const Progress&) { return false; }});
  Matrix<double> out(1000, 4);
  EXPECT_THROW(a.apply(v, out), Error);
}

}  // namespace mercer::test::kernel_matrix_test
