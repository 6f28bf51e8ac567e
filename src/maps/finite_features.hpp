#pragma once
// The message of features that are not finite: the row, the feature and the reason.

#include <mercer/map.hpp>

#include <string>
#include <vector>

namespace mercer {

/// A map that knows why a feature is not finite.
template <class T>
class ExplainsOverflow {
 public:
  virtual ~ExplainsOverflow() = default;
  /// Throws `Errc::bad_data` for the first feature that is not finite; rows are numbered from
  /// `first` + 1.
  virtual void require_no_overflow(const Rows<T>& x, Index first) const = 0;
};

/// Throws `Errc::bad_data` with the row, the feature and why it is not finite; returns if all are.
/// The cells of x are finite. For the path of errors: computes φ(x), again. `names`: of the
/// columns; none: x1 … xd.
template <class T>
void require_finite_features(const Map<T>& map, const Rows<T>& x, Index first,
                             const std::vector<std::string>& names = {});

}  // namespace mercer
