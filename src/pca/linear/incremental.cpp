#include <mercer/incremental.hpp>

#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "data/finite.hpp"
#include "operators/centred_factor.hpp"
#include "pca/intervals.hpp"
#include "pca/linear/incremental_spectrum.hpp"
#include "pca/model_of.hpp"
#include "pca/validate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>
#include <utility>

namespace mercer {

namespace {

/// What linear PCA by moments has; the rest is for rows that can be asked again.
FitOptions checked(FitOptions options) {
  validate(options);
  require(options.solver == Solver::automatic || options.solver == Solver::covariance,
          Errc::bad_option, "incremental PCA has no solver but the covariance matrix");
  require(!options.kernel && !options.precomputed && !keeps_holes(options.missing),
          Errc::bad_option, "incremental PCA supports neither kernels nor missing values");
  require(!options.keep_null, Errc::bad_option, "incremental PCA does not support `keep_null`");
  return options;
}

template <class T>
void require_finite_batch(const Rows<T>& rows, std::int64_t before, int threads) {
  for_not_finite(
      rows,
      [&](Index row, std::int64_t column, T value) {
        fail(Errc::bad_data,
             "row {} of the batch ({} of all), column {} is {}; remove the row or fill in a number",
             row + 1, before + row + 1, column + 1, value);
      },
      threads);
}

}  // namespace

template <class T>
IncrementalPca<T>::IncrementalPca(Index features, FitOptions options)
    : options_(checked(std::move(options))),
      moments_(features),
      factor_(std::make_unique<CentredFactor>(features)) {
  require(features > 0, Errc::bad_option, "incremental PCA of {} columns", features);
}

template <class T>
IncrementalPca<T>::IncrementalPca(const IncrementalPca& other)
    : options_(other.options_),
      moments_(other.moments_),
      factor_(std::make_unique<CentredFactor>(*other.factor_)),
      weighted_(other.weighted_) {}
template <class T>
IncrementalPca<T>::IncrementalPca(IncrementalPca&& other) noexcept = default;
template <class T>
IncrementalPca<T>& IncrementalPca<T>::operator=(const IncrementalPca& other) {
  if (this != &other) *this = IncrementalPca(other);
  return *this;
}
template <class T>
IncrementalPca<T>& IncrementalPca<T>::operator=(IncrementalPca&& other) noexcept = default;
template <class T>
IncrementalPca<T>::~IncrementalPca() = default;

template <class T>
void IncrementalPca<T>::update(const Rows<T>& rows, Weights given) {
  const double* weights = weights_of(given, rows.rows());
  if (rows.rows() == 0) return;
  require(rows.cols() == moments_.features(), Errc::bad_data, "the batch has {} columns, not {}",
          rows.cols(), moments_.features());
  require_finite_batch(rows, moments_.rows(), options_.threads);
  require_weights(weights, rows.rows());
  const double d = static_cast<double>(rows.cols());
  in_pieces(rows.rows(), d * d, options_.monitor, "moments", [&](Index first, Index count) {
    factor_->add(rows.middle(first, count), weights ? weights + first : nullptr, options_.threads,
                 &moments_);
  });
  weighted_ = weighted_ || weights != nullptr;
}

template <class T>
void IncrementalPca<T>::merge(const IncrementalPca& other) {
  moments_.merge(other.moments_);
  factor_->merge(*other.factor_);
  weighted_ = weighted_ || other.weighted_;
}

template <class T>
Model<T> IncrementalPca<T>::model() const {
  const auto start = std::chrono::steady_clock::now();
  IncrementalSpectrum found = spectrum_of<T>(moments_, *factor_, options_);
  Spectrum& s = found.spectrum;
  require_within(found_of(s), kept_components(options_.components, s), options_.tolerance);
  ModelParts<T> parts =
      parts_of<T>(std::move(s), moments_.rows(), moments_.weight(), options_, &found.certificate);
  Report& report = parts.report;
  report.weighted = weighted_;
  report.solver.name = "covariance";
  report.solver.why = "rows in batches";
  report.solver.passes = 1;
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.peak_memory_bytes = peak_memory_bytes();
  return Model<T>(std::move(parts));
}

template <class T>
std::vector<double> IncrementalPca<T>::save_state() const {
  const std::vector<double> moments = moments_.save_state(), factor = factor_->state();
  std::vector<double> out{static_cast<double>(moments.size())};
  out.insert(out.end(), moments.begin(), moments.end());
  out.insert(out.end(), factor.begin(), factor.end());
  out.push_back(weighted_ ? 1.0 : 0.0);
  return out;
}

template <class T>
void IncrementalPca<T>::load_state(const std::vector<double>& state) {
  require(!state.empty(), Errc::bad_data, "an empty list is not a state of incremental PCA");
  const auto rest = static_cast<double>(state.size() - 1);
  const auto count = state[0] >= 0 && state[0] < rest ? static_cast<std::ptrdiff_t>(state[0]) : 0;
  Moments moments(moments_.features());
  moments.load_state({state.begin() + 1, state.begin() + 1 + count});
  const auto left = state.size() - 2 - static_cast<std::size_t>(count);
  CentredFactor factor(moments_.features());
  require(factor.restore(state.data() + 1 + count, left), Errc::bad_data,
          "these {} numbers are not the state of incremental PCA of {} columns", state.size(),
          moments_.features());
  moments_ = std::move(moments);
  *factor_ = std::move(factor);
  weighted_ = state.back() != 0;
}

template class IncrementalPca<float>;
template class IncrementalPca<double>;

}  // namespace mercer
