#pragma once
// Which column of a file is a feature, the label, the id or the weight.

#include <mercer/data.hpp>

#include <string>
#include <vector>

namespace mercer {

enum class Role : unsigned char { skip, feature, category, label, id, weight };

/// A column of categories.
struct Category {
  Index feature = 0;  ///< its place among the features of the file
  std::string name;
  std::vector<std::string> levels;  ///< those of a model; empty: those of the file
};

struct ColumnPlan {
  std::vector<Role> roles;      ///< one for each column of the file
  std::vector<Index> features;  ///< file columns of the features and categories, ascending
  std::vector<Category> categories;
  Schema schema;  ///< features, names, label, id, weighted (not `sparse`)

  /// What to call a file column in a message: `column 3 ('alcohol')`.
  std::string describe(Index file_column) const;
  std::vector<std::string> file_names;  ///< of all file columns; empty: unnamed
};

/// Resolves `options.columns`, `exclude`, `label`, `id`, `weights` against a file with
/// `file_columns` columns and, perhaps, names. A name wins over a number; numbers are 1-based;
/// `5-9` is a range. Throws `Errc::bad_option` naming the option (`label`), what was asked and
/// what there is (with a suggestion when a name is close), and when two options claim one column
/// or no feature is left. Unnamed label/id/weight columns are called by their number.
ColumnPlan plan_columns(Index file_columns, std::vector<std::string> names,
                        const ReadOptions& options, const std::string& file);

}  // namespace mercer
