#pragma once
// Maps by their text form: how a model file names its map, and a user on the command line.

#include <mercer/map.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace mercer {

/// The map that `text` describes, on `inputs` columns of these names (none: x1 … xd): one of
/// `map_table()`, written `name` or `name(…)`, or else a list of expressions
/// (mercer/expression.hpp). Throws `Errc::bad_option` with the column and the names there are, with
/// a different message for user-defined functions.
template <class T>
std::shared_ptr<const Map<T>> map_from_text(std::string_view text, Index inputs,
                                            const std::vector<std::string>& names = {});

/// Throws what `map_from_text` would throw for any columns.
void require_map_text(std::string_view text);

/// Whether a map has that name, also one of model files only.
bool is_map_name(std::string_view name);

/// The columns of the anchors that the map of that name has in a model file; 0 when it has none.
Index anchor_columns(std::string_view text, Index inputs);

/// Anchors of either kind; of no rows: none.
template <class T>
using Anchors = std::variant<Matrix<T>, Csr<T>>;

/// Functions of this program, by their names.
template <class T>
struct OwnFunctions {
  std::span<const Kernel> kernels{};
  std::span<const std::shared_ptr<const Map<T>>> maps{};
};

/// What expressions call the columns.
using ColumnNames = std::vector<std::string>;

/// The same for every map that a model may have: also `precomputed`, those that have a kernel and
/// anchors, which must be there, and functions that are given. Null when no map has that name.
/// Throws what `Kernel::parse` throws.
template <class T>
std::shared_ptr<const Map<T>> map_from_parts(std::string_view text, Index inputs,
                                             std::string_view kernel, Anchors<T> anchors,
                                             const OwnFunctions<T>& own = {},
                                             const ColumnNames& columns = {});

}  // namespace mercer
