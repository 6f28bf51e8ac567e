#include <mercer/tune.hpp>

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "pca/validate.hpp"
#include "tune/criteria.hpp"

#include <mercer/significance.hpp>

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

struct Name {
  std::string_view text;
  Criterion criterion;
};
constexpr Name names[] = {{"preimage-cv", Criterion::preimage_cv},
                          {"parallel", Criterion::parallel},
                          {"likelihood", Criterion::likelihood}};

/// Rows of some weight in an order of chance, at most so many, with their missing cells filled by
/// the mean.
template <class T>
WeightedRows<T> shuffled(const Rows<T>& x, const double* weights, const TuneOptions& options) {
  std::vector<Index> order;
  for (Index i = 0; i < x.rows(); ++i)
    if (!weights || weights[i] > 0) order.push_back(i);
  require(static_cast<Index>(order.size()) >= 2 * options.folds, Errc::bad_data,
          "{} rows{} are too few for {} folds", order.size(), weights ? " with weight" : "",
          options.folds);
  Random random(options.fit.seed + 0x7475);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const Index n = std::min(static_cast<Index>(order.size()), options.rows);
  WeightedRows<T> out{Matrix<T>(n, x.cols()), Vector<double>(weights ? n : 0)};
  const auto copy = identity_map<T>(x.cols());
  for (Index i = 0; i < n; ++i) {
    const Index from = order[static_cast<std::size_t>(i)];
    copy->apply(x.middle(from, 1), out.x.middleRows(i, 1));
    if (weights) out.weights[i] = weights[from];
  }
  if (!out.x.array().isNaN().any()) return out;
  require(options.fit.missing == Missing::mean, Errc::bad_data,
          "rows have missing values; use `missing=mean` or drop");
  const Vector<double> all = out.all_weights();
  for (Index j = 0; j < out.x.cols(); ++j) {
    auto column = out.x.col(j).array();
    const auto missing = column.isNaN().eval();
    const double there = missing.select(0.0, all.array()).sum();
    require(there > 0, Errc::bad_data, "column {} is entirely missing: `exclude` it", j + 1);
    const double sum = missing.select(0.0, column.template cast<double>() * all.array()).sum();
    column = missing.select(static_cast<T>(sum / there), column);
  }
  return out;
}

std::vector<Index> numbers_of_components(const TuneOptions& options, Index rows) {
  std::vector<Index> k = options.components;
  const Index most = rows - rows / options.folds - 2;
  if (k.empty())
    for (Index i = 1; i <= std::min<Index>(64, most); i *= 2) k.push_back(i);
  std::ranges::sort(k);
  k.erase(std::unique(k.begin(), k.end()), k.end());
  require(!k.empty() && k.front() > 0 && k.back() <= most, Errc::bad_option,
          "numbers of components must lie between 1 and {}, as {} rows in {} folds allow", most,
          rows, options.folds);
  return k;
}

template <class T>
class Search {
 public:
  Search(const Rows<T>& x, const double* weights, const TuneOptions& options)
      : options_(options),
        rows_(shuffled(x, weights, options)),
        report_(options.fit.monitor, "tuning", "kernels",
                static_cast<double>(options.kernels.size())) {
    if (options.criterion == Criterion::preimage_cv)
      components_ = numbers_of_components(options, rows_.x.rows());
  }

  std::vector<TuneCell> cells_of(const std::string& text) {
    std::vector<TuneCell> cells = known(text);
    if (!cells.empty()) return cells;
    try {
      const Kernel kernel = Kernel::parse(text);
      switch (options_.criterion) {
        case Criterion::preimage_cv:
          cells = by_preimages(text, kernel);
          break;
        case Criterion::parallel:
          cells = {by_significance(text, kernel)};
          break;
        case Criterion::likelihood:
          cells = {{text, 0, log_likelihood(rows_, kernel, options_.fit.threads), 0, ""}};
          break;
      }
    } catch (const Error& error) {
      if (error.code() == Errc::interrupted) throw;
      cells = {{text, 0, std::numeric_limits<double>::quiet_NaN(), 0, error.what()}};
    }
    if (options_.on_cells) options_.on_cells(cells);
    return cells;
  }

  void step(std::size_t done) { report_(static_cast<double>(done)); }

 private:
  std::vector<TuneCell> known(const std::string& text) const {
    std::vector<TuneCell> cells;
    for (const TuneCell& cell : options_.known)
      if (cell.kernel == text) cells.push_back(cell);
    return cells;
  }

  WeightedRows<T> fold(int number, bool inside) const {
    std::vector<Index> chosen;
    for (Index i = 0; i < rows_.x.rows(); ++i)
      if ((i % options_.folds == number) == inside) chosen.push_back(i);
    WeightedRows<T> out{rows_.x(chosen, Eigen::all), {}};
    if (rows_.weights.size() > 0) out.weights = rows_.weights(chosen);
    return out;
  }

  std::vector<TuneCell> by_preimages(const std::string& text, const Kernel& kernel) const {
    const auto folds = static_cast<std::size_t>(options_.folds);
    std::vector<std::vector<double>> errors(folds);
    std::vector<double> share(folds);
    parallel_for(options_.folds, options_.fit.threads, [&](Index f) {
      const auto number = static_cast<int>(f);
      const auto at = static_cast<std::size_t>(f);
      const WeightedRows<T> held_out = fold(number, true);
      if (held_out.weights.size() > 0) share[at] = held_out.weights.sum() / rows_.weights.sum();
      else share[at] = 1 / static_cast<double>(folds);
      errors[at] = preimage_errors(fold(number, false), held_out, kernel, components_, options_,
                                   options_.fit.seed * 1000 + static_cast<std::uint64_t>(f));
    });
    std::vector<TuneCell> cells;
    for (std::size_t c = 0; c < components_.size(); ++c) {
      double mean = 0, squares = 0;
      const bool everywhere =
          std::ranges::all_of(errors, [&](const auto& of_fold) { return c < of_fold.size(); });
      for (std::size_t f = 0; f < folds && everywhere; ++f) mean += share[f] * errors[f][c];
      for (std::size_t f = 0; f < folds && everywhere; ++f)
        squares += std::pow(share[f] * (errors[f][c] - mean), 2);
      TuneCell cell{text, components_[c], {}, 0, ""};
      const double n = options_.folds;
      if (everywhere) {
        cell.score = mean;
        cell.spread = std::sqrt(squares * n / (n - 1));
      } else {
        cell.score = std::numeric_limits<double>::quiet_NaN();
        cell.problem = "the rows have fewer components";
      }
      cells.push_back(cell);
    }
    return cells;
  }

  TuneCell by_significance(const std::string& text, const Kernel& kernel) const {
    FitOptions fitting = options_.fit;
    fitting.kernel = kernel;
    fitting.monitor = {};
    const ComponentChoice choice = significance(Rows<T>(rows_.x), fitting, {}, rows_.weights);
    const Index kept = significant_components(choice);
    TuneCell cell{text, kept, choice.excess, 0, ""};
    if (kept == 0) {
      cell.score = std::numeric_limits<double>::quiet_NaN();
      cell.problem = "no component is above chance";
    }
    return cell;
  }

  const TuneOptions& options_;
  WeightedRows<T> rows_;
  std::vector<Index> components_;
  Reporter report_;
};

bool better(const TuneCell& a, const TuneCell& b, Criterion criterion) {
  if (std::isnan(a.score) || std::isnan(b.score)) return !std::isnan(a.score);
  return criterion == Criterion::preimage_cv ? a.score < b.score : a.score > b.score;
}

void choose(Tuned& out, Criterion criterion) {
  std::size_t first = 0;
  for (std::size_t i = 1; i < out.cells.size(); ++i)
    if (better(out.cells[i], out.cells[first], criterion)) first = i;
  const TuneCell& least = out.cells[first];
  require(!std::isnan(least.score), Errc::bad_data, "every kernel failed: {}: {}",
          out.cells[0].kernel, out.cells[0].problem);
  out.best = first;
  if (criterion != Criterion::preimage_cv) {
    out.reason = criterion == Criterion::parallel
                     ? fmt::format(
                           "{} significant components explain {:.3g} of the variance above chance, "
                           "the largest share",
                           least.components, least.score)
                     : fmt::format("the largest likelihood, {:.4g} per row", least.score);
    return;
  }
  // The fewest components whose score is within one standard error of the best.
  const double enough = least.score + least.spread;
  for (std::size_t i = 0; i < out.cells.size(); ++i) {
    const TuneCell &cell = out.cells[i], &best = out.cells[out.best];
    if (std::isnan(cell.score) || cell.score > enough) continue;
    if (cell.components < best.components ||
        (cell.components == best.components && cell.score < best.score))
      out.best = i;
  }
  const TuneCell& best = out.cells[out.best];
  out.reason = fmt::format("held-out error {:.4g} of the variance", best.score);
  if (out.best != first)
    out.reason += fmt::format("; the minimum is {:.4g} +- {:.2g} with {} components of {}",
                              least.score, least.spread, least.components, least.kernel);
}

}  // namespace

std::string_view name_of(Criterion criterion) {
  return std::ranges::find(names, criterion, &Name::criterion)->text;
}

Criterion parse_criterion(std::string_view text) {
  const auto found = std::ranges::find(names, text, &Name::text);
  require(found != std::end(names), Errc::bad_option,
          "`criterion` '{}' is unknown: there are preimage-cv, parallel and likelihood", text);
  return found->criterion;
}

template <class T>
Tuned tune(const Rows<T>& x, const TuneOptions& options, Weights given) {
  if (options.kernels.empty()) {
    TuneOptions widths = options;
    widths.kernels = kernel_grid({"rbf"}, x, options.fit.scale, given);
    return tune(x, widths, given);
  }
  const double* weights = weights_of(given, x.rows());
  require(options.folds >= 2 && options.rows >= 10, Errc::bad_option,
          "tuning needs at least 2 folds and 10 rows, not {} and {}", options.folds, options.rows);
  require(options.noise >= 0 && std::isfinite(options.noise), Errc::bad_option,
          "`noise={}` must be a number of 0 or more", options.noise);
  require_weights(weights, x.rows());
  require(!options.fit.precomputed, Errc::bad_option,
          "a precomputed kernel matrix has no parameters to tune");
  TuneOptions measured = options;
  measured.fit = settled(options.fit);
  Search<T> search(x, weights, measured);
  Tuned out;
  for (std::size_t i = 0; i < options.kernels.size(); ++i) {
    search.step(i);
    for (TuneCell& cell : search.cells_of(options.kernels[i])) out.cells.push_back(std::move(cell));
  }
  choose(out, options.criterion);
  const TuneCell& best = out.cells[out.best];
  out.options = options.fit;
  out.options.kernel = Kernel::parse(best.kernel);
  out.options.components = best.components > 0 ? at_most(best.components) : significant();
  return out;
}

template Tuned tune(const Rows<float>&, const TuneOptions&, Weights);
template Tuned tune(const Rows<double>&, const TuneOptions&, Weights);

}  // namespace mercer
