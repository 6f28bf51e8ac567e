#include "preimages/ridge.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "kernels/node.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

namespace {

/// Rows on which the kernel and its regularisation are tried.
constexpr Index tried_rows = 150;

/// A kernel, a regularisation, and the mean square of what rows are off when they are left out.
struct Trial {
  Kernel kernel;
  double alpha;
  double error = std::numeric_limits<double>::infinity();
};

/// The best α for a kernel, from one eigendecomposition: a row that is left out is off by
/// [α(K + αI)⁻¹X]_i / [α(K + αI)⁻¹]_ii.
Trial best_alpha(const Kernel& kernel, const Matrix<double>& y, const Matrix<double>& x) {
  const Index n = y.rows(), d = x.cols();
  Trial best{kernel, 0};
  const SymmetricEigen pairs = symmetric_eigen(kernel.matrix(Rows<double>(y), {.threads = 1}), n);
  const Matrix<double>& u = pairs.vectors;  // rows
  Matrix<double> z(n, d), damped(n, n), off(n, d);
  multiply(u.data(), n, n, n, x.data(), d, d, z.data(), d);
  const double scale = std::max(pairs.values[0], 0.0) / static_cast<double>(n);
  for (int power = -7; power <= 0; ++power) {
    const double alpha = std::pow(10.0, power) * scale;
    const Vector<double> share = (alpha / (pairs.values.array().max(0) + alpha)).matrix();
    damped = u.transpose() * share.asDiagonal();
    multiply(damped.data(), n, n, n, z.data(), d, d, off.data(), d);
    const Vector<double> own = (damped.array() * u.transpose().array()).rowwise().sum();
    double error = 0;
    for (Index i = 0; i < n; ++i) error += off.row(i).squaredNorm() / (own[i] * own[i]);
    error /= static_cast<double>(n);
    if (error < best.error) best.alpha = alpha, best.error = error;
  }
  return best;
}

Matrix<double> even_rows(const Matrix<double>& all, Index count) {
  Matrix<double> some(count, all.cols());
  for (Index i = 0; i < count; ++i) some.row(i) = all.row(i * all.rows() / count);
  return some;
}

Trial chosen(const Matrix<double>& y, const Matrix<double>& x, const PreImageOptions& options) {
  const Rows<double> scores(y);
  if (options.kernel && options.alpha > 0)
    return {options.kernel->completed(scores), options.alpha};
  const Index n = std::min(y.rows(), tried_rows);
  const Matrix<double> few = even_rows(y, n), rows = even_rows(x, n);
  std::vector<Trial> trials;
  if (options.kernel) {
    trials.push_back({options.kernel->completed(scores), 0});
  } else {
    const double gamma = kernels::rbf().completed(Rows<double>(few)).node()->gaussian()->gamma;
    for (const double factor : {0.1, 0.5, 2.0})
      trials.push_back({kernels::rbf({.gamma = factor * gamma}), 0});
  }
  const BlasThreads one(1);
  parallel_for(static_cast<Index>(trials.size()), options.threads, [&](Index i) {
    Trial& trial = trials[static_cast<std::size_t>(i)];
    trial = best_alpha(trial.kernel, few, rows);
  });
  Trial best = *std::min_element(trials.begin(), trials.end(),
                                 [](const Trial& a, const Trial& b) { return a.error < b.error; });
  if (options.alpha > 0) best.alpha = options.alpha;
  return best;
}

}  // namespace

RidgeMap::RidgeMap(Matrix<double> scores, const Matrix<double>& rows,
                   const PreImageOptions& options)
    : kernel_(kernels::linear()),
      alpha_(options.alpha),
      scores_(std::move(scores)),
      mean_(rows.colwise().mean().transpose()) {
  const Matrix<double> centred = rows.rowwise() - mean_.transpose();
  Trial best = chosen(scores_, centred, options);
  kernel_ = std::move(best.kernel);
  alpha_ = best.alpha;
  Matrix<double> k = kernel_.matrix(Rows<double>(scores_), {options.threads, options.monitor});
  // Rounding may make a matrix of many alike rows indefinite.
  const double least = static_cast<double>(k.rows()) * 1e-15 * k.diagonal().maxCoeff();
  alpha_ = std::max(alpha_, least);
  k.diagonal().array() += alpha_;
  weights_ = centred.transpose();
  times_inverse(std::move(k), weights_, options.threads);
}

Matrix<double> RidgeMap::operator()(const Matrix<double>& scores) const {
  const Index n = scores.rows(), m = scores_.rows(), d = weights_.rows();
  Matrix<double> k(n, m), out(n, d);
  constexpr Index strip = 256;
  for (Index first = 0; first < m; first += strip) {
    const Index count = std::min(strip, m - first);
    kernel_.tile<double>(Rows<double>(scores), Rows<double>(scores_).middle(first, count),
                         k.middleCols(first, count));
  }
  multiply_transposed(k.data(), n, m, m, weights_.data(), d, m, out.data(), d);
  out.rowwise() += mean_.transpose();
  return out;
}

std::string RidgeMap::text() const {
  return fmt::format("ridge({}, alpha={:.3g})", kernel_.text(), alpha_);
}

}  // namespace mercer
