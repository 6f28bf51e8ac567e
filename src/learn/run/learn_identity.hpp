#pragma once
// How a resumed run checks that its rows are the same.

#include <mercer/source.hpp>

#include <string>

namespace mercer {

/// "4551 bytes, hash 9f…": of a file, its size and a hash of all of it; of rows in memory the same
/// of their numbers; "standard input" of what cannot be read twice.
std::string identity_of(const Source<double>& source, const Rows<double>* memory);

/// Row weights: "none", a hash of those in memory, or the column of a stream.
std::string weights_of(const Schema& schema, const Rows<double>* memory, const double* weights);

/// First weights: "random of length 1", or a hash of those that were given.
std::string start_of(const Matrix<double>& start, double norm);

/// The names of the columns, hashed, and their number.
std::string columns_of(const Schema& schema);

}  // namespace mercer
