// Weng, Zhang & Hwang 2003: candid covariance-free incremental PCA. v_j is the amnesic average of
// (x·w_j)x, its direction w_j and its length λ_j; x loses w_j before the next.
#include "learners/rule.hpp"

namespace mercer {

namespace {

/// memory: λ_1 … λ_k.
void by_row(Neurons& n, const RowStep& s) {
  const Index k = n.w.rows(), d = n.w.cols();
  Eigen::Map<Eigen::RowVectorXd> r(n.scratch.data(), d);
  r = Eigen::Map<const Eigen::RowVectorXd>(s.x, d);
  for (Index j = 0; j < k; ++j) {
    auto w = n.w.row(j);
    double& length = n.memory[static_cast<std::size_t>(j)];
    const double along = s.gain * w.dot(r);
    w = (1 - s.gain) * length * w + along * r;
    length = w.norm();
    // Rows that are all 0 so far leave no direction: any will do.
    if (length > 0) w /= length;
    else w[j] = 1;
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
