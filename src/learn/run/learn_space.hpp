#pragma once
// Where a run learns: the columns, the features of a map, or the space of a kernel.
//
// In the space of a kernel, the part that landmarks l₁ … l_m span has the coordinates
// W^{-½} k(x, L), W = k(L, L): with them ordinary Hebbian learning is learning in that space
// (kernel PCA when every row is a landmark). A model keeps the landmarks, and B and m in terms of
// k(x, L).

#include "pca/standard.hpp"

#include <mercer/learn.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace mercer {

class LearnSpace {
 public:
  /// The columns, or the features of `map`.
  explicit LearnSpace(std::shared_ptr<const Map<double>> map);
  /// A kernel's space, without open parameters; landmarks as the kernel is to see them.
  LearnSpace(const Kernel& kernel, Matrix<double> landmarks);

  /// φ of the learner.
  const std::shared_ptr<const Map<double>>& map() const { return map_; }
  bool in_kernel_space() const { return map_->linear() != nullptr; }

  /// φ of all rows, made once: with them a step costs O(k·D), whatever φ costs.
  Matrix<double> features(const Rows<double>& rows, const Standard* standard, int threads) const;

  /// Σ w(k(x, x) − ‖φ(x)‖²): what landmarks leave out of the kernel's trace. Throws
  /// `Errc::not_converged` where it is below 0 by more than rounding.
  double left_out(const Rows<double>& rows, const double* weights, const Standard* standard,
                  int threads) const;

  /// From the learner's model to one for everybody: `standard` is what was done to rows before φ,
  /// its scale empty when nothing was; `input_mean` the mean of rows as they came
  /// (empty: the learner has it).
  ModelParts<double> finished(ModelParts<double> parts, const Standard* standard,
                              const Vector<double>& input_mean) const;

 private:
  std::shared_ptr<const Map<double>> map_;
  std::optional<Kernel> kernel_;  // of landmarks
};

/// These rows, dense.
Matrix<double> chosen_rows(const Rows<double>& rows, const std::vector<Index>& chosen,
                           const Standard* standard);
/// So many of the rows of a weight above 0, evenly spaced. `weights`: null for ones.
Matrix<double> landmark_rows(const Rows<double>& rows, Index count, const Standard* standard,
                             const double* weights = nullptr);
/// The kernel with its open width chosen from the rows, as if they were repeated.
Kernel with_width(const Kernel& kernel, const Rows<double>& rows, const Standard* standard,
                  const double* weights);

/// A source that gives some rows again that were taken from its beginning; weights: one a row, or
/// none.
std::unique_ptr<Source<double>> replayed(Matrix<double> first, std::vector<double> weights,
                                         Source<double>& rest);

}  // namespace mercer
