#pragma once
/// \file
/// Selects kernel parameters and the number of components on held-out rows.
///
///     auto found = mercer::tune(rows, {.kernels = mercer::kernel_grid({"rbf"}, rows)});
///     found.cells[found.best].kernel;               // "rbf(gamma=0.05)"
///     auto model = mercer::fit(x, found.options);   // with that kernel and that many components
///
/// Criteria:
///
///     preimage_cv  mean squared distance of held-out rows to the pre-images of the same rows
///                  with noise added, relative to their variance: errors in the feature spaces of
///                  two kernels are not comparable, those in the input space are (Alam and
///                  Fukumizu 2014), and without noise a model of all components would be the
///                  best. Of all cells within one standard error of the minimum, the one with
///                  the fewest components is chosen.
///     parallel     explained variance ratio of the significant components, minus that of chance
///                  (kernel parallel analysis, Jørgensen and Hansen 2012); keeps these components
///     likelihood   leave-one-out likelihood of a kernel density estimate (Duin 1976): rbf and
///                  laplacian; components as in `parallel`
///
/// Weights count as if rows were repeated, with all copies of a row in the same fold: fits, errors
/// and likelihoods are weighted, and a row is left out with all its weight.
///
/// Costs, per kernel and fold, a fit to most of the rows, and pre-images of the others for each
/// number of components. At most `rows` rows, drawn at random, are used.

#include <mercer/fit.hpp>
#include <mercer/preimage.hpp>

#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class Criterion { preimage_cv, parallel, likelihood };

/// One kernel, and for `preimage_cv` one number of components.
struct TuneCell {
  std::string kernel;
  Index components = 0;
  double score = std::numeric_limits<double>::quiet_NaN();
  double spread = 0;    ///< standard error over the folds
  std::string problem;  ///< why there is no score; such a cell is never the best
};

struct TuneOptions {
  /// Expressions; those that fail are marked. None: `rbf` with nine widths.
  std::vector<std::string> kernels{};
  std::vector<Index> components{};  ///< preimage_cv; none: 1, 2, 4 … 64, fewer than rows
  Criterion criterion = Criterion::preimage_cv;
  /// preimage_cv: noise, in standard deviations of the columns; 0: none
  double noise = 0.5;
  int folds = 5;
  Index rows = 2000;  ///< largest number of rows
  FitOptions fit{};   ///< scaling, missing cells, centring, seed, threads, monitor
  PreImageOptions preimage{};
  /// Known cells, from `on_cells` of an earlier run with the same options.
  std::vector<TuneCell> known{};
  /// Called with the finished cells of each kernel, from the calling thread.
  std::function<void(const std::vector<TuneCell>&)> on_cells{};
};

struct Tuned {
  std::vector<TuneCell> cells;  ///< kernels in the order given, components ascending
  std::size_t best = 0;
  std::string reason;
  FitOptions options;  ///< `TuneOptions::fit` with the kernel and the number of components
};

/// The result does not depend on the number of threads. `weights`: one per row, as if rows were
/// repeated; rows of weight 0 are dropped. Throws `Errc::bad_data` if no cell has a score, with the
/// problem of the first.
template <class T>
Tuned tune(const Rows<T>& x, const TuneOptions& options = {}, Weights weights = {});
template <RowsLike X>
Tuned tune(const X& x, const TuneOptions& options = {}, Weights weights = {}) {
  return tune(Rows<typename X::Scalar>(x), options, weights);
}

/// Expands lists in expressions, `rbf(gamma={0.1,1,10})`, `poly(degree={2,3})`; ranges are
/// `{0.01..10:7}`, seven numbers in equal ratios. A kernel with an open width is expanded to nine
/// widths around the median heuristic, from 1/64 to 64 times γ; several open widths vary together,
/// and given ones are kept: in `rbf(gamma=0.5) + matern` only the length varies. `scale`: the
/// scaling of the fit; `weights`: as if rows were repeated.
template <class T>
std::vector<std::string> kernel_grid(const std::vector<std::string>& expressions, const Rows<T>& x,
                                     Scale scale = Scale::none, Weights weights = {});
template <RowsLike X>
std::vector<std::string> kernel_grid(const std::vector<std::string>& expressions, const X& x,
                                     Scale scale = Scale::none, Weights weights = {}) {
  return kernel_grid(expressions, Rows<typename X::Scalar>(x), scale, weights);
}

/// "preimage-cv", "parallel", "likelihood"; and back (`Errc::bad_option`).
std::string_view name_of(Criterion criterion);
Criterion parse_criterion(std::string_view text);

}  // namespace mercer
