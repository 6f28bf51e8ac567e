// Rates from text: `1/n`, `auto`, `power(c=1, t0=100, a=0.75)`, `power(1, 100, 0.75)`.
#include "learn/rates/rate_rule.hpp"

namespace mercer {

extern const RateRow auto_rate, harmonic_rate, constant_rate, power_rate, adaoja_rate;

// A new schedule adds its row here.
std::span<const RateRow* const> rate_rows() {
  static constexpr const RateRow* rows[] = {&auto_rate, &harmonic_rate, &constant_rate, &power_rate,
                                            &adaoja_rate};
  return rows;
}

Rate Rate::parse(std::string_view text) {
  const auto [row, values] = read_form("rate", text, rate_rows(), true);
  return make_rate(*row, values);
}

std::span<const RateEntry> rate_table() {
  static const std::vector<RateEntry> entries = [] {
    std::vector<RateEntry> all;
    for (const RateRow* row : rate_rows())
      all.push_back({signature(row->text), std::string(row->formula), std::string(row->notes),
                     example_of(row->text)});
    return all;
  }();
  return entries;
}

}  // namespace mercer
