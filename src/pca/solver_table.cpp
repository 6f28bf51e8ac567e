#include "pca/linear/solver_row.hpp"
#include "pca/plan_steps.hpp"

#include <algorithm>
#include <vector>

namespace mercer {

extern const LinearSolverRow covariance_solver, gram_solver, svd_solver, randomized_solver;

// A new solver of linear PCA adds its row here.
std::span<const LinearSolverRow* const> linear_solvers() {
  static constexpr const LinearSolverRow* rows[] = {&covariance_solver, &gram_solver, &svd_solver,
                                                    &randomized_solver};
  return rows;
}

const LinearSolverRow* linear_solver(Solver solver) {
  const auto found = std::ranges::find(linear_solvers(), solver, &LinearSolverRow::solver);
  return found == linear_solvers().end() ? nullptr : *found;
}

std::span<const SolverEntry> solver_table() {
  static const std::vector<SolverEntry> entries = [] {
    std::vector<SolverEntry> all = {
        {"auto", Solver::automatic, "the cheapest that fits into memory"}};
    for (const LinearSolverRow* row : linear_solvers())
      all.push_back({std::string(row->name), row->solver, std::string(row->notes)});
    all.push_back({"dense", Solver::dense, "kernels: LAPACK on the whole N x N matrix"});
    all.push_back({"krylov", Solver::krylov, "kernels: block Krylov, within any memory"});
    return all;
  }();
  return entries;
}

const char* name_of(Solver solver) {
  return std::ranges::find(solver_table(), solver, &SolverEntry::solver)->name.c_str();
}

}  // namespace mercer
