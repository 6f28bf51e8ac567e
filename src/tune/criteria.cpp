#include "tune/criteria.hpp"

#include "core/random.hpp"
#include "core/require.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numbers>

namespace mercer {

namespace {

/// The model with its first components only.
template <class T>
Model<T> first_components(const Model<T>& model, Index k) {
  ModelParts<T> parts = model.parts();
  parts.components = Matrix<T>(parts.components.topRows(k));
  parts.eigenvalues = Vector<double>(parts.eigenvalues.head(k));
  parts.report.solver.residuals.resize(static_cast<std::size_t>(k));
  Certificate& certificate = parts.report.certificate;
  for (std::vector<double>* ends : {&certificate.low, &certificate.high})
    if (!ends->empty()) ends->resize(static_cast<std::size_t>(k));
  return Model<T>(std::move(parts));
}

/// log of 1/∫k: what makes a density of the kernel.
double log_norm(const std::string& kernel, double d) {
  const auto gamma = [&] {
    const std::size_t at = kernel.find("gamma=");
    double value = 0;
    std::from_chars(kernel.data() + at + 6, kernel.data() + kernel.size(), value);
    return value;
  };
  if (kernel.starts_with("rbf(gamma=")) return d / 2 * std::log(gamma() / std::numbers::pi);
  if (kernel.starts_with("laplacian(gamma=")) return d * std::log(gamma() / 2);
  fail(Errc::bad_option, "the likelihood is for rbf and laplacian, which are densities");
}

}  // namespace

template <class T>
std::vector<double> preimage_errors(const WeightedRows<T>& train, const WeightedRows<T>& held_out,
                                    const Kernel& kernel, const std::vector<Index>& components,
                                    const TuneOptions& options, std::uint64_t seed) {
  FitOptions fitting = options.fit;
  fitting.kernel = kernel;
  fitting.components = at_most(components.back());
  fitting.threads = 1;
  fitting.monitor = {};
  const Model<T> all = fit(Rows<T>(train.x), fitting, train.weights_or_null());
  const Matrix<double> seen = train.x.template cast<double>();
  const Vector<double> share = train.all_weights() / train.all_weights().sum();
  const Vector<double> mean = seen.transpose() * share;
  const Vector<double> deviation =
      ((seen.rowwise() - mean.transpose()).cwiseAbs2().transpose() * share).cwiseSqrt();
  Vector<double> unit = Vector<double>::Ones(seen.cols());
  if (all.scale().size() > 0) unit = all.scale().template cast<double>();
  const Vector<double> weights = held_out.all_weights();
  const auto size = [&](const Matrix<double>& rows) {
    return weights.dot(
        (rows.array().rowwise() / unit.transpose().array()).matrix().rowwise().squaredNorm());
  };
  const Matrix<double> rows = held_out.x.template cast<double>();
  const double total = size(rows.rowwise() - mean.transpose());
  require(total > 0, Errc::bad_data, "held-out rows are all equal to the mean");
  Matrix<T> noisy = held_out.x;
  Random random(seed);
  for (Index i = 0; i < noisy.rows(); ++i)
    for (Index j = 0; j < noisy.cols(); ++j)
      noisy(i, j) += static_cast<T>(options.noise * deviation[j] * random.normal());
  PreImageOptions decoding = options.preimage;
  decoding.threads = 1;
  std::vector<double> errors;
  for (const Index k : components) {
    if (k > all.outputs()) break;
    const Decoder<T> decoder(first_components(all, k), decoding);
    errors.push_back(size(decoder.denoise(Rows<T>(noisy)).rows.template cast<double>() - rows) /
                     total);
  }
  return errors;
}

template <class T>
double log_likelihood(const WeightedRows<T>& rows, const std::string& text, int threads) {
  const Kernel kernel = Kernel::parse(text);
  const double norm = log_norm(kernel.text(), static_cast<double>(rows.x.cols()));
  const Matrix<T> k = kernel.matrix(Rows<T>(rows.x), threads);
  const Vector<double> weights = rows.all_weights();
  const double all = weights.sum();
  Vector<double> left = weights;  // all but those of the row in question
  double sum = 0;
  for (Index i = 0; i < rows.x.rows(); ++i) {
    left[i] = 0;
    const double others = k.row(i).template cast<double>().dot(left.transpose());
    left[i] = weights[i];
    // A row without any neighbour would make all of it −∞; the smallest number stands for it.
    sum += weights[i] * (norm + std::log(std::max(others, std::numeric_limits<double>::min()) /
                                         (all - weights[i])));
  }
  return sum / all;
}

#define MERCER_INSTANTIATE(T)                                                                  \
  template std::vector<double> preimage_errors(const WeightedRows<T>&, const WeightedRows<T>&, \
                                               const Kernel&, const std::vector<Index>&,       \
                                               const TuneOptions&, std::uint64_t);             \
  template double log_likelihood(const WeightedRows<T>&, const std::string&, int);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
