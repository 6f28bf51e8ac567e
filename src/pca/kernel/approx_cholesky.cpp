// Landmarks by randomly pivoted Cholesky.
#include "core/random.hpp"
#include "core/require.hpp"
#include "pca/compare_cost.hpp"
#include "pca/kernel/approx_row.hpp"
#include "pca/kernel/landmark_draws.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>

namespace mercer {

namespace {

/// Pivots are drawn in growing blocks, each as large as all before: the passes then cost a third of
/// the last one together.
constexpr Index first_block = 64, largest_block = 8192;
/// The share of itself that a landmark adds at least, where the order does not matter.
constexpr double nearly_repeated = 1e-9;

/// Where a run of pivots goes: what remains falls with a power of the number of landmarks, by which
/// the number that is needed is foreseen.
class Outlook {
 public:
  Outlook(const Kernel& kernel, double rows, double entries, double goal)
      : kernel_(kernel), rows_(rows), entries_(entries), goal_(goal) {}

  /// A line for the reader, after m landmarks that leave this share.
  const std::string& after(Index m, double share) {
    const auto now = static_cast<double>(m);
    double needed = now;
    if (goal_ > 0 && share > goal_) {
      const double power = before_ > 0 && now > before_ && share < left_
                               ? std::log(left_ / share) / std::log(now / before_)
                               : 0;
      needed = power > 0 ? std::min(rows_, now * std::pow(share / goal_, 1 / power)) : rows_;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    // The passes so far took a third of the last one; passes grow with the square of the rank.
    const double ahead = seconds * 4 * std::pow(std::max(1.0, needed / std::max(1.0, now)), 2);
    text_ = fmt::format("rank {}, {:.3g} % of the trace left", m, 100 * share);
    if (before_ > 0 && needed > now)
      text_ += fmt::format(", expected rank {:.0f}, {:.0f} s left", needed, ahead);
    if (before_ > 0 && costs_more_than_exact(kernel_, rows_, entries_, needed))
      text_ = fmt::format(
          "note: rank {} leaves {:.2g} % of the trace, and about {:.0f} of {:.0f} rows will be "
          "needed as landmarks: exact kernel PCA is expected to be faster",
          m, 100 * share, needed, rows_);
    before_ = now;
    left_ = share;
    return text_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Kernel& kernel_;
  double rows_, entries_, goal_, before_ = 0, left_ = 1;
  Clock::time_point start_ = Clock::now();
  std::string text_ = "rank 0";
};

}  // namespace

template <class T>
LandmarkFeatures<T> choose_pivots(SeenRows<T>& rows, const Kernel& kernel, const Cholesky& how,
                                  const Candidates<T>& candidates) {
  if (how.rank > 0) require_landmarks(rows, "rank", how.rank, candidates.most);
  const Index most = how.rank > 0 ? how.rank : candidates.most;
  LandmarkFeatures<T> chosen = no_landmarks(kernel, rows.cols(), rows.sparse(), candidates.sample);
  Random random(rows.options().seed);
  const auto n = static_cast<double>(rows.passes().rows());
  Outlook outlook(kernel, n, static_cast<double>(rows.cols()),
                  how.rank > 0 ? how.error : how.tolerance);
  std::string note = how.rank > 0 ? expected_slower(kernel, n, static_cast<double>(rows.cols()),
                                                    static_cast<double>(how.rank))
                                  : std::string();
  for (std::uint64_t round = 0;; ++round) {
    const Index m = chosen.size();
    if (how.rank > 0 && m == how.rank) break;
    // More are drawn than are wanted: some will be rejected.
    const Index block = std::min(
        {std::max(first_block, m + m / 4), largest_block, std::max<Index>(16, 2 * (most - m))});
    const RowDraw<T> drawn = draw_rows(
        rows, chosen, {.count = block, .seed = rows.options().seed + 2 + round}, "landmarks", note);
    const double trace = drawn.trace, rest = drawn.rest;
    require(trace > 0, Errc::bad_data, "the kernel is 0 on all rows of {}",
            Input(rows.passes().name()));

    // Drawn until the rows show no more than rounding, or no more than is asked for.
    const double share = how.rank > 0 ? how.error : how.tolerance;
    const double goal = share * trace;
    if (rest <= goal) {
      // The first landmarks that already do it.
      Index enough = m;
      double without = rest;
      while (enough > 1 && without + drawn.explained[enough - 1] <= goal)
        without += drawn.explained[--enough];
      chosen.truncate(enough);
      break;
    }
    require(m < most, Errc::out_of_memory,
            "`approx={}` needs more than the {} landmarks that fit into memory (they leave {:.2g} "
            "of the trace); use a larger `memory` or tolerance",
            text_of(how), most, rest / trace);
    if (how.rank == 0 || note.empty()) note = outlook.after(m, rest / trace);
    // A row is kept with the probability current residual / residual when it was drawn.
    std::vector<double> floors;
    floors.reserve(drawn.rows.size());
    for (const SampledRow<T>& row : drawn.rows) floors.push_back(random.uniform() * row.along);
    chosen.extend(drawn.rows, floors, most);
    if (chosen.size() == m) break;  // what is left is rounding
  }
  // The largest first, where some nearly repeat others: fewer of them are then the better basis.
  if (chosen.leading(nearly_repeated) < chosen.size()) chosen.reorder();
  return chosen;
}

template LandmarkFeatures<float> choose_pivots(SeenRows<float>&, const Kernel&, const Cholesky&,
                                               const Candidates<float>&);
template LandmarkFeatures<double> choose_pivots(SeenRows<double>&, const Kernel&, const Cholesky&,
                                                const Candidates<double>&);

namespace {

constexpr TextParameter cholesky_parameters[] = {
    {.name = "rank", .domain = domains::count, .standard = 0, .neutral = true},
    {"tolerance", domains::fraction, Cholesky{}.tolerance},
    error_parameter};

}  // namespace

extern const ApproxRow cholesky_approx = {
    .text = {"cholesky", cholesky_parameters, "cholesky(rank=500)"},
    .notes = "landmarks by randomly pivoted Cholesky; any kernel",
    .make = [](std::span<const double> v) -> Approx {
      return Cholesky{static_cast<Index>(v[0]), v[1], v[2]};
    },
    .values = [](const Approx& a) -> std::vector<std::optional<double>> {
      const auto& c = std::get<Cholesky>(a);
      const std::optional<double> tolerance =
          c.rank == 0 ? std::optional(c.tolerance) : std::nullopt;
      return {static_cast<double>(c.rank), tolerance, c.error};
    },
    .landmarks = true,
    .passes = 6,
    .features = [](const Approx& a) { return std::get<Cholesky>(a).rank; },
    .choose =
        []<class T>(const Approx& a, SeenRows<T>& rows, const Candidates<T>& candidates,
                    FeatureChoice<T>& space) {
          space.landmarks =
              finished(choose_pivots(rows, space.kernel, std::get<Cholesky>(a), candidates));
        },
};

}  // namespace mercer
