// Weng, Zhang & Hwang 2003: candid covariance-free incremental PCA. v_j is the amnesic average of
// (x·w_j)x, its direction w_j and its length λ_j. Row by row, x loses w_j before the next; in
// mini-batches the singular vectors of V part them, which is a step of subspace iteration on the
// covariance of all rows so far, WᵀΛW standing for those before.
#include "learn/rules/rule.hpp"
#include "linalg/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace mercer {

namespace {

/// memory: λ_1, λ_2, …
void ccipca_by_row(Neurons& n, const RowStep& s) {
  const Index k = n.w.rows(), d = n.w.cols();
  Eigen::Map<Eigen::RowVectorXd> r(n.scratch.data(), d);
  r = Eigen::Map<const Eigen::RowVectorXd>(s.x, d);
  const double square = r.squaredNorm();
  for (Index j = 0; j < k; ++j) {
    auto w = n.w.row(j);
    double& length = n.memory[static_cast<std::size_t>(j)];
    const double rest = r.squaredNorm();
    if (length > 0) {
      const double old = (1 - s.gain) * length, fresh = s.gain * w.dot(r);
      if (old > 0 || fresh != 0) {
        w = old * w + fresh * r;
        length = w.norm();
        w /= length;
      }
    } else if (rest > 1e-20 * square) {
      // The first row with something left is the first direction.
      w = r / std::sqrt(rest);
      length = rest;
    }
    r -= w.dot(r) * w;
  }
  look_ahead(n, s);
}

/// Rows from `live` on become directions of `old` that those before lack, so that neurons which
/// the rows so far had nothing for stay awake.
void fill_up(Matrix<double>& w, Index live, const Matrix<double>& old) {
  for (Index j = live; j < w.rows(); ++j) {
    const auto done = w.topRows(j);
    const Matrix<double> rest = old - old * done.transpose() * done;
    Index most = 0;
    rest.rowwise().squaredNorm().maxCoeff(&most);
    w.row(j) = rest.row(most) - rest.row(most) * done.transpose() * done;
    w.row(j).normalize();
  }
}

void ccipca_by_batch(Neurons& n, const BatchStep& s) {
  Eigen::Map<Vector<double>> lengths(n.memory.data(), n.w.rows());
  const Matrix<double> old = n.w;
  // The rows before lie about another mean: that adds (1−g) ssᵀ to their covariance.
  const Matrix<double> v = s.gain * s.yx + (1 - s.gain) * (lengths.asDiagonal() * old +
                                                           (old * s.shift) * s.shift.transpose());
  RightSvd parts = right_svd(v);
  n.w = std::move(parts.vectors);
  lengths = parts.values;
  const Index live = (lengths.array() > 1e-14 * lengths[0]).count();
  fill_up(n.w, live, old);
  for (Index j = 0; j < live; ++j)
    if (n.w.row(j).dot(old.row(j)) < 0) n.w.row(j) *= -1;
}

}  // namespace

extern const RuleRow ccipca_rule = {
    .name = "ccipca",
    .formula = "v_j = (1-g) v_j + g (x.w_j) x, w_j = v_j/|v_j|, x -= (x.w_j) w_j",
    .notes = "no rate: amnesic averages; in mini-batches an SVD separates the v_j",
    .has_rate = false,
    .memory = [](Index neurons) { return static_cast<std::size_t>(neurons); },
    .by_row = ccipca_by_row,
    .by_batch = ccipca_by_batch,
    // A step shrinks the error of the first k by λ of the first neuron that is missing over λ_k:
    // twice as many neurons, as usual in subspace iteration.
    .spare = [](Index k) { return std::max<Index>(8, k); },
};

}  // namespace mercer
