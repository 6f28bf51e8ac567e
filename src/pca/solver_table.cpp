// Every solver by its name. A new one adds its row here.
#include "pca/plan_steps.hpp"

#include <vector>

namespace mercer {

std::span<const SolverEntry> solver_table() {
  static const std::vector<SolverEntry> entries = {
      {"auto", Solver::automatic, "the cheapest that fits into memory"},
      {"covariance", Solver::covariance,
       "eigenpairs of the d x d scatter matrix; N much larger than d"},
      {"gram", Solver::gram, "eigenpairs of the N x N Gram matrix; d much larger than N"},
      {"svd", Solver::svd, "singular values of the centred rows; the most accurate"},
      {"randomized", Solver::randomized,
       "block Krylov from random vectors; few components, N and d large"},
      {"dense", Solver::dense, "kernels: LAPACK on the whole N x N matrix"},
      {"krylov", Solver::krylov, "kernels: block Krylov, within any memory"},
  };
  return entries;
}

const char* name_of(Solver solver) {
  for (const SolverEntry& entry : solver_table())
    if (entry.solver == solver) return entry.name.c_str();
  return "";
}

}  // namespace mercer
