#include "solvers/orthonormal.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace mercer {

void orthonormalise(const TallBlocks& tall, const Matrix<double>& q, Index m, Matrix<double>& w,
                    Matrix<double>& spare, RowRandom& random, bool orthogonal) {
  const Index b = w.cols();
  assert(m + b <= tall.size() && spare.rows() == w.rows() && spare.cols() == b);
  Matrix<double> transform(b, b);
  bool project = m > 0 && !orthogonal;
  // Two sweeps are the rule; each replaced column needs one more.
  for (int sweep = 0; sweep < 20; ++sweep) {
    double moved = project || m == 0 ? 0.0 : 1.0;
    // Shorter columns are rounding: of the numbers that the block was made from, which are about 1,
    // or of the unit vectors that it consists of from the second sweep on.
    const double nothing = project || sweep > 0 ? 1e-10 : 1e-15;
    if (project) {
      const Matrix<double> overlap = tall.inner(q.leftCols(m), w);
      moved = overlap.cwiseAbs().maxCoeff();
      tall.times(q.leftCols(m), -overlap, w, true);
    }
    project = m > 0;

    // The eigenvectors of the scaled Gram matrix orthonormalise like a Cholesky factor would, and
    // tell which directions are rounding (Stathopoulos and Wu, SISC 23, 2002).
    Matrix<double> gram = tall.inner(w, w);
    const Vector<double> length = gram.diagonal().cwiseSqrt();
    const Vector<double> inverse =
        (length.array() > nothing).select(length.cwiseInverse(), Vector<double>::Zero(b));
    gram = inverse.asDiagonal() * gram * inverse.asDiagonal();
    const auto [values, vectors] = tall.eigen(std::move(gram), b);
    const Index rank = (values.array() > 1e-14 * static_cast<double>(b)).count();
    transform.leftCols(rank) = inverse.asDiagonal() * vectors.topRows(rank).transpose() *
                               values.head(rank).cwiseSqrt().cwiseInverse().asDiagonal();
    if (rank > 0) tall.times(w, transform.leftCols(rank), spare.leftCols(rank));
    tall.fill_random(spare, rank, random);
    w.swap(spare);

    // What was nearly orthonormal before is so to rounding now.
    if (rank == b && values[b - 1] > 0.5 && moved < 0.1) return;
  }
}

}  // namespace mercer
