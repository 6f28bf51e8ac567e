#pragma once
// How far computed features may be off: what the intervals of PCA in their space allow for.

#include <mercer/map.hpp>

#include <limits>

namespace mercer {

/// For x as it was given: each φ_j by relative·|φ_j| + absolute.
struct FeatureError {
  double relative = 0, absolute = 0;
  int degree = 0;  ///< φ_j are monomials of at most this degree; 0: they are not
};

/// A map that provides it.
class KnownFeatureError {
 public:
  virtual ~KnownFeatureError() = default;
  virtual FeatureError feature_error() const = 0;
};

/// Other maps, such as functions of a program, are taken to be right to 4ε·|φ_j|.
template <class T>
FeatureError feature_error(const Map<T>& map) {
  if (const auto* known = dynamic_cast<const KnownFeatureError*>(&map))
    return known->feature_error();
  return {.relative = 4.0 * std::numeric_limits<T>::epsilon()};
}

}  // namespace mercer
