#include <mercer/plan.hpp>

#include "core/memory.hpp"
#include "core/require.hpp"
#include "pca/kernel/approx_row.hpp"
#include "pca/kernel/approximate.hpp"
#include "pca/kernel/krylov_room.hpp"
#include "pca/method_cost.hpp"
#include "pca/plan_steps.hpp"
#include "pca/standard.hpp"
#include "pca/steps.hpp"
#include "pca/validate.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

using Kind = Components::Kind;

/// The smallest useful rank of an approximation, and rows that are sampled before it is chosen.
constexpr Index least_rank = 16;
constexpr double sampled_rows = 1000;

/// Bytes that Krylov stores; describes the stored tiles in `p.tiles`.
double krylov_bytes(Plan& p, const FitOptions& o, double work, bool& all_kept) {
  const KrylovOutlook k = krylov_outlook(p.facts, o, work);
  all_kept = k.kept == k.used.tiles;
  p.tiles = all_kept     ? "the kernel matrix is stored"
            : k.kept > 0 ? fmt::format("{:.0f} % of the kernel matrix is stored",
                                       100 * k.kept / k.used.tiles)
                         : "the kernel matrix is not stored";
  if (k.rounded && k.kept > 0) p.tiles += " in 32 bits";
  if (!all_kept) p.tiles += ", the rest is recomputed on every pass";
  if (p.solver == Solver::krylov) {
    const auto n = std::max<Index>(1, static_cast<Index>(p.facts.rows));
    p.refusal = krylov_refusal(k.room, n, k.first, work);
  }
  return k.room.fixed + k.basis + k.kept;
}

void decide_exact(Plan& p, const FitOptions& o, double work) {
  const Facts& f = p.facts;
  const double n = f.rows, needed = dense_bytes(n);
  const bool fits = needed <= work;
  const Components& asked = o.components;
  const bool counted = asked.kind() == Kind::count;
  const bool free = o.solver == Solver::automatic;
  std::string why = "as asked", against = "not asked for";
  bool dense = o.solver == Solver::dense;
  // `work` is negative where the rows alone exceed the budget; messages then state 0 bytes.
  p.refusal.clear();
  p.tiles.clear();
  p.otherwise.reset();
  if (dense && !fits) {
    p.refusal = fmt::format(
        "`solver=dense` needs {} for {:.0f} rows, and only {} is allowed; use `solver=krylov`, or "
        "a larger `memory`",
        format_bytes(needed), n, format_bytes(std::max(0.0, work)));
  } else if (free && o.clip) {
    dense = true;
    why = "all eigenvalues are needed to clip the negative ones";
    against = "does not find all eigenvalues";
    if (!fits)
      p.refusal = fmt::format(
          "`clip` needs all eigenvalues, {} for {:.0f} rows, and only {} is allowed; use a valid "
          "kernel or a larger `memory`",
          format_bytes(needed), n, format_bytes(std::max(0.0, work)));
  } else if (free) {
    // Krylov: about ten passes of 4·N²·b flops; dense: 9·N³ at half the speed.
    const double k = counted ? static_cast<double>(asked.count()) : 32.0;
    const bool cheaper = n * 18 < 10 * 4 * std::max(16.0, k);
    const bool all = asked.kind() == Kind::all;
    dense = fits && (all || cheaper || n < 256);
    if (all) why = dense ? "all components are requested" : "all matrices of LAPACK would not fit";
    else if (dense) why = fmt::format("{:.0f} rows are few enough for all eigenvalues at once", n);
    else
      why = fmt::format("{} components of {:.0f} rows: a few passes over the kernel matrix",
                        counted ? std::to_string(asked.count()) : "few", n);
    against = dense  ? "finds the first components only, in many passes"
              : fits ? "more flops"
                     : "does not fit in memory";
    if (!dense && fits) p.otherwise = Solver::dense;
    if (dense) p.otherwise = Solver::krylov;
  }
  p.solver = dense ? Solver::dense : Solver::krylov;
  const double held = f.in_memory ? 0 : row_bytes(f);
  bool kept = true;
  const double bytes = krylov_bytes(p, o, work, kept);
  if (!p.refusal.empty() && p.otherwise == Solver::dense) {
    p.solver = Solver::dense;
    p.otherwise.reset();
    p.refusal.clear();
    why = "the vectors of block Krylov would not fit";
    against = "does not fit in memory";
  }
  if (p.solver == Solver::dense) p.tiles.clear();
  std::vector<PlannedMethod> methods = {
      {"dense", against, held + needed, 1, dense_flops(f, o)},
      {"krylov", against, held + bytes, krylov_passes, krylov_flops(f, o, kept)}};
  if (o.kernel && n >= 2000) {
    const FeatureRows rows = feature_rows(Cholesky{}, f, o);
    const double m = std::min(1000.0, static_cast<double>(most_features(work, rows)));
    const Approx landmarks = Cholesky{.rank = static_cast<Index>(m)};
    if (m >= 1)
      methods.push_back({text_of(landmarks), "approximate: only on request",
                         held + feature_bytes(m, rows), 0, approximate_flops(landmarks, m, f, o)});
  }
  take_method(p, std::move(methods), name_of(p.solver), std::move(why));
}

std::string time_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.2g} s", seconds);
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

/// No approximation if exact kernel PCA takes at most `seconds`, else one; returns the reason.
/// `exact_work`: 0 where exact kernel PCA does not fit in memory.
std::string by_time(Plan& p, const FitOptions& o, double exact_work, double feature_work) {
  const Facts& f = p.facts;
  require(f.speed.has_value(), Errc::bad_option,
          "`seconds`: the facts do not contain the speed of the machine");
  const double exact = exact_seconds(f.rows, exact_work, *f.speed);
  const std::string target = time_text(o.seconds);
  if (exact_work > 0 && exact <= o.seconds)
    return fmt::format("exact: expected to take {} of {}", time_text(exact), target);
  // The largest rank that time, memory and rows allow, beside the sample that shows the size of
  // kernel values.
  const double sampled =
      std::min(feature_work / 4, std::min(f.rows, sampled_rows) * f.columns * f.number_bytes);
  const auto most =
      std::min<Index>(most_features(feature_work - sampled, feature_rows(Cholesky{}, f, o)),
                      static_cast<Index>(f.rows));
  Index low = std::min(least_rank, most), high = most;
  if (o.components.kind() == Kind::count)
    low = std::clamp(o.components.count(), low, std::max(low, most));
  while (low < high) {
    const Index middle = (low + high + 1) / 2;
    if (landmark_seconds(f.rows, static_cast<double>(middle), *f.speed) <= o.seconds) low = middle;
    else high = middle - 1;
  }
  if (low <= 0) p.refusal = "`memory` is too small for any landmark";
  p.approx = Cholesky{.rank = std::max<Index>(low, 1)};
  const double takes = landmark_seconds(f.rows, static_cast<double>(low), *f.speed);
  const std::string against = exact_work > 0 ? fmt::format("would take about {}", time_text(exact))
                                             : "does not fit in memory";
  std::string why = fmt::format("exact kernel PCA {}, rank {} takes about {} of {}", against, low,
                                time_text(takes), target);
  if (takes > o.seconds) why += "; this is the smallest rank, so the target time is exceeded";
  return why;
}

void decide_approximate(Plan& p, const FitOptions& o, std::string why) {
  const Facts& f = p.facts;
  const Approx approx = for_rows(*p.approx, static_cast<Index>(f.rows));
  const double held = p.rows == "in memory" && !f.in_memory ? row_bytes(f) : 0;
  const auto m = static_cast<double>(row_of(approx).features(approx));
  const FeatureRows kept_rows = feature_rows(approx, f, o);
  p.chosen = {text_of(*p.approx), std::move(why), held + feature_bytes(m, kept_rows),
              p.once() ? 1 : row_of(approx).passes, m > 0 ? approximate_flops(approx, m, f, o) : 0};
  if (m == 0) p.chosen.bytes = p.chosen.passes = 0;  // as many as the tolerance takes
  const std::string against = o.approx ? "not asked for" : "would take longer";
  bool kept = true;
  Plan exact = p;
  const double rows = f.in_memory ? 0 : row_bytes(f);
  const double bytes = krylov_bytes(exact, o, p.work, kept);
  p.rejected = {{"krylov", against, rows + bytes, krylov_passes, krylov_flops(f, o, kept)},
                {"dense", against, rows + dense_bytes(f.rows), 1, dense_flops(f, o)}};
  const auto fit_in = static_cast<double>(most_features(p.work, kept_rows));
  if (p.refusal.empty() && (m > fit_in || fit_in == 0))
    // Bytes that are left: below 0 where the rows alone exceed the budget, which is none.
    p.refusal = fmt::format(
        "`approx`: {} does not fit in memory, {:.0f} features would: it needs {}{}, and {} are "
        "allowed; use a larger `memory`",
        text_of(*p.approx), fit_in,
        format_bytes(feature_bytes(std::max(1.0, m), kept_rows) +
                     (f.in_memory ? 0.0 : f.budget - p.work)),
        f.in_memory ? " in addition to the rows" : "",
        format_bytes(f.in_memory ? std::max(0.0, p.work) : f.budget));
}

}  // namespace

void take_method(Plan& p, std::vector<PlannedMethod> methods, const std::string& chosen,
                 std::string why) {
  const auto found = std::ranges::find(methods, chosen, &PlannedMethod::method);
  p.chosen = *found;
  p.chosen.why = std::move(why);
  methods.erase(found);
  std::ranges::stable_sort(methods, {}, &PlannedMethod::flops);
  p.rejected = std::move(methods);
}

Plan plan(const Facts& f, const FitOptions& asked) {
  validate(asked);
  FitOptions o = asked;
  // These choose from all of them.
  if (asked.components.kind() == Kind::minka || asked.components.kind() == Kind::gavish_donoho)
    o.components = all_components();
  Plan p;
  p.facts = f;
  p.rows = "in memory";
  // Half for the rows, half for the work.
  const double bytes = f.in_memory ? 0 : row_bytes(f);
  const bool large = bytes > f.budget / 2;
  const double left = f.budget - column_bytes(f), streaming = left - f.buffers;
  p.work = left - bytes;
  if (!o.kernel && !o.precomputed) {
    const auto linear = [&](const char* rows, double work) {
      Plan out = p;
      out.rows = rows;
      out.work = work;
      plan_linear(out, o);
      return out;
    };
    if (large && f.rewindable && !f.sparse) {
      const Plan streamed = linear("streamed", streaming);
      // A few wide rows may take less than the vectors of a method that streams them.
      p = streamed.refusal.empty() ? streamed : linear("in memory", p.work);
      if (!p.refusal.empty() && streamed.chosen.bytes < p.chosen.bytes) p = streamed;
    } else {
      p = linear("in memory", p.work);
    }
    if (takes_steps(asked))
      p.chosen.why += "; the last of several fits, the others are not counted";
    return p;
  }
  // Kernel values of wide rows are computed from copies of some of them.
  const double tiles = o.kernel ? tile_bytes(f) : 0;
  p.work -= tiles;
  const auto exactly = [&] {
    Plan exact = p;
    // Kernels compare every row with every other: all of them are needed at once.
    decide_exact(exact, o, p.work - copy_bytes(f, o));
    // The model keeps the rows, as the kernel sees them.
    const double model = o.precomputed ? 0 : row_bytes(f);
    if (exact.refusal.empty() && model > p.work)
      // Bytes that are left: below 0 where the rows alone exceed the budget, which is none.
      exact.refusal = fmt::format(
          "the model of a kernel stores the rows: {} for {:.0f} columns in addition to the rows "
          "themselves, and {} are allowed; use a larger `memory`, or `approx`",
          format_bytes(model), f.columns, format_bytes(std::max(0.0, p.work)));
    return exact;
  };
  std::string why;
  if (o.approx) {
    p.approx = o.approx;
    why = "as asked";
  } else if (o.seconds > 0 && f.rows > 0) {
    why = by_time(p, o, exactly().refusal.empty() ? p.work : 0,
                  large && f.rewindable ? streaming - tiles : p.work);
  }
  if (!p.approx) {
    p = exactly();
    if (!why.empty()) p.chosen.why = why + "; " + p.chosen.why;
    return p;
  }
  if (large && f.rewindable) {
    p.rows = "streamed";
    p.work = streaming - tiles;
  } else if (!f.in_memory && !f.rewindable && o.approx && o.missing != Missing::mean) {
    // Rows that can be read only once, as from a pipe, determine the features in that pass.
    p.rows = "read once";
    p.work = streaming - tiles;
  }
  decide_approximate(p, o, std::move(why));
  return p;
}

double copy_bytes(const Facts& f, const FitOptions& o) {
  return changes_rows(o) && !o.precomputed ? f.rows * f.columns * f.number_bytes : 0;
}

Plan with_work(Plan p, double work, const FitOptions& o) {
  const Solver before = p.solver;
  std::string why = std::move(p.chosen.why);
  p.work = work;
  decide_exact(p, o, work);
  if (p.solver == before) p.chosen.why = std::move(why);
  return p;
}

void require_possible(const Plan& p) {
  require(p.refusal.empty(), Errc::out_of_memory, "{}", p.refusal);
}

}  // namespace mercer
