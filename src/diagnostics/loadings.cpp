#include <mercer/loadings.hpp>

#include "core/require.hpp"

#include <cmath>
#include <limits>

namespace mercer {

template <class T>
Loadings loadings(const Model<T>& model) {
  require(model.map().is_identity(), Errc::bad_option,
          "loadings are defined for linear models only; use the gradient for this one");
  const Index d = model.inputs();
  const Vector<double> variance = model.explained_variance();
  const Matrix<double> b = model.components().template cast<double>().transpose();
  Loadings out;
  out.names = model.feature_names();
  if (out.names.empty())
    for (Index j = 0; j < d; ++j) out.names.push_back(fmt::format("x{}", j + 1));
  out.loadings = b * variance.cwiseSqrt().asDiagonal();
  out.contributions = b.cwiseAbs2();

  // Stored with the model; z-scores have 1; all components together show the columns as they are.
  // Anything less does not: what a model of few components leaves out may be all of a column.
  Vector<double> columns;
  if (model.column_variance().size() == d) columns = model.column_variance();
  else if (model.scale().size() > 0) columns = Vector<double>::Ones(d);
  else if (model.outputs() == d) columns = out.loadings.rowwise().squaredNorm();
  if (columns.size() == 0) return out;
  // A column that never varies correlates with nothing. In z-scores it is the one left as it was.
  // Entries of components are known to some ε, so a column of a smaller share is not seen at all.
  constexpr double least = 64 * std::numeric_limits<double>::epsilon();
  const double noise = least * least * model.report().total_variance;
  out.correlations = out.loadings;
  for (Index j = 0; j < d; ++j) {
    if (columns[j] > noise) out.correlations.row(j) /= std::sqrt(columns[j]);
    else out.correlations.row(j).setZero();
  }
  out.cos2 = out.correlations.cwiseAbs2();
  return out;
}

template Loadings loadings(const Model<float>&);
template Loadings loadings(const Model<double>&);

}  // namespace mercer
