#pragma once
// What landmarks see of a kernel: φ(x) = L⁻¹ k(landmarks, x) with LLᵀ = k(landmarks, landmarks).
// φ(x)·φ(y) is the Nyström approximation of k(x, y), and k(x, x) − ‖φ(x)‖² what it leaves out,
// never negative but for rounding. The features of the first m landmarks do not change when more
// are added.

#include "fit/aligned_rows.hpp"
#include "fit/landmark_rounding.hpp"

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
  /// Starts anew with the candidates that the others do not explain: always the one of which those
  /// before leave the largest share unexplained, until that is `noise`.
  void choose_largest_first(const std::vector<SampledRow<T>>& candidates);
  /// Only the first m.
  void truncate(Index m);

  Index size() const { return size_; }
  const Kernel& kernel() const { return kernel_; }
  Rows<T> landmarks() const { return landmarks_.rows().middle(0, size_); }
  Anchors<T> anchors() const;

  /// out = k(x, landmarks), n×m. Single-threaded.
  void sections(const Rows<T>& x, Eigen::Ref<Matrix<double>> out) const;
  /// From similarities to features, in place: each row times L⁻ᵀ. Single-threaded.
  void solve(Eigen::Ref<Matrix<double>> rows) const;
  /// k(x, x) of each row, in double.
  Vector<double> whole(const Rows<T>& x) const;

  /// The similarities that go with features, Lφ.
  Vector<double> sections_of(const Vector<double>& features) const;
  /// B of similarities, given that of features: B L⁻¹.
  Matrix<double> unsolve(Matrix<double> b) const;
  LandmarkRounding rounding() const;
  LandmarkRounding::Bounds bounds(const LandmarkRounding& rounding, const Matrix<double>& second,
                                  double trace, double sums) const {
    return rounding.bounds(factor(), second, trace, sums);
  }

  /// A share of k(x, x) that m landmarks cannot tell from rounding. φ(x) is computed from values
  /// that are off by `η√k(x, x)k(l, l)` each, which moves ‖φ(x)‖² by up to 2η√m·k(x, x) where the
  /// weights of the landmarks, k(landmarks, landmarks)⁻¹k(landmarks, x), have length 1. A landmark
  /// that adds less adds rounding. In float it is larger, since models transform in float.
  static double noise(Index m);

 private:
  /// L, m×m; what lies beyond is room.
  auto factor() const { return factor_.topLeftCorner(size_, size_); }

  Kernel kernel_;
  RowList<T> landmarks_;
  RowList<double> exact_;  // the same in double, to factorise
  Matrix<double> factor_;
  Index size_ = 0;
};

/// ‖row‖² of each row of features, with an error of `panel_error` of itself.
Vector<double> squared_lengths(const Eigen::Ref<const Matrix<double>>& features);

}  // namespace mercer
