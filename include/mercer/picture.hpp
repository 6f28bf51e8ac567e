#pragma once
/// \file
/// Pictures of models and of learning runs, as SVG text.
///
///     auto model = mercer::fit(x, {.components = 8, .kernel = mercer::kernels::rbf({.gamma =
///     10})}); std::ofstream("contours.svg") << mercer::contour_svg(model);     // x has two
///     columns
///
/// Where y_c(x) = B_c (φ(x) − m) is constant: one panel a component, with lines at equal steps of
/// the score, the line y_c = 0 thick, and the rows as dots. For linear PCA the lines are straight
/// and at right angles to the component; with kernels they follow the data (Schölkopf, Smola and
/// Müller, Neural Computation 10, 1998, figure 2).
///
/// Cost: the transform of some 15,000 points; the text has some 15 KB a panel.

#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <mercer/trace.hpp>

#include <string>
#include <vector>

namespace mercer {

struct ContourOptions {
  Index components = 0;  ///< how many panels; 0: the first eight, or all where there are fewer
  int levels = 9;        ///< lines a panel, or one more: 0 is always among them when y takes it
  int size = 220;        ///< width of a panel in pixels
  /// Rows to be drawn as dots and to take the range from, N×2. None: those that a kernel model
  /// keeps; for linear PCA the range is three deviations around the mean.
  Matrix<double> points{};
  std::vector<std::string> labels{};  ///< one a point, told apart by colour; may be empty
  Index most_points = 2000;           ///< of more points, this many are drawn, evenly spaced
  int threads = 0;                    ///< 0: one per core
};

/// Throws `Errc::bad_option` when the model has not exactly two input columns, or when nothing says
/// which part of the plane to draw (an explicit map without `points`).
template <class T>
std::string contour_svg(const Model<T>& model, const ContourOptions& options = {});

struct RunChartOptions {
  std::string title{};  ///< above the panels; may be empty
  int size = 420;       ///< width of a panel in pixels
};

/// A learning run against its theory: the modes θ_j, the norm, the Lyapunov function and the angles
/// to the eigenvectors over the time t = Ση, the run as dots and the ODE as lines. Without theory:
/// the norm, the output variance, the Lyapunov function and the rate.
///
///     auto learned = mercer::learn(*source, {.theory = true});
///     std::ofstream("oja.svg") << mercer::run_svg(learned.trace);
///
/// Throws `Errc::bad_option` for an empty trace.
std::string run_svg(const std::vector<TraceRow>& trace, const RunChartOptions& options = {});

}  // namespace mercer
