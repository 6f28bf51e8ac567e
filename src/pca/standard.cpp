#include "pca/standard.hpp"

#include "core/require.hpp"
#include "operators/centred.hpp"
#include "operators/column_means.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {
constexpr Index block_rows = 1024;
}

template <class T>
Standard find_standard(Passes<T>& passes, const FitOptions& options) {
  const Index d = passes.features();
  const bool fill = options.missing == Missing::mean;
  ColumnMeans means(d, fill);
  passes.run("means", [&](const Rows<T>& rows, const double* weights) {
    means.add(rows, weights, options.threads);
  });
  Standard out{means.mean(), {}, {}};
  if (options.scale != Scale::std) return out;

  // z-scores of uncentred data are about 0.
  const Vector<double> centre = options.center ? out.mean : Vector<double>(Vector<double>::Zero(d));
  Vector<double> scatter = Vector<double>::Zero(d), sums = Vector<double>::Zero(d);
  Matrix<double> x(block_rows, d);
  passes.run("scale", [&](const Rows<T>& rows, const double* weights) {
    for (Index i = 0; i < rows.rows(); i += block_rows) {
      const Index count = std::min(block_rows, rows.rows() - i);
      centred_block(rows.middle(i, count), 0, d, {.centre = centre.data(), .nan_on_centre = fill},
                    x.data(), d);
      for (Index r = 0; r < count; ++r) {
        const double w = weights ? weights[i + r] : 1.0;
        if (w == 0) continue;  // at any distance
        scatter += w * x.row(r).transpose().cwiseAbs2();
        sums += w * x.row(r).transpose();
      }
    }
  });
  const double weight = passes.weight();
  // The mean is rounded, at 1e15 to the nearest eighth: what that adds to the squares is taken off.
  if (options.center && weight > 0) scatter -= sums.cwiseAbs2() / weight;
  constexpr double epsilon_of_data = std::numeric_limits<T>::epsilon();
  for (Index j = 0; j < d; ++j) {
    const double squares = scatter[j] + weight * centre[j] * centre[j];
    out.constant.push_back(scatter[j] <= 16 * epsilon_of_data * epsilon_of_data * squares);
    scatter[j] = standard_deviation(scatter[j], squares, weight - options.ddof, epsilon_of_data);
  }
  out.scale = std::move(scatter);
  return out;
}

template <class T>
Matrix<T> standardized(const Rows<T>& rows, const Standard& standard) {
  const Index d = rows.cols();
  Matrix<T> out(rows.rows(), d);
  const Vector<double> zero = Vector<double>::Zero(d);
  Matrix<double> x(std::min(block_rows, rows.rows()), d);
  for (Index i = 0; i < rows.rows(); i += block_rows) {
    const Index count = std::min(block_rows, rows.rows() - i);
    centred_block(rows.middle(i, count), 0, d, {.centre = zero.data()}, x.data(), d);
    for (Index r = 0; r < count; ++r)
      for (Index j = 0; j < d; ++j) {
        double value = std::isnan(x(r, j)) ? standard.mean[j] : x(r, j);
        if (standard.scale.size() > 0) value = (value - standard.mean[j]) / standard.scale[j];
        out(i + r, j) = static_cast<T>(value);
      }
  }
  return out;
}

template <class T>
void require_finite(const Rows<T>& x, bool missing_are_filled) {
  for (Index i = 0; i < x.rows(); ++i) {
    const std::int64_t entries =
        x.sparse() ? x.csr().offsets[i + 1] - x.csr().offsets[i] : x.cols();
    for (std::int64_t e = 0; e < entries; ++e) {
      const std::int64_t at = x.sparse() ? x.csr().offsets[i] + e : e;
      const T value = x.sparse() ? x.csr().values[at] : x.row(i)[e];
      require(std::isfinite(value) || (missing_are_filled && std::isnan(value)), Errc::bad_data,
              "row {}, column {} is {}; remove the row or fill in a number", i + 1,
              (x.sparse() ? x.csr().columns[at] : e) + 1, value);
    }
  }
}

#define MERCER_INSTANTIATE(T)                                     \
  template void require_finite(const Rows<T>&, bool);             \
  template Standard find_standard(Passes<T>&, const FitOptions&); \
  template Matrix<T> standardized(const Rows<T>&, const Standard&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
