#pragma once
// What landmarks see of a kernel: φ(x) = L⁻¹ k(landmarks, x) with LLᵀ = k(landmarks, landmarks).
// φ(x)·φ(y) is the Nyström approximation of k(x, y), and k(x, x) − ‖φ(x)‖² what it leaves out,
// never negative but for rounding. The features of the first m landmarks do not change when more
// are added.
//
// Values are those of k times `scale`, a power of four that keeps their squares within a double.

#include "pca/kernel/landmark_rounding.hpp"
#include "pca/kernel/pair_error.hpp"
#include "pca/linear/aligned_rows.hpp"

#include <mercer/kernel.hpp>

#include <optional>
#include <type_traits>

namespace mercer {

template <class T>
class LandmarkFeatures {
 public:
  LandmarkFeatures(Kernel kernel, Index cols, bool sparse, double scale = 1);

  /// Keeps the candidates of which the landmarks so far leave more than `floors[i]` unexplained,
  /// until there are `most`. Returns how many were processed.
  std::size_t extend(const std::vector<SampledRow<T>>& candidates,
                     const std::vector<double>& floors, Index most);
  /// Starts anew with the candidates that the others do not explain: always the one of which those
  /// before leave the largest share unexplained, until that is `noise`.
  void choose_largest_first(const std::vector<SampledRow<T>>& candidates);
  /// Only the first m.
  void truncate(Index m);
  /// The same landmarks as `choose_largest_first` orders them.
  void reorder();

  Index size() const { return size_; }
  double scale() const { return scale_; }
  const Kernel& kernel() const { return kernel_; }
  Rows<T> landmarks() const { return landmarks_.rows().middle(0, size_); }
  /// The first m landmarks.
  Anchors<T> anchors(Index m) const;
  /// How many of the first landmarks the others before leave more than this share of.
  Index leading(double share) const;

  /// out = k(x, landmarks), n×m. Single-threaded.
  void sections(const Rows<T>& x, Eigen::Ref<Matrix<double>> out) const;
  /// From kernel values to features, in place: each row times L⁻ᵀ. Single-threaded.
  void solve(Eigen::Ref<Matrix<double>> rows) const;
  /// scale·k(x, x) of each row, in double.
  Vector<double> whole(const Rows<T>& x) const;

  /// The kernel values that belong to features of the first landmarks, Lφ, without the scale.
  Vector<double> sections_of(const Vector<double>& features) const;
  /// B for kernel values, from that for features of the first landmarks: B L⁻¹, without the scale.
  Matrix<double> unsolve(Matrix<double> b) const;
  /// Of the kernel's values, which have the scale.
  EntryError entries(const Rows<T>& x) const;
  /// Of the first m landmarks.
  LandmarkRounding rounding(Index m, SharedReporter& report) const;
  LandmarkRounding::Bounds bounds(const LandmarkRounding& rounding, Index m,
                                  const LandmarkRounding::Sums& sums, const EntryError& entries,
                                  SharedReporter& report) const {
    return rounding.bounds(factor_.topLeftCorner(m, m), sums, entries, report);
  }
  /// To be called once no landmark is added any more, before `entries` and `rounding`.
  void finish() { error_.emplace(kernel_, exact().middle(0, size_)); }

  /// For another process (core/packed.hpp), beside the kernel.
  template <class Use>
  void members(Use&& use) {
    use(scale_, landmarks_, exact_, factor_, size_);
  }

  /// The share of k(x, x) that is rounding with m landmarks. φ(x) is computed from values
  /// that are off by `η√k(x, x)k(l, l)` each, four units in the last place, which moves ‖φ(x)‖² by
  /// up to 2η√m·k(x, x) where the weights of the landmarks, k(landmarks, landmarks)⁻¹k(landmarks,
  /// x), have length 1. A landmark that adds less adds rounding. In float it is larger, since
  /// models transform in float.
  static double noise(Index m);

 private:
  Rows<double> exact() const {
    if constexpr (std::is_same_v<T, double>) return landmarks_.rows();
    else return exact_.rows();
  }
  void keep(const SampledRow<T>& row) {
    landmarks_.push_back(row);
    if constexpr (!std::is_same_v<T, double>) exact_.push_back(row);
  }

  Kernel kernel_;
  double scale_;
  RowList<T> landmarks_;
  RowList<double> exact_;  // the same in double, to factorise; empty: they are in double already
  Matrix<double> factor_;  // L, m×m; what lies beyond is of no use
  Index size_ = 0;
  std::optional<PairError> error_;
};

/// The power of four for kernels with values of this size: 1 where their squares are ordinary.
double scale_for(double largest);

/// ‖row‖² of each row of features, with an error of `panel_error` of itself.
Vector<double> squared_lengths(const Eigen::Ref<const Matrix<double>>& features);

}  // namespace mercer
