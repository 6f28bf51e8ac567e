#include <mercer/loadings.hpp>

#include "core/require.hpp"

#include <cmath>

namespace mercer {

template <class T>
Loadings loadings(const Model<T>& model) {
  require(model.map().is_identity(), Errc::bad_option,
          "loadings are of linear models; the components of this one are functions of the columns: "
          "ask for their gradient");
  const Index d = model.inputs();
  const Vector<double> variance = model.explained_variance();
  const Matrix<double> b = model.components().template cast<double>().transpose();
  Loadings out;
  out.names = model.feature_names();
  if (out.names.empty())
    for (Index j = 0; j < d; ++j) out.names.push_back(fmt::format("x{}", j + 1));
  out.loadings = b * variance.cwiseSqrt().asDiagonal();
  out.contributions = b.cwiseAbs2();

  const double total = model.report().total_variance;
  Vector<double> columns;  // variances; a column that never varies has none
  if (model.scale().size() > 0) columns = Vector<double>::Ones(d);
  else if (variance.sum() >= (1 - 1e-9) * total) columns = out.loadings.rowwise().squaredNorm();
  if (columns.size() == 0) return out;
  out.correlations = out.loadings;
  for (Index j = 0; j < d; ++j) {
    if (columns[j] > 1e-18 * total) out.correlations.row(j) /= std::sqrt(columns[j]);
    else out.correlations.row(j).setZero();
  }
  out.cos2 = out.correlations.cwiseAbs2();
  return out;
}

template Loadings loadings(const Model<float>&);
template Loadings loadings(const Model<double>&);

}  // namespace mercer
