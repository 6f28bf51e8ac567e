#include "operators/column_means.hpp"

#include "core/parallel.hpp"
#include "core/roundoff.hpp"
#include "core/team_nodes.hpp"
#include "operators/centred.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

namespace {

/// Rows of a leaf, and columns of a strip that a thread adds up row by row.
constexpr Index mean_leaf_rows = 1024, mean_strip_columns = 1024;

}  // namespace

ColumnMeans::ColumnMeans(Index columns, bool skip_nan)
    : origin_(Vector<double>::Zero(columns)),
      chosen_(static_cast<std::size_t>(columns), false),
      unchosen_(columns),
      open_(empty()),
      skip_nan_(skip_nan) {}

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
void ColumnMeans::find_origin(const Rows<T>& rows, const double* weights) {
  const Index d = origin_.size(), n = rows.rows();
  // Sparse rows stay so, unless missing cells make them dense.
  if (rows.sparse() && !skip_nan_) unchosen_ = 0;
  const Vector<double> zero = Vector<double>::Zero(unchosen_ > 0 ? d : 0);
  Vector<double> x(zero.size());
  for (Index i = 0; i < n && unchosen_ > 0; ++i) {
    if (weights && weights[i] == 0) continue;
    centred_block(rows.middle(i, 1), 0, d, {.centre = zero.data()}, x.data(), d);
    for (Index j = 0; j < d; ++j) {
      if (chosen_[static_cast<std::size_t>(j)] || std::isnan(x[j])) continue;
      origin_[j] = x[j];
      chosen_[static_cast<std::size_t>(j)] = true;
      --unchosen_;
    }
  }
}

template <class T>
void ColumnMeans::add(const Rows<T>& rows, const double* weights, int threads) {
  const Index d = origin_.size(), n = rows.rows();
  if (n == 0) return;
  find_origin(rows, weights);

  // Where leaves begin: every so many rows that count.
  std::vector<Index> cuts{0};
  Index counted = open_rows_;
  for (Index i = 0; i < n;) {
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

Index ColumnMeans::leaf_rows() { return mean_leaf_rows; }

Vector<double> ColumnMeans::origin() const {
  Vector<double> out = origin_;
  for (Index j = 0; j < out.size() && unchosen_ > 0; ++j)
    if (!chosen_[static_cast<std::size_t>(j)]) out[j] = std::numeric_limits<double>::quiet_NaN();
  return out;
}

void ColumnMeans::begin_at(std::int64_t leaf, const Vector<double>& origin) {
  tree_.begin_at(leaf);
  origin_ = origin;
  unchosen_ = 0;
}

void ColumnMeans::collect(Team& team) {
  const Index d = origin_.size();
  const auto pack = [&](const Sum& sum) {
    Numbers out(sum.sum.data(), sum.sum.data() + d);
    out.insert(out.end(), sum.weight.data(), sum.weight.data() + d);
    return out;
  };
  const auto unpack = [&](const Numbers& numbers) {
    return Sum{Eigen::Map<const Vector<double>>(numbers.data(), d),
               Eigen::Map<const Vector<double>>(numbers.data() + d, d)};
  };
  collect_nodes(team, tree_, pack, unpack);
  collect_rest(
      team, [&] { return open_rows_ > 0 ? pack(open_) : Numbers(); },
      [&](const Numbers& numbers) { open_ = unpack(numbers); });
}

Vector<double> ColumnMeans::moved() const {
  Sum all = open_;
  tree_.from_last([&](const Sum& later) { all.merge(later); });
  return (all.weight.array() > 0).select(all.sum.cwiseQuotient(all.weight), 0.0);
}

Vector<double> ColumnMeans::mean() const { return origin_ + moved(); }

Vector<double> ColumnMeans::rest() const { return lost_by_sum(origin_, moved()); }

template void ColumnMeans::add(const Rows<float>&, const double*, int);
template void ColumnMeans::add(const Rows<double>&, const double*, int);
template void ColumnMeans::find_origin(const Rows<float>&, const double*);
template void ColumnMeans::find_origin(const Rows<double>&, const double*);

}  // namespace mercer
