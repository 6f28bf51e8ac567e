#pragma once
// Rows moved to their mean before a kernel sees them. x·y is the same for moved rows once it is
// centred in feature space; the rounding of its values is not, and grows with the mean. Where x·y
// stands beside functions of x − y, which see every rounding of a row, rows are moved to a point
// near the mean from which every difference is exact, if there is one.

#include "pca/standard.hpp"

#include <string>
#include <type_traits>

namespace mercer {

/// Whether rows are to be moved to standard.mean, which is then rounded and has scales of 1:
/// where 256·d·ε·Σ‖x‖² is not small beside the tolerance times a d-th of the scatter. One or two
/// passes, of dense rows and kernels that allow it only.
template <class T>
bool move_to_mean(Passes<T>& passes, Standard& standard, const FitOptions& options);

/// The parts of another rank.
template <class T>
void serve_squares(Passes<T>& passes, const std::string& with);
template <class T>
void serve_differences(Passes<T>& passes, const std::string& with);

/// Relative error of x·y from the rounding of both moved rows to T. In double it is among the
/// roundings of x·y.
template <class T>
constexpr double centring_error() {
  return std::is_same_v<T, float> ? 2.1 * 0x1p-24 : 0.0;
}

}  // namespace mercer
