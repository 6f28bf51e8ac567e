#include "core/memory.hpp"
#include "pca/method_cost.hpp"
#include "pca/plan_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace mercer {

namespace {

using Kind = Components::Kind;

/// A solver of linear PCA, as the choice sees it.
struct Candidate {
  Solver solver;
  const char* what;
  double passes;
  double weight;       ///< of its flops in the choice
  const char* barred;  ///< why it is taken only when asked for; null: it may be chosen
  const char* costlier = "more flops";
  double flops = 0;
  double bytes = 0;
};

}  // namespace

void plan_linear(Plan& p, const FitOptions& o) {
  Facts f = p.facts;
  f.in_memory = !p.streamed();
  const double held = p.facts.in_memory || p.streamed() ? 0 : row_bytes(f);
  const Components& asked = o.components;
  const bool few = asked.kind() == Kind::count &&
                   static_cast<double>(asked.count()) < std::min(f.rows, f.columns) / 8;
  const double fill = o.missing == Missing::mean ? 1 : 0;
  // Variances that hardly fall take several times the usual passes, so the gain has to be clear;
  // over rows that are streamed each pass is a reading, and one is better than ten.
  std::vector<Candidate> all = {
      {Solver::covariance, "the covariance matrix", 1 + fill, 1, nullptr},
      {Solver::gram, "the Gram matrix", 3, 1, f.in_memory ? nullptr : "needs all rows in memory"},
      {Solver::randomized, "products with random vectors", expected_passes(o.tolerance) + fill,
       f.in_memory ? 3.0 : 3e3,
       few ? nullptr : "for a number of components below an eighth of rows and columns",
       f.in_memory ? "may take several times as long, depending on the data"
                   : "reads the rows in every pass"},
      {Solver::svd, "an SVD of the rows", 2, 1,
       "the rows are factored only where small variances need it"}};
  for (Candidate& c : all) {
    c.flops = linear_flops(c.solver, f, o);
    c.bytes = linear_bytes(c.solver, f, o);
  }
  const auto fits = [&](const Candidate& c) { return c.bytes <= p.work; };
  std::vector<Candidate> free;  // the cheapest first
  std::ranges::copy_if(all, std::back_inserter(free), [](const Candidate& c) { return !c.barred; });
  std::ranges::stable_sort(free, {}, [](const Candidate& c) { return c.weight * c.flops; });

  p.solver = o.solver;
  std::string why = "as asked";
  if (o.solver == Solver::automatic) {
    const auto chosen = std::ranges::find_if(free, fits);
    // The one that needs least, where none fits: the refusal states what that is.
    const auto smallest = std::ranges::min_element(free, {}, &Candidate::bytes);
    p.solver = chosen == free.end() ? smallest->solver : chosen->solver;
    if (chosen != free.begin()) why = fmt::format("{} would not fit in memory", free[0].what);
    else if (!f.in_memory && p.solver == Solver::covariance)
      why = "rows are streamed, which only the covariance matrix allows in one pass";
    else
      why = fmt::format("about {:.1e} flops; {} would take {:.1e}{}", free[0].flops, free[1].what,
                        free[1].flops, free[1].weight > 1 ? " or several times that" : "");
    // Products with vectors have only so many digits: where the choice is ours, there is another.
    if (p.solver == Solver::randomized)
      for (const Candidate& c : free)
        if (c.solver != Solver::randomized && fits(c) && !p.otherwise) p.otherwise = c.solver;
  }
  std::vector<PlannedMethod> methods;
  for (const Candidate& c : all) {
    const char* against = o.solver != Solver::automatic ? "not asked for"
                          : c.barred                    ? c.barred
                          : fits(c)                     ? c.costlier
                                                        : "does not fit in memory";
    methods.push_back({name_of(c.solver), against, held + c.bytes, c.passes, c.flops});
  }
  take_method(p, std::move(methods), name_of(p.solver), std::move(why));
  const double needed = linear_bytes(p.solver, f, o);
  if (p.solver == Solver::gram && !f.in_memory)
    p.refusal =
        "the Gram matrix needs all rows in memory; use `solver=covariance` or a larger `memory`";
  else if (needed > p.work && p.facts.in_memory)
    p.refusal = fmt::format(
        "`solver={}` needs {} of working memory in addition to the rows, and {} are allowed; use a "
        "larger `memory` or fewer `columns`",
        name_of(p.solver), format_bytes(needed), format_bytes(std::max(0.0, p.work)));
  else if (needed > p.work)
    p.refusal = fmt::format(
        "`solver={}` needs at least {} for {:.0f} columns{}, and {} are allowed; use a larger "
        "`memory` or fewer `columns`",
        name_of(p.solver), format_bytes(p.facts.budget - p.work + needed), f.columns,
        p.streamed() ? "" : " and all rows", format_bytes(p.facts.budget));
}

}  // namespace mercer
