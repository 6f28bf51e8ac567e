#pragma once
/// \file
/// Exact PCA of rows in batches, which are not stored.
///
///     mercer::IncrementalPca<double> pca(x.cols(), {.components = 16});
///     while (auto batch = source->next()) pca.update(batch->rows, batch->weights);
///     auto model = pca.model();                   // at any time, as if all were fitted at once
///
/// It stores the moments (`Moments`) and, once columns are nearly dependent or the mean drifts, a
/// triangular factor of the centred rows, which preserves variances that are too small for a
/// scatter matrix (below 1e-5 of the first). The model equals that of `fit`, and is bit-identical
/// for different batches of the same rows. Its report has intervals for the eigenvalues; if
/// residuals and rounding exceed the tolerance, `model()` throws. Cost: d² flops per row at SYRK
/// speed (several times that with a factor), about 10·d³ per model; memory: 40·d² numbers or
/// 4096·d, no more than 64 MiB, about 10·d², and 2·d² for each doubling of the rows beyond 4,000
/// (up to 128 columns; sixteenfold beyond).

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
  /// Uses the options `components`, `tolerance`, `center`, `scale`, `ddof`, `threads` and
  /// `monitor`.
  explicit IncrementalPca(Index features, FitOptions options = {});
  IncrementalPca(const IncrementalPca& other);
  IncrementalPca(IncrementalPca&& other) noexcept;
  IncrementalPca& operator=(const IncrementalPca& other);
  IncrementalPca& operator=(IncrementalPca&& other) noexcept;
  ~IncrementalPca();

  /// Adds rows, each counted `weights[i]` times (once without weights). NaN and infinities are an
  /// error that names their position; the batch is then not added.
  void update(const Rows<T>& rows, Weights weights = {});

  /// Adds all rows of another object.
  void merge(const IncrementalPca& other);

  /// The model of all rows so far. Throws `Errc::bad_data` if there are fewer than two rows.
  Model<T> model() const;

  const Moments& moments() const { return moments_; }

  /// The complete state, to resume bit for bit with the same options.
  std::vector<double> save_state() const;
  /// Throws `Errc::bad_data` if this is not the state of as many columns.
  void load_state(const std::vector<double>& state);

 private:
  FitOptions options_;
  Moments moments_;
  std::unique_ptr<detail::CentredFactor> factor_;
  bool weighted_ = false;
};

}  // namespace mercer
