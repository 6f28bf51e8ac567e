#pragma once
/// \file
/// Explicit features φ(x) of rows, and the size D of the feature space of a map or a kernel.
///
///     auto phi = mercer::parse_map<double>("monomials(degree=2)", x.cols());
///     mercer::Matrix<double> f = mercer::map_features(*phi, mercer::Rows<double>(x));  // N×D
///     phi->feature_names({"x1", "x2"});           // x1^2, sqrt(2)*x1*x2, x2^2
///
///     auto space = mercer::feature_space(mercer::kernels::poly({.degree = 2}), 2);
///     space.dimension;                            // 6
///     space.text;                                 // D = 6 features (degree ≤ 2 of 2 columns)
///
/// φ(x)·φ(y) = k(x, y) for the weighted maps: with M = `degree` and d columns, monomials of degree
/// exactly M are D = C(M+d−1, M) features with the kernel (x·y)^M, those up to degree p are
/// D = C(p+d, d) with (1 + x·y)^p. Kernel PCA can therefore have more components than columns: up
/// to D, or one less if φ contains a constant and is centred, and up to N − 1 of N centred rows.
/// The space of the Gaussian kernel has infinite dimension: N distinct rows have N − 1 components.
///
/// Cost: N·D for features, nothing of size D for `feature_space`.

#include <mercer/kernel.hpp>
#include <mercer/map.hpp>
#include <mercer/progress.hpp>

#include <memory>
#include <string>
#include <string_view>

namespace mercer {

/// The map of `map_table()` that `text` describes, on `inputs` columns. Throws `Errc::bad_option`.
template <class T>
std::shared_ptr<const Map<T>> parse_map(std::string_view text, Index inputs);

/// φ(x), one row per row of x. Throws `Errc::bad_data` for cells outside the domain of φ or not
/// finite, and for features that overflow; rows are numbered from `first` + 1.
template <class T>
Matrix<T> map_features(const Map<T>& map, const Rows<T>& x, const RunOptions& options = {},
                       Index first = 0);

/// The size of a feature space.
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
