#pragma once
/// \file
/// The gradient of a component at a point, ∂y_c/∂x_j, for every model of columns.
///
///     auto model = mercer::fit(x, {.components = 2, .kernel = mercer::kernels::rbf()});
///     mercer::Matrix<double> g = mercer::gradient(model, x, 0);   // N×d, of the first component
///
/// For linear PCA it is the component itself, constant over all points (divided by the scale, if
/// the model has one). For kernels it is the analytic derivative; at a kink (laplacian, where a
/// coordinate equals that of an anchor; exponential, at an anchor) it is the mean of the one-sided
/// derivatives. Costs one evaluation of every kernel value and its d derivatives.
///
/// For explicit maps and user-defined kernels it is computed by extrapolated central differences of
/// φ in double, with a step so short that no feature changes by more than a twentieth of the
/// largest. They are accurate to about nine digits of the largest entry where φ is smooth, and
/// inaccurate within a step of a kink. Costs about 20·N·d evaluations of φ.

#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <mercer/progress.hpp>
#include <mercer/rows.hpp>

#include <type_traits>

namespace mercer {

/// N×d, for component `component` (from 0). Throws `Errc::bad_option` for a model of precomputed
/// kernel values or of a user-defined float function, and if there is no such component;
/// `Errc::bad_data` for rows of another width, and for those at the boundary of the map's domain.
template <class T>
Matrix<double> gradient(const Model<T>& model, const Rows<std::type_identity_t<T>>& x,
                        Index component, const RunOptions& options = {});

}  // namespace mercer
