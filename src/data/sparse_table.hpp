#pragma once
// What the sparse formats share once their entries are read.

#include <mercer/data.hpp>

#include <string>

namespace mercer {

/// Takes a table whose `sparse` holds every column of the file, NaN where a value is missing, and
/// whose labels may be filled. Picks features, label, id and weights as the options say (absent
/// entries are 0), deals with missing values, and completes the schema.
template <class T>
void finish_sparse(Table<T>& table, const ReadOptions& options, const std::string& file);

}  // namespace mercer
