#include "model/partial_row.hpp"

#include "core/require.hpp"

#include <Eigen/QR>

#include <cmath>
#include <vector>

namespace mercer {

template <class T>
void scores_of_partial_row(const ModelParts<T>& parts, const T* row, Index number, T* scores) {
  const Matrix<T>& b = parts.components;
  std::vector<Index> present;
  for (Index j = 0; j < b.cols(); ++j) {
    require(!std::isinf(row[j]), Errc::bad_data,
            "row {}, column {} is {}; remove the row or fill in a number", number + 1, j + 1,
            row[j]);
    if (!std::isnan(row[j])) present.push_back(j);
  }
  require(!present.empty(), Errc::bad_data, "row {} is entirely missing: drop it", number + 1);
  const Vector<double> deviation = parts.eigenvalues.cwiseMax(0).cwiseSqrt();
  const auto n = static_cast<Index>(present.size());
  Matrix<double> a(n, b.rows());
  Vector<double> z(n);
  for (Index i = 0; i < n; ++i) {
    const Index j = present[static_cast<std::size_t>(i)];
    const double scale = parts.scale.size() > 0 ? static_cast<double>(parts.scale[j]) : 1.0;
    const double rest = parts.mean_rest.size() > 0 ? static_cast<double>(parts.mean_rest[j]) : 0.0;
    z[i] = (static_cast<double>(row[j]) - static_cast<double>(parts.mean[j]) - rest) / scale;
    a.row(i) = b.col(j).template cast<double>().cwiseProduct(deviation).transpose();
  }
  // In units of the deviations, so that the shortest solution is the most likely one.
  const Vector<double> y = a.completeOrthogonalDecomposition().solve(z).cwiseProduct(deviation);
  for (Index c = 0; c < y.size(); ++c) scores[c] = static_cast<T>(y[c]);
}

template void scores_of_partial_row(const ModelParts<float>&, const float*, Index, float*);
template void scores_of_partial_row(const ModelParts<double>&, const double*, Index, double*);

}  // namespace mercer
