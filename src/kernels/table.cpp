// Every named kernel. A new one adds its row here.
#include "kernels/row.hpp"

#include <fmt/format.h>

namespace mercer {

extern const KernelRow linear_row, poly_row, rbf_row, laplacian_row, exponential_row, matern_row,
    rational_quadratic_row, cosine_row, sigmoid_row, chi2_row, additive_chi2_row, constant_row;

std::span<const KernelRow* const> kernel_rows() {
  static constexpr const KernelRow* rows[] = {
      &linear_row,
      &poly_row,
      &rbf_row,
      &laplacian_row,
      &exponential_row,
      &matern_row,
      &rational_quadratic_row,
      &cosine_row,
      &sigmoid_row,
      &chi2_row,
      &additive_chi2_row,
      &constant_row,
  };
  return rows;
}

namespace {

template <class Has>
std::string names_of_rows(Has has) {
  std::string names;
  for (const KernelRow* row : kernel_rows())
    if (has(*row)) names += fmt::format("{}{}", names.empty() ? "" : ", ", row->text.name);
  return names;
}

}  // namespace

std::string radial_kernels() {
  return names_of_rows([](const KernelRow& row) {
    std::vector<double> values;
    for (const TextParameter& p : row.text.parameters) values.push_back(p.standard);
    return row.form(values).ingredient == Ingredient::distances;
  });
}

std::string kernels_with_frequencies() {
  return names_of_rows([](const KernelRow& row) { return row.frequency.scale != nullptr; });
}

std::span<const KernelEntry> kernel_table() {
  static const std::vector<KernelEntry> entries = [] {
    std::vector<KernelEntry> all;
    for (const KernelRow* row : kernel_rows()) {
      all.push_back({std::string(row->text.name), std::string(row->formula),
                     parameter_list(row->text), std::string(row->notes), std::string(row->sklearn),
                     std::string(row->mlpack), std::string(row->kernlab)});
    }
    return all;
  }();
  return entries;
}

}  // namespace mercer
