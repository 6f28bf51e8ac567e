#pragma once
/// \file
/// Explicit features φ(x) of rows.
///
///     auto phi = mercer::parse_map<double>("monomials(degree=2)", x.cols());
///     mercer::Matrix<double> f = mercer::map_features(*phi, mercer::Rows<double>(x));  // N×D
///     phi->feature_names({"x1", "x2"});           // x1^2, sqrt(2)*x1*x2, x2^2
///
/// φ(x)·φ(y) = k(x, y) for the weighted maps `monomials` and `polynomial`, so FFᵀ is their kernel
/// matrix. Cost: N·D multiplications.

#include <mercer/map.hpp>

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The map that `text` describes, on `inputs` columns: one of `map_table()`, or expressions
/// (expression.hpp) of columns with these names, by default x1 … xd. Throws `Errc::bad_option`.
template <class T>
std::shared_ptr<const Map<T>> parse_map(std::string_view text, Index inputs,
                                        const std::vector<std::string>& names = {});

struct FeatureOptions {
  int threads = 0;                   ///< 0: one per core
  Index first = 0;                   ///< rows are numbered from `first` + 1 in messages
  std::vector<std::string> names{};  ///< of the columns, in messages; empty: x1 … xd
};

/// φ(x), one row per row of x. Throws `Errc::bad_data` for cells that are not finite or outside the
/// domain of φ, and for features that overflow.
template <class T>
Matrix<T> map_features(const Map<T>& map, const Rows<T>& x, const FeatureOptions& options = {});

}  // namespace mercer
