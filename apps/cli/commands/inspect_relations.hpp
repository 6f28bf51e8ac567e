#pragma once
// inspect --relations

#include "commands/inspect_columns.hpp"

namespace mercer::cli {

/// The exact relations of the model, or that of its last component.
template <class T>
void show_relations(const Model<T>& model, const ColumnFlags& flags);

}  // namespace mercer::cli
