#pragma once
// Categorical columns: one feature per category.

#include "data/columns.hpp"

#include <mercer/data.hpp>

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace mercer {

/// The categories of one column and their numbers.
class Levels {
 public:
  Levels(const Category& category, const std::string& file);

  /// Makes numbers of the rows of one piece (one every `stride`) those of the whole column; `names`
  /// are the piece's own. Throws for a category that the model does not know, and when there are
  /// too many to be categories.
  template <class T>
  void renumber(const std::vector<std::string>& names, T* values, Index rows, Index stride);

  const std::vector<std::string>& names() const { return names_; }

 private:
  std::string column_, file_;
  bool fixed_;
  std::vector<std::string> names_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

/// Rows in which a category is its number.
template <class T>
class CategorySource : public Source<T> {
 public:
  virtual const std::vector<Category>& categories() const = 0;
  /// Those seen so far, and those of a model.
  virtual const std::vector<Levels>& levels() const = 0;
};

/// 1 where the row has the category, 0 elsewhere, NaN where that is missing. Categories that are
/// not known take a pass over the rows, or reading all of a pipe.
template <class T>
std::unique_ptr<Source<T>> one_hot(std::unique_ptr<CategorySource<T>> source,
                                   const ReadOptions& options);

}  // namespace mercer
