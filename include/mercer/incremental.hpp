#pragma once
/// \file
/// Exact PCA of rows that come in batches and are not kept.
///
///     mercer::IncrementalPca<double> pca(x.cols(), {.components = 16});
///     while (auto batch = source->next()) pca.update(batch->rows, batch->weights);
///     auto model = pca.model();                   // at any time, as if all were fitted at once
///
/// What is kept are the moments (`Moments`): count, mean and scatter matrix, d² numbers. The model
/// is that of `fit` with the covariance solver, whatever the batches were. Cost: d² flops a row at
/// SYRK speed, 10·d³ or so for each model.
///
/// Small variances carry an error of some 1e-15 of the first: `fit` reads the rows once more where
/// that matters, which rows that are not kept do not allow.

#include <mercer/fit.hpp>
#include <mercer/model.hpp>
#include <mercer/moments.hpp>
#include <mercer/rows.hpp>

#include <vector>

namespace mercer {

template <class T>
class IncrementalPca {
 public:
  /// Of the options `components`, `tolerance`, `center`, `scale`, `ddof` and `threads` are used.
  explicit IncrementalPca(Index features, FitOptions options = {});

  /// Takes in rows, each counted `weights[i]` times (once when null). NaN and infinities are
  /// refused with their place, and nothing of the batch is taken in then.
  void update(const Rows<T>& rows, const double* weights = nullptr);
  template <class Derived>
  void update(const Eigen::MatrixBase<Derived>& x) {
    const MatrixRef<T> rows(x.derived());
    update(Rows<T>(rows));
  }

  /// Takes in all rows that another one has seen.
  void merge(const IncrementalPca& other);

  /// The model of all rows so far. Throws `Errc::bad_data` as long as there is none: a mean and a
  /// variance need two rows.
  Model<T> model() const;

  const Moments& moments() const { return moments_; }

  /// Everything it has seen, to go on later or elsewhere bit for bit with the same options.
  std::vector<double> state() const;
  /// `Errc::bad_data` when that is not the state of as many columns.
  void restore(const std::vector<double>& state);

 private:
  FitOptions options_;
  Moments moments_;
  bool weighted_ = false;
};

}  // namespace mercer
