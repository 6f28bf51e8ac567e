#pragma once
// Options are checked once, at the public edge.

#include <mercer/fit.hpp>

namespace mercer {

/// Throws `Errc::bad_option`, naming the option and its bound.
void validate(const FitOptions& options);

}  // namespace mercer
