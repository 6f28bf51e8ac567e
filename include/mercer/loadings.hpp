#pragma once
/// \file
/// Loadings, contributions and correlations of the columns in linear PCA.
///
///     auto table = mercer::loadings(model);
///     table.loadings(0, 1);         // of the first column in the second component
///     table.correlations(0, 1);     // coordinates in the correlation circle
///
/// With b_cj the component, λ_c its variance and s_j² the variance of column j after scaling (1 if
/// columns are scaled):
///
///     loadings       b_cj √λ_c
///     contributions  b_cj², the share of column j in component c: a column of the table adds up to
///                    1
///     correlations   b_cj √λ_c / s_j: between column j and the scores of component c
///     cos2           correlations²: the share of column j that component c explains; a row of
///                    the table adds up to 1 with all components
///
/// For rows, see `RowScores::contributions` and `RowScores::cos2` of score.hpp. Kernel models have
/// gradients instead: gradient.hpp. Costs d·k.

#include <mercer/matrix.hpp>
#include <mercer/model.hpp>

#include <string>
#include <vector>

namespace mercer {

struct Loadings {
  std::vector<std::string> names;  ///< of the columns; x1 … xd if the model has none
  Matrix<double> loadings;         ///< d×k
  Matrix<double> contributions;    ///< d×k
  /// d×k; empty if the variances of the columns are unknown. Models of this version store them; in
  /// older ones they are 1 if columns are scaled, and follow from the components if there are as
  /// many as columns.
  Matrix<double> correlations;
  Matrix<double> cos2;  ///< d×k; empty like `correlations`
};

/// Throws `Errc::bad_option` when the model is not linear.
template <class T>
Loadings loadings(const Model<T>& model);

}  // namespace mercer
