#include "model/partial_row.hpp"

#include "core/require.hpp"
#include "data/finite.hpp"

#include <Eigen/QR>

#include <cmath>
#include <vector>

namespace mercer {

template <class T>
Vector<double> scores_of_partial_row(const ModelParts<T>& parts, const Preprocess& before,
                                     const Rows<T>& row, Index number) {
  require_finite(row, true, number);
  const Matrix<T>& b = parts.components;
  std::vector<Index> present;
  for (Index j = 0; j < b.cols(); ++j)
    if (!std::isnan(row.row(0)[j])) present.push_back(j);
  require(!present.empty(), Errc::bad_data, "row {} is entirely missing: drop it", number + 1);
  const Vector<double> deviation = parts.eigenvalues.cwiseMax(0).cwiseSqrt();
  const Matrix<double> all = before.as<double>(row);
  const auto n = static_cast<Index>(present.size());
  Matrix<double> a(n, b.rows());
  Vector<double> z(n);
  for (Index i = 0; i < n; ++i) {
    const Index j = present[static_cast<std::size_t>(i)];
    z[i] = all(0, j);
    a.row(i) = b.col(j).template cast<double>().cwiseProduct(deviation).transpose();
  }
  // In units of the deviations, so that the shortest solution is the most likely one.
  return a.completeOrthogonalDecomposition().solve(z).cwiseProduct(deviation);
}

#define MERCER_INSTANTIATE(T)                                                            \
  template Vector<double> scores_of_partial_row(const ModelParts<T>&, const Preprocess&, \
                                                const Rows<T>&, Index);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
