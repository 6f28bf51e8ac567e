#pragma once
// A fit that saves its passes in a folder, where its options have one.

#include <mercer/fit.hpp>

namespace mercer {

/// Throws `Errc::bad_option` for what has no passes that could be saved, or none that could be
/// read instead of rows going by.
void require_savable(const FitOptions& options);

class SavedFit {
 public:
  /// All ranks. Takes the folder until the end of this object. Reads all rows once where they are
  /// not in memory: other data are recognised. `map`: null for none.
  template <class T>
  SavedFit(FitOptions options, Source<T>& source, const Map<T>* map = nullptr);
  ~SavedFit();
  SavedFit(const SavedFit&) = delete;
  SavedFit& operator=(const SavedFit&) = delete;

  /// To fit with: those that were given, with the memory budget of the first run, on which results
  /// depend.
  const FitOptions& options() const { return options_; }

 private:
  FitOptions options_;
};

}  // namespace mercer
