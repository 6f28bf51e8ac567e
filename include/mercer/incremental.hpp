#pragma once
/// \file
/// Exact PCA of rows that come in batches and are not kept.
///
///     mercer::IncrementalPca<double> pca(x.cols(), {.components = 16});
///     while (auto batch = source->next()) pca.update(batch->rows, batch->weights);
///     auto model = pca.model();                   // at any time, as if all were fitted at once
///
/// What is kept are the moments (`Moments`) and, from the first rows on whose columns are nearly
/// dependent or whose mean drifts, a triangular factor of the centred rows: variances that are too
/// small for a scatter matrix (below 1e-5 of the first) keep their digits by it. The model is that
/// of `fit` whatever the batches were, down to the last bit among different batches of the same
/// rows. Its report has intervals for the eigenvalues; where residuals and rounding exceed the
/// tolerance, there is no model. Cost: d² flops a row at SYRK speed (several times that with a
/// factor), 10·d³ or so for each model; memory: 40·d² numbers or 4096·d, no more than 64 MiB, some
/// 10·d², and 2·d² for each doubling of the rows beyond 4,000 (up to 128 columns; sixteenfold
/// beyond).

#include <mercer/fit.hpp>
#include <mercer/model.hpp>
#include <mercer/moments.hpp>
#include <mercer/rows.hpp>

#include <memory>
#include <vector>

namespace mercer {

namespace detail {
class CentredFactor;
}

template <class T>
class IncrementalPca {
 public:
  /// Of the options `components`, `tolerance`, `center`, `scale`, `ddof`, `threads` and `monitor`
  /// are used.
  explicit IncrementalPca(Index features, FitOptions options = {});
  IncrementalPca(const IncrementalPca& other);
  IncrementalPca(IncrementalPca&& other) noexcept;
  IncrementalPca& operator=(const IncrementalPca& other);
  IncrementalPca& operator=(IncrementalPca&& other) noexcept;
  ~IncrementalPca();

  /// Takes in rows, each counted `weights[i]` times (once without weights). NaN and infinities are
  /// refused with their place, and nothing of the batch is taken in then.
  void update(const Rows<T>& rows, Weights weights = {});

  /// Takes in all rows that another one has seen.
  void merge(const IncrementalPca& other);

  /// The model of all rows so far. Throws `Errc::bad_data` as long as there is none: a mean and a
  /// variance need two rows.
  Model<T> model() const;

  const Moments& moments() const { return moments_; }

  /// Everything it has seen, to go on later or elsewhere bit for bit with the same options.
  std::vector<double> save_state() const;
  /// `Errc::bad_data` when that is not the state of as many columns.
  void load_state(const std::vector<double>& state);

 private:
  FitOptions options_;
  Moments moments_;
  std::unique_ptr<detail::CentredFactor> factor_;
  bool weighted_ = false;
};

}  // namespace mercer
