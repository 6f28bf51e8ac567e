#include "pca/kernel/approx_row.hpp"
#include "pca/validate.hpp"

namespace mercer {

extern const ApproxRow nystrom_approx, cholesky_approx, fourier_approx, tensorsketch_approx;

namespace {

// A new approximation adds its row here, in the order of the alternatives.
constexpr const ApproxRow* approx_rows[] = {&nystrom_approx, &cholesky_approx, &fourier_approx,
                                            &tensorsketch_approx};
static_assert(std::size(approx_rows) == std::variant_size_v<Approx>);

}  // namespace

const ApproxRow& row_of(const Approx& approx) { return *approx_rows[approx.index()]; }

Approx parse_approx(std::string_view text) {
  const auto [row, values] =
      read_form("approximation", text, std::span<const ApproxRow* const>(approx_rows));
  return row->make(values);
}

std::string text_of(const Approx& approx) {
  const ApproxRow& row = row_of(approx);
  std::vector<double> values;
  for (const std::optional<double>& value : row.values(approx))
    values.push_back(value.value_or(open_value));
  return text_of_form(row.text, values);
}

std::span<const ApproxEntry> approx_table() {
  static const std::vector<ApproxEntry> entries = [] {
    std::vector<ApproxEntry> all;
    for (const ApproxRow* row : approx_rows)
      all.push_back({std::string(row->text.name), parameter_list(row->text),
                     std::string(row->notes), example_of(row->text)});
    return all;
  }();
  return entries;
}

double error_limit(const Approx& approx) {
  return std::visit([](const auto& a) { return a.error; }, approx);
}

void require_valid(const Approx& approx) {
  const ApproxRow& row = row_of(approx);
  const std::vector<std::optional<double>> values = row.values(approx);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i])
      require_values({row.text.name, row.text.parameters.subspan(i, 1)}, {{*values[i]}});
}

}  // namespace mercer
