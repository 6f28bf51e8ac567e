#pragma once
// Columns of the formats that have no names: chosen by number.

#include "core/require.hpp"
#include "data/columns.hpp"

#include <optional>

namespace mercer {

/// Which columns are what; nothing when all are features. The formats may claim a great many
/// columns in a few bytes, so there is no list of them unless one is asked for.
inline std::optional<ColumnPlan> plan_unnamed(Index file_columns, const ReadOptions& options,
                                              const std::string& file) {
  const bool chosen = !options.columns.empty() || !options.exclude.empty() ||
                      !options.label.empty() || !options.id.empty() || !options.weights.empty();
  if (!chosen) return std::nullopt;
  constexpr Index most = 1 << 22;
  require(file_columns <= most, Errc::bad_option,
          "'{}' has {} columns; columns can be chosen from at most {}", file, file_columns, most);
  return plan_columns(file_columns, {}, options, file);
}

}  // namespace mercer
