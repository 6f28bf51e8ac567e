#pragma once
// The worked examples of the lectures. An example is a function over a `Stage` and a row of the
// table in table.cpp; the list, the report, completions and the tests use the row.

#include <span>
#include <string_view>

namespace mercer::cli {

class Stage;

struct Lecture {
  std::string_view name;
  std::string_view title;
  std::string_view document;  ///< the lecture document, by subject
  void (*run)(Stage&);
  std::string_view bundled = {};  ///< the bundled file that it needs, if any
};

/// In the order of the documents.
std::span<const Lecture> lectures();

}  // namespace mercer::cli
