#include "preimages/feature_space.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "model/parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

constexpr int most_steps = 300;  // of conjugate gradients

/// φ(z) times the rows of `axes`, about `mean`: a model that takes rows as φ gets them.
template <class T>
Model<T> products_with(const ModelParts<T>& like, Matrix<T> axes, Vector<T> mean) {
  ModelParts<T> parts;
  parts.map = like.map;
  parts.eigenvalues = Vector<double>::Zero(axes.rows());
  parts.components = std::move(axes);
  parts.mean = std::move(mean);
  parts.input_mean = like.input_mean;
  parts.report.n_samples = 1;
  parts.report.weight = 1;
  return Model<T>(std::move(parts));
}

/// K c = m by conjugate gradients. They minimise ‖Σ c_j Φ(a_j) − Φ̄‖², for any
/// condition of K. Where the anchors are all rows there is nothing to solve: c = 1/N.
template <class T>
Vector<double> mean_coefficients(const ModelParts<T>& parts, int threads) {
  const Rows<T> anchors = parts.map->anchors();
  const Index n = anchors.rows();
  Vector<double> c = Vector<double>::Constant(n, 1.0 / static_cast<double>(n));
  if (anchors_are_its_rows(parts)) return c;
  const Vector<double> m = parts.mean.template cast<double>();
  const auto product = [&](const Vector<double>& v) {
    const auto model = products_with<T>(parts, v.transpose().template cast<T>(),
                                        Vector<T>::Zero(parts.mean.size()));
    return Vector<double>(model.transform(anchors, {.threads = threads}).template cast<double>());
  };
  const double enough = 5 * std::sqrt(std::numeric_limits<T>::epsilon()) * m.norm();
  Vector<double> left = m - product(c);
  Vector<double> along = left;
  double square = left.squaredNorm();
  for (int step = 0; step < most_steps && std::sqrt(square) > enough; ++step) {
    const Vector<double> image = product(along);
    const double curvature = along.dot(image);
    if (!(curvature > 0)) break;  // rounding is all that is left
    const double length = square / curvature;
    c += length * along;
    left -= length * image;
    const double next = left.squaredNorm();
    along = left + next / square * along;
    square = next;
  }
  return c;
}

/// M⁻¹, its smallest directions left out; empty when M is the identity up to rounding.
Matrix<double> inverted(const Matrix<double>& m) {
  const Index k = m.rows();
  if ((m - Matrix<double>::Identity(k, k)).cwiseAbs().maxCoeff() < 1e-8) return {};
  const SymmetricEigen pairs = symmetric_eigen(0.5 * (m + m.transpose()), k);
  const double least = 1e-10 * std::max(pairs.values[0], 0.0);
  const Vector<double> inverse =
      pairs.values.unaryExpr([&](double v) { return v > least ? 1 / v : 0.0; });
  return pairs.vectors.transpose() * inverse.asDiagonal() * pairs.vectors;
}

}  // namespace

template <class T>
PreImageSpace<T>::PreImageSpace(const Model<T>& model, int threads)
    : map_(model.parts().map),
      basis_(model.components().template cast<double>()),
      centre_(model.mean().template cast<double>()) {
  const ModelParts<T>& parts = model.parts();
  const Report& report = parts.report;
  require(basis_.rows() <= basis_.cols(), Errc::bad_data,
          "a model of {} components in {} dimensions has no pre-images", basis_.rows(),
          basis_.cols());
  const bool kernels = map_->space() == Space::kernel;
  const Vector<double> mean = centre_;
  if (kernels) {
    require(!map_->kernel().starts_with("function("), Errc::bad_option,
            "{} is user-defined: it has no pre-images", map_->kernel());
    kernel_ = Kernel::parse(map_->kernel());
    if (mean.squaredNorm() > 0) centre_ = mean_coefficients(parts, threads);
    if (anchors_are_its_rows(parts)) mean_ = mean, eigenvalues_ = parts.eigenvalues;
  }
  offset_ = basis_ * mean;
  centre_square_ = centre_.dot(mean);
  const double weight = report.weight;
  spread_ = report.total_variance * (weight - report.ddof) / weight;
  if (!(spread_ > 0)) spread_ = 1;

  Matrix<T> axes(basis_.rows() + 1, basis_.cols());
  axes.topRows(basis_.rows()) = parts.components;
  axes.bottomRows(1) = centre_.transpose().template cast<T>();
  seen_ = products_with<T>(parts, std::move(axes), parts.mean);

  // What `fit` finds is orthonormal; what was learned is so only at the end.
  if (report.method == "pca" || report.method == "kernel-pca") return;
  if (!kernels) {
    inverse_ = inverted(basis_ * basis_.transpose());
    return;
  }
  Matrix<double> images = model_scores(map_->anchors(), threads);
  images.rowwise() += offset_.transpose();
  inverse_ = inverted(basis_ * images);
}

template <class T>
Matrix<double> PreImageSpace<T>::model_scores(const Rows<T>& z, int threads) const {
  return seen_->transform(z, {.threads = threads}).leftCols(basis_.rows()).template cast<double>();
}

template <class T>
FeaturePoints PreImageSpace<T>::points(const MatrixRef<T>& scores) const {
  FeaturePoints out{scores.template cast<double>(), {}};
  if (inverse_.size() == 0) out.axes = out.scores;
  else out.axes = out.scores * inverse_;
  return out;
}

template <class T>
RowImages PreImageSpace<T>::see(const Rows<T>& z, int threads) const {
  const Index k = basis_.rows();
  const Matrix<double> all = seen_->transform(z, {.threads = threads}).template cast<double>();
  RowImages rows{all.leftCols(k), all.col(k), Vector<double>(z.rows())};
  if (kernel_) {
    rows.squares = kernel_->diagonal(z).template cast<double>();
    return rows;
  }
  constexpr Index step = 64;
  parallel_for((z.rows() + step - 1) / step, threads, [&](Index block) {
    const Index first = block * step, n = std::min(step, z.rows() - first);
    Matrix<T> phi(n, map_->features());
    map_->apply(z.middle(first, n), phi);
    rows.squares.segment(first, n) = phi.template cast<double>().rowwise().squaredNorm();
  });
  return rows;
}

template <class T>
std::optional<RowImages> PreImageSpace<T>::known(const Rows<T>& z) const {
  if (eigenvalues_.size() == 0) return {};
  const Index k = basis_.rows(), n = basis_.cols(), count = z.rows();
  RowImages rows{Matrix<double>(count, k), Vector<double>(count),
                 kernel_->diagonal(z).template cast<double>()};
  for (Index i = 0; i < count; ++i) {
    const Index anchor = i * n / count;
    rows.scores.row(i) = (basis_.col(anchor).array() * eigenvalues_.array()).transpose();
    rows.centred[i] = mean_[anchor] - centre_square_;
  }
  return rows;
}

template <class T>
Vector<double> PreImageSpace<T>::squared_distances(const RowImages& rows,
                                                   const FeaturePoints& points) const {
  // ‖Φ − Φ̄‖² − 2 y'·y(x) + y'·y, each small where the points are near the data.
  const Vector<double> from_mean = rows.squares - 2 * rows.centred;
  const Vector<double> across =
      (points.axes.array() * (points.scores - 2 * rows.scores).array()).rowwise().sum();
  return ((from_mean + across).array() - centre_square_).max(0);
}

template <class T>
Matrix<double> PreImageSpace<T>::inner_products(const FeaturePoints& points,
                                                const RowImages& rows) const {
  Matrix<double> out(points.axes.rows(), rows.scores.rows());
  multiply_transposed(points.axes.data(), out.rows(), points.axes.cols(), points.axes.cols(),
                      rows.scores.data(), out.cols(), rows.scores.cols(), out.data(), out.cols());
  out.rowwise() += (rows.centred.array() + centre_square_).matrix().transpose();
  out.colwise() += points.axes * offset_;
  return out;
}

template <class T>
Vector<double> PreImageSpace<T>::squares(const FeaturePoints& points) const {
  const Vector<double> within = (points.axes.array() * points.scores.array()).rowwise().sum();
  return (within + 2 * points.axes * offset_).array() + centre_square_;
}

template <class T>
Matrix<double> PreImageSpace<T>::coefficients(const FeaturePoints& points) const {
  Matrix<double> out(points.axes.rows(), basis_.cols());
  multiply(points.axes.data(), out.rows(), basis_.rows(), basis_.rows(), basis_.data(), out.cols(),
           out.cols(), out.data(), out.cols());
  out.rowwise() += centre_.transpose();
  return out;
}

template class PreImageSpace<float>;
template class PreImageSpace<double>;

}  // namespace mercer
