#pragma once
/// \file
/// The figures of the lectures, as SVG text: what the components, a kernel, a feature map and a
/// learning run look like.
///
///     auto clouds = mercer::datasets::clouds();
///     auto plane = mercer::fit(clouds.x);
///     std::ofstream("axes.svg") << mercer::axes_svg(plane, clouds.x);
///     std::ofstream("probe.svg") << mercer::probe_svg(plane);
///
/// `PlotOptions` (picture.hpp) has the title, the size, labels and the number of rows that are
/// drawn as dots. Cost: that of the rows drawn; at most 4,000 of them are dots.

#include <mercer/kernel.hpp>
#include <mercer/picture.hpp>
#include <mercer/trace.hpp>

#include <string>
#include <vector>

namespace mercer {

/// Rows of two columns with the axes m ± √λ_j q_j and the ellipse of one standard deviation, both
/// columns in the same unit. Linear models of two columns (`Errc::bad_option`).
template <class T>
std::string axes_svg(const Model<T>& model, const MatrixRef<double>& rows,
                     const PlotOptions& options = {});

/// The variance ψ(q) = qᵀCq along a direction q that turns by 180° in the plane of two components,
/// with the eigenvectors at its extremes. The angle is that to the first column if there are two
/// columns, otherwise to the first of the two components. Linear models.
template <class T>
std::string probe_svg(const Model<T>& model, const PlotOptions& options = {});

/// Rows in the three-dimensional space of their features with the plane of the first two
/// components, in orthographic projection, next to the rows themselves if these have two columns.
/// The model has three features or columns; of more features, the axes are three components.
///
///     auto circle = mercer::datasets::circle();
///     auto lifted = mercer::fit(circle.x, mercer::monomial_map<double>(2, 2));
///     std::ofstream("lift.svg") << mercer::lift_svg(lifted, circle.x);
///
/// More than `most_points` rows are thinned evenly: the plot states the number.
template <class T>
std::string lift_svg(const Model<T>& model, const MatrixRef<double>& rows,
                     const PlotOptions& options = {.width = 820, .height = 430});

/// A kernel on rows: k(x, y) over the distance of x and y (a curve if k depends on nothing else,
/// otherwise dots of pairs), and the kernel matrix K, or JKJ if `centered`, as a heat map with the
/// rows sorted by label. Of more than 384 rows, that many are used, evenly spaced; of more than 96,
/// squares show means of neighbouring entries.
///
///     auto bell = mercer::kernels::rbf({.gamma = 0.5});
///     std::ofstream("kernel.svg") << mercer::kernel_svg(bell, rows, false);
std::string kernel_svg(const Kernel& kernel, const Rows<double>& rows, bool centered = false,
                       const PlotOptions& options = {.width = 820, .height = 430});

/// The mean and components of a linear model as images of `image_width` pixels per line (0: the
/// square root of the number of columns), white for 0 in components. By default the first 15.
///
///     std::ofstream("digits.svg") << mercer::images_svg(model, 8);
template <class T>
std::string images_svg(const Model<T>& model, Index image_width = 0,
                       const PlotOptions& options = {.height = 640});

/// The path of w₁ in the plane of q₁ and q₂, with the unit circle, the stable points ±q₁, the
/// saddles ±q₂ and the two basins of attraction. The trace has theory with at least two modes. With
/// the weights of two columns in the trace, the plane is that of the columns.
///
///     mercer::LearnOptions how{.theory = true};
///     std::ofstream("weights.svg") << mercer::weights_svg(mercer::learn(rows, how).trace);
std::string weights_svg(const std::vector<TraceRow>& trace, const PlotOptions& options = {});

/// |α_j| = |q_jᵀw₁ / q₁ᵀw₁| for j ≥ 2 over time, on a logarithmic axis, with the exponentials
/// e^{−(λ₁−λ_j)t} of the theory: straight lines.
std::string alpha_svg(const std::vector<TraceRow>& trace, const PlotOptions& options = {});

}  // namespace mercer
