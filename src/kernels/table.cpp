// Every named kernel. A new one adds its row here.
#include "kernels/row.hpp"

#include <fmt/format.h>

#include <cmath>

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

std::string shown(const Parameter& p) {
  std::string text =
      std::isnan(p.standard) ? fmt::format("{}", p.name) : fmt::format("{}={}", p.name, p.standard);
  if (!p.other.empty()) text += fmt::format(" | {}", p.other);
  return text;
}

}  // namespace

std::span<const KernelEntry> kernel_table() {
  static const std::vector<KernelEntry> entries = [] {
    std::vector<KernelEntry> all;
    for (const KernelRow* row : kernel_rows()) {
      std::string parameters;
      for (const Parameter& p : row->parameters())
        parameters += (parameters.empty() ? "" : ", ") + shown(p);
      all.push_back({std::string(row->name), std::string(row->formula), parameters,
                     std::string(row->notes), std::string(row->sklearn), std::string(row->mlpack),
                     std::string(row->kernlab)});
    }
    return all;
  }();
  return entries;
}

}  // namespace mercer
