#pragma once
// What is looked at in rows before they are mapped and learned.

#include <mercer/hebbian.hpp>

namespace mercer {

/// Are all numbers of these rows finite?
bool clean(const Rows<double>& rows, Index first, Index count, int threads);

/// Is a cell of this row missing? An infinite one is an error whatever the options say.
bool missing(const Rows<double>& rows, Index i, std::int64_t number, MissingRow how);

/// A sum of rows as they come, and what it has lost to rounding, for models that have to know the
/// mean of their input. One by one: it may not depend on how they are cut into pieces.
void add_rows(const Rows<double>& rows, const double* weights, Vector<double>& sum,
              Vector<double>& lost);

}  // namespace mercer
