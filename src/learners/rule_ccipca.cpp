// Weng, Zhang & Hwang 2003: candid covariance-free incremental PCA. v_j is the amnesic average of
// (x·w_j)x, its direction w_j and its length λ_j; x loses w_j before the next.
#include "learners/rule.hpp"

#include <cmath>

namespace mercer {

namespace {

/// memory: λ_1 … λ_k.
void by_row(Neurons& n, const RowStep& s) {
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

}  // namespace

extern const RuleRow ccipca_rule = {
    .name = "ccipca",
    .formula = "v_j = (1-g) v_j + g (x.w_j) x, w_j = v_j/|v_j|, x -= (x.w_j) w_j",
    .notes = "no rate: amnesic averages; row by row",
    .has_rate = false,
    .memory = [](Index k) { return static_cast<std::size_t>(k); },
    .by_row = by_row,
};

}  // namespace mercer
