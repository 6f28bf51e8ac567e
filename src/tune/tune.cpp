#include <mercer/tune.hpp>

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/require.hpp"
#include "tune/criteria.hpp"

#include <mercer/significance.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {

namespace {

struct Name {
  std::string_view text;
  Criterion criterion;
};
constexpr Name names[] = {{"preimage-cv", Criterion::preimage_cv},
                          {"parallel", Criterion::parallel},
                          {"likelihood", Criterion::likelihood}};

/// Rows in an order of chance, at most so many, with their missing cells filled by the mean.
template <class T>
Matrix<T> shuffled(const Rows<T>& x, const TuneOptions& options) {
  std::vector<Index> order(static_cast<std::size_t>(x.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  Random random(options.fit.seed + 0x7475);
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  const Index n = std::min(x.rows(), options.rows);
  Matrix<T> out(n, x.cols());
  const auto copy = identity_map<T>(x.cols());
  for (Index i = 0; i < n; ++i)
    copy->apply(x.middle(order[static_cast<std::size_t>(i)], 1), out.middleRows(i, 1));
  if (!out.array().isNaN().any()) return out;
  require(options.fit.missing == Missing::mean, Errc::bad_data,
          "rows have missing cells; use --missing mean or drop");
  for (Index j = 0; j < out.cols(); ++j) {
    auto column = out.col(j).array();
    const auto there = (!column.isNaN()).count();
    require(there > 0, Errc::bad_data, "column {} has no cell that is there: --exclude it", j + 1);
    const T mean = column.isNaN().select(T(0), column).sum() / static_cast<T>(there);
    column = column.isNaN().select(mean, column);
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
  Search(const Rows<T>& x, const TuneOptions& options)
      : options_(options),
        rows_(shuffled(x, options)),
        report_(options.fit.monitor, "tuning", "kernels",
                static_cast<double>(options.kernels.size())) {
    if (options.criterion == Criterion::preimage_cv)
      components_ = numbers_of_components(options, rows_.rows());
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
          cells = {{text, 0, log_likelihood(rows_, text, options_.fit.threads), 0, ""}};
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

  Matrix<T> fold(int number, bool inside) const {
    std::vector<Index> chosen;
    for (Index i = 0; i < rows_.rows(); ++i)
      if ((i % options_.folds == number) == inside) chosen.push_back(i);
    return rows_(chosen, Eigen::all);
  }

  std::vector<TuneCell> by_preimages(const std::string& text, const Kernel& kernel) const {
    std::vector<std::vector<double>> errors(static_cast<std::size_t>(options_.folds));
    parallel_for(options_.folds, options_.fit.threads, [&](Index f) {
      const auto number = static_cast<int>(f);
      errors[static_cast<std::size_t>(f)] =
          preimage_errors(fold(number, false), fold(number, true), kernel, components_, options_,
                          options_.fit.seed * 1000 + static_cast<std::uint64_t>(f));
    });
    std::vector<TuneCell> cells;
    for (std::size_t c = 0; c < components_.size(); ++c) {
      double sum = 0, squares = 0;
      bool everywhere = true;
      for (const auto& of_fold : errors) {
        everywhere = everywhere && c < of_fold.size();
        if (!everywhere) break;
        sum += of_fold[c];
        squares += of_fold[c] * of_fold[c];
      }
      TuneCell cell{text, components_[c], {}, 0, ""};
      const double n = options_.folds, mean = sum / n;
      if (everywhere) {
        cell.score = mean;
        cell.spread = std::sqrt(std::max(0.0, squares / n - mean * mean) / (n - 1));
      } else {
        cell.score = std::numeric_limits<double>::quiet_NaN();
        cell.problem = "the rows have not as many components";
      }
      cells.push_back(cell);
    }
    return cells;
  }

  TuneCell by_significance(const std::string& text, const Kernel& kernel) const {
    FitOptions fitting = options_.fit;
    fitting.kernel = kernel;
    fitting.monitor = {};
    const ComponentChoice choice = significance(Rows<T>(rows_), fitting);
    const Index kept = significant_components(choice);
    TuneCell cell{text, kept, choice.excess, 0, ""};
    if (kept == 0) {
      cell.score = std::numeric_limits<double>::quiet_NaN();
      cell.problem = "no component is above chance";
    }
    return cell;
  }

  const TuneOptions& options_;
  Matrix<T> rows_;
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
  require(!std::isnan(least.score), Errc::bad_data, "no kernel of the grid works: {}: {}",
          out.cells[0].kernel, out.cells[0].problem);
  out.best = first;
  if (criterion != Criterion::preimage_cv) {
    out.reason = criterion == Criterion::parallel
                     ? fmt::format(
                           "{} significant components have {:.3g} of the variance beyond "
                           "chance, the most",
                           least.components, least.score)
                     : fmt::format("the largest likelihood, {:.4g} a row", least.score);
    return;
  }
  // Fewest components of those that are as good as the data can tell.
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
    out.reason += fmt::format("; the least is {:.4g} +- {:.2g} with {} components of {}",
                              least.score, least.spread, least.components, least.kernel);
}

}  // namespace

std::string_view name_of(Criterion criterion) {
  return std::ranges::find(names, criterion, &Name::criterion)->text;
}

Criterion parse_criterion(std::string_view text) {
  const auto found = std::ranges::find(names, text, &Name::text);
  require(found != std::end(names), Errc::bad_option,
          "--criterion '{}' is unknown: there are preimage-cv, parallel and likelihood", text);
  return found->criterion;
}

template <class T>
Tuned tune(const Rows<T>& x, const TuneOptions& options) {
  require(!options.kernels.empty(), Errc::bad_option, "there are no kernels to choose from");
  require(options.folds >= 2 && options.rows >= 10, Errc::bad_option,
          "tuning needs at least 2 folds and 10 rows, not {} and {}", options.folds, options.rows);
  require(options.noise >= 0 && std::isfinite(options.noise), Errc::bad_option,
          "--noise {} must be a number of 0 or more", options.noise);
  require(x.rows() >= 2 * options.folds, Errc::bad_data, "{} rows are too few for {} folds",
          x.rows(), options.folds);
  require(!options.fit.precomputed, Errc::bad_option,
          "a precomputed kernel matrix has no parameters to tune");
  Search<T> search(x, options);
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

template Tuned tune(const Rows<float>&, const TuneOptions&);
template Tuned tune(const Rows<double>&, const TuneOptions&);

}  // namespace mercer
