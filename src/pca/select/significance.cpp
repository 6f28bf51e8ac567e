#include "pca/select/significance.hpp"

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "model/parts.hpp"
#include "pca/kernel/sampled_rows.hpp"
#include "pca/validate.hpp"

#include <mercer/data.hpp>

#include <algorithm>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

namespace mercer {

namespace {

constexpr Index most_kernel_rows = 1000, most_linear_rows = 10'000;
constexpr double flops_a_permutation = 1e9;
constexpr std::size_t rows_a_part = 20, most_parts = 10;  // of rows of similar weight

struct Values {
  Vector<double> eigenvalues;
  double trace = 0;
};

template <class T>
using Spectra = std::function<Values(const Rows<T>&, const double* weights, Index most)>;

struct Chance {
  std::vector<double> p_values;
  std::vector<double>
      excess;  ///< of each eigenvalue over the mean of permuted ones, over the trace
};

Index sample_size(Index rows, Index cols, bool kernel, const SignificanceOptions& options) {
  if (options.most_rows > 0) return std::min(rows, options.most_rows);
  if (kernel) return std::min(rows, most_kernel_rows);
  const double d = static_cast<double>(cols);
  const auto affordable = static_cast<Index>(flops_a_permutation / (d * std::min(d, 1000.0)));
  return std::min(rows, std::clamp(affordable, Index{1000}, most_linear_rows));
}

template <class T>
struct Sample {
  Matrix<T> x;
  std::vector<double> weights;                  // none: empty
  std::vector<std::pair<Index, Index>> groups;  // columns that are permuted together
  std::vector<Index> order;                     // rows by weight
  std::vector<std::size_t> parts;               // ends in `order`: permuted among themselves
};

/// At most `n` of the rows of positive weight, in order, drawn uniformly.
template <class T>
Sample<T> drawn(const Rows<T>& x, const double* weights, Index n, std::uint64_t seed) {
  std::vector<Index> rows;
  for (Index i = 0; i < x.rows(); ++i)
    if (!weights || weights[i] > 0) rows.push_back(i);
  const auto all = static_cast<Index>(rows.size());
  require(all > 1, Errc::bad_data, "{} rows of positive weight are too few for parallel analysis",
          all);
  Random random(seed);
  n = std::min(n, all);
  for (std::size_t i = 0; n < all && i < static_cast<std::size_t>(n); ++i)
    std::swap(rows[i], rows[i + random.below(rows.size() - i)]);
  rows.resize(static_cast<std::size_t>(n));
  std::ranges::sort(rows);
  Sample<T> sample;
  sample.x.resize(n, x.cols());
  const auto copy = identity_map<T>(x.cols());
  for (Index i = 0; i < n; ++i) {
    const Index from = rows[static_cast<std::size_t>(i)];
    copy->apply(x.middle(from, 1), sample.x.middleRows(i, 1));
    if (weights) sample.weights.push_back(weights[from]);
  }
  return sample;
}

/// Columns that are permuted together, as [first, last): the indicators of one category are 0 or 1
/// and add up to 1 in every row, or are missing together. Permuted one by one they would be free of
/// that, and each category would be a component by itself. Found by what the columns hold, whoever
/// made them; constant zeros, categories that the sample does not have, may fall to either side.
template <class T>
std::vector<std::pair<Index, Index>> column_groups(const Matrix<T>& x) {
  std::vector<std::pair<Index, Index>> groups;
  const Index n = x.rows(), d = x.cols();
  const auto indicator = [&](Index j) {
    return (x.col(j).array().isNaN() || x.col(j).array() == 0 || x.col(j).array() == 1).all();
  };
  for (Index first = 0; first < d;) {
    Vector<T> sum = Vector<T>::Zero(n);  // NaN where the category is missing
    Index last = first + 1;
    for (Index j = first; j < d && indicator(j); ++j) {
      if (j > first && (x.col(j).array().isNaN() != sum.array().isNaN()).any()) break;
      sum += x.col(j);
      if ((sum.array() > 1).any()) break;
      if ((sum.array().isNaN() || sum.array() == 1).all()) {
        last = j + 1;
        break;
      }
    }
    groups.emplace_back(first, last);
    first = last;
  }
  return groups;
}

/// Rows among which cells may change places, as ends of parts of `order`. Cells leave their rows'
/// weights behind: where large rows have small weights, columns permuted over all rows would not
/// have the variance of the data. Rows of equal weight are alike; where weights are many, rows of
/// similar ones.
std::vector<std::size_t> parts_of_like_weight(const std::vector<double>& weights, std::size_t n,
                                              std::vector<Index>& order) {
  order.resize(n);
  std::iota(order.begin(), order.end(), Index{0});
  if (weights.empty()) return {n};
  const auto weight = [&](Index i) { return weights[static_cast<std::size_t>(i)]; };
  std::ranges::stable_sort(order, {}, weight);
  std::vector<std::size_t> ends;
  for (std::size_t i = 1; i <= n; ++i)
    if (i == n || weight(order[i]) != weight(order[i - 1])) ends.push_back(i);
  const std::size_t most = std::clamp<std::size_t>(n / rows_a_part, 1, most_parts);
  if (ends.size() <= most) return ends;
  std::vector<std::size_t> merged;  // parts of about n/most rows that end between different weights
  for (const std::size_t end : ends)
    if (end == n || end * most >= (merged.size() + 1) * n) merged.push_back(end);
  return merged;
}

/// Each column, or group of columns, permuted independently.
template <class T>
Matrix<T> permuted(const Sample<T>& sample, std::uint64_t seed) {
  const Matrix<T>& x = sample.x;
  Matrix<T> out(x.rows(), x.cols());
  std::vector<Index> order = sample.order;
  Random random(seed);
  for (const auto& [first, last] : sample.groups) {
    std::size_t begin = 0;
    for (const std::size_t end : sample.parts) {
      for (std::size_t i = end - begin; i > 1; --i)
        std::swap(order[begin + i - 1], order[begin + random.below(i)]);
      begin = end;
    }
    for (std::size_t i = 0; i < order.size(); ++i)
      out.row(sample.order[i]).segment(first, last - first) =
          x.row(order[i]).segment(first, last - first);
  }
  return out;
}

/// The share of data sets, this one among them, that reach each eigenvalue; no component is better
/// than the one before it.
template <class T>
Chance against_chance(const Sample<T>& sample, Index most, const Spectra<T>& spectra,
                      const FitOptions& fit, const SignificanceOptions& options) {
  const double* weights = sample.weights.empty() ? nullptr : sample.weights.data();
  const auto [seen, trace] = spectra(sample.x, weights, most);
  std::vector<Vector<double>> chance(static_cast<std::size_t>(options.permutations));
  Reporter report(fit.monitor, "permutations", "permutations", options.permutations);
  // In small lots: only the calling thread may report.
  const Index lot = 4 * thread_count(fit.threads);
  for (Index first = 0; first < options.permutations; first += lot) {
    report(static_cast<double>(first));
    const Index count = std::min<Index>(lot, options.permutations - first);
    parallel_for(count, fit.threads, [&](Index i) {
      const auto number = static_cast<std::uint64_t>(first + i + 1);
      const Matrix<T> x = permuted(sample, fit.seed * 0x9e3779b97f4a7c15U + number);
      chance[static_cast<std::size_t>(first + i)] = spectra(x, weights, most).eigenvalues;
    });
  }
  Chance out;
  std::vector<double>& p = out.p_values;
  for (Index j = 0; j < seen.size(); ++j) {
    Index reached = 0;
    double sum = 0;
    for (const Vector<double>& values : chance) {
      const double value = j < values.size() ? values[j] : 0;
      reached += value >= seen[j];
      sum += value;
    }
    out.excess.push_back((seen[j] - sum / options.permutations) / trace);
    const double share = (1.0 + static_cast<double>(reached)) / (1 + options.permutations);
    p.push_back(p.empty() ? share : std::max(p.back(), share));
  }
  return out;
}

std::string reason(const std::vector<double>& p, Index kept, const ComponentChoice& choice,
                   Index rows, double level) {
  std::string text = fmt::format("{} component{} above chance (p <= {:g}, {} permutations", kept,
                                 kept == 1 ? " is" : "s are", level, choice.permutations);
  if (choice.rows < rows) text += fmt::format(" of {} rows", choice.rows);
  text += ")";
  if (kept < static_cast<Index>(p.size()))
    text += fmt::format("; the next has p = {:.2g}", p[static_cast<std::size_t>(kept)]);
  return text;
}

template <class T>
ComponentChoice parallel_analysis(const Rows<T>& x, const double* weights, bool kernel,
                                  const FitOptions& fit, const SignificanceOptions& options,
                                  const Spectra<T>& spectra) {
  require(options.permutations > 0 && options.level > 0 && options.level < 1, Errc::bad_option,
          "parallel analysis needs at least one permutation and a level between 0 and 1");
  require(x.rows() > 1 && x.cols() > 0, Errc::bad_data, "{} rows are too few for parallel analysis",
          x.rows());
  const Index n = sample_size(x.rows(), x.cols(), kernel, options);
  Sample<T> sample = drawn(x, weights, n, fit.seed);
  sample.groups = column_groups(sample.x);
  sample.parts =
      parts_of_like_weight(sample.weights, static_cast<std::size_t>(sample.x.rows()), sample.order);
  ComponentChoice choice{"parallel analysis", "", options.permutations, sample.x.rows(), {}, 0};
  Index kept = 0;
  for (Index most = first_look;; most *= 4) {
    const Chance chance = against_chance(sample, most, spectra, fit, options);
    choice.p_values = chance.p_values;
    kept = significant_components(choice, options.level);
    choice.excess = std::accumulate(chance.excess.begin(), chance.excess.begin() + kept, 0.0);
    if (kept < most) break;
  }
  choice.p_values.resize(std::min<std::size_t>(choice.p_values.size(), kept + 5));
  choice.reason = reason(choice.p_values, kept, choice, x.rows(), options.level);
  return choice;
}

template <class T>
Values values_of(const Model<T>& model) {
  const Report& report = model.report();
  return {model.eigenvalues(), report.total_variance * (report.weight - report.ddof)};
}

}  // namespace

FitOptions permutation_fit(FitOptions fit, Index most) {
  fit.components = at_most(most);
  fit.approx.reset();
  fit.seconds = 0;
  fit.solver = Solver::automatic;
  fit.tolerance = 1e-8;
  fit.threads = 1;
  fit.monitor = {};
  return fit;
}

Index permuted_rows(Index rows, Index cols, bool kernel) {
  return sample_size(rows, cols, kernel, {});
}

Index significant_components(const ComponentChoice& choice, double level) {
  const auto end = std::ranges::find_if(choice.p_values, [&](double p) { return p > level; });
  return end - choice.p_values.begin();
}

template <class T>
ComponentChoice significance(const Rows<T>& x, const FitOptions& fit,
                             const SignificanceOptions& options, Weights weights) {
  require(!fit.precomputed, Errc::bad_option,
          "a precomputed kernel matrix has no columns to permute: give a number of components "
          "(`components`)");
  // A width that is left to the data is that of the data, not of their permutations.
  FitOptions fixed = settled(fit);
  bool known = !fit.kernel;
  return parallel_analysis<T>(x, weights_of(weights, x.rows()), fit.kernel.has_value(), fit,
                              options, [&](const Rows<T>& rows, const double* w, Index most) {
                                const Model<T> model = mercer::fit(
                                    rows, permutation_fit(fixed, most), as_weights(w, rows.rows()));
                                if (!known) {  // the first are the data themselves
                                  fixed.kernel = Kernel::parse(model.map().kernel());
                                  known = true;
                                }
                                return values_of(model);
                              });
}

template <class T>
ComponentChoice significance(const Rows<T>& x, std::shared_ptr<const Map<T>> map,
                             const FitOptions& fit, const SignificanceOptions& options,
                             Weights weights) {
  const FitOptions fixed = settled(fit);
  return parallel_analysis<T>(
      x, weights_of(weights, x.rows()), true, fit, options,
      [&](const Rows<T>& rows, const double* w, Index most) {
        return values_of(
            mercer::fit(rows, map, permutation_fit(fixed, most), as_weights(w, rows.rows())));
      });
}

FitOptions with_choice(const FitOptions& options, const ComponentChoice& choice) {
  FitOptions counted = options;
  const Index kept = significant_components(choice);
  require(kept > 0, Errc::bad_data,
          "no component is above chance: permuted columns reach the first eigenvalue with p = "
          "{:.2g}; to keep components anyway, give a number (`components=2`)",
          choice.p_values.empty() ? 1.0 : choice.p_values[0]);
  counted.components = at_most(kept);
  return counted;
}

template <class T>
Table<T> rows_for_significance(Source<T>& source, const FitOptions& options) {
  const Index n = sample_size(std::numeric_limits<Index>::max(), source.schema().features,
                              options.kernel.has_value(), {});
  Reservoir<T> reservoir(n, options.seed);
  std::int64_t number = 0;
  while (const auto block = source.next())
    for (Index i = 0; i < block->rows.rows(); ++i) {
      const double weight =
          block->weights.empty() ? 1.0 : block->weights[static_cast<std::size_t>(i)];
      reservoir.offer(block->rows, i, number++, weight > 0 ? 1 : 0, weight);
    }
  source.rewind();
  RowList<T> list(source.schema().features, source.schema().sparse);
  std::vector<double> weights;
  for (const SampledRow<T>& row : reservoir.take()) {
    list.push_back(row);
    weights.push_back(row.along);
  }
  return read_all(
      *from_memory(list.rows(), source.schema().weighted ? Weights(weights) : Weights()));
}

template <class T>
Model<T> with_first(const Model<T>& all, Index kept, std::string method, std::string reason) {
  ModelParts<T> parts = first_components(all.parts(), kept);
  parts.report.chosen =
      ComponentChoice{std::move(method), std::move(reason), 0, parts.report.n_samples, {}, 0};
  return Model<T>(std::move(parts));
}

#define MERCER_INSTANTIATE(T)                                                                    \
  template ComponentChoice significance(const Rows<T>&, const FitOptions&,                       \
                                        const SignificanceOptions&, Weights);                    \
  template ComponentChoice significance(const Rows<T>&, std::shared_ptr<const Map<T>>,           \
                                        const FitOptions&, const SignificanceOptions&, Weights); \
  template Table<T> rows_for_significance(Source<T>&, const FitOptions&);                        \
  template Model<T> with_first(const Model<T>&, Index, std::string, std::string);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
