#pragma once
// Checks of rows before they are mapped and learned.

#include <mercer/hebbian.hpp>

namespace mercer {

/// Are all numbers of these rows finite?
bool clean(const Rows<double>& rows, Index first, Index count, int threads);

/// Is a cell of this row missing? An infinite one is an error with any options.
bool missing(const Rows<double>& rows, Index i, std::int64_t number, MissingRow how);

/// A sum of rows in order and its accumulated rounding error, for models that contain the mean of
/// their input. One by one: the sum must not depend on blocks.
void add_rows(const Rows<double>& rows, const double* weights, Vector<double>& sum,
              Vector<double>& lost);

}  // namespace mercer
