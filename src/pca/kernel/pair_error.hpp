#pragma once
// How far kernel values between rows and landmarks may be off (kernels/entry_error.hpp), for rows
// that come block by block.

#include "kernels/entry_error.hpp"

#include <mercer/kernel.hpp>

#include <optional>

namespace mercer {

class PairError {
 public:
  /// The landmarks stay with the caller while `with` is called.
  PairError(Kernel kernel, const Rows<double>& landmarks);

  /// Holds for all pairs of these rows and the landmarks, computed in double about `centre`.
  template <class T>
  EntryError with(const Rows<T>& rows) const;
  /// Of the landmarks with each other, whose distances are from differences.
  EntryError of_landmarks() const;
  /// The mean of dense landmarks, else null.
  const double* centre() const { return centre_.size() > 0 ? centre_.data() : nullptr; }

 private:
  EntryError of(const RowExtent& extent) const;

  Kernel kernel_;
  Vector<double> centre_;  // of the landmarks; empty where they are sparse
  RowExtent landmarks_;
};

/// Holds wherever one of the two does.
inline EntryError larger(const EntryError& a, const EntryError& b) {
  return {std::max(a.relative, b.relative), std::max(a.diagonal, b.diagonal),
          std::max(a.absolute, b.absolute)};
}

}  // namespace mercer
