#pragma once
// Sources whose rows already lie in memory.

#include <mercer/data.hpp>

#include <memory>

namespace mercer {

/// A source that owns its rows: for the formats that have to be read whole. `name` is what
/// messages call it; blocks are views of about `block_bytes`.
template <class T>
std::unique_ptr<Source<T>> from_table(Table<T> table, std::string name, std::size_t block_bytes);

}  // namespace mercer
