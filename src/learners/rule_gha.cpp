// Sanger 1989: the generalized Hebbian algorithm; Oja 1982 is its first component.
#include "learners/rule.hpp"
#include "simd/hebbian_step.hpp"

namespace mercer {

void sanger_by_row(Neurons& n, const RowStep& s) {
  sanger_step(n.w.data(), n.w.rows(), n.w.cols(), s.x, s.y, s.eta, s.next, s.next_y,
              n.scratch.data());
}

void sanger_by_batch(Neurons& n, const BatchStep& s) {
  const Matrix<double> deflation = s.yy.triangularView<Eigen::Lower>();
  Matrix<double> step = s.yx;
  step.noalias() -= deflation * n.w;
  n.w += s.eta * step;
}

extern const RuleRow gha_rule = {
    .name = "gha",
    .formula = "w_j += eta y_j (x - sum_{i<=j} y_i w_i)",
    .notes = "Sanger: k components, in order",
    .by_row = sanger_by_row,
    .by_batch = sanger_by_batch,
};

}  // namespace mercer
