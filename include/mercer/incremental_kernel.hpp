#pragma once
/// \file
/// Kernel PCA of rows in batches, which are not stored.
///
///     mercer::FitOptions options{.components = 10,
///                                .kernel = mercer::kernels::rbf(),
///                                .approx = mercer::Cholesky{.rank = 300}};
///     mercer::IncrementalKernelPca<double> pca(x.cols(), options);
///     while (auto batch = source->next()) pca.update(batch->rows, batch->weights);
///     auto model = pca.model();                               // at any time
///
/// The first rows are stored until the features can be determined: landmarks, the kernel's width,
/// z-scores. From then on features are fixed and only their moments are stored, which merge
/// exactly: the model does not depend on how the stream is split into batches. Its error bound is
/// that of all rows, so it increases if later rows differ from the landmarks.
///
/// Cost per row: m kernel values and m² to 2·m² flops; memory m² per thread, and the first rows.

#include <mercer/fit.hpp>
#include <mercer/model.hpp>
#include <mercer/rows.hpp>

#include <cstdint>
#include <memory>

namespace mercer {

template <class T>
class IncrementalKernelPca {
 public:
  /// `options.kernel` and `options.approx` are required; missing values are rejected.
  IncrementalKernelPca(Index columns, FitOptions options, Index first_rows = 10'000);
  ~IncrementalKernelPca();
  IncrementalKernelPca(IncrementalKernelPca&&) noexcept;
  IncrementalKernelPca& operator=(IncrementalKernelPca&&) noexcept;

  /// Adds rows, each counted `weights[i]` times (once without weights).
  void update(const Rows<T>& rows, Weights weights = {});

  /// The model of all rows so far; before the features are fixed, that of `fit`.
  Model<T> model() const;

  bool fixed() const;         ///< features are determined
  std::int64_t rows() const;  ///< added so far

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace mercer
