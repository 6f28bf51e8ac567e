#include "core/memory.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/method_cost.hpp"
#include "pca/plan_steps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace mercer {

namespace {

/// A solver, with its costs for these rows.
struct Candidate {
  const LinearSolverRow& row;
  double flops, bytes, passes;
  const char* unplanned;  ///< why it is used on request only; null: it may be selected
};

}  // namespace

void plan_linear(Plan& p, const FitOptions& o) {
  Facts f = p.facts;
  f.in_memory = !p.streamed();
  const double held = p.facts.in_memory || p.streamed() ? 0 : row_bytes(f);
  std::vector<Candidate> all;
  for (const LinearSolverRow* row : linear_solvers())
    all.push_back(
        {*row, row->flops(f, o), row->bytes(f, o), row->passes(o),
         row->needs_rows && !f.in_memory ? "needs all rows in memory" : row->unplanned(f, o)});
  const auto fits = [&](const Candidate* c) { return c->bytes <= p.work; };
  // Variances that hardly fall take several times the usual passes, so the gain has to be clear;
  // over rows that are streamed each pass is a reading, and one is better than ten.
  const auto weighted = [&](const Candidate* c) {
    return c->flops * (!c->row.iterative ? 1.0 : f.in_memory ? 3.0 : 3e3);
  };
  std::vector<const Candidate*> free;  // the cheapest first
  for (const Candidate& c : all)
    if (!c.unplanned) free.push_back(&c);
  std::ranges::stable_sort(free, {}, weighted);

  p.solver = o.solver;
  std::string why = "as asked";
  if (o.solver == Solver::automatic) {
    const auto found = std::ranges::find_if(free, fits);
    const Candidate& first = *free[0];
    // The one that needs least, where none fits: the refusal states what that is.
    const auto bytes = [](const Candidate* c) { return c->bytes; };
    const Candidate& chosen = found == free.end() ? *std::ranges::min(free, {}, bytes) : **found;
    const auto passes = [](const Candidate* c) { return c->passes; };
    p.solver = chosen.row.solver;
    if (found != free.begin()) why = fmt::format("{} would not fit in memory", first.row.what);
    else if (!f.in_memory && &chosen == std::ranges::min(free, {}, passes))
      why = fmt::format("rows are streamed, which only {} allows in one pass", chosen.row.what);
    else
      why =
          fmt::format("about {:.1e} flops; {} would take {:.1e}{}", first.flops, free[1]->row.what,
                      free[1]->flops, free[1]->row.iterative ? " or several times that" : "");
    // Products with vectors have only so many digits: where the choice is ours, there is another.
    const auto other = std::ranges::find_if(
        free, [&](const Candidate* c) { return !c->row.iterative && fits(c); });
    if (chosen.row.iterative && other != free.end()) p.otherwise = (*other)->row.solver;
  }
  std::vector<PlannedMethod> methods;
  for (const Candidate& c : all) {
    const char* against = o.solver != Solver::automatic ? "not asked for"
                          : c.unplanned                 ? c.unplanned
                          : !fits(&c)                   ? "does not fit in memory"
                          : !c.row.iterative            ? "more flops"
                          : f.in_memory ? "may take several times as long, depending on the data"
                                        : "reads the rows in every pass";
    methods.push_back({std::string(c.row.name), against, held + c.bytes, c.passes, c.flops});
  }
  take_method(p, std::move(methods), name_of(p.solver), std::move(why));
  const LinearSolverRow& row = *linear_solver(p.solver);
  const double needed = row.bytes(f, o);
  if (row.needs_rows && !f.in_memory)
    p.refusal = fmt::format(
        "{} needs all rows in memory; use `solver=covariance` or a larger `memory`", row.what);
  else if (needed > p.work && p.facts.in_memory)
    // `work` is negative where the rows alone exceed the budget.
    p.refusal = fmt::format(
        "`solver={}` needs {} of working memory in addition to the rows, and {} are allowed; use a "
        "larger `memory` or fewer `columns`",
        row.name, format_least_bytes(needed), format_bytes(std::max(0.0, p.work)));
  else if (needed > p.work)
    p.refusal = fmt::format(
        "`solver={}` needs {} for {:.0f} columns{}, and {} are allowed; use a larger "
        "`memory` or fewer `columns`",
        row.name, format_least_bytes(p.facts.budget - p.work + needed), f.columns,
        p.streamed() ? "" : " and all rows", format_bytes(p.facts.budget));
}

}  // namespace mercer
