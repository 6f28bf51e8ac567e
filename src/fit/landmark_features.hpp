#pragma once
// What landmarks see of a kernel: φ(x) = L⁻¹ k(landmarks, x) with LLᵀ = k(landmarks, landmarks).
// φ(x)·φ(y) is the Nyström approximation of k(x, y), and k(x, x) − ‖φ(x)‖² what it leaves out,
// never negative. The features of the first m landmarks do not change when more are added.

#include "fit/sampled_rows.hpp"

#include <mercer/kernel.hpp>

namespace mercer {

template <class T>
class LandmarkFeatures {
 public:
  LandmarkFeatures(Kernel kernel, Index cols, bool sparse);

  /// Goes through the candidates and keeps those of which the landmarks so far leave more than
  /// `floors[i]` unexplained, until there are `most`. Returns how many were looked at.
  std::size_t extend(const std::vector<SampledRow<T>>& candidates,
                     const std::vector<double>& floors, Index most);
  /// Only the first m.
  void truncate(Index m);

  Index size() const { return size_; }
  const Kernel& kernel() const { return kernel_; }
  Rows<T> landmarks() const { return landmarks_.rows().middle(0, size_); }
  Anchors<T> anchors() const;

  /// out = k(x, landmarks), n×m. Single-threaded.
  void sections(const Rows<T>& x, Matrix<double>& out) const;
  /// From similarities to features, in place: each row times L⁻ᵀ. Single-threaded.
  void solve(Matrix<double>& rows) const;
  /// k(x, x) less ‖φ(x)‖² of each row, 0 where that is rounding.
  Vector<double> left_out(const Rows<T>& x, const Matrix<double>& features) const;

  /// The similarities that go with features, Lφ, and the features of similarities.
  Vector<double> sections_of(const Vector<double>& features) const;
  Vector<double> solved(const Vector<double>& sections) const;
  /// B of similarities, given that of features: B L⁻¹.
  Matrix<double> unsolve(Matrix<double> b) const;
  /// L⁻¹ S L⁻ᵀ.
  Matrix<double> congruent(const Matrix<double>& s) const;
  /// An estimate of ‖L⁻¹‖²‖LLᵀ‖: what solving after summing would cost.
  double condition() const;

  /// Pivots up to this are rounding: a landmark that adds less adds nothing.
  static double noise(Index m, double largest);

 private:
  /// L, m×m; what lies beyond is room.
  auto factor() const { return factor_.topLeftCorner(size_, size_); }

  Kernel kernel_;
  RowList<T> landmarks_;
  RowList<double> exact_;  // the same in double, to factorise
  Matrix<double> factor_;
  Index size_ = 0;
};

/// Rows whose features are made together: long enough for BLAS, short enough for the cache.
inline Index feature_block(Index features) {
  return std::clamp<Index>((Index{1} << 20) / std::max<Index>(1, features), 256, 2048);
}

}  // namespace mercer
