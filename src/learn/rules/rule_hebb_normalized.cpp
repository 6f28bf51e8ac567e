#include "learn/rules/rule.hpp"

namespace mercer {

namespace {

using Row = Eigen::Map<const Eigen::RowVectorXd>;

void hebb_normalized_by_row(Neurons& n, const RowStep& s) {
  n.w += (s.eta * s.y[0]) * Row(s.x, n.w.cols());
  n.w /= n.w.stableNorm();
  look_ahead(n, s);
}

void hebb_normalized_by_batch(Neurons& n, const BatchStep& s) {
  n.w += s.eta * s.yx;
  n.w /= n.w.stableNorm();
}

}  // namespace

extern const RuleRow hebb_normalized_rule = {
    .name = "hebb-normalized",
    .formula = "w += eta y x, w /= |w|",
    .notes = "the first component; Oja's rule is this to first order in eta",
    .one_component = true,
    .normalises = true,
    .flow = Flow::oja,
    .by_row = hebb_normalized_by_row,
    .by_batch = hebb_normalized_by_batch,
};

}  // namespace mercer
