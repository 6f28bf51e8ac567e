#include "pca/kernel/kernel_team_cost.hpp"

#include "core/row_segments.hpp"
#include "core/team_traffic.hpp"
#include "operators/kernel_matrix.hpp"
#include "pca/core_speed.hpp"
#include "pca/kernel/krylov_room.hpp"
#include "pca/method_cost.hpp"
#include "pca/plan_steps.hpp"
#include "solvers/missed.hpp"

#include <algorithm>

namespace mercer {

namespace {

/// All rows on all ranks.
void add_all_rows(TeamTraffic& traffic, const Facts& f, bool weighted) {
  traffic.all_of();
  traffic.scan();
  traffic.agree();
  const auto n = static_cast<Index>(f.rows);
  const double each = f.entries / std::max(1.0, f.rows);
  const auto share = [&](double bytes_per_row) {
    for (int rank = 0; rank < traffic.size(); ++rank) {
      const SegmentRange rows = segments_of(n, rank, traffic.size());
      traffic.broadcast_all(rank, static_cast<double>(rows.size()) * bytes_per_row);
    }
  };
  if (weighted) share(sizeof(double));
  if (!f.sparse) return share(each * f.number_bytes);
  traffic.all_of();
  traffic.scan();
  traffic.agree();
  share(each * sizeof(std::int32_t));
  share(each * f.number_bytes);
  share(sizeof(std::int64_t));
}

/// Every rank computes all of it.
void add_dense(TeamPlan& out, const FitOptions& o) {
  for (RankCost& rank : out.ranks) {
    rank.bytes = out.plan.chosen.bytes;
    rank.first_seconds = core_speed::eigen * dense_flops(out.plan.facts, o);
  }
}

template <class T>
void add_krylov(TeamPlan& out, const FitOptions& o) {
  const Facts& f = out.plan.facts;
  const int ranks = out.team.ranks;
  const auto n = static_cast<Index>(f.rows);
  const KrylovOutlook k = krylov_outlook(f, o, out.plan.work);
  BlockKrylov how{.block = k.used.block, .basis = k.used.basis};
  if (out.plan.refusal.empty())
    how = within_memory(how, n, k.first, static_cast<std::size_t>(k.room.vectors));

  const Index first_block = std::min(how.basis, how.block + probe_vectors) + 1;  // one for the mean
  TeamTraffic first(ranks), further(ranks);
  KernelMatrix<T>::add_ring(first, n, first_block);
  KernelMatrix<T>::add_ring(further, n, how.block);

  const double values = o.kernel->flops_per_pair(f.entries / std::max(1.0, f.rows));
  const auto width = [](Index b) {
    return static_cast<double>((b + panel_width - 1) / panel_width * panel_width);
  };
  const RowSegments segments(n);
  const double basis = 0.5 * static_cast<double>(how.basis);
  for (int rank = 0; rank < ranks; ++rank) {
    RankCost& cost = out.ranks[static_cast<std::size_t>(rank)];
    const Index own = segments.rows_of(segments_of(segments.count(), rank, ranks)).size();
    const double pairs = KernelMatrix<T>::pairs_of(n, rank, ranks);
    const double tiles = k.used.tiles * pairs / (0.5 * f.rows * f.rows);
    // Bytes that are lacking store no tiles.
    const double room =
        std::max(0.0, tile_room<T>(k.room, how, n, k.first, f.threads, rank, ranks));
    const double kept = tiles > 0 ? std::min(1.0, room / tiles) : 1;
    cost.bytes += f.in_memory ? 0 : row_bytes(f);
    cost.bytes += out.plan.work - room + std::min(room, tiles);
    const auto at = static_cast<std::size_t>(rank);
    cost.first += first.ranks()[at];
    cost.further += further.ranks()[at];
    const auto products = [&](Index block, double stored) {
      return 4 * pairs * width(block) *
             (stored * core_speed::stored_product + (1 - stored) * core_speed::product);
    };
    // Keeping vectors orthogonal, and eigenproblems of the basis on rank 0.
    const double vectors = 10 * static_cast<double>(own) * basis * static_cast<double>(how.block) *
                               core_speed::vectors +
                           (rank == 0 ? core_speed::eigen * eigen_flops(basis) : 0);
    const double computing = core_speed::kernel_value * values * pairs;
    cost.first_seconds = computing + products(first_block, 0) + vectors;
    cost.further_seconds = computing * (1 - kept) + products(how.block, kept) + vectors;
  }
}

}  // namespace

void plan_kernel_team(TeamPlan& out, const Facts& facts, const FitOptions& options) {
  Facts all = facts;
  const double rows = row_bytes(all) + (out.team.weighted ? 8 * all.rows : 0);
  all.in_memory = true;
  // Bytes; where the rows alone exceed them, the plan refuses.
  all.budget = std::max(0.0, facts.budget - rows);
  out.plan = plan(all, options);
  TeamTraffic traffic(out.team.ranks);
  add_all_rows(traffic, all, out.team.weighted);
  for (std::size_t rank = 0; rank < out.ranks.size(); ++rank)
    out.ranks[rank].first += traffic.ranks()[rank];
  if (out.plan.solver == Solver::dense) add_dense(out, options);
  else if (all.number_bytes == sizeof(double)) add_krylov<double>(out, options);
  else add_krylov<float>(out, options);
  for (RankCost& rank : out.ranks) rank.bytes += rows;
}

}  // namespace mercer
