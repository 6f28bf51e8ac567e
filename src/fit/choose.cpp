#include "fit/choose.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"

#include <algorithm>

namespace mercer {

namespace {

const char* name_of(Solver solver) {
  return solver == Solver::gram ? "gram" : solver == Solver::svd ? "svd" : "covariance";
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

double working_bytes(Solver solver, const Size& s, int threads) {
  const double t = thread_count(threads);
  switch (solver) {
    case Solver::gram:
      return 8 * (s.rows * s.rows * (4 + (s.rows <= 1024 ? t : 1)) + t * s.rows * 512);
    case Solver::svd:
      if (s.in_memory && s.rows < s.cols) return 8 * (4 * s.rows * s.cols + 5 * s.rows * s.rows);
      return 8 * (9 * s.cols * s.cols + 5 * t * s.cols * s.cols);
    default:
      return 8 * (s.cols * s.cols * (5 + (s.cols <= 512 ? t : 1)) + t * 65536);
  }
}

Choice choose_solver(const Size& size, const FitOptions& options, double budget) {
  const double covariance = flops(Solver::covariance, size), gram = flops(Solver::gram, size);
  const auto fits = [&](Solver s) { return working_bytes(s, size, options.threads) <= budget; };
  Choice choice{options.solver, "as asked"};
  if (options.solver == Solver::automatic) {
    const bool cheaper_gram = size.in_memory && gram < covariance;
    choice.solver = cheaper_gram ? Solver::gram : Solver::covariance;
    choice.why =
        size.in_memory
            ? fmt::format("about {:.1e} flops; {} would take {:.1e}", std::min(covariance, gram),
                          cheaper_gram ? "the covariance matrix" : "the Gram matrix",
                          std::max(covariance, gram))
            : "rows are streamed, which only the covariance matrix allows in one pass";
    const Solver other = cheaper_gram ? Solver::covariance : Solver::gram;
    if (size.in_memory && !fits(choice.solver) && fits(other)) {
      choice = {other, fmt::format("the {} matrix would not fit in memory",
                                   cheaper_gram ? "Gram" : "covariance")};
    }
  }
  require(size.in_memory || choice.solver != Solver::gram, Errc::out_of_memory,
          "the Gram matrix needs all rows in memory; use --solver covariance or a larger --memory");
  require(
      fits(choice.solver), Errc::out_of_memory,
      "--solver {} needs {} of working memory beside the rows, and {} are allowed; use a larger "
      "--memory or fewer --columns",
      name_of(choice.solver), format_bytes(working_bytes(choice.solver, size, options.threads)),
      format_bytes(budget));
  return choice;
}

}  // namespace mercer
