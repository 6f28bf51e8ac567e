#pragma once
// Passes over rows that lie on the ranks of a team, in the order of the ranks.
//
// Sums over rows are trees of leaves of a fixed number of rows (core/segments.hpp). A leaf is
// summed by the rank in whose rows it begins: its other rows, which are the first ones of later
// ranks, are sent there. No more than one leaf of rows is held for that. Rows of weight 0 are in no
// leaf, or count as others do.
//
// All ranks call these functions together. An error of one rank is thrown on all.

#include "core/team_traffic.hpp"
#include "pca/passes.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace mercer {

/// Counts the rows of all ranks, checks their weights, and makes `passes` a share of them.
template <class T>
void join_team(Passes<T>& passes, Team& team);

/// Which rows fill leaves: those of weight > 0, or all.
enum class Filling { counted, all };

/// Leaves that begin on the ranks before this one.
template <class T>
std::int64_t leaves_before(const Passes<T>& passes, Index leaf_rows,
                           Filling filling = Filling::counted);

/// One pass: visits the rows of the leaves that begin on this rank.
template <class T>
void run_leaves(Passes<T>& passes, std::string_view what, Index leaf_rows,
                const typename Passes<T>::Visit& visit, Filling filling = Filling::counted);

/// The first `count` rows of all ranks, on rank 0; fewer where there are no more.
template <class T>
void visit_first_rows(Passes<T>& passes, Index count, const typename Passes<T>::Visit& visit,
                      Filling filling = Filling::counted);

/// Rows of the ranks, none of weight 0, and what these functions send for them.
struct RowShares {
  std::vector<std::int64_t> first;  ///< row of each rank; the last entry is their number
  Index columns = 0;
  double entries = 0;       ///< of a row
  double number_bytes = 8;  ///< of an entry
  bool sparse = false;

  void add_leaves(TeamTraffic& traffic, Index leaf_rows) const;
  void add_first_rows(TeamTraffic& traffic, Index count) const;

 private:
  void add_parcel(TeamTraffic& traffic, int from, int to, Index count) const;
};

}  // namespace mercer
