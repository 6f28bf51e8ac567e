// A step by a mini-batch: all rules need of it is E[yxᵀ] and E[yyᵀ] = E[yxᵀ]Wᵀ, by the rows'
// weights.
#include "learn/rules/hebbian_state.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "core/roundoff.hpp"
#include "linalg/blas.hpp"
#include "simd/hebbian_step.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// Sums are separate for so many parts of a mini-batch, for any number of threads.
constexpr Index most_parts = 8;
/// Rows that stay in the L2 cache, beside the weights, from the first product to the second.
constexpr Index part_rows = 32;

Vector<double> mean_of(const double* f, Index n, Index stride, const double* weights, double total,
                       Index d) {
  // Relative to the first row: a mean that is large relative to the spread loses no accuracy.
  const Eigen::Map<const Vector<double>> first(f, d);
  Vector<double> sum = Vector<double>::Zero(d);
  for (Index i = 1; i < n; ++i)
    sum += (weights ? weights[i] : 1.0) *
           (Eigen::Map<const Vector<double>>(f + i * stride, d) - first);
  return first + sum / total;
}

/// E y_j² of outputs made independent of those before, by weights made orthonormal: the diagonal of
/// L⁻¹ E[yyᵀ] L⁻ᵀ with LLᵀ = WWᵀ. Neurons in the span of those before get 0.
Vector<double> span_energies(const Matrix<double>& gram, const Matrix<double>& yy) {
  constexpr double own_share = 1e-6;
  const Index k = gram.rows();
  Matrix<double> t = Matrix<double>::Identity(k, k);  // orthonormal rows are tW
  for (Index j = 0; j < k; ++j) {
    auto row = t.row(j);
    for (int sweep = 0; sweep < 2; ++sweep)
      for (Index i = 0; i < j; ++i) row -= row.dot(gram * t.row(i).transpose()) * t.row(i);
    const double square = row.dot(gram * row.transpose());
    if (square > own_share * gram(j, j)) row /= std::sqrt(square);
    else row.setZero();
  }
  return (t * yy).cwiseProduct(t).rowwise().sum();
}

}  // namespace

void BatchSums::start(Index k, Index d, Index most) {
  yx.setZero(k, d);
  x.setZero(d);
  square = 0;
  rows.resize(most, d);
  y.resize(k, most);
}

void BatchSums::add(const double* f, Index n, Index stride, const double* weights,
                    const Matrix<double>& w, const Vector<double>& centre) {
  const Index k = w.rows(), d = w.cols(), most = rows.rows();
  for (Index i = 0; i < n; i += most) {
    const Index count = std::min(most, n - i);
    for (Index r = 0; r < count; ++r) {
      const double own = weights ? weights[i + r] : 1.0;
      square += own * subtract_mean(f + (i + r) * stride, centre.data(), d, rows.row(r).data());
      x += own * rows.row(r).transpose();
    }
    multiply_transposed(w.data(), k, d, d, rows.data(), count, d, y.data(), most);
    if (weights)
      y.leftCols(count) *= Eigen::Map<const Vector<double>>(weights + i, count).asDiagonal();
    multiply(y.data(), k, count, most, rows.data(), d, d, yx.data(), d, true);
  }
}

/// Which row it is that no double can hold the square of.
void Hebbian::State::look_at_lengths(const double* f, Index n, Index stride) {
  Vector<double> x(features());
  for (Index i = 0; i < n; ++i) {
    const double square = subtract_mean(f + i * stride, mean.data(), features(), x.data());
    if (!(square <= largest_square)) too_long(rows + skipped + i + 1, x.data());
    if (square < smallest_square) note_short(x.data());
  }
}

void Hebbian::State::learn_batch(const double* f, Index n, Index stride, const double* weights) {
  const Index d = features(), k = components(), all_neurons = neurons.w.rows();
  const double count =
      weights ? Eigen::Map<const Vector<double>>(weights, n).sum() : static_cast<double>(n);
  const double row_weight = count / static_cast<double>(n);
  const bool running = options.centre == LearnedMean::running;
  if (running && weight == 0) mean = mean_of(f, n, stride, weights, count, d);

  const Index parts = std::clamp<Index>(n / part_rows, 1, most_parts);
  sums.resize(static_cast<std::size_t>(parts));
  const bool worth_it = n * d * all_neurons > 4'000'000;  // a millisecond
  parallel_for(parts, worth_it ? options.threads : 1, [&](Index p) {
    const Index begin = n * p / parts, end = n * (p + 1) / parts;
    BatchSums& part = sums[static_cast<std::size_t>(p)];
    part.start(all_neurons, d, std::min(part_rows, n));
    part.add(f + begin * stride, end - begin, stride, weights ? weights + begin : nullptr,
             neurons.w, mean);
  });
  BatchSums& all = sums[0];
  for (Index p = 1; p < parts; ++p) {
    const BatchSums& other = sums[static_cast<std::size_t>(p)];
    all.yx += other.yx;
    all.x += other.x;
    all.square += other.square;
  }
  if (!(all.square <= largest_square) || all.square < smallest_square) [[unlikely]]
    look_at_lengths(f, n, stride);
  Matrix<double>& yx = all.yx;
  yx /= count;
  all.x /= count;
  double square = all.square / count;
  const double plain = plain_gain(count), late = late_gain(count);
  double about_old = square;
  Vector<double> shift = Vector<double>::Zero(d);
  if (running) {
    // The mean moves by s with these rows; the sums follow: E(y − Ws)(x − s)ᵀ.
    shift = plain * all.x;
    const Vector<double>& s = shift;
    const Vector<double> wx = neurons.w * all.x, ws = neurons.w * s;
    yx.noalias() -= wx * s.transpose() + ws * (all.x - s).transpose();
    square += s.squaredNorm() - 2 * s.dot(all.x);
    about_old -= plain * all.x.squaredNorm();
    mean_lost = (1 - plain) * mean_lost + lost_by_sum(mean, s);
    mean += s;
  }
  Matrix<double> yy(all_neurons, all_neurons);
  multiply_transposed(yx.data(), all_neurons, d, d, neurons.w.data(), all_neurons, d, yy.data(),
                      all_neurons);
  const double output = yy.trace();
  require_bounded(output, square);
  const double step_rate = next_rate({.square = square,
                                      .output = output,
                                      .longest = yx.rowwise().squaredNorm().maxCoeff(),
                                      .gradient = yx.squaredNorm(),
                                      .rows = n,
                                      .weight = row_weight});
  total += plain * (about_old - total);
  recent_total += late * (square - recent_total);
  covariance += late * (yy.topLeftCorner(k, k) - covariance);
  Matrix<double> gram(k, k);
  multiply_transposed(neurons.w.data(), k, d, d, neurons.w.data(), k, d, gram.data(), k);
  energy += late * (span_energies(gram, yy.topLeftCorner(k, k)) - energy);

  Vector<double> x(d), y(k);
  for (Index i = 0; i < n; i += std::max<Index>(n / 8, 1)) {
    subtract_mean(f + i * stride, mean.data(), d, x.data());
    outputs(neurons.w.data(), k, d, x.data(), y.data(), neurons.scratch.data());
    remember(x.data(), y.data());
  }
  rows += n;
  weight += count;
  rule->by_batch(
      neurons,
      {.yx = yx, .yy = yy, .eta = step_rate, .weight = row_weight, .gain = plain, .shift = shift});
  hold_limit();
  if (averages()) average += late * (neurons.w - average);
}

}  // namespace mercer
