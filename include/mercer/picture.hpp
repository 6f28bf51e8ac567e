#pragma once
/// \file
/// Plots of models and of learning runs, as SVG text.
///
///     auto kernel = mercer::kernels::rbf({.gamma = 10});
///     auto model = mercer::fit(x, {.components = 8, .kernel = kernel});   // x has two columns
///     std::ofstream("contours.svg") << mercer::contour_svg(model);
///
/// Contour lines of y_c(x) = B_c (φ(x) − m): one panel per component, with lines at equal steps of
/// the score, a thick line for y_c = 0, and the rows as dots. For linear PCA the lines are straight
/// and orthogonal to the component; with kernels they follow the data (Schölkopf, Smola and Müller,
/// Neural Computation 10, 1998, figure 2).
///
/// Cost: the transform of about 15,000 points; the text has about 15 KB per panel.

#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <mercer/score.hpp>
#include <mercer/trace.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace mercer {

struct ContourOptions {
  Index components = 0;         ///< number of panels; 0: the first eight, or all if there are fewer
  std::vector<Index> chosen{};  ///< instead: these components, from 0
  int levels = 9;  ///< lines per panel, or one more: 0 is always included if y attains it
  int size = 220;  ///< width of a panel in pixels
  /// Rows to draw as dots, which also set the range, N×2. None: the anchors of a kernel model; for
  /// linear PCA the range is three standard deviations around the mean.
  Matrix<double> points{};
  std::vector<std::string> labels{};  ///< one per point, shown by colour; may be empty
  Index most_points = 2000;           ///< of more points, this many are drawn, evenly spaced
  int threads = 0;                    ///< 0: one per core
  Monitor monitor{};
};

/// Throws `Errc::bad_option` unless the model has exactly two input columns, and if the range is
/// unknown (an explicit map without `points`).
template <class T>
std::string contour_svg(const Model<T>& model, const ContourOptions& options = {});

struct RunChartOptions {
  std::string title{};  ///< above the panels; may be empty
  int size = 420;       ///< width of a panel in pixels
};

/// A learning run compared with its theory: the modes θ_j, the norm, the Lyapunov function and the
/// angles to the eigenvectors over the time t = Ση, the run as dots and the ODE as lines. Without
/// theory: the norm, the output variance, the Lyapunov function and the rate.
///
///     auto learned = mercer::learn(*source, {.theory = true});
///     std::ofstream("oja.svg") << mercer::run_svg(learned.trace);
///
/// Throws `Errc::bad_option` for an empty trace.
std::string run_svg(const std::vector<TraceRow>& trace, const RunChartOptions& options = {});

/// Options shared by the plots of models.
struct PlotOptions {
  std::string title{};  ///< empty: a default title
  int width = 640;      ///< of the plot in pixels
  int height = 480;
  /// Components from 0: the two axes of a scatter plot (default: the first two), or the panels of
  /// `loadings_svg` (default: the first three).
  std::vector<Index> components{};
  std::vector<std::string> labels{};  ///< one per row, shown by colour; may be empty
  std::vector<std::string> names{};   ///< one per row, for rows outside the limits; empty: numbers
  bool ellipses = false;     ///< 95 % of a Gaussian with the mean and covariance of each label
  Index of_rows = 0;         ///< size of the data set that the rows sample; 0: all rows
  Index most_points = 4000;  ///< more are drawn as density
};

/// Bars of the explained variance ratio, and the cumulative ratio.
///
///     std::ofstream("scree.svg") << mercer::scree_svg(model);
template <class T>
std::string scree_svg(const Model<T>& model, const PlotOptions& options = {});

/// Scatter plot of the rows by two of their scores, N×k.
///
///     std::ofstream("scores.svg") << mercer::scores_svg(model, model.transform(x));
template <class T>
std::string scores_svg(const Model<T>& model, const MatrixRef<std::type_identity_t<T>>& scores,
                       const PlotOptions& options = {});

/// The same with the loadings of the columns as arrows, scaled to fill the plot. Of many columns,
/// the longest are drawn. Linear models only (`Errc::bad_option`), as the next two.
template <class T>
std::string biplot_svg(const Model<T>& model, const MatrixRef<std::type_identity_t<T>>& scores,
                       const PlotOptions& options = {});

/// Bars of the loadings, one panel per component. Of many columns, the largest are drawn.
template <class T>
std::string loadings_svg(const Model<T>& model, const PlotOptions& options = {});

/// The correlation circle: columns by their correlation with two components. The model must contain
/// the variances of the columns: see `Loadings::correlations`.
template <class T>
std::string circle_svg(const Model<T>& model, const PlotOptions& options = {});

/// Rows by T² and SPE, with the control limits; rows outside are labelled, most distant first.
///
///     mercer::Scorer scorer(model);
///     std::ofstream("t2spe.svg") << mercer::t2spe_svg(scorer(x), scorer.limits(0.99));
std::string t2spe_svg(const RowScores& rows, const ScoreLimits& limits,
                      const PlotOptions& options = {});

struct Tuned;
enum class Criterion;

/// Result of `tune`: scores over the kernel's parameter, one line per number of components; with
/// two parameters, a colour map; otherwise one line per kernel. The best is marked. Axes are
/// logarithmic if the values span a decade.
///
///     mercer::TuneOptions options{.kernels = mercer::kernel_grid({"rbf"}, rows)};
///     auto found = mercer::tune(rows, options);
///     std::ofstream("tune.svg") << mercer::tune_svg(found, options.criterion);
std::string tune_svg(const Tuned& tuned, Criterion criterion, const PlotOptions& options = {});

}  // namespace mercer
