#include "fit/landmark_features.hpp"

#include "kernels/pick_rows.hpp"
#include "linalg/blas.hpp"

#include <limits>

namespace mercer {

namespace {

/// Candidates that are looked at together: enough for BLAS, few enough for a small factorisation.
constexpr std::size_t candidates_at_once = 256;
/// Similarities are made in tiles that stay in the L2 cache.
constexpr Index tile_side = 256;

void similarities(const Kernel& kernel, const Rows<double>& x, const Rows<double>& y,
                  Matrix<double>& out) {
  out.resize(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); i += tile_side)
    for (Index j = 0; j < y.rows(); j += tile_side) {
      const Index n = std::min(tile_side, x.rows() - i), m = std::min(tile_side, y.rows() - j);
      kernel.tile<double>(x.middle(i, n), y.middle(j, m), out.block(i, j, n, m));
    }
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

}  // namespace

template <class T>
LandmarkFeatures<T>::LandmarkFeatures(Kernel kernel, Index cols, bool sparse)
    : kernel_(std::move(kernel)), landmarks_(cols, sparse), exact_(cols, sparse) {}

template <class T>
double LandmarkFeatures<T>::noise(Index m, double largest) {
  return 10 * std::sqrt(static_cast<double>(m)) * std::numeric_limits<T>::epsilon() * largest;
}

template <class T>
std::size_t LandmarkFeatures<T>::extend(const std::vector<SampledRow<T>>& candidates,
                                        const std::vector<double>& floors, Index most) {
  std::size_t looked_at = 0;
  while (looked_at < candidates.size() && size_ < most) {
    const std::size_t begin = looked_at;
    const std::size_t end = std::min(candidates.size(), begin + candidates_at_once);
    RowList<double> some(exact_.rows().cols(), exact_.rows().sparse());
    for (std::size_t i = begin; i < end; ++i) some.push_back(candidates[i]);
    const Index n = some.size(), m = size_;

    // What the landmarks so far leave of the candidates' own kernel matrix.
    Matrix<double> rest, seen;
    similarities(kernel_, some.rows(), some.rows(), rest);
    rest.diagonal() = kernel_.diagonal(some.rows());
    const double least = noise(m + n, rest.diagonal().maxCoeff());
    if (m > 0) {
      similarities(kernel_, some.rows(), exact_.rows().middle(0, m), seen);
      solve(seen);
      rest.noalias() -= seen * seen.transpose();
    }

    if (const Index room = std::min(m + n, most); factor_.rows() < room) {
      const Index larger = std::min(2 * room, most);
      factor_.conservativeResize(larger, larger);
    }
    Matrix<double> columns = Matrix<double>::Zero(n, n);  // of the factor, for those that are kept
    for (Index i = 0; i < n && size_ < most; ++i) {
      ++looked_at;
      if (!(rest(i, i) > std::max(least, floors[begin + static_cast<std::size_t>(i)]))) continue;
      const Index kept = size_ - m;
      const Index after = n - i;
      columns.col(kept).tail(after) = rest.col(i).tail(after) / std::sqrt(rest(i, i));
      rest.bottomRightCorner(after, after).noalias() -=
          columns.col(kept).tail(after) * columns.col(kept).tail(after).transpose();
      if (m > 0) factor_.row(size_).head(m) = seen.row(i);
      factor_.row(size_).segment(m, kept + 1) = columns.row(i).head(kept + 1);
      landmarks_.push_back(candidates[begin + static_cast<std::size_t>(i)]);
      exact_.push_back(candidates[begin + static_cast<std::size_t>(i)]);
      ++size_;
    }
  }
  return looked_at;
}

template <class T>
void LandmarkFeatures<T>::truncate(Index m) {
  size_ = m;
}

template <class T>
Anchors<T> LandmarkFeatures<T>::anchors() const {
  RowList<T> kept(landmarks_.rows().cols(), landmarks_.rows().sparse());
  const Rows<T> all = landmarks();
  for (Index i = 0; i < size_; ++i) kept.push_back(sampled(all, i));
  return kept.anchors();
}

template <class T>
void LandmarkFeatures<T>::sections(const Rows<T>& x, Matrix<double>& out) const {
  similarities(kernel_, InDouble<T>(x).rows(), exact_.rows().middle(0, size_), out);
}

template <class T>
void LandmarkFeatures<T>::solve(Matrix<double>& rows) const {
  if (size_ == 0) return;
  times_triangular(rows.data(), rows.rows(), rows.cols(), Triangular::inverse_transposed,
                   factor_.data(), size_, factor_.cols());
}

template <class T>
Vector<double> LandmarkFeatures<T>::left_out(const Rows<T>& x,
                                             const Matrix<double>& features) const {
  const Vector<double> whole = kernel_.diagonal(InDouble<T>(x).rows());
  const double rounding = 10 * std::numeric_limits<double>::epsilon();
  Vector<double> left = whole - features.rowwise().squaredNorm();
  for (Index i = 0; i < left.size(); ++i)
    if (left[i] <= rounding * whole[i]) left[i] = 0;
  return left;
}

template <class T>
Matrix<double> LandmarkFeatures<T>::unsolve(Matrix<double> b) const {
  times_triangular(b.data(), b.rows(), b.cols(), Triangular::inverse, factor_.data(), size_,
                   factor_.cols());
  return b;
}

template <class T>
Vector<double> LandmarkFeatures<T>::sections_of(const Vector<double>& features) const {
  return factor().template triangularView<Eigen::Lower>() * features;
}

template <class T>
Vector<double> LandmarkFeatures<T>::solved(const Vector<double>& sections) const {
  return factor().template triangularView<Eigen::Lower>().solve(sections);
}

template <class T>
Matrix<double> LandmarkFeatures<T>::congruent(const Matrix<double>& s) const {
  Matrix<double> half = s;
  solve(half);
  Matrix<double> both = half.transpose();
  solve(both);
  return 0.5 * (both + both.transpose());
}

template <class T>
double LandmarkFeatures<T>::condition() const {
  // Power steps from a vector with no structure; a factor of two does not matter.
  Vector<double> large(size_), small(size_);
  Random random(1);
  for (Index i = 0; i < size_; ++i) small[i] = large[i] = random.normal();
  const auto l = factor().template triangularView<Eigen::Lower>();
  double largest = 1, smallest = 1;
  for (int step = 0; step < 12; ++step) {
    large = l * (l.transpose() * large).eval();
    largest = large.norm();
    large /= largest;
    l.solveInPlace(small);
    l.transpose().solveInPlace(small);
    smallest = small.norm();
    small /= smallest;
  }
  return largest * smallest;
}

template class LandmarkFeatures<float>;
template class LandmarkFeatures<double>;

}  // namespace mercer
