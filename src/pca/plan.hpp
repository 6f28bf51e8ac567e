#pragma once
// Exact or approximate: what can be done in a given time.

#include <mercer/fit.hpp>

#include <optional>
#include <string>

namespace mercer {

struct Plan {
  std::optional<Approx> approx;  ///< none: exact
  std::string why;
};

/// Of all threads together.
struct Speed {
  double pairs;  ///< kernel values per second
  double flops;  ///< of matrix products, per second
};

/// What `options.approx` and `options.seconds` ask for, given so many rows of so many entries each.
/// The speed of this machine is measured on the kernel itself, which takes a few hundredths of a
/// second. `exact_budget`: bytes for exact kernel PCA beside the rows; `budget`: for features.
Plan plan_kernel(const FitOptions& options, double rows, double columns, double exact_budget,
                 double budget);

/// What can be done in `options.seconds` on a machine of a known speed. A function of its arguments
/// alone.
Plan plan_at_speed(const FitOptions& options, double rows, double exact_budget, double budget,
                   const Speed& speed);

}  // namespace mercer
