#include "pca/all_rows.hpp"

#include <mercer/team_ledger.hpp>

#include <algorithm>

namespace mercer {

namespace {

/// Consecutive parts of `all`, one of each rank: each rank sends its own to the others.
template <class X>
void share_parts(Team& team, const std::vector<std::int64_t>& counts, X* all) {
  for (int rank = 0; rank < team.size(); ++rank) {
    const std::int64_t count = counts[static_cast<std::size_t>(rank)];
    broadcast_all(team, rank, all, sizeof(X) * static_cast<std::size_t>(count));
    all += count;
  }
}

}  // namespace

template <class T>
AllRows<T>::AllRows(Team& team, const Rows<T>& mine, const double* weights) {
  const TeamLedger::Entry entry(team, Purpose::rows);
  const std::vector<std::int64_t> rows = all_of(team, mine.rows());
  const Scanned place = scan(team, mine.rows());
  agree(team, [&] {
    if (weights) weights_.resize(static_cast<std::size_t>(place.total));
    if (mine.sparse()) sparse_.offsets.assign(static_cast<std::size_t>(place.total) + 1, 0);
    else dense_.resize(place.total, mine.cols());
  });
  if (weights) {
    std::copy_n(weights, mine.rows(), weights_.begin() + place.before);
    share_parts(team, rows, weights_.data());
  }
  if (mine.sparse()) {
    share_entries(team, mine, rows, place.before);
    return;
  }
  dense_.middleRows(place.before, mine.rows()) = mine.dense();
  std::vector<std::int64_t> cells = rows;
  for (std::int64_t& count : cells) count *= mine.cols();
  share_parts(team, cells, dense_.data());
}

template <class T>
void AllRows<T>::share_entries(Team& team, const Rows<T>& mine,
                               const std::vector<std::int64_t>& rows, std::int64_t first) {
  const CsrView<T>& from = mine.csr();
  const std::int64_t begin = from.offsets[0], count = from.offsets[mine.rows()] - begin;
  const std::vector<std::int64_t> entries = all_of(team, count);
  const Scanned place = scan(team, count);
  agree(team, [&] {
    sparse_.cols = mine.cols();
    sparse_.columns.resize(static_cast<std::size_t>(place.total));
    sparse_.values.resize(static_cast<std::size_t>(place.total));
  });
  std::copy_n(from.columns + begin, count, sparse_.columns.begin() + place.before);
  std::copy_n(from.values + begin, count, sparse_.values.begin() + place.before);
  for (Index i = 0; i < mine.rows(); ++i)  // where the rows end
    sparse_.offsets[static_cast<std::size_t>(first + i) + 1] =
        from.offsets[i + 1] - begin + place.before;
  share_parts(team, entries, sparse_.columns.data());
  share_parts(team, entries, sparse_.values.data());
  share_parts(team, rows, sparse_.offsets.data() + 1);
}

template class AllRows<float>;
template class AllRows<double>;

}  // namespace mercer
