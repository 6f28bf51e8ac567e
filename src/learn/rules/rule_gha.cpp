// Sanger 1989: the generalized Hebbian algorithm; Oja 1982 is its first component.
#include "learn/rules/rule.hpp"
#include "linalg/blas.hpp"
#include "simd/hebbian_step.hpp"

namespace mercer {

void sanger_by_row(Neurons& n, const RowStep& s) {
  *s.rest = sanger_step(n.w.data(), n.w.rows(), n.w.cols(), s.x, s.y, s.eta, s.next, s.next_y,
                        n.scratch.data());
}

void sanger_by_batch(Neurons& n, const BatchStep& s) {
  const Index k = n.w.rows(), d = n.w.cols();
  const Matrix<double> deflation = -Matrix<double>(s.yy.triangularView<Eigen::Lower>());
  Matrix<double> step = s.yx;
  multiply(deflation.data(), k, k, k, n.w.data(), d, d, step.data(), d, true);
  n.w += s.eta * step;
}

extern const RuleRow gha_rule = {
    .name = "gha",
    .formula = "w_j += eta y_j (x - sum_{i<=j} y_i w_i)",
    .notes = "Sanger: k components, in order",
    .also = "sanger",
    .has_rest = true,
    .flow = Flow::gha,
    .by_row = sanger_by_row,
    .by_batch = sanger_by_batch,
};

}  // namespace mercer
