#include "pca/kernel/pair_error.hpp"

#include "kernels/node.hpp"

#include <algorithm>

namespace mercer {

namespace {

/// For the rounding of lengths and of the bounds themselves.
constexpr double extent_slack = 1.0001;

/// Lengths about a point that both kinds of rows share; about 0 where rows are sparse.
template <class T>
void measure_about(const Rows<T>& rows, const Vector<double>& centre, RowExtent& e) {
  e.squared_radius = e.square;
  e.absolute_radius = e.sum;
  if (rows.sparse() || centre.size() == 0) return;
  e.squared_radius = e.absolute_radius = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const Eigen::Map<const Vector<T>> row(rows.row(i), rows.cols());
    const Vector<double> about = row.template cast<double>() - centre;
    e.squared_radius = std::max(e.squared_radius, extent_slack * about.squaredNorm());
    e.absolute_radius = std::max(e.absolute_radius, extent_slack * about.cwiseAbs().sum());
  }
}

}  // namespace

PairError::PairError(Kernel kernel, const Rows<double>& landmarks) : kernel_(std::move(kernel)) {
  if (!landmarks.sparse() && landmarks.rows() > 0)
    centre_ = landmarks.dense().colwise().mean().transpose();
  landmarks_ = extent_of(landmarks);
  measure_about(landmarks, centre_, landmarks_);
}

EntryError PairError::of(const RowExtent& extent) const {
  EntryError e = kernel_.node()->bound(extent).error;
  e.relative *= extent_slack;
  e.diagonal *= extent_slack;
  e.absolute *= extent_slack;
  return e;
}

EntryError PairError::of_landmarks() const {
  RowExtent e = landmarks_;
  e.differences = true;
  return of(e);
}

template <class T>
EntryError PairError::with(const Rows<T>& rows) const {
  RowExtent e = extent_of(rows);
  measure_about(rows, centre_, e);
  // Dense rows and sparse landmarks share no centre but 0.
  const bool shared = rows.sparse() == (centre_.size() == 0);
  e.about_centre = shared && !rows.sparse();
  const auto all = [](double a, double b) { return std::max(a, b); };
  e.entries = all(e.entries, landmarks_.entries);
  e.square = all(e.square, landmarks_.square);
  e.sum = all(e.sum, landmarks_.sum);
  e.squared_radius = shared ? all(e.squared_radius, landmarks_.squared_radius) : e.square;
  e.absolute_radius = shared ? all(e.absolute_radius, landmarks_.absolute_radius) : e.sum;
  e.largest_diagonal = [theirs = e.largest_diagonal, ours = landmarks_.largest_diagonal](
                           const KernelNode& node) { return std::max(theirs(node), ours(node)); };
  return of(e);
}

template EntryError PairError::with(const Rows<float>&) const;
template EntryError PairError::with(const Rows<double>&) const;

}  // namespace mercer
