#include "tune/criteria.hpp"

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/require.hpp"
#include "kernels/distance_tile.hpp"
#include "kernels/row.hpp"
#include "model/parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace mercer {

namespace {

/// A kernel e^(−γz) as a density.
struct Density {
  Ingredient distance;  ///< z
  double gamma;
  double log_norm;  ///< log of 1/∫k
};

Density density_of(const Kernel& kernel, double d) {
  const std::optional<LeafView> leaf = kernel.node()->leaf();
  const std::string_view name = leaf ? leaf->row.text.name : "";
  const bool rbf = name == "rbf";
  require(kernel.complete() && (rbf || name == "laplacian"), Errc::bad_option,
          "the likelihood is for rbf and laplacian, which are densities");
  const double gamma = leaf->values[0];
  if (rbf) return {Ingredient::distances, gamma, d / 2 * std::log(gamma / std::numbers::pi)};
  return {Ingredient::absolute, gamma, d * std::log(gamma / 2)};
}

/// log Σ_{j≠i} w_j e^(−γz_ij) for rows `first` … of x, never leaving the logarithms: far from all
/// others every term underflows, and only its logarithm distinguishes widths.
Vector<double> log_sums(const Rows<double>& x, const Vector<double>& weights,
                        const Density& density, Index first, Index count) {
  constexpr Index side = 256;
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  Vector<double> largest = Vector<double>::Constant(count, nothing);
  Vector<double> sums = Vector<double>::Zero(count);
  for (Index j = 0; j < x.rows(); j += side) {
    const Index cols = std::min(side, x.rows() - j);
    Matrix<double> tile(count, cols);
    require(distance_tile(density.distance, x.middle(first, count), x.middle(j, cols), tile),
            Errc::bad_data,
            "distances between the rows overflow; divide the columns by their standard deviations");
    for (Index i = 0; i < count; ++i) {
      auto row = tile.row(i).array();
      row *= -density.gamma;
      for (Index c = 0; c < cols; ++c)
        if (j + c == first + i || weights[j + c] == 0) row[c] = nothing;
      const double top = std::max(largest[i], row.maxCoeff());
      if (top == nothing) continue;
      sums[i] = sums[i] * std::exp(largest[i] - top) +
                ((row - top).exp() * weights.segment(j, cols).transpose().array()).sum();
      largest[i] = top;
    }
  }
  return largest.array() + sums.array().log();
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
  const Model<T> all = fit(Rows<T>(train.x), fitting, train.weights);
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
    const Decoder<T> decoder(Model<T>(first_components(all.parts(), k)), decoding);
    errors.push_back(size(decoder.denoise(Rows<T>(noisy)).rows.template cast<double>() - rows) /
                     total);
  }
  return errors;
}

template <class T>
double log_likelihood(const WeightedRows<T>& rows, const Kernel& kernel, int threads) {
  const Density density = density_of(kernel, static_cast<double>(rows.x.cols()));
  const Matrix<double> x = rows.x.template cast<double>();
  const Vector<double> weights = rows.all_weights();
  const double all = weights.sum();
  constexpr Index step = 256;
  Vector<double> logs(x.rows());
  parallel_for((x.rows() + step - 1) / step, threads, [&](Index t) {
    const Index first = t * step, count = std::min(step, x.rows() - first);
    logs.segment(first, count) = log_sums(Rows<double>(x), weights, density, first, count);
  });
  double sum = 0;
  for (Index i = 0; i < x.rows(); ++i)
    if (weights[i] > 0)
      sum += weights[i] * (density.log_norm + logs[i] - std::log(all - weights[i]));
  return sum / all;
}

#define MERCER_INSTANTIATE(T)                                                                  \
  template std::vector<double> preimage_errors(const WeightedRows<T>&, const WeightedRows<T>&, \
                                               const Kernel&, const std::vector<Index>&,       \
                                               const TuneOptions&, std::uint64_t);             \
  template double log_likelihood(const WeightedRows<T>&, const Kernel&, int);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
