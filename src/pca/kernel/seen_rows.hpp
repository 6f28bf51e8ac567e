#pragma once
// Passes over rows as a map or a kernel sees them, in pieces small enough that progress is seen.

#include "pca/standard.hpp"

#include <cstdint>
#include <functional>

namespace mercer {

template <class T>
class SeenRows {
 public:
  /// All stay with the caller. `standard`: null when rows are seen as they are.
  SeenRows(Passes<T>& passes, const Standard* standard, const FitOptions& options)
      : passes_(passes), standard_(standard), options_(options) {}

  /// `first` is the number of the piece's first row, from 0.
  using Visit = std::function<void(const Rows<T>& rows, const double* weights, std::int64_t first)>;
  /// `note`: the note of the progress.
  void run(std::string_view what, const Visit& visit, std::string_view note = {});

  Index cols() const { return passes_.features(); }
  bool sparse() const { return passes_.sparse() && !standard_; }
  const Passes<T>& passes() const { return passes_; }
  const FitOptions& options() const { return options_; }

 private:
  Passes<T>& passes_;
  const Standard* standard_;
  const FitOptions& options_;
};

}  // namespace mercer
