#pragma once
// Options are checked once, at the public edge.

#include <mercer/fit.hpp>

namespace mercer {

/// Throws `Errc::bad_option`, naming the option and its bound.
void validate(const FitOptions& options);

/// The same of the settings of an approximation.
void require_valid(const Approx& approx);

/// The options with a memory budget, measured if none was given, so that nested calls do not
/// measure again.
FitOptions settled(FitOptions options);

/// Throws `Errc::bad_data`, naming the row. Null: no weights.
void require_weights(const double* weights, Index rows, Index first = 0);

}  // namespace mercer
