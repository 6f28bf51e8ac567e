// Widths that are left to the data: the median heuristic.
#include "core/require.hpp"
#include "kernels/distance_tile.hpp"
#include "kernels/pick_rows.hpp"
#include "kernels/row.hpp"
#include "kernels/weighted_width.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>
#include <vector>

namespace mercer {

namespace {

constexpr Index block = 256;

class Medians final : public MedianDistances {
 public:
  /// `all`: these are all rows, not a sample; `single`: in single precision.
  Medians(const Rows<double>& rows, const std::vector<double>& counts, bool all, bool single)
      : rows_(rows), counts_(counts), all_(all), single_(single) {}
  double squared() override { return median(squared_, Ingredient::distances); }
  double absolute() override { return median(absolute_, Ingredient::absolute); }

 private:
  /// Of all pairs of different rows, each repeated by the product of both counts.
  struct Distances {
    std::vector<double> plain;
    std::vector<std::pair<double, double>> counted;  // where rows do not count alike
    bool empty() const { return plain.empty() && counted.empty(); }
  };

  double median(double& known, Ingredient ingredient) {
    if (known > 0) return known;
    Distances distances = positive(ingredient);
    if (distances.empty()) refuse(ingredient);
    if (!distances.counted.empty()) return known = weighted_median(distances.counted);
    std::vector<double>& all = distances.plain;
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
    std::nth_element(all.begin(), middle, all.end());
    return known = *middle;
  }

  Distances positive(Ingredient ingredient) const {
    const Index n = rows_.rows();
    const auto count = [&](Index i) { return counts_[static_cast<std::size_t>(i)]; };
    bool alike = true;
    for (Index i = 1; i < n; ++i) alike = alike && count(i) == count(0);
    Distances out;
    if (alike) out.plain.reserve(static_cast<std::size_t>(n * (n - 1) / 2));
    for (Index i = 0; i < n; i += block)
      for (Index j = i; j < n; j += block) {
        const Index rows = std::min(block, n - i), cols = std::min(block, n - j);
        Matrix<double> tile(rows, cols);
        const bool finite =
            distance_tile(ingredient, rows_.middle(i, rows), rows_.middle(j, cols), tile);
        require(finite, Errc::bad_data,
                "distances between the rows overflow; divide the columns by their standard "
                "deviations (fit with `scale=std`)");
        for (Index p = 0; p < rows; ++p)
          for (Index q = i == j ? p + 1 : 0; q < cols; ++q)
            if (tile(p, q) > 0) {
              if (alike) out.plain.push_back(tile(p, q));
              else out.counted.emplace_back(tile(p, q), count(i + p) * count(j + q));
            }
      }
    return out;
  }

  [[noreturn]] void refuse(Ingredient ingredient) const {
    if (ingredient == Ingredient::distances && !positive(Ingredient::absolute).empty())
      fail(Errc::bad_data,
           "squared distances between the rows underflow, so no width can be estimated; divide the "
           "columns by their standard deviations (fit with `scale=std`)");
    if (all_)
      fail(Errc::bad_data,
           "all rows are equal{}: no width can be chosen from them, and with any width, as in "
           "rbf(gamma=1), there is no variance to explain",
           single_ ? " in single precision" : "");
    fail(Errc::bad_data,
         "{} rows, evenly spaced, are all equal{}, so no width can be chosen from them; give it: "
         "rbf(gamma=1)",
         rows_.rows(), single_ ? " in single precision" : "");
  }

  /// The first that more than half of all are not beyond, as for repeated numbers.
  static double weighted_median(std::vector<std::pair<double, double>>& counted) {
    std::sort(counted.begin(), counted.end());
    double all = 0, before = 0;
    for (const auto& [distance, count] : counted) all += count;
    for (const auto& [distance, count] : counted)
      if ((before += count) > all / 2) return distance;
    return counted.back().first;
  }

  Rows<double> rows_;
  const std::vector<double>& counts_;
  bool all_, single_;
  double squared_ = 0, absolute_ = 0;
};

KernelNode::Pointer completed_by(MedianDistances& medians, const KernelNode& node) {
  return node.with_leaves([&](const KernelNode& n) {
    if (n.complete()) return n.shared_from_this();
    const LeafView leaf = *n.leaf();
    std::vector<double> values(leaf.values.begin(), leaf.values.end());
    for (double& v : values)
      if (std::isnan(v)) v = leaf.row.choose(medians);
    return make_leaf(leaf.row, std::move(values));
  });
}

}  // namespace

CountedRows even_rows(const double* weights, Index n, Index most) {
  CountedRows out;
  if (!weights) {
    out.rows = even_sample(n, most);
    out.counts.assign(out.rows.size(), 1.0);
    return out;
  }
  double total = 0;
  Index positive = 0;
  for (Index i = 0; i < n; ++i) {
    total += weights[i];
    positive += weights[i] > 0;
  }
  const bool all = positive <= most && total <= static_cast<double>(most);
  EvenPlaces places(total, most);
  for (Index i = 0; i < n; ++i) {
    const double count = all ? weights[i] : places.next(weights[i]);
    if (!(count > 0)) continue;
    out.rows.push_back(i);
    out.counts.push_back(count);
  }
  return out;
}

namespace {

/// Rows to measure in double; none where all of them are in double already.
template <class T>
PickedRows<double> in_double(const Rows<T>& rows, const std::vector<Index>& some) {
  const bool all = static_cast<Index>(some.size()) == rows.rows();
  if (std::is_same_v<T, double> && all) return PickedRows<double>(rows.middle(0, 0), {});
  return PickedRows<double>(rows, some);
}
template <class T>
Rows<double> picked(const PickedRows<double>& some, const Rows<T>& all) {
  if constexpr (std::is_same_v<T, double>)
    if (some.rows().rows() == 0) return all;
  return some.rows();
}

}  // namespace

template <class T>
Kernel completed_for(const Kernel& kernel, const Rows<T>& rows, const std::vector<double>& counts) {
  if (kernel.complete()) return kernel;
  const PickedRows<double> wide = in_double(rows, even_sample(rows.rows(), rows.rows()));
  // A sample would have as many rows as samples have.
  Medians medians(picked(wide, rows), counts, rows.rows() < width_rows, std::is_same_v<T, float>);
  return Kernel(completed_by(medians, *kernel.node()));
}

template <class T>
Kernel completed_by_weight(const Kernel& kernel, const Rows<T>& rows, const double* weights) {
  if (kernel.complete()) return kernel;
  const CountedRows some = even_rows(weights, rows.rows(), width_rows);
  const PickedRows<double> wide = in_double(rows, some.rows);
  Medians medians(picked(wide, rows), some.counts, rows.rows() <= width_rows,
                  std::is_same_v<T, float>);
  return Kernel(completed_by(medians, *kernel.node()));
}

template <class T>
Kernel Kernel::completed(const Rows<T>& x) const {
  return completed_by_weight(*this, x, nullptr);
}

#define MERCER_INSTANTIATE(T)                                                               \
  template Kernel Kernel::completed(const Rows<T>&) const;                                  \
  template Kernel completed_for(const Kernel&, const Rows<T>&, const std::vector<double>&); \
  template Kernel completed_by_weight(const Kernel&, const Rows<T>&, const double*);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
