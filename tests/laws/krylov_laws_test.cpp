// Laws of the block Krylov solver, for any spectrum, block and basis.
#include "solvers/krylov.hpp"

#include "support/operators.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <functional>

namespace mercer::krylov_laws_test {

/// Any mixture of copies, clusters, zeros, decay and signs.
Vector<double> any_spectrum() {
  const Index n = *rc::gen::inRange<Index>(1, 90);
  Vector<double> values(n);
  double value = *rc::gen::element(1e-8, 1.0, 1e20);
  for (Index i = 0; i < n; ++i) {
    values[i] = value;
    value *= *rc::gen::element(1.0, 1.0, 0.9999, 0.9, 0.3, -0.8);
    if (*rc::gen::inRange(0, 20) == 0) value = 0;
  }
  std::sort(values.begin(), values.end(), std::greater<>());
  return values;
}

TEST(KrylovLaw, values_are_the_largest_vectors_orthonormal_and_residuals_true) {
  EXPECT_TRUE(rc::check([] {
    const Vector<double> values = any_spectrum();
    const Index n = values.size(), k = *rc::gen::inRange<Index>(1, n + 1);
    auto a = test::with_spectrum(values, *rc::gen::inRange<std::uint64_t>(0, 1 << 30));
    BlockKrylov how{.block = *rc::gen::inRange<Index>(2, 20)};
    const Index blocks = *rc::gen::element<Index>(0, 2, 4, 5, 12);
    if (blocks > 0) how.basis = std::min(n, k + blocks * how.block);
    // A small basis takes thousands of passes for some clusters: it may grow, or else give up.
    how.most_basis = *rc::gen::element<Index>(0, n);
    Eigenpairs p;
    try {
      p = krylov_pairs(a, k, how, {.threads = 1}).pairs;
    } catch (const Error& e) {
      RC_ASSERT(e.code() == Errc::not_converged);
      RC_ASSERT(std::max(resolved(how, n, k).basis, how.most_basis) < n);
      return;
    }
    const double scale = std::max(values.cwiseAbs().maxCoeff(), 1e-200);
    RC_ASSERT(((p.values - values.head(k)) / scale).cwiseAbs().maxCoeff() <= 1.1e-10);
    RC_ASSERT((p.vectors * p.vectors.transpose() - Matrix<double>::Identity(k, k)).norm() < 1e-11);
    const Matrix<double> r = (p.vectors * a.a - p.values.asDiagonal() * p.vectors) / scale;
    RC_ASSERT((r.rowwise().norm() - p.residuals / scale).cwiseAbs().maxCoeff() < 1e-12);
    RC_ASSERT(p.residuals.maxCoeff() <= 1e-10 * scale);
  }));
}

}  // namespace mercer::krylov_laws_test
