#pragma once
/// \file
/// Maps written as expressions: φ(x) = (x₁², x₂², √2·x₁x₂), one feature per expression.
///
///     const std::vector<std::string> names{"height", "width"};
///     auto phi = mercer::expression_map<double>("height^2, height*width, log(width)", names);
///     auto model = mercer::fit(x, phi);
///
/// Expressions are separated by commas. They have numbers, pi and e, the columns, + - * / ^,
/// parentheses and the functions of `expression_table()`. ^ binds tightest and from right to left;
/// -x^2 is -(x^2). x1 … xd are the columns by position, unless a column has such a name; other
/// names than letters, digits, _ and . stand in backquotes: `sepal length`. Texts are limited to
/// 4096 characters and 64 levels of nesting.
///
/// A row on which an expression divides by 0, leaves the domain of a function or overflows is an
/// `Errc::bad_data` that names the row, the feature and the values. Features are computed in
/// double, elementwise: 1 operation per row and operator, the same bits for blocks of any size.
/// Their rounding errors are bounded while they are computed, and are part of the intervals of a
/// fit; functions of the C library are taken to be right to 2 units in the last place.

#include <mercer/map.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The map of a list of expressions in columns of these names. Throws `Errc::bad_option` with the
/// place of the error; for an unknown column, with the nearest name.
template <class T>
std::shared_ptr<const Map<T>> expression_map(std::string_view text,
                                             const std::vector<std::string>& names);

/// The same in columns without names, x1 … xd.
template <class T>
std::shared_ptr<const Map<T>> expression_map(std::string_view text, Index inputs);

/// Entry in the list of functions.
struct ExpressionEntry {
  std::string name;
  int arguments = 1;  ///< 2: or more
};
std::span<const ExpressionEntry> expression_table();

}  // namespace mercer
