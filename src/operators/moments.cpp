#include <mercer/moments.hpp>

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "operators/centred.hpp"
#include "operators/column_means.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

/// Rows whose mean becomes the shift.
constexpr Index shift_rows = 4096;
/// Up to this many columns each thread has a d×d sum of its own; beyond, BLAS runs the threads.
constexpr Index own_sum_columns = 512;
/// Doubles in the block that is centred and then multiplied: small enough for the L2 cache.
constexpr Index block_doubles = Index{1} << 16;

double total_weight(const double* weights, Index n) {
  return weights ? Eigen::Map<const Vector<double>>(weights, n).sum() : static_cast<double>(n);
}

/// Adds Σ w(x−s) and Σ w(x−s)(x−s)ᵀ of dense (or densified) rows, a block at a time.
template <class T>
void add_dense(const Rows<T>& rows, const double* weights, const double* shift, bool nan_on_shift,
               Index block_rows, Vector<double>& first, Matrix<double>& second) {
  const Index d = rows.cols();
  Matrix<double> block(std::min(block_rows, rows.rows()), d);
  Vector<double> part(d);
  for (Index i = 0; i < rows.rows(); i += block_rows) {
    const Index n = std::min(block_rows, rows.rows() - i);
    // Sums of a block first, then the sum of sums: error grows with the blocks, not the rows.
    part.setZero();
    centred_block(rows.middle(i, n), 0, d,
                  {.centre = shift,
                   .weights = weights ? weights + i : nullptr,
                   .nan_on_centre = nan_on_shift,
                   .sums = part.data()},
                  block.data());
    first += part;
    add_inner_products(block.data(), n, d, d, second);
  }
}

/// Adds the rows' outer products entry by entry. Each task owns a stripe of the result, so the
/// result needs no copies and does not depend on the number of threads.
template <class T>
void add_sparse(const Rows<T>& rows, const double* weights, int threads, Vector<double>& first,
                Matrix<double>& second) {
  const CsrView<T>& csr = rows.csr();
  const Index d = rows.cols();
  for (Index i = 0; i < rows.rows(); ++i) {
    const double w = weights ? weights[i] : 1.0;
    for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
      first[csr.columns[e]] += w * static_cast<double>(csr.values[e]);
  }
  const int workers = rows.entries() < 10000 ? 1 : thread_count(threads);
  const Index stripes = workers == 1 ? 1 : std::min<Index>(d, 16 * workers);
  parallel_for(stripes, workers, [&](Index stripe) {
    const auto from = static_cast<std::int32_t>(d * stripe / stripes);
    const auto to = static_cast<std::int32_t>(d * (stripe + 1) / stripes);
    for (Index i = 0; i < rows.rows(); ++i) {
      const double w = weights ? weights[i] : 1.0;
      const auto* begin = csr.columns + csr.offsets[i];
      const auto* end = csr.columns + csr.offsets[i + 1];
      for (const auto* a = std::lower_bound(begin, end, from); a != end && *a < to; ++a) {
        double* out = second.row(*a).data();
        const double x = w * static_cast<double>(csr.values[a - csr.columns]);
        for (const auto* b = a; b != end; ++b)
          out[*b] += x * static_cast<double>(csr.values[b - csr.columns]);
      }
    }
  });
}

}  // namespace

Moments::Moments(Index features)
    : shift_(Vector<double>::Zero(features)),
      sum_(Vector<double>::Zero(features)),
      second_(Matrix<double>::Zero(features, features)) {}

Moments::Moments(Vector<double> centre) : Moments(centre.size()) {
  shift_ = std::move(centre);
  shifted_ = true;
  nan_on_shift_ = true;
}

template <class T>
void Moments::add(const Rows<T>& rows, const double* weights, int threads) {
  const Index d = features(), n = rows.rows();
  require(rows.cols() == d, Errc::bad_data, "rows have {} columns, not {}", rows.cols(), d);
  if (n == 0) return;
  if (!shifted_ && !rows.sparse()) {
    ColumnMeans means(d);
    means.add(rows.middle(0, std::min(n, shift_rows)), nullptr, 1);
    shift_ = means.mean();
  }
  shifted_ = true;
  rows_ += n;
  weight_ += total_weight(weights, n);

  if (rows.sparse() && shift_.isZero(0)) {
    add_sparse(rows, weights, threads, sum_, second_);
    return;
  }

  const Index block_rows = std::clamp<Index>(block_doubles / std::max<Index>(d, 1), 64, 4096);
  if (d <= own_sum_columns) {
    const Index grain = std::max<Index>(block_rows, 4000000 / std::max<Index>(d * d, 1));
    const BlasThreads one(1);
    struct Sums {
      Vector<double> first;
      Matrix<double> second;
    };
    std::vector<Sums> sums(static_cast<std::size_t>(thread_count(threads)));
    parallel_ranges(n, threads, grain, [&](Index begin, Index end, int part) {
      Sums& own = sums[static_cast<std::size_t>(part)];
      own.first.setZero(d);
      own.second.setZero(d, d);
      add_dense(rows.middle(begin, end - begin), weights ? weights + begin : nullptr,
                shift_.data(), nan_on_shift_, block_rows, own.first, own.second);
    });
    for (const Sums& own : sums) {
      if (own.first.size() == 0) continue;  // fewer parts than threads
      sum_ += own.first;
      second_ += own.second;
    }
  } else {
    const BlasThreads all(thread_count(threads));
    add_dense(rows, weights, shift_.data(), nan_on_shift_, std::max<Index>(block_rows, 1024), sum_,
              second_);
  }
}

void Moments::merge(const Moments& other) {
  require(other.features() == features(), Errc::bad_data, "moments of {} columns meet ones of {}",
          other.features(), features());
  if (other.rows_ == 0) return;
  if (rows_ == 0) {
    *this = other;
    return;
  }
  // Their sums about our shift: x − s = (x − s') + δ with δ = s' − s.
  const Vector<double> delta = other.shift_ - shift_;
  second_ += other.second_;
  second_.noalias() += other.sum_ * delta.transpose() + delta * other.sum_.transpose() +
                       other.weight_ * (delta * delta.transpose());
  sum_ += other.sum_ + other.weight_ * delta;
  rows_ += other.rows_;
  weight_ += other.weight_;
}

Vector<double> Moments::mean() const { return shift_ + sum_ / weight_; }

Matrix<double> Moments::scatter(bool centred) const {
  Matrix<double> out = second_;
  if (centred) {
    out.noalias() -= sum_ * (sum_ / weight_).transpose();
  } else {
    out.noalias() += sum_ * shift_.transpose() + shift_ * sum_.transpose() +
                     weight_ * (shift_ * shift_.transpose());
  }
  out.triangularView<Eigen::StrictlyLower>() = out.transpose();
  return out;
}

Vector<double> Moments::scatter_diagonal(bool centred) const {
  Vector<double> out = second_.diagonal();
  if (centred) out.array() -= sum_.array().square() / weight_;
  else out.array() += 2 * sum_.array() * shift_.array() + weight_ * shift_.array().square();
  return out.cwiseMax(0);
}

double Moments::cancellation() const {
  const Vector<double> centred = scatter_diagonal();
  double worst = 1;
  for (Index j = 0; j < features(); ++j)
    if (second_(j, j) > 0) worst = std::max(worst, second_(j, j) / centred[j]);
  return worst;
}

template void Moments::add(const Rows<float>&, const double*, int);
template void Moments::add(const Rows<double>&, const double*, int);

}  // namespace mercer
