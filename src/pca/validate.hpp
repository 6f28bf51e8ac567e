#pragma once
// Options are checked once, at the public edge.

#include <mercer/fit.hpp>

namespace mercer {

/// Throws `Errc::bad_option`, naming the option and its bound.
void validate(const FitOptions& options);

/// The same options with their memory budget, measured where none was given: what is called from
/// here on measures nothing.
FitOptions settled(FitOptions options);

/// Throws `Errc::bad_data`, naming the row. Null: no weights.
void require_weights(const double* weights, Index rows);

}  // namespace mercer
