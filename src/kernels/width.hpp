#pragma once
// The width of kernels that fall with distance: gamma, or sigma, or left to the data.

#include "core/require.hpp"
#include "kernels/row.hpp"

namespace mercer {

/// The one parameter of `row`, from the public struct.
inline Kernel leaf_of_width(const KernelRow& row, const kernels::Width& width) {
  require(!(width.gamma && width.sigma), Errc::bad_option,
          "{}: gamma and sigma are two spellings of one number; give one of them", row.name);
  double gamma = width.gamma.value_or(open_value);
  require(!width.gamma || *width.gamma > 0, Errc::bad_option,
          "{}: gamma = {} must be greater than 0", row.name, gamma);
  if (width.sigma) {
    require(*width.sigma > 0, Errc::bad_option, "{}: sigma = {} must be greater than 0", row.name,
            *width.sigma);
    gamma = row.parameters()[0].convert(*width.sigma);
  }
  return Kernel(make_leaf(row, {gamma}));
}

}  // namespace mercer
