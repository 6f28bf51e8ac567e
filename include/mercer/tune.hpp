#pragma once
/// \file
/// Kernel parameters and the number of components, chosen by what they do on held-out rows.
///
///     auto found = mercer::tune(rows, {.kernels = mercer::kernel_grid({"rbf"}, rows)});
///     found.cells[found.best].kernel;               // "rbf(gamma=0.05)"
///     auto model = mercer::fit(x, found.options);   // with that kernel and that many components
///
/// Criteria:
///
///     preimage_cv  mean squared distance of held-out rows to the pre-images of the same rows
///                  with noise added, over their variance: errors in feature spaces of two
///                  kernels cannot be compared, those in the input space can (Alam and
///                  Fukumizu 2014), and without noise a model that keeps everything would be the
///                  best. Of all cells within one standard error of the least, the one with
///                  fewest components is taken.
///     parallel     the share of variance that significant components have beyond chance (kernel
///                  parallel analysis, Jørgensen and Hansen 2012); the number is that of them
///     likelihood   leave-one-out likelihood of the rows under the density that the kernel draws
///                  around each (Duin 1976): rbf and laplacian; components as in `parallel`
///
/// Weights count as if rows were repeated, all copies of a row in the same fold: fits, errors and
/// likelihoods are weighted, and a row is left out with all its weight.
///
/// Costs a fit to most of the rows, and pre-images of the others for each number of components, a
/// kernel and a fold. Rows beyond `rows` are left out, by chance.

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
  /// Expressions; one that does not work is marked as such. None: `rbf`, of nine widths.
  std::vector<std::string> kernels{};
  std::vector<Index> components{};  ///< preimage_cv; none: 1, 2, 4 … 64, below the rows
  Criterion criterion = Criterion::preimage_cv;
  /// preimage_cv: deviation of the noise, in deviations of the columns; 0: none
  double noise = 0.5;
  int folds = 5;
  Index rows = 2000;  ///< at most so many are used
  FitOptions fit{};   ///< scaling, missing cells, centring, seed, threads, monitor
  PreImageOptions preimage{};
  /// Cells that are known, from `on_cells` of an earlier run with the same options.
  std::vector<TuneCell> known{};
  /// Hears of the cells of each kernel when they are done, from the calling thread.
  std::function<void(const std::vector<TuneCell>&)> on_cells{};
};

struct Tuned {
  std::vector<TuneCell> cells;  ///< kernels in the order given, components ascending
  std::size_t best = 0;
  std::string reason;
  FitOptions options;  ///< `TuneOptions::fit` with the kernel and the number of components
};

/// The same for any number of threads. `weights`: one a row, as if rows were repeated; those of
/// weight 0 are left out. Throws `Errc::bad_data` when no cell has a score, with the problem of the
/// first.
template <class T>
Tuned tune(const Rows<T>& x, const TuneOptions& options = {}, Weights weights = {});
template <RowsLike X>
Tuned tune(const X& x, const TuneOptions& options = {}, Weights weights = {}) {
  return tune(Rows<typename X::Scalar>(x), options, weights);
}

/// Expressions with their lists written out, `rbf(gamma={0.1,1,10})`, `poly(degree={2,3})`; ranges
/// are `{0.01..10:7}`, seven numbers in equal ratios. A kernel that takes its width from the data
/// becomes nine of them around it, from 1/64 to 64 times γ; several widths that are left open vary
/// together, and those that are given stay: of `rbf(gamma=0.5) + matern` only the length varies.
/// `scale`: as the kernel will see the rows; `weights`: as if rows were repeated.
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
