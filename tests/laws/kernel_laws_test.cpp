// Laws that every kernel of the table obeys on any rows. A new kernel joins by its table row.
#include <mercer/kernel.hpp>

#include "kernels/reference.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <Eigen/Eigenvalues>

namespace mercer::kernel_laws_test {

struct Case {
  Matrix<double> x;
  Kernel kernel;
};

/// Any kernel of the table on rows without negative entries, some of them 0, some twice there; or
/// several kernels put together.
Case any_case() {
  test::Random random(*rc::gen::inRange<std::uint64_t>(0, 1 << 30));
  const Index n = *rc::gen::inRange<Index>(2, 40), d = *rc::gen::inRange<Index>(1, 12);
  Matrix<double> x = test::nonnegative_rows<double>(random, n, d);
  x(0, 0) = 2;
  x.row(n - 1) = x.row(n / 2);
  x.row(0).array() += 0.25;
  const auto any = [&] {
    const auto at = *rc::gen::inRange<std::size_t>(0, kernel_table().size());
    return Kernel::parse(kernel_table()[at].name);
  };
  Kernel kernel = any();
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      kernel = kernel + any();
      break;
    case 1:
      kernel = kernel * any();
      break;
    case 2:
      kernel = 0.3 * kernel;
      break;
    case 3:
      kernel = pow(kernel, 2);
      break;
    default:
      break;
  }
  kernel = kernel.completed(Rows<double>(x));
  RC_LOG() << kernel.text() << " on " << n << "x" << d << "\n";
  return {x, kernel};
}

double size_of(const Matrix<double>& k) { return std::max(1.0, k.cwiseAbs().maxCoeff()); }

TEST(KernelLaw, matrices_are_symmetric_and_their_diagonal_is_the_diagonal) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const Matrix<double> k = c.kernel.matrix<double>(c.x);
    RC_ASSERT(k == k.transpose());
    RC_ASSERT(k.diagonal() == c.kernel.diagonal<double>(c.x));
    const Matrix<double> pairs = c.kernel.matrix<double>(c.x, Rows<double>(c.x));
    RC_ASSERT((pairs - k).cwiseAbs().maxCoeff() < 1e-11 * size_of(k));
  }));
}

TEST(KernelLaw, valid_kernels_are_positive_semidefinite) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    RC_PRE(c.kernel.always_valid());
    const Matrix<double> k = c.kernel.matrix<double>(c.x);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(k);
    RC_ASSERT(eigen.eigenvalues()[0] > -1e-11 * eigen.eigenvalues()[k.rows() - 1]);
    RC_ASSERT(check_kernel<double>(c.kernel, c.x).valid());
  }));
}

TEST(KernelLaw, a_tile_is_its_pairs) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const Matrix<double> k = c.kernel.matrix<double>(c.x);
    for (Index i = 0; i < c.x.rows(); i += 3)
      for (Index j = 0; j < c.x.rows(); j += 2) {
        Matrix<double> one(1, 1);
        c.kernel.tile<double>(Rows<double>(c.x).middle(i, 1), Rows<double>(c.x).middle(j, 1), one);
        RC_ASSERT(std::abs(one(0, 0) - k(i, j)) < 1e-11 * size_of(k));
      }
  }));
}

TEST(KernelLaw, sparse_rows_are_dense_rows) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const Matrix<double> k = c.kernel.matrix<double>(c.x);
    const Csr<double> sparse = test::sparse_copy(c.x);
    RC_ASSERT((c.kernel.matrix<double>(sparse) - k).cwiseAbs().maxCoeff() < 1e-11 * size_of(k));
    RC_ASSERT((c.kernel.matrix<double>(c.x, Rows<double>(sparse)) - k).cwiseAbs().maxCoeff() <
              1e-11 * size_of(k));
  }));
}

TEST(KernelLaw, float_is_double_to_its_precision) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const Matrix<float> x = c.x.cast<float>();
    const Matrix<double> k = c.kernel.matrix<double>(Matrix<double>(x.cast<double>()));
    RC_ASSERT((c.kernel.matrix<float>(x).cast<double>() - k).cwiseAbs().maxCoeff() <
              1e-4 * size_of(k));
  }));
}

TEST(KernelLaw, text_parses_back_to_the_same_kernel) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const Kernel again = Kernel::parse(c.kernel.text());
    RC_ASSERT(again.text() == c.kernel.text());
    RC_ASSERT(again.matrix<double>(c.x) == c.kernel.matrix<double>(c.x));
    RC_ASSERT(again.always_valid() == c.kernel.always_valid());
  }));
}

}  // namespace mercer::kernel_laws_test
