#include "pca/kernel/landmark_features.hpp"

#include "core/require.hpp"
#include "kernels/evaluate_tile.hpp"
#include "kernels/pick_rows.hpp"
#include "linalg/blas.hpp"
#include "linalg/blocked_triangular.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

namespace mercer {

namespace {

/// Candidates that are processed together: enough for BLAS, few enough for a small factorisation.
constexpr std::size_t candidates_at_once = 128;
/// Kernel values are computed in tiles that stay in the L2 cache.
constexpr Index tile_side = 256;
/// What decides which landmarks to take, not what is stated of them: four units in the last place.
constexpr double usual_rounding = 4 * 0x1p-52;

void similarities(const Kernel& kernel, double scale, const Rows<double>& x, const Rows<double>& y,
                  Eigen::Ref<Matrix<double>> out, TileRule rule = {}) {
  kernel.require_domain(x);
  kernel.require_domain(y);
  const BlasThreads one(1);
  for (Index i = 0; i < x.rows(); i += tile_side)
    for (Index j = 0; j < y.rows(); j += tile_side) {
      const Index n = std::min(tile_side, x.rows() - i), m = std::min(tile_side, y.rows() - j);
      evaluate_tile<double>(*kernel.node(), x.middle(i, n), y.middle(j, m), out.block(i, j, n, m),
                            rule);
    }
  if (scale != 1) out *= scale;
}

/// Rows in double: a factor's inverse amplifies what single precision rounds off.
template <class T>
class InDouble {
 public:
  explicit InDouble(const Rows<T>& x) : copy_(x, even_sample(x.rows(), x.rows())) {}
  Rows<double> rows() const { return copy_.rows(); }

 private:
  PickedRows<double> copy_;
};
template <>
class InDouble<double> {
 public:
  explicit InDouble(const Rows<double>& x) : rows_(x) {}
  const Rows<double>& rows() const { return rows_; }

 private:
  Rows<double> rows_;
};

void require_nonnegative(const Kernel& kernel, const Vector<double>& own) {
  for (Index i = 0; i < own.size(); ++i)
    require(own[i] >= 0, Errc::invalid_kernel,
            "{} is not positive semi-definite: k(x, x) of a row is {:.4g}", kernel.text(), own[i]);
}

}  // namespace

template <class T>
LandmarkFeatures<T>::LandmarkFeatures(Kernel kernel, Index cols, bool sparse, double scale)
    : kernel_(std::move(kernel)), scale_(scale), landmarks_(cols, sparse), exact_(cols, sparse) {}

template <class T>
double LandmarkFeatures<T>::noise(Index m) {
  const double root = std::sqrt(static_cast<double>(m));
  const double in_double = 2 * root * (usual_rounding + panel_error(m));
  return std::is_same_v<T, float>
             ? std::max(in_double, 10 * root * std::numeric_limits<float>::epsilon())
             : in_double;
}

template <class T>
std::size_t LandmarkFeatures<T>::extend(const std::vector<SampledRow<T>>& candidates,
                                        const std::vector<double>& floors, Index most) {
  const BlasThreads one(1);
  std::size_t looked_at = 0;
  while (looked_at < candidates.size() && size_ < most) {
    const std::size_t begin = looked_at;
    const std::size_t end = std::min(candidates.size(), begin + candidates_at_once);
    RowList<double> some(landmarks_.rows().cols(), landmarks_.rows().sparse());
    for (std::size_t i = begin; i < end; ++i) some.push_back(candidates[i]);
    const Index n = some.size(), m = size_;

    // What the landmarks so far leave of the candidates' own kernel matrix.
    Matrix<double> rest(n, n), seen(n, m);
    similarities(kernel_, scale_, some.rows(), some.rows(), rest);
    const Vector<double> own = scale_ * kernel_.diagonal(some.rows());
    require_nonnegative(kernel_, own);
    rest.diagonal() = own;
    const double share = noise(m + n);
    if (m > 0) {
      similarities(kernel_, scale_, some.rows(), exact().middle(0, m), seen);
      solve(seen);
      for (Index j = 0; j < m; j += panel_columns) {
        const auto panel = seen.middleCols(j, std::min(panel_columns, m - j));
        rest.noalias() -= panel * panel.transpose();
      }
    }

    if (const Index room = std::min(m + n, most); factor_.rows() < room) {
      const Index larger = std::min(2 * room, most);
      factor_.conservativeResize(larger, larger);
      landmarks_.reserve(larger);
      if constexpr (!std::is_same_v<T, double>) exact_.reserve(larger);
    }
    Matrix<double> columns = Matrix<double>::Zero(n, n);  // of the factor, for those that are kept
    for (Index i = 0; i < n && size_ < most; ++i) {
      ++looked_at;
      const double floor = floors[begin + static_cast<std::size_t>(i)];
      if (!(rest(i, i) > std::max(share * own[i], floor))) continue;
      const Index kept = size_ - m;
      const Index after = n - i;
      columns.col(kept).tail(after) = rest.col(i).tail(after) / std::sqrt(rest(i, i));
      rest.bottomRightCorner(after, after).noalias() -=
          columns.col(kept).tail(after) * columns.col(kept).tail(after).transpose();
      if (m > 0) factor_.row(size_).head(m) = seen.row(i);
      factor_.row(size_).segment(m, kept + 1) = columns.row(i).head(kept + 1);
      keep(candidates[begin + static_cast<std::size_t>(i)]);
      ++size_;
    }
  }
  factor_.conservativeResize(size_, size_);
  return looked_at;
}

template <class T>
void LandmarkFeatures<T>::choose_largest_first(const std::vector<SampledRow<T>>& candidates) {
  const Index cols = landmarks_.rows().cols();
  const bool sparse = landmarks_.rows().sparse();
  RowList<double> all(cols, sparse);
  all.reserve(static_cast<Index>(candidates.size()));
  for (const SampledRow<T>& row : candidates) all.push_back(row);
  const Index n = all.size();
  const Vector<double> own = scale_ * kernel_.diagonal(all.rows());
  require_nonnegative(kernel_, own);
  // Shares of k(l, l): the order and the end do not depend on how long landmarks are.
  Matrix<double> k(n, n);
  similarities(kernel_, scale_, all.rows(), all.rows(), k);
  k.diagonal() = own;
  const Vector<double> lengths = own.cwiseSqrt();
  const Vector<double> scales = (own.array() > 0).select(lengths.cwiseInverse(), 0.0);
  k.array().colwise() *= scales.array();
  k.array().rowwise() *= scales.transpose().array();
  const PivotedCholesky chosen = pivoted_cholesky(k, noise(n));

  all = RowList<double>(cols, sparse);
  landmarks_ = RowList<T>(cols, sparse);
  exact_ = RowList<double>(cols, sparse);
  size_ = chosen.rank;
  landmarks_.reserve(size_);
  if constexpr (!std::is_same_v<T, double>) exact_.reserve(size_);
  k.conservativeResize(size_, size_);
  for (Index i = 0; i < size_; ++i) {
    const Index from = chosen.order[static_cast<std::size_t>(i)];
    keep(candidates[static_cast<std::size_t>(from)]);
    k.row(i) *= lengths[from];
  }
  factor_ = std::move(k);
}

template <class T>
void LandmarkFeatures<T>::truncate(Index m) {
  size_ = m;
}

template <class T>
void LandmarkFeatures<T>::reorder() {
  std::vector<SampledRow<T>> rows;
  for (Index i = 0; i < size_; ++i) rows.push_back(sampled(landmarks(), i));
  choose_largest_first(rows);
}

template <class T>
Index LandmarkFeatures<T>::leading(double share) const {
  // L_jj² is what the landmarks before leave of the j-th, ‖L_j‖² all of it.
  Index m = 0;
  while (m < size_ &&
         factor_(m, m) * factor_(m, m) > share * factor_.row(m).head(m + 1).squaredNorm())
    ++m;
  return m;
}

template <class T>
Anchors<T> LandmarkFeatures<T>::anchors(Index m) const {
  const Rows<T> all = landmarks();
  if (!all.sparse()) return Matrix<T>(all.middle(0, m).dense());
  RowList<T> kept(all.cols(), true);
  for (Index i = 0; i < m; ++i) kept.push_back(sampled(all, i));
  return kept.anchors();
}

template <class T>
void LandmarkFeatures<T>::sections(const Rows<T>& x, Eigen::Ref<Matrix<double>> out) const {
  similarities(kernel_, scale_, InDouble<T>(x).rows(), exact().middle(0, size_), out,
               {.centre = error_ ? error_->centre() : nullptr});
}

template <class T>
void LandmarkFeatures<T>::solve(Eigen::Ref<Matrix<double>> rows) const {
  if (size_ > 0)
    solve_in_panels(rows.data(), rows.rows(), rows.outerStride(), factor_.data(), size_,
                    factor_.cols());
}

template <class T>
Vector<double> LandmarkFeatures<T>::whole(const Rows<T>& x) const {
  return scale_ * kernel_.diagonal(InDouble<T>(x).rows());
}

template <class T>
Matrix<double> LandmarkFeatures<T>::unsolve(Matrix<double> b) const {
  times_triangular(b.data(), b.rows(), b.cols(), Triangular::inverse, factor_.data(), b.cols(),
                   factor_.cols());
  // L has the root of the scale, the features have it too: scores must not.
  return b * std::sqrt(scale_);
}

template <class T>
Vector<double> LandmarkFeatures<T>::sections_of(const Vector<double>& features) const {
  const Index m = features.size();
  return factor_.topLeftCorner(m, m).template triangularView<Eigen::Lower>() * features / scale_;
}

template <class T>
EntryError LandmarkFeatures<T>::entries(const Rows<T>& x) const {
  EntryError e = error_->with(x);
  e.absolute *= scale_;
  return e;
}

template <class T>
LandmarkRounding LandmarkFeatures<T>::rounding(Index m, SharedReporter& report) const {
  const Rows<double> all = exact().middle(0, m);
  Matrix<double> values(m, m);
  similarities(kernel_, scale_, all, all, values, {.differences = true});
  values.triangularView<Eigen::StrictlyUpper>() = values.transpose();
  values.diagonal() = scale_ * kernel_.diagonal(all);
  EntryError e = error_->of_landmarks();
  e.absolute *= scale_;
  return {factor_.topLeftCorner(m, m), values, e, report};
}

double scale_for(double largest) {
  // Sums of 2⁶⁰ squares of such values, and their products, are far from the ends of a double.
  constexpr int ordinary = 200;
  if (!(largest > 0) || !std::isfinite(largest)) return 1;
  const int exponent = std::ilogb(largest);
  return std::abs(exponent) <= ordinary ? 1 : std::ldexp(1.0, -2 * (exponent / 2));
}

Vector<double> squared_lengths(const Eigen::Ref<const Matrix<double>>& features) {
  Vector<double> sums = Vector<double>::Zero(features.rows());
  for (Index j = 0; j < features.cols(); j += panel_columns)
    sums += features.middleCols(j, std::min(panel_columns, features.cols() - j))
                .rowwise()
                .squaredNorm();
  return sums;
}

template class LandmarkFeatures<float>;
template class LandmarkFeatures<double>;

}  // namespace mercer
