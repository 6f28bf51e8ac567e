#include "core/text_form.hpp"
#include "learn/rules/rule.hpp"
#include "simd/hebbian_step.hpp"

#include <mercer/hebbian.hpp>

namespace mercer {

extern const RuleRow hebb_rule, hebb_normalized_rule, oja_rule, gha_rule, block_oja_rule,
    ccipca_rule;

// A new rule adds its row here.
std::span<const RuleRow* const> rule_rows() {
  static constexpr const RuleRow* rows[] = {&hebb_rule, &hebb_normalized_rule, &oja_rule,
                                            &gha_rule,  &block_oja_rule,       &ccipca_rule};
  return rows;
}

const RuleRow& rule_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const RuleRow* row : rule_rows()) {
    if (row->name == name || (!row->also.empty() && row->also == name)) return *row;
    names.push_back(row->name);
  }
  fail(Errc::bad_option, "{}", no_such("rule", name, names));
}

std::span<const RuleEntry> rule_table() {
  static const std::vector<RuleEntry> entries = [] {
    std::vector<RuleEntry> all;
    for (const RuleRow* row : rule_rows())
      all.push_back({std::string(row->name), std::string(row->formula), std::string(row->notes)});
    return all;
  }();
  return entries;
}

void look_ahead(Neurons& neurons, const RowStep& step) {
  if (step.next)
    outputs(neurons.w.data(), neurons.w.rows(), neurons.w.cols(), step.next, step.next_y,
            neurons.scratch.data());
}

void orthonormal_rows(Matrix<double>& w) {
  for (Index j = 0; j < w.rows(); ++j) {
    auto row = w.row(j);
    // Steps of any length: the square of one may be beyond a number.
    const double before = row.stableNorm();
    if (before > 0) row /= before;
    // Twice: once loses orthogonality when little is left of the row.
    for (int pass = 0; pass < 2; ++pass)
      for (Index i = 0; i < j; ++i) row -= row.dot(w.row(i)) * w.row(i);
    const double norm = row.norm();
    if (!(norm <= 1e-10)) row /= norm;
    else row.setZero();
  }
}

}  // namespace mercer
