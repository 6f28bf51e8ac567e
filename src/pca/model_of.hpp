#pragma once
// From eigenpairs to the parts of a linear model.

#include "pca/linear/spectrum.hpp"

#include <mercer/model.hpp>

#include <cstdint>

namespace mercer {

/// The components that are kept, with their signs fixed, and their part of the report. The
/// caller adds names, solver and time. `known`: intervals of all eigenvalues, where the caller has
/// better ones; they are not held against the tolerance.
template <class T>
ModelParts<T> parts_of(Spectrum spectrum, std::int64_t rows, double weight,
                       const FitOptions& options, const Certificate* known = nullptr);

/// Throws `Errc::bad_data` where a number of the model, as T has it, is not finite.
template <class T>
void require_representable(const ModelParts<T>& parts);

}  // namespace mercer
