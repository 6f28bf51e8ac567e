#pragma once
// The summary of a model: its components as a table, their loadings, and how they were found.

#include "terminal/terminal.hpp"

#include <mercer/feature_space.hpp>
#include <mercer/model.hpp>

#include <string>
#include <vector>

namespace mercer::cli {

/// The part of a model that is shown, free of its precision.
struct Summary {
  Index inputs = 0;
  std::string label_column;
  std::string id_column;
  bool scaled = false;
  std::string precision;
  Vector<double> eigenvalues, variance, ratio;
  Matrix<double> loadings;  ///< of the first few components; none where features are kernel values
  std::vector<std::string> loading_names;  ///< x1 … xd, or what the map makes of them
  std::string map;         ///< "kernel rbf(gamma=0.1)", "monomials(degree=2)"; empty: none
  Index similarities = 0;  ///< anchors, where components have no loadings
  std::vector<std::string> relations;  ///< "1.00·x1^2 + 1.00·x2^2 = 1.00 (residual 2e-16)"
  Index features = 0;
  Index outputs = 0;
  double rows = 0;     ///< that components are combinations of, for kernels
  FeatureSpace space;  ///< of maps and kernels
  Report report;
};

template <class T>
Summary summarize(const Model<T>& model);

/// "178 rows × 13 columns, z-scores, kernel rbf(gamma=0.1)"
std::string shape_line(const Summary& summary, const Terminal& terminal);
/// "covariance solver, 1 pass, 0.8 ms: 178 rows are more than 13 columns"
std::string solver_line(const Summary& summary, const Terminal& terminal);
/// "approximate: cholesky(rank=500), trace error 0.8 % …" and a line's end, or nothing.
std::string approximation_line(const Summary& summary, const Terminal& terminal);
/// "eigenvalues are within 3.2e-13 of the first (proven)", or why nothing is certain; with its
/// newline.
std::string certificate_line(const Summary& summary);
/// "planned: krylov, 10 passes, 9.6e+09 flops; rejected: dense, 2.4e+11 flops (more flops)", with
/// its newline; empty if there is no plan.
std::string plan_line(const Summary& summary);
/// "made of 2 models, exact to rounding", with its newline; empty for a model that was fitted.
std::string merge_line(const Summary& summary);
/// "4 components are above chance (p <= 0.05, 99 permutations); the next has p = 0.4", and how
/// missing cells were filled; each with its newline, or nothing.
std::string choice_lines(const Summary& summary);
/// "D = 6 features (degree <= 2 of 2 columns)", and why there are more components than columns if
/// there are; each with its newline. Nothing for linear PCA.
std::string space_lines(const Summary& summary, const Terminal& terminal);
/// Eigenvalue, variance, ratio, cumulative ratio and a bar for each component, the first ones.
std::string component_table(const Summary& summary, const Terminal& terminal);
/// The columns or features that weigh most in the first components.
std::string loading_lines(const Summary& summary, const Terminal& terminal);

/// "rank 2 of 3; the rows satisfy 1.00·x1^2 + 1.00·x2^2 = 1.00 (residual 2e-16)", a line for each
/// relation; nothing where there is none.
std::string relation_lines(const Summary& summary, const Terminal& terminal);

/// "PC1 36.2 %"
std::string axis_title(const Summary& summary, Index component);

/// x1 … xd
std::vector<std::string> numbered(std::string_view stem, Index count);

}  // namespace mercer::cli
