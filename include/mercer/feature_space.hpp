#pragma once
/// \file
/// The size D of the feature space of a map or a kernel.
///
///     auto space = mercer::feature_space(mercer::kernels::poly({.degree = 2}), 2);
///     space.dimension;                            // 6
///     space.text;                                 // D = 6 features (degree ≤ 2 of 2 columns)
///     space.most_components(150, true);           // 5: the constant feature has no variance
///
/// Monomials of degree exactly M in d columns are D = C(M+d−1, M) features, with the kernel
/// (x·y)^M if they are weighted; those up to degree p are D = C(p+d, d), with (1 + x·y)^p. Kernel
/// PCA can therefore have more components than columns: up to D, one less if φ contains a constant
/// and is centred, and up to N − 1 of N centred rows. The space of the Gaussian kernel has infinite
/// dimension: N distinct rows have N − 1 components.
///
/// Nothing of size D is computed.

#include <mercer/kernel.hpp>
#include <mercer/map.hpp>

#include <string>

namespace mercer {

struct FeatureSpace {
  /// D, rounded to a double beyond 2⁵³; infinity; NaN: unknown, as of functions of a program.
  double dimension = 0;
  bool constant = false;  ///< one feature is constant: without variance once centred
  std::string text;       ///< one line; empty: unknown

  bool known() const { return dimension == dimension; }
  bool infinite() const { return known() && dimension > 1e308; }
  /// The largest number of components with variance that N rows can have.
  double most_components(double rows, bool centered) const;
};

/// Of a kernel on d columns. Sums and products of kernels: only if one of them is of infinite
/// dimension, or all are one polynomial.
FeatureSpace feature_space(const Kernel& kernel, Index inputs);
/// Of the features themselves; a map of kernel values, or one that approximates a kernel: of that
/// kernel.
template <class T>
FeatureSpace feature_space(const Map<T>& map);

}  // namespace mercer
