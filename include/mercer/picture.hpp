#pragma once
/// \file
/// Pictures of models and of learning runs, as SVG text.
///
///     auto kernel = mercer::kernels::rbf({.gamma = 10});
///     auto model = mercer::fit(x, {.components = 8, .kernel = kernel});   // x has two columns
///     std::ofstream("contours.svg") << mercer::contour_svg(model);
///
/// Where y_c(x) = B_c (φ(x) − m) is constant: one panel a component, with lines at equal steps of
/// the score, the line y_c = 0 thick, and the rows as dots. For linear PCA the lines are straight
/// and at right angles to the component; with kernels they follow the data (Schölkopf, Smola and
/// Müller, Neural Computation 10, 1998, figure 2).
///
/// Cost: the transform of some 15,000 points; the text has some 15 KB a panel.

#include <mercer/matrix.hpp>
#include <mercer/model.hpp>
#include <mercer/score.hpp>
#include <mercer/trace.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace mercer {

struct ContourOptions {
  Index components = 0;  ///< how many panels; 0: the first eight, or all where there are fewer
  std::vector<Index> chosen{};  ///< instead: these components, from 0
  int levels = 9;  ///< lines a panel, or one more: 0 is always among them when y takes it
  int size = 220;  ///< width of a panel in pixels
  /// Rows to be drawn as dots and to take the range from, N×2. None: those that a kernel model
  /// keeps; for linear PCA the range is three deviations around the mean.
  Matrix<double> points{};
  std::vector<std::string> labels{};  ///< one a point, told apart by colour; may be empty
  Index most_points = 2000;           ///< of more points, this many are drawn, evenly spaced
  int threads = 0;                    ///< 0: one per core
  Monitor monitor{};
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

/// What pictures of models have in common.
struct PlotOptions {
  std::string title{};  ///< above the picture; empty: what it shows
  int width = 640;      ///< of the picture in pixels
  int height = 480;
  /// Components from 0: the two axes of points (the first two), the panels of `loadings_svg` (the
  /// first three).
  std::vector<Index> components{};
  std::vector<std::string> labels{};  ///< one a row, told apart by colour; may be empty
  std::vector<std::string> names{};   ///< one a row, for rows that are pointed out; empty: numbers
  bool ellipses = false;     ///< 95 % of a Gaussian with the mean and covariance of each label
  Index of_rows = 0;         ///< the rows are a sample of so many; 0: they are all
  Index most_points = 4000;  ///< more are drawn as density: squares, the darker the more rows
};

/// Bars of the explained variance, and its running sum.
///
///     std::ofstream("scree.svg") << mercer::scree_svg(model);
template <class T>
std::string scree_svg(const Model<T>& model, const PlotOptions& options = {});

/// Rows by two of their scores, N×k.
///
///     std::ofstream("scores.svg") << mercer::scores_svg(model, model.transform(x));
template <class T>
std::string scores_svg(const Model<T>& model, const MatrixRef<std::type_identity_t<T>>& scores,
                       const PlotOptions& options = {});

/// The same with the columns as arrows: their loadings, to the scale that fills the picture. Of
/// many columns, the longest are drawn. Linear models only (`Errc::bad_option`), as the next two.
template <class T>
std::string biplot_svg(const Model<T>& model, const MatrixRef<std::type_identity_t<T>>& scores,
                       const PlotOptions& options = {});

/// Bars of the loadings, one panel a component. Of many columns, those that weigh most are drawn.
template <class T>
std::string loadings_svg(const Model<T>& model, const PlotOptions& options = {});

/// The correlation circle: columns by their correlation with two components. The model has to know
/// the columns' variances: see `Loadings::correlations`.
template <class T>
std::string circle_svg(const Model<T>& model, const PlotOptions& options = {});

/// Rows by T² and SPE, with the limits; those beyond are named, the furthest first.
///
///     mercer::Scorer scorer(model);
///     std::ofstream("t2spe.svg") << mercer::t2spe_svg(scorer(x), scorer.limits(0.99));
std::string t2spe_svg(const RowScores& rows, const ScoreLimits& limits,
                      const PlotOptions& options = {});

struct Tuned;
enum class Criterion;

/// What a search has found: scores over the kernel's parameter, a line for each number of
/// components; of two parameters, a map in colours; of other kernels, a line each. The best is
/// marked. Axes are logarithmic where numbers span a decade.
///
///     mercer::TuneOptions options{.kernels = mercer::kernel_grid({"rbf"}, rows)};
///     auto found = mercer::tune(rows, options);
///     std::ofstream("tune.svg") << mercer::tune_svg(found, options.criterion);
std::string tune_svg(const Tuned& tuned, Criterion criterion, const PlotOptions& options = {});

}  // namespace mercer
