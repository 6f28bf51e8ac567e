#include "pca/team_rows.hpp"

#include "core/require.hpp"
#include "core/team.hpp"
#include "core/team_nodes.hpp"
#include "pca/validate.hpp"

#include <algorithm>
#include <vector>

namespace mercer {

namespace {

/// Rows on their way to another rank.
template <class T>
class Parcel {
 public:
  explicit Parcel(Index columns, bool sparse) : columns_(columns), sparse_(sparse) {}

  Index count() const { return static_cast<Index>(weights_.size()); }
  void add(const Rows<T>& rows, const double* weights) {
    for (Index i = 0; i < rows.rows(); ++i) weights_.push_back(weights ? weights[i] : 1.0);
    weighted_ = weighted_ || weights;
    if (!sparse_) {
      for (Index i = 0; i < rows.rows(); ++i)
        values_.insert(values_.end(), rows.row(i), rows.row(i) + columns_);
      return;
    }
    const CsrView<T>& csr = rows.csr();
    const auto from = csr.offsets[0], to = csr.offsets[rows.rows()];
    const auto base = offsets_.back() - from;
    values_.insert(values_.end(), csr.values + from, csr.values + to);
    entries_.insert(entries_.end(), csr.columns + from, csr.columns + to);
    for (Index i = 0; i < rows.rows(); ++i) offsets_.push_back(base + csr.offsets[i + 1]);
  }

  void send(Team& team, int to) const {
    const std::int64_t sizes[] = {count(), weighted_ ? 1 : 0,
                                  static_cast<std::int64_t>(values_.size())};
    team.send(to, sizes, sizeof sizes);
    send_all(team, to, weights_.data(), weights_.size() * sizeof(double));
    send_all(team, to, values_.data(), values_.size() * sizeof(T));
    if (!sparse_) return;
    send_all(team, to, entries_.data(), entries_.size() * sizeof(std::int32_t));
    send_all(team, to, offsets_.data(), offsets_.size() * sizeof(std::int64_t));
  }

  void receive(Team& team, int from) {
    std::int64_t sizes[3] = {};
    team.receive(from, sizes, sizeof sizes);
    weighted_ = sizes[1] != 0;
    weights_.resize(static_cast<std::size_t>(sizes[0]));
    values_.resize(static_cast<std::size_t>(sizes[2]));
    receive_all(team, from, weights_.data(), weights_.size() * sizeof(double));
    receive_all(team, from, values_.data(), values_.size() * sizeof(T));
    if (!sparse_) return;
    entries_.resize(values_.size());
    offsets_.resize(weights_.size() + 1);
    receive_all(team, from, entries_.data(), entries_.size() * sizeof(std::int32_t));
    receive_all(team, from, offsets_.data(), offsets_.size() * sizeof(std::int64_t));
  }

  void show(const typename Passes<T>::Visit& visit) const {
    if (count() == 0) return;
    const double* const weights = weighted_ ? weights_.data() : nullptr;
    if (sparse_)
      visit(
          Rows<T>(CsrView<T>{offsets_.data(), entries_.data(), values_.data()}, count(), columns_),
          weights);
    else visit(Rows<T>(values_.data(), count(), columns_, columns_), weights);
  }

 private:
  Index columns_;
  bool sparse_;
  bool weighted_ = false;
  std::vector<double> weights_;
  std::vector<T> values_;
  std::vector<std::int32_t> entries_;
  std::vector<std::int64_t> offsets_{0};
};

/// Rows before each rank, and those of all ranks.
const std::vector<std::int64_t>& begins_of(const RowSpread& spread, Filling filling) {
  return filling == Filling::all ? spread.begins : spread.counted;
}

/// Moves rows into the parcel until it has `most`; returns the first row that is left.
template <class T>
Index fill(Parcel<T>& parcel, Index most, const Rows<T>& rows, const double* weights,
           Filling filling) {
  if (filling == Filling::all) {
    const Index n = std::min(rows.rows(), most - parcel.count());
    parcel.add(rows.middle(0, n), weights);
    return n;
  }
  Index i = 0;
  while (i < rows.rows() && parcel.count() < most) {
    if (weights && weights[i] == 0) {
      ++i;
      continue;
    }
    const Index from = i, end = std::min(rows.rows(), i + most - parcel.count());
    while (i < end && (!weights || weights[i] != 0)) ++i;
    parcel.add(rows.middle(from, i - from), weights ? weights + from : nullptr);
  }
  return i;
}

using Firsts = std::vector<std::int64_t>;  // row of each rank, then their number

/// The first rows of a rank, up to where a leaf begins; they belong to a leaf of another rank.
Index head_of(const Firsts& first, int rank, Index leaf_rows) {
  const auto at = static_cast<std::size_t>(rank);
  return std::min<Index>(first[at + 1] - first[at],
                         (leaf_rows - first[at] % leaf_rows) % leaf_rows);
}

/// The rank that has the leaf in which the rows of this one begin.
int leaf_owner(const Firsts& first, int rank, Index leaf_rows) {
  return owner_of(first, first[static_cast<std::size_t>(rank)] / leaf_rows * leaf_rows);
}

/// Of the first `count` rows of all, those of a rank.
Index share_of(const Firsts& first, int rank, Index count) {
  const auto at = static_cast<std::size_t>(rank);
  return std::clamp<Index>(count - first[at], 0, first[at + 1] - first[at]);
}

}  // namespace

template <class T>
void join_team(Passes<T>& passes, Team& team) {
  RowSpread spread;
  std::int64_t rows = 0, entries = 0;
  std::vector<double> weights;  // of this rank
  bool weighted = false;
  agree(team, [&] {
    passes.peek([&](const Rows<T>& block, const double* w) {
      rows += block.rows();
      entries += block.entries();
      weighted = weighted || w;
      if (w) weights.insert(weights.end(), w, w + block.rows());
      return true;
    });
  });
  const Scanned scanned = scan(team, rows);
  spread.first = scanned.before;
  spread.rows = scanned.total;
  spread.entries = scan(team, entries).total;
  const std::vector<std::int64_t> have = all_of(team, rows == 0 ? 2 : weighted ? 1 : 0);
  const auto none = std::ranges::find(have, 0), some = std::ranges::find(have, 1);
  require(none == have.end() || some == have.end(), Errc::bad_data,
          "rank {} has row `weights` and rank {} has none; give weights on all ranks or on none",
          some - have.begin(), none - have.begin());
  spread.weighted = some != have.end();
  agree(team, [&] { require_weights(weights.data(), std::ssize(weights), spread.first); });
  const std::int64_t counted = weighted ? rows - std::ranges::count(weights, 0.0) : rows;
  spread.begins = spread.counted = {0};
  for (const std::int64_t count : all_of(team, rows))
    spread.begins.push_back(spread.begins.back() + count);
  for (const std::int64_t count : all_of(team, counted))
    spread.counted.push_back(spread.counted.back() + count);

  // Row by row, as one process adds them: from rank to rank.
  double state[2] = {};
  if (!spread.weighted) {
    spread.weight.add(static_cast<double>(spread.rows));
    spread.weight_before.add(static_cast<double>(spread.first));
  } else {
    const int last = team.size() - 1;
    if (team.rank() > 0) team.receive(team.rank() - 1, state, sizeof state);
    spread.weight.restore(state[0], state[1]);
    spread.weight_before = spread.weight;
    if (weighted) spread.weight.add(weights.data(), rows);
    state[0] = spread.weight.state().first;
    state[1] = spread.weight.state().second;
    if (team.rank() < last) team.send(team.rank() + 1, state, sizeof state);
    team.broadcast(last, state, sizeof state);
    spread.weight.restore(state[0], state[1]);
  }
  passes.join(team, std::move(spread));
}

template <class T>
std::int64_t leaves_before(const Passes<T>& passes, Index leaf_rows, Filling filling) {
  const auto rank = static_cast<std::size_t>(passes.team()->rank());
  const std::int64_t first = begins_of(passes.spread(), filling)[rank];
  return (first + leaf_rows - 1) / leaf_rows;
}

template <class T>
void run_leaves(Passes<T>& passes, std::string_view what, Index leaf_rows,
                const typename Passes<T>::Visit& visit, Filling filling) {
  Team& team = *passes.team();
  const std::vector<std::int64_t>& begins = begins_of(passes.spread(), filling);
  const Index head = head_of(begins, team.rank(), leaf_rows);
  Parcel<T> parcel(passes.features(), passes.sparse());
  agree(team, [&] {
    passes.run(what, [&](const Rows<T>& rows, const double* weights) {
      const Index from = parcel.count() < head ? fill(parcel, head, rows, weights, filling) : 0;
      if (from < rows.rows())
        visit(rows.middle(from, rows.rows() - from), weights ? weights + from : nullptr);
    });
  });
  // Rows go to ranks before this one only, so that no circle of ranks waits for itself.
  const auto to = [&](int rank) { return leaf_owner(begins, rank, leaf_rows); };
  if (head > 0) parcel.send(team, to(team.rank()));
  std::vector<Parcel<T>> others;  // one leaf at most
  for (int rank = team.rank() + 1; rank < team.size(); ++rank) {
    if (head_of(begins, rank, leaf_rows) == 0 || to(rank) != team.rank()) continue;
    others.emplace_back(passes.features(), passes.sparse()).receive(team, rank);
  }
  agree(team, [&] {
    for (const Parcel<T>& parcel_of_other : others) parcel_of_other.show(visit);
  });
}

template <class T>
void visit_first_rows(Passes<T>& passes, Index count, const typename Passes<T>::Visit& visit,
                      Filling filling) {
  Team& team = *passes.team();
  const std::vector<std::int64_t>& begins = begins_of(passes.spread(), filling);
  const auto share = [&](int rank) { return share_of(begins, rank, count); };
  const Index mine = share(team.rank());
  Parcel<T> parcel(passes.features(), passes.sparse());
  agree(team, [&] {
    if (mine == 0) return;
    passes.peek([&](const Rows<T>& rows, const double* weights) {
      fill(parcel, mine, rows, weights, filling);
      return parcel.count() < mine;
    });
  });
  if (team.rank() != 0) {
    if (mine > 0) parcel.send(team, 0);
    return;
  }
  parcel.show(visit);
  for (int rank = 1; rank < team.size(); ++rank) {
    if (share(rank) == 0) continue;
    Parcel<T> later(passes.features(), passes.sparse());
    later.receive(team, rank);
    later.show(visit);
  }
}

void RowShares::add_parcel(TeamTraffic& traffic, int from, int to, Index count) const {
  const double rows = static_cast<double>(count), numbers = rows * entries;
  traffic.send_all(from, to, 3 * sizeof(std::int64_t));
  traffic.send_all(from, to, rows * sizeof(double));
  traffic.send_all(from, to, numbers * number_bytes);
  if (!sparse) return;
  traffic.send_all(from, to, numbers * sizeof(std::int32_t));
  traffic.send_all(from, to, (rows + 1) * sizeof(std::int64_t));
}

void RowShares::add_leaves(TeamTraffic& traffic, Index leaf_rows) const {
  traffic.agree();
  for (int rank = 0; rank < traffic.size(); ++rank)
    if (const Index head = head_of(first, rank, leaf_rows); head > 0)
      add_parcel(traffic, rank, leaf_owner(first, rank, leaf_rows), head);
  traffic.agree();
}

void RowShares::add_first_rows(TeamTraffic& traffic, Index count) const {
  traffic.agree();
  for (int rank = 1; rank < traffic.size(); ++rank)
    if (const Index share = share_of(first, rank, count); share > 0)
      add_parcel(traffic, rank, 0, share);
}

#define MERCER_INSTANTIATE(T)                                                                      \
  template void join_team(Passes<T>&, Team&);                                                      \
  template std::int64_t leaves_before(const Passes<T>&, Index, Filling);                           \
  template void run_leaves(Passes<T>&, std::string_view, Index, const Passes<T>::Visit&, Filling); \
  template void visit_first_rows(Passes<T>&, Index, const Passes<T>::Visit&, Filling);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
