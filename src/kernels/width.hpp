#pragma once
// The width of kernels that fall with distance: given, or left to the data.

#include "kernels/row.hpp"

#include <optional>

namespace mercer {

/// The value of parameter `i` of a row, which NaN is not.
inline double given_or_open(const KernelRow& row, std::size_t i, std::optional<double> value) {
  if (!value) return open_value;
  const std::string problem = value_problem(row.text, row.text.parameters[i], *value);
  require(problem.empty(), Errc::bad_option, "{}", problem);
  return *value;
}

/// The one parameter of `row`, from the public struct.
inline Kernel leaf_of_width(const KernelRow& row, const kernels::Width& width) {
  require(!(width.gamma && width.sigma), Errc::bad_option,
          "{}: gamma and sigma set the same width; give one of them", row.text.name);
  const TextParameter& gamma = row.text.parameters[0];
  if (!width.sigma) return Kernel(make_leaf(row, {given_or_open(row, 0, width.gamma)}));
  return Kernel(make_leaf(row, {value_spelled(row.text, gamma, gamma.other, *width.sigma)}));
}

}  // namespace mercer
