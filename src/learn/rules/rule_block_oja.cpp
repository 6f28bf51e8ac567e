// Oja's rule for a subspace, kept orthonormal by QR: a noisy orthogonal iteration.
#include "learn/rules/rule.hpp"

namespace mercer {

namespace {

void block_oja_by_row(Neurons& n, const RowStep& s) {
  const Index k = n.w.rows();
  const Eigen::Map<const Vector<double>> y(s.y, k);
  n.w.noalias() += s.eta * y * Eigen::Map<const Eigen::RowVectorXd>(s.x, n.w.cols());
  orthonormal_rows(n.w);
  look_ahead(n, s);
}

void block_oja_by_batch(Neurons& n, const BatchStep& s) {
  n.w += s.eta * s.yx;
  orthonormal_rows(n.w);
}

}  // namespace

extern const RuleRow block_oja_rule = {
    .name = "block-oja",
    .formula = "W += eta Y'X, then QR",
    .notes = "for mini-batches: QR costs k^2 D per step",
    .normalises = true,
    .flow = Flow::orthonormal,
    .by_row = block_oja_by_row,
    .by_batch = block_oja_by_batch,
};

}  // namespace mercer
