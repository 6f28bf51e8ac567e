#include <mercer/model.hpp>

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "model/parts.hpp"
#include "model/transform.hpp"
#include "simd/strip_products.hpp"

#include <algorithm>

namespace mercer {

namespace {

/// Rows a thread should have at least: below this a fork costs more than it brings.
Index grain(Index features, Index outputs) {
  return std::max<Index>(64, 2000000 / std::max<Index>(features * (outputs + 4), 1));
}

const char* no_inverse(Space space) {
  switch (space) {
    case Space::kernel:
      return "a kernel model has no exact inverse: most points of its feature space are not the "
             "image of any row";
    case Space::precomputed:
      return "a model of a kernel matrix has no inverse: it does not contain the rows";
    default:
      return "a model of a feature map has no exact inverse: most points of its feature space are "
             "not the image of any row";
  }
}

/// out = S·V. Unlike with BLAS, the bits of a row do not depend on the rows beside it.
void decoded(const Eigen::Ref<const Matrix<double>>& scores, const Matrix<double>& components,
             Eigen::Ref<Matrix<double>> out) {
  const Index k = scores.cols(), d = components.cols();
  out.setZero();
  for (Index p = 0; p < k; p += strip_depth)
    add_row_products({scores.data() + p, scores.outerStride(), 1}, scores.rows(),
                     std::min(strip_depth, k - p), {components.row(p).data(), 1, d}, d, out.data(),
                     out.outerStride());
}

/// The same in float, summed in double.
void decoded(const Eigen::Ref<const Matrix<float>>& scores, const Matrix<float>& components,
             Eigen::Ref<Matrix<float>> out) {
  constexpr Index some_rows = 128, some_columns = 240;  // the copies in double stay small
  const Index k = scores.cols();
  for (Index i = 0; i < out.rows(); i += some_rows) {
    const Index n = std::min(some_rows, out.rows() - i);
    const Matrix<double> s = scores.middleRows(i, n).cast<double>();
    for (Index j = 0; j < out.cols(); j += some_columns) {
      const Index width = std::min(some_columns, out.cols() - j);
      const Matrix<double> v = components.block(0, j, k, width).cast<double>();
      Matrix<double> sums(n, width);
      decoded(s, v, sums);
      out.block(i, j, n, width) = sums.cast<float>();
    }
  }
}

}  // namespace

template <class T>
Model<T>::Model(ModelParts<T> parts) : parts_(std::move(parts)) {
  const std::string wrong = problem(parts_);
  require(wrong.empty(), Errc::bad_data, "the parts do not form a model: {}", wrong);
  encoder_ = encoder(parts_);
}

template <class T>
Matrix<T> Model<T>::training_scores() const {
  if (!anchors_are_its_rows(parts_)) return {};
  return parts_.components.transpose() * parts_.eigenvalues.template cast<T>().asDiagonal();
}

template <class T>
Matrix<T> Model<T>::inverse(const MatrixRef<T>& scores, const RunOptions& options) const {
  require(scores.cols() >= 1 && scores.cols() <= outputs(), Errc::bad_data,
          "{} scores per row do not match a model of {} components", scores.cols(), outputs());
  require(parts_.map->is_identity(), Errc::bad_option, "{}", no_inverse(parts_.map->space()));
  const Index d = parts_.components.cols(), k = scores.cols();
  Matrix<T> out(scores.rows(), d);
  const double flops = 2.0 * static_cast<double>(d) * static_cast<double>(k);
  in_pieces(scores.rows(), flops, options.monitor, "inverse", [&](Index first, Index count) {
    parallel_ranges(count, options.threads, grain(d, k), [&](Index from, Index to, int) {
      const Index begin = first + from, n = to - from;
      auto rows = out.middleRows(begin, n);
      decoded(scores.middleRows(begin, n), parts_.components, rows);
      if (parts_.scale.size() > 0) rows.array().rowwise() *= parts_.scale.array().transpose();
      if (parts_.mean_rest.size() > 0) rows.rowwise() += parts_.mean_rest.transpose();
      rows.rowwise() += parts_.mean.transpose();
    });
  });
  return out;
}

template <class T>
Vector<double> Model<T>::explained_variance() const {
  return parts_.eigenvalues / (parts_.report.weight - parts_.report.ddof);
}

template <class T>
Vector<double> Model<T>::explained_variance_ratio() const {
  return explained_variance() / parts_.report.total_variance;
}

template class Model<float>;
template class Model<double>;

}  // namespace mercer
