#include "operators/column_means.hpp"

#include "core/parallel.hpp"
#include "operators/centred.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

/// Rows of a leaf, and columns of a strip that a thread adds up row by row.
constexpr Index mean_leaf_rows = 1024, mean_strip_columns = 1024;

}  // namespace

ColumnMeans::ColumnMeans(Index columns, bool skip_nan)
    : origin_(Vector<double>::Zero(columns)), open_(empty()), skip_nan_(skip_nan) {}

ColumnMeans::Sum ColumnMeans::empty() const {
  return {Vector<double>::Zero(origin_.size()), Vector<double>::Zero(origin_.size())};
}

template <class T>
void ColumnMeans::add_strip(const Rows<T>& rows, const double* weights, Index begin, Index end,
                            Index first, Index count, Sum& out) const {
  double* const sum = out.sum.data() + first;
  double* const seen = out.weight.data() + first;
  double weight = seen[0];  // of all cells, unless some are missing
  // Entries that are not stored are 0 and add nothing to sums about the origin.
  const bool stay_sparse = rows.sparse() && origin_.isZero(0) && !skip_nan_;
  Vector<double> x(stay_sparse ? 0 : count);
  for (Index i = begin; i < end; ++i) {
    const double w = weights ? weights[i] : 1.0;
    if (w == 0) continue;
    if (stay_sparse) {
      const CsrView<T>& csr = rows.csr();
      const auto* last = csr.columns + csr.offsets[i + 1];
      for (const auto* c = std::lower_bound(csr.columns + csr.offsets[i], last, first);
           c != last && *c < first + count; ++c)
        sum[*c - first] += w * static_cast<double>(csr.values[c - csr.columns]);
      weight += w;
      continue;
    }
    centred_block(rows.middle(i, 1), first, count, {.centre = origin_.data()}, x.data(), count);
    if (!skip_nan_) {
      for (Index j = 0; j < count; ++j) sum[j] += w * x[j];
      weight += w;
      continue;
    }
    for (Index j = 0; j < count; ++j) {
      if (std::isnan(x[j])) continue;
      sum[j] += w * x[j];
      seen[j] += w;
    }
  }
  if (!skip_nan_) out.weight.segment(first, count).setConstant(weight);
}

template <class T>
void ColumnMeans::add(const Rows<T>& rows, const double* weights, int threads) {
  const Index d = origin_.size(), n = rows.rows();
  Index row = 0;  // the first that counts
  while (!started_ && row < n && weights && weights[row] == 0) ++row;
  if (row == n) return;
  if (!started_ && !rows.sparse()) {
    origin_ = Eigen::Map<const Vector<T>>(rows.row(row), d).template cast<double>();
    if (skip_nan_) origin_ = origin_.array().isNaN().select(0.0, origin_);
  }
  started_ = true;

  // Where leaves begin: every so many rows that count.
  std::vector<Index> cuts{row};
  Index counted = open_rows_;
  for (Index i = row; i < n;) {
    for (; i < n && counted < mean_leaf_rows; ++i) counted += !weights || weights[i] != 0 ? 1 : 0;
    cuts.push_back(i);
    if (i < n) counted = 0;
  }
  const auto leaves = static_cast<Index>(cuts.size()) - 1;
  std::vector<Sum> sums(static_cast<std::size_t>(leaves));
  for (Index i = 1; i < leaves; ++i) sums[static_cast<std::size_t>(i)] = empty();
  std::swap(sums[0], open_);
  const Index width = rows.sparse() ? d : std::min(d, mean_strip_columns);
  const Index strips = d == 0 ? 0 : (d + width - 1) / width;
  parallel_for(leaves * strips, n * d < 200000 ? 1 : threads, [&](Index task) {
    const auto leaf = static_cast<std::size_t>(task / strips);
    const Index first = task % strips * width;
    add_strip(rows, weights, cuts[leaf], cuts[leaf + 1], first, std::min(width, d - first),
              sums[leaf]);
  });
  for (Index i = 0; i < leaves; ++i) {
    Sum& sum = sums[static_cast<std::size_t>(i)];
    if (i + 1 < leaves || counted == mean_leaf_rows) tree_.push(sum);
    else std::swap(open_, sum);
  }
  open_rows_ = counted % mean_leaf_rows;
  if (open_rows_ == 0) open_ = empty();
}

Vector<double> ColumnMeans::mean() const {
  Sum all = open_;
  tree_.from_last([&](const Sum& later) { all.merge(later); });
  Vector<double> out = origin_;
  for (Index j = 0; j < out.size(); ++j)
    if (all.weight[j] > 0) out[j] += all.sum[j] / all.weight[j];
  return out;
}

template void ColumnMeans::add(const Rows<float>&, const double*, int);
template void ColumnMeans::add(const Rows<double>&, const double*, int);

}  // namespace mercer
