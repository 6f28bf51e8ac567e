#include "pictures/plane.hpp"

#include "core/require.hpp"
#include "model/parts.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// The anchors of a kernel model, in the units of the input.
template <class T>
Matrix<double> kept_rows(const Model<T>& model) {
  if (model.map().space() != Space::kernel) return {};
  const Rows<T> anchors = model.map().anchors();
  Matrix<double> x = Matrix<double>::Zero(anchors.rows(), 2);
  if (anchors.sparse()) {
    const CsrView<T>& csr = anchors.csr();
    for (Index i = 0; i < anchors.rows(); ++i)
      for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
        x(i, csr.columns[e]) = static_cast<double>(csr.values[e]);
  } else if (anchors.rows() > 0) {
    x = anchors.dense().template cast<double>();
  }
  preprocess(model.parts()).template undo<double>(x);  // they may be z-scores
  return x;
}

/// Three deviations around the mean of linear PCA, whose components determine the covariance.
template <class T>
Matrix<double> box_of_deviations(const Model<T>& model) {
  const Vector<double> variance = model.explained_variance();
  Matrix<double> box(2, 2);
  for (Index j = 0; j < 2; ++j) {
    double sum = 0;
    for (Index c = 0; c < model.outputs(); ++c)
      sum += variance[c] * std::pow(static_cast<double>(model.components()(c, j)), 2);
    const double scale = model.scale().size() > 0 ? static_cast<double>(model.scale()[j]) : 1;
    const auto mean = static_cast<double>(model.mean()[j]);
    box(0, j) = mean - 3 * scale * std::sqrt(sum);
    box(1, j) = mean + 3 * scale * std::sqrt(sum);
  }
  return box;
}

/// Can the map take the corners of the plane? (chi2 is for positive numbers only.)
template <class T>
bool takes(const Model<T>& model, const Plane& plane) {
  if (model.scale().size() > 0) return true;
  Matrix<T> corners(2, 2);
  for (Index j = 0; j < 2; ++j) {
    corners(0, j) = static_cast<T>(plane.low[j]);
    corners(1, j) = static_cast<T>(plane.high[j]);
  }
  try {
    model.map().require_domain(Rows<T>(corners), 0);
    return true;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

template <class T>
Plane shown_plane(const Model<T>& model, const ContourOptions& options) {
  require(model.map().space() != Space::precomputed, Errc::bad_option,
          "the model was fitted to a kernel matrix: it has no input plane to draw");
  require(model.inputs() == 2, Errc::bad_option,
          "contour lines need a model with 2 input columns; this one has {}", model.inputs());
  Plane plane;
  plane.points = options.points;
  if (plane.points.size() == 0) plane.points = kept_rows(model);
  require(plane.points.rows() == 0 || plane.points.cols() == 2, Errc::bad_option,
          "points have {} columns, not 2", plane.points.cols());
  require(plane.points.allFinite(), Errc::bad_data, "points are not all finite");

  const bool none = plane.points.rows() == 0;
  require(!none || model.map().is_identity(), Errc::bad_option,
          "the model stores no rows: give points to set the plotted range");
  const Matrix<double> range = none ? box_of_deviations(model) : plane.points;
  for (Index j = 0; j < 2; ++j) {
    const double low = range.col(j).minCoeff(), high = range.col(j).maxCoeff();
    double margin = (high - low) * (none ? 0 : 0.12);
    const double size = std::max(std::abs(low), std::abs(high));
    if (!(high - low > 1e-9 * size)) margin = size > 0 ? size / 10 : 1;  // a constant column
    plane.low[j] = low - margin;
    plane.high[j] = high + margin;
    require(std::isfinite(plane.high[j] - plane.low[j]), Errc::bad_data,
            "points range from {:g} to {:g}, too far apart to draw", low, high);
  }
  if (!takes(model, plane))
    for (Index j = 0; j < 2; ++j) plane.low[j] = range.col(j).minCoeff();
  return plane;
}

template Plane shown_plane(const Model<float>&, const ContourOptions&);
template Plane shown_plane(const Model<double>&, const ContourOptions&);

}  // namespace mercer
