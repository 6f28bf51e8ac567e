#pragma once
/// \file
/// Which inputs move a component at a point: ∂y_c/∂x_j, for every model that takes columns.
///
///     auto model = mercer::fit(x, {.components = 2, .kernel = mercer::kernels::rbf()});
///     mercer::Matrix<double> g = mercer::gradient(model, x, 0);   // N×d, of the first component
///
/// For linear PCA it is the component itself, the same at every point (over the scale, when the
/// model has one). For kernels it is the derivative of their formulas; at a kink (laplacian, where
/// a coordinate equals that of an anchor; exponential, at an anchor) the mean of both sides. Costs
/// one evaluation of every kernel value and its d derivatives.
///
/// For explicit maps and for kernels that are functions of a program it is found by extrapolated
/// central differences of φ in double, whose step is so short that no feature moves by more than a
/// twentieth of the largest. They are right to some nine digits of the largest entry where φ is
/// smooth, and wrong within a step of a kink. Costs about 20·N·d evaluations of φ.

#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <mercer/progress.hpp>
#include <mercer/rows.hpp>

#include <type_traits>

namespace mercer {

/// N×d, for component `component` (from 0). Throws `Errc::bad_option` for a model of precomputed
/// similarities or of a float function of somebody's program, and when there is no such component;
/// `Errc::bad_data` for rows that do not fit, and for those at the edge of the map's domain.
template <class T>
Matrix<double> gradient(const Model<T>& model, const Rows<std::type_identity_t<T>>& x,
                        Index component, const RunOptions& options = {});

}  // namespace mercer
