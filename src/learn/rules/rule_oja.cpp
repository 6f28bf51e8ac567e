// Oja 1982. With one neuron Sanger's rule is this one.
#include "learn/rules/rule.hpp"

namespace mercer {

void sanger_by_row(Neurons& n, const RowStep& s);
void sanger_by_batch(Neurons& n, const BatchStep& s);

extern const RuleRow oja_rule = {
    .name = "oja",
    .formula = "w += eta y (x - y w)",
    .notes = "the first component",
    .one_component = true,
    .has_rest = true,
    .flow = Flow::oja,
    .by_row = sanger_by_row,
    .by_batch = sanger_by_batch,
};

}  // namespace mercer
