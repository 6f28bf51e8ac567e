#pragma once
// What approximate kernel PCA keeps of its rows: the moments of their features, and what the
// features leave out.

#include "fit/landmark_features.hpp"

#include <mercer/model.hpp>
#include <mercer/moments.hpp>

#include <memory>
#include <vector>

namespace mercer {

/// How rows become features. Fixed before the first row is summed.
template <class T>
struct FeatureSpace {
  Kernel kernel;
  std::shared_ptr<const LandmarkFeatures<T>> landmarks;  ///< or
  std::shared_ptr<const Map<T>> map;                     ///< random features
  std::vector<SampledRow<T>> sample;  ///< rows by which random features are judged
  Index cols = 0;
  bool sparse = false;
};

template <class T>
class FeatureSums {
 public:
  FeatureSums(FeatureSpace<T> space, int threads);

  /// Adds rows as the kernel sees them, on all threads.
  void add(const Rows<T>& rows, const double* weights);

  const FeatureSpace<T>& space() const { return space_; }
  std::int64_t rows() const;
  double weight() const;

  /// What the rows so far amount to.
  struct Result {
    std::shared_ptr<const Map<T>> map;
    Vector<double> mean;     ///< of the map's features
    Matrix<double> scatter;  ///< in coordinates in which the kernel is an inner product
    double trace = 0;        ///< Σ w·k(x, x)
    Approximation error;     ///< its name and text are the caller's
  };
  Result result(bool center) const;
  /// B of those coordinates → of the map's.
  Matrix<double> unmapped(Matrix<double> b) const;

 private:
  Result of_landmarks(const Moments& moments, bool center) const;

  FeatureSpace<T> space_;
  int threads_;
  bool raw_ = false;                  // similarities are summed and then solved, which costs half
  std::vector<Moments> parts_;        // one a thread
  std::vector<double> trace_, left_;  // Σ w·k(x, x), and what the landmarks leave of it
};

}  // namespace mercer
