#include "solvers/orthonormal.hpp"

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "solvers/tall.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace mercer {

void fill_random(Matrix<double>& w, Index from, std::mt19937_64& random) {
  const double length = std::sqrt(3.0 / static_cast<double>(std::max<Index>(w.rows(), 1)));
  // Not std::uniform_real_distribution: its numbers differ between standard libraries.
  const auto uniform = [&] { return 0x1p-52 * static_cast<double>(random() >> 11) - 1; };
  for (Index i = 0; i < w.rows(); ++i)
    for (Index j = from; j < w.cols(); ++j) w(i, j) = length * uniform();
}

void fill_normal(Matrix<double>& w, std::mt19937_64& random) {
  // Marsaglia's polar method, for the same reason.
  const auto uniform = [&] { return 0x1p-52 * static_cast<double>(random() >> 11) - 1; };
  for (Index i = 0; i < w.rows(); ++i)
    for (Index j = 0; j < w.cols(); j += 2) {
      double a = 0, b = 0, square = 0;
      do {
        a = uniform();
        b = uniform();
        square = a * a + b * b;
      } while (square >= 1 || square == 0);
      const double length = std::sqrt(-2 * std::log(square) / square);
      w(i, j) = a * length;
      if (j + 1 < w.cols()) w(i, j + 1) = b * length;
    }
}

void orthonormalise(const Matrix<double>& q, Index m, Matrix<double>& w, Matrix<double>& spare,
                    std::mt19937_64& random, int threads, bool orthogonal) {
  const Index n = w.rows(), b = w.cols();
  assert(m + b <= n && spare.rows() == n && spare.cols() == b);
  Matrix<double> overlap(m, b), transform(b, b);
  const BlasThreads one(1);
  bool project = m > 0 && !orthogonal;
  // Two sweeps are the rule; each replaced column needs one more.
  for (int sweep = 0; sweep < 20; ++sweep) {
    double moved = project || m == 0 ? 0.0 : 1.0;
    // Shorter columns are rounding: of the numbers that the block was made from, which are about 1,
    // or of the unit vectors that it consists of from the second sweep on.
    const double nothing = project || sweep > 0 ? 1e-10 : 1e-15;
    if (project) {
      tall_times_tall(q.data(), n, m, q.cols(), w.data(), b, b, overlap.data(), b, threads);
      moved = overlap.cwiseAbs().maxCoeff();
      overlap = -overlap;
      tall_times_small(q.data(), n, m, q.cols(), overlap.data(), b, b, w.data(), b, true, threads);
    }
    project = m > 0;

    // The eigenvectors of the scaled Gram matrix orthonormalise like a Cholesky factor would, and
    // tell which directions are rounding (Stathopoulos and Wu, SISC 23, 2002).
    Matrix<double> gram(b, b);
    tall_times_tall(w.data(), n, b, b, w.data(), b, b, gram.data(), b, threads);
    const Vector<double> length = gram.diagonal().cwiseSqrt();
    const Vector<double> inverse =
        (length.array() > nothing).select(length.cwiseInverse(), Vector<double>::Zero(b));
    gram = inverse.asDiagonal() * gram * inverse.asDiagonal();
    const auto [values, vectors] = symmetric_eigen(std::move(gram), b);
    const Index rank = (values.array() > 1e-14 * static_cast<double>(b)).count();
    transform.leftCols(rank) = inverse.asDiagonal() * vectors.topRows(rank).transpose() *
                               values.head(rank).cwiseSqrt().cwiseInverse().asDiagonal();
    tall_times_small(w.data(), n, b, b, transform.data(), rank, b, spare.data(), b, false, threads);
    fill_random(spare, rank, random);
    w.swap(spare);

    // What was nearly orthonormal before is so to rounding now.
    if (rank == b && values[b - 1] > 0.5 && moved < 0.1) return;
  }
}

void rotate_columns(Matrix<double>& q, const Matrix<double>& t, int threads) {
  constexpr Index panel = 1024;
  const BlasThreads one(1);
  parallel_for((q.rows() + panel - 1) / panel, threads, [&](Index p) {
    const Index i = p * panel, rows = std::min(panel, q.rows() - i);
    Matrix<double> rotated(rows, t.cols());
    multiply(q.row(i).data(), rows, t.rows(), q.cols(), t.data(), t.cols(), t.cols(),
             rotated.data(), t.cols());
    q.block(i, 0, rows, t.cols()) = rotated;
  });
}

}  // namespace mercer
