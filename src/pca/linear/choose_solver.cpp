#include "pca/linear/choose_solver.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

/// Passes that a block of vectors needs, by what is seen on data whose variances fall slowly.
double expected_passes(double tolerance) { return 2 - std::log10(tolerance); }

/// Vectors in the basis of the randomized solver.
double basis(const FitOptions& options) {
  const bool count = options.components.kind() == Components::Kind::count;
  return (count ? static_cast<double>(options.components.count()) : 64.0) + 8 * 32;
}

/// Products with blocks of vectors, and keeping them orthogonal.
double randomized_flops(const Size& s, const FitOptions& options) {
  constexpr double block = 16;
  const double products = 4 * block * s.entries * (s.sparse ? 4 : 1);
  return expected_passes(options.tolerance) * (products + 10 * s.cols * basis(options) * block);
}

/// Flops, an eigenproblem of order n counted as 10·n³: it runs at a fraction of SYRK's speed.
double flops(Solver solver, const Size& s) {
  const double order = solver == Solver::gram ? s.rows : s.cols;
  // Sparse: entries a row squared, or every entry against every row; scattered access counts
  // four times.
  const double products = solver == Solver::gram
                              ? (s.sparse ? 4 * s.entries * s.rows : s.rows * s.rows * s.cols)
                              : (s.sparse ? 4 * s.entries * (s.entries / std::max(1.0, s.rows))
                                          : s.rows * s.cols * s.cols);
  return products + 10 * order * order * order;
}

}  // namespace

const char* name_of(Solver solver) {
  for (const SolverEntry& entry : solver_table())
    if (entry.solver == solver) return entry.name.c_str();
  return "";
}

double working_bytes(Solver solver, const Size& s, int threads) {
  const double t = thread_count(threads);
  switch (solver) {
    case Solver::gram:
      return 8 * (s.rows * s.rows * (4 + (s.rows <= 1024 ? t : 1)) + t * s.rows * 512);
    case Solver::randomized:  // the least: the basis grows with what is allowed
      return 8 * s.cols * (2 * 96 + (t + 4) * 32);
    case Solver::svd:
      if (s.in_memory && s.rows < s.cols) return 8 * (4 * s.rows * s.cols + 5 * s.rows * s.rows);
      return 8 * (17 * s.cols * s.cols + 5 * t * s.cols * s.cols + 131072);
    default:
      // A sum for each thread, the open one and those of two or three levels (operators/leaf_sums).
      return 8 * (s.cols * s.cols * (5 + (s.cols <= 512 ? t + 3 : 3)) + t * 65536);
  }
}

Choice choose_solver(const Size& size, const FitOptions& options, double budget, bool randomized) {
  const auto fits = [&](Solver s) { return working_bytes(s, size, options.threads) <= budget; };
  Choice choice{options.solver, "as asked"};
  if (options.solver == Solver::automatic) {
    struct Candidate {
      Solver solver;
      const char* what;
      double flops;
    };
    std::vector<Candidate> by_cost = {
        {Solver::covariance, "the covariance matrix", flops(Solver::covariance, size)}};
    if (size.in_memory)
      by_cost.push_back({Solver::gram, "the Gram matrix", flops(Solver::gram, size)});
    const Components& asked = options.components;
    const bool few = randomized && asked.kind() == Components::Kind::count &&
                     static_cast<double>(asked.count()) < std::min(size.rows, size.cols) / 8;
    // Variances that hardly fall take several times the usual passes, so the gain has to be clear;
    // over rows that are streamed each pass is a reading, and one is better than ten.
    if (few)
      by_cost.push_back({Solver::randomized, "products with random vectors",
                         3 * randomized_flops(size, options) * (size.in_memory ? 1 : 1e3)});
    std::ranges::stable_sort(by_cost, {}, &Candidate::flops);
    const auto chosen =
        std::ranges::find_if(by_cost, [&](const Candidate& c) { return fits(c.solver); });
    const Candidate& best = chosen == by_cost.end() ? by_cost[0] : *chosen;
    choice.solver = best.solver;
    if (chosen != by_cost.begin())
      choice.why = fmt::format("{} would not fit in memory", by_cost[0].what);
    else if (!size.in_memory)
      choice.why = "rows are streamed, which only the covariance matrix allows in one pass";
    else
      choice.why = fmt::format("about {:.1e} flops; {} would take {:.1e}", by_cost[0].flops,
                               by_cost[1].what, by_cost[1].flops);
    if (!randomized) choice.why += "; products with random vectors did not reach the tolerance";
  }
  require(size.in_memory || choice.solver != Solver::gram, Errc::out_of_memory,
          "the Gram matrix needs all rows in memory; use `solver=covariance` or a larger `memory`");
  require(fits(choice.solver), Errc::out_of_memory,
          "`solver={}` needs {} of working memory in addition to the rows, and only {} is allowed; "
          "use a larger `memory` or fewer `columns`",
          name_of(choice.solver), format_bytes(working_bytes(choice.solver, size, options.threads)),
          format_bytes(budget));
  return choice;
}

}  // namespace mercer
