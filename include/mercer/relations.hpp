#pragma once
/// \file
/// Linear relations between columns, or between features of a map: the directions q of zero
/// variance, along which q·φ(x) = q·m for all rows.
///
///     auto circle = mercer::fit(x, mercer::monomial_map<double>(2, 2));
///     for (const mercer::Relation& r : mercer::relations(circle))
///       std::cout << mercer::to_text(r, mercer::term_names(circle)) << '\n';
///                                             // 1.00·x1^2 + 1.00·x2^2 = 1.00
///
/// Lines, planes and conics are such relations. A fit finds them where it computes all directions
/// (`components` all, or `keep_null`), rows are more than features and features are at most 200.
/// They are directions of an SVD of the centred features, so residuals near 1e-16 are resolved. Of
/// several relations, each is solved for a term that the others do not have (reduced echelon form
/// with complete pivoting). The constant is 1, or 0 with a largest coefficient of 1; where means
/// far from 0 leave few digits of it, it is as computed, with a largest coefficient of 1.
///
/// Noisy rows have no such direction; the component of the least variance is then the nearest
/// relation, with a standard deviation.

#include <mercer/model.hpp>

#include <string>
#include <vector>

namespace mercer {

/// The relations that the rows of the fit satisfy up to rounding, at most 20 (`Report::rank` tells
/// how many there are).
template <class T>
const std::vector<Relation>& relations(const Model<T>& model) {
  return model.report().relations;
}

/// The relation of the last component, with its standard deviation and the standard errors of its
/// coefficients (Anderson 1963, for Gaussian rows of equal weight). Throws `Errc::bad_option` for
/// kernels, and unless the model has all components.
template <class T>
Relation smallest_relation(const Model<T>& model);

/// What the coefficients multiply: columns, monomials without the weights of their map, or
/// features. `columns` are those of the model by default, and x1 … xd where it has none.
template <class T>
std::vector<std::string> term_names(const Model<T>& model, std::vector<std::string> columns = {});

/// "1.00·x1^2 + 1.00·x2^2 = 1.00", without terms of coefficient 0.
std::string to_text(const Relation& relation, const std::vector<std::string>& names,
                    int digits = 3);

}  // namespace mercer
