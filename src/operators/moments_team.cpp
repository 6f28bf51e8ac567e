// Moments of rows that lie on the ranks of a team.
#include "core/team_nodes.hpp"
#include "operators/moments_impl.hpp"

#include <algorithm>

namespace mercer {

namespace {

Numbers packed(const LeafSum& sum, Index d) {
  Numbers out(sum.first.data(), sum.first.data() + d);
  out.reserve(static_cast<std::size_t>(d + d * (d + 1) / 2));
  for (Index i = 0; i < d; ++i)
    out.insert(out.end(), sum.second.row(i).data() + i, sum.second.row(i).data() + d);
  return out;
}

/// The sum at the start of `numbers`; returns where it ends.
const double* unpack(const double* numbers, const Leaves& leaves, LeafSum& sum) {
  const Index d = leaves.columns;
  sum.clear(leaves);
  std::copy_n(numbers, d, sum.first.data());
  numbers += d;
  for (Index i = 0; i < d; ++i) {
    std::copy_n(numbers, d - i, sum.second.row(i).data() + i);
    numbers += d - i;
  }
  return numbers;
}

}  // namespace

Index Moments::Impl::leaf_rows(bool sparse_rows) const {
  return sparse_rows && shift.isZero(0) ? leaves.sparse : leaves.rows;
}

void Moments::Impl::collect(Team& team) {
  const Index d = leaves.columns;
  collect_nodes(
      team, tree_, [&](const LeafSum& sum) { return packed(sum, d); },
      [&](const Numbers& numbers) {
        LeafSum sum;
        unpack(numbers.data(), leaves, sum);
        return sum;
      });
  // The leaf that is not full, and rows that wait: of the last rank that has any rows.
  const auto append = [](Numbers& out, const Numbers& more) {
    out.insert(out.end(), more.begin(), more.end());
  };
  collect_rest(
      team,
      [&] {
        Numbers out;
        if (!shifted && !any_sparse_ && waiting_rows_ == 0) return out;
        out = {shifted ? 1.0 : 0.0,
               any_sparse_ ? 1.0 : 0.0,
               waiting_weighted_ ? 1.0 : 0.0,
               static_cast<double>(open_rows_),
               static_cast<double>(sparse_rows_),
               static_cast<double>(waiting_rows_)};
        if (open_rows_ > 0) append(out, packed(open_, d));
        if (sparse_rows_ > 0) append(out, packed(sparse_, d));
        out.insert(out.end(), waiting_.data(), waiting_.data() + waiting_rows_ * d);
        out.insert(out.end(), waiting_weight_.data(), waiting_weight_.data() + waiting_rows_);
        return out;
      },
      [&](const Numbers& numbers) {
        const double* from = numbers.data();
        shifted = shifted || from[0] != 0;
        any_sparse_ = any_sparse_ || from[1] != 0;
        const bool weighted = from[2] != 0;
        const auto open = static_cast<Index>(from[3]), sparse = static_cast<Index>(from[4]),
                   waiting_count = static_cast<Index>(from[5]);
        from += 6;
        if (open > 0) from = unpack(from, leaves, open_);
        if (sparse > 0) from = unpack(from, leaves, sparse_);
        open_rows_ = std::max(open_rows_, open);
        sparse_rows_ = std::max(sparse_rows_, sparse);
        if (waiting_count == 0) return;
        waiting_rows_ = waiting_count;
        waiting_weighted_ = weighted;
        waiting_ = Eigen::Map<const Matrix<double>>(from, waiting_count, d);
        waiting_weight_ = Eigen::Map<const Vector<double>>(from + waiting_count * d, waiting_count);
      });
}

void Moments::Impl::add_collect(TeamTraffic& traffic, const std::vector<std::int64_t>& first,
                                const Leaves& leaves, bool sparse, bool shifted) {
  const Index d = leaves.columns, sum = d + d * (d + 1) / 2;
  const Index leaf_rows = sparse ? leaves.sparse : leaves.rows, all = first.back();
  add_nodes(traffic, leaves_of(first, leaf_rows), leaves.radix, sum);
  const Index left = shifted ? all % leaf_rows : all;
  const int owner = owner_of(first, std::min<Index>(all - left, std::max<Index>(all - 1, 0)));
  for (int rank = 1; rank < traffic.size(); ++rank) {
    const bool mine = left > 0 && rank == owner;
    // Sparse rows are known as such where a leaf begins.
    const auto at = static_cast<std::size_t>(rank);
    const bool any = (first[at] + leaf_rows - 1) / leaf_rows * leaf_rows < first[at + 1];
    Index numbers = mine || (sparse ? any : shifted) ? 6 : 0;
    if (mine && sparse) numbers += sum;
    if (mine && !sparse) {
      const Index waiting = shifted ? left % leaves.block : left;
      numbers += (left > waiting ? sum : 0) + waiting * (d + 1);
    }
    traffic.send_numbers(rank, 0, numbers);
  }
}

}  // namespace mercer
