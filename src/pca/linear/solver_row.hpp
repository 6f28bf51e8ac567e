#pragma once
// A solver of linear PCA as a row of the table in pca/solver_table.cpp: plan, fit, lists, help and
// errors have all that they need of it from here. `solver_gram.cpp` is a template.

#include "pca/linear/spectrum.hpp"

#include <mercer/plan.hpp>

#include <span>
#include <string_view>

namespace mercer {

/// One generic lambda, for both precisions. `budget`: bytes of working memory.
struct FindSpectrum {
  template <class Find>
  constexpr FindSpectrum(Find find) : floats(find), doubles(find) {}

  Spectrum operator()(Passes<float>& passes, const FitOptions& options, double budget) const {
    return floats(passes, options, budget);
  }
  Spectrum operator()(Passes<double>& passes, const FitOptions& options, double budget) const {
    return doubles(passes, options, budget);
  }

  Spectrum (*floats)(Passes<float>&, const FitOptions&, double budget);
  Spectrum (*doubles)(Passes<double>&, const FitOptions&, double budget);
};

struct RowShares;
class TeamTraffic;

struct LinearSolverRow {
  std::string_view name;
  Solver solver;
  std::string_view notes;  ///< one line, for lists
  std::string_view what;   ///< what it computes, as reasons name it: "the Gram matrix"
  double (*flops)(const Facts&, const FitOptions&);
  double (*bytes)(const Facts&, const FitOptions&);  ///< of working memory, in addition to the rows
  double (*passes)(const FitOptions&);
  bool needs_rows = false;  ///< all of them, in memory
  /// Passes depend on the data, and the tolerance may be out of reach.
  bool iterative = false;
  bool distributed = false;  ///< over the ranks of a team
  /// Each rank has its rows only.
  bool for_shares() const { return distributed && !needs_rows; }
  /// What ranks send in the first pass over their rows, and in each further one (`TeamPlan`).
  /// `budget`: bytes in addition to the rows. Null: not known.
  void (*traffic)(const RowShares&, const FitOptions&, const Facts&, double budget,
                  TeamTraffic& first, TeamTraffic& further) = nullptr;
  /// Of `flops`, those of rank 0 alone.
  double (*root_flops)(const Facts&) = [](const Facts&) { return 0.0; };
  /// Why it is used on request only; null: the plan may select it.
  const char* (*unplanned)(const Facts&, const FitOptions&) =
      [](const Facts&, const FitOptions&) -> const char* { return nullptr; };
  FindSpectrum find;
};

std::span<const LinearSolverRow* const> linear_solvers();
/// Null for `automatic` and the solvers of kernel PCA.
const LinearSolverRow* linear_solver(Solver solver);

}  // namespace mercer
