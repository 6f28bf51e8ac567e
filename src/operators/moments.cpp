#include <mercer/moments.hpp>

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "operators/centred.hpp"
#include "operators/column_means.hpp"
#include "simd/inner_products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

namespace mercer {

namespace {

/// Rows whose mean becomes the shift.
constexpr Index shift_rows = 4096;
/// Up to this many columns each thread has a d×d sum of its own; beyond, BLAS runs the threads.
constexpr Index own_sum_columns = 512;
/// Numbers in a block that is centred and then multiplied: small enough for the L2 cache.
constexpr Index block_numbers = Index{1} << 14;
/// With so many columns BLAS has the d×d sums to read and write for every block, which only pays
/// when the block is long.
constexpr Index many_columns = 256, long_block = 512;

double total_weight(const double* weights, Index n) {
  return weights ? Eigen::Map<const Vector<double>>(weights, n).sum() : static_cast<double>(n);
}

/// Σ w(x−s) and Σ w(x−s)(x−s)ᵀ of dense (or densified) rows, a block at a time.
class ShiftedSums {
 public:
  /// With `second` the products go there, otherwise into a matrix of its own.
  ShiftedSums(const Vector<double>& shift, bool nan_on_shift, Matrix<double>* second = nullptr)
      : shift_(shift),
        nan_on_shift_(nan_on_shift),
        d_(shift.size()),
        few_(d_ <= few_columns),
        stride_(few_ ? padded_columns(d_) : d_),
        block_rows_(few_                ? few_columns_block(d_)
                    : d_ > many_columns ? long_block
                                        : std::max<Index>(block_numbers / d_, 256)),
        block_(Matrix<double>::Zero(block_rows_, stride_)),
        first_(Vector<double>::Zero(d_)),
        second_(second && !few_ ? 0 : stride_, second && !few_ ? 0 : stride_),
        target_(second && !few_ ? *second : second_) {
    second_.setZero();
  }

  template <class T>
  void add(const Rows<T>& rows, const double* weights) {
    Vector<double> part(d_);
    for (Index i = 0; i < rows.rows(); i += block_rows_) {
      const Index n = std::min(block_rows_, rows.rows() - i);
      // Sums of a block first, then the sum of sums: error grows with the blocks, not the rows.
      part.setZero();
      centred_block(rows.middle(i, n), 0, d_,
                    {.centre = shift_.data(),
                     .weights = weights ? weights + i : nullptr,
                     .nan_on_centre = nan_on_shift_,
                     .sums = part.data()},
                    block_.data(), stride_);
      first_ += part;
      if (few_) add_inner_products_padded(block_.data(), n, d_, second_.data());
      else add_inner_products(block_.data(), n, d_, d_, target_);
    }
  }

  const Vector<double>& first() const { return first_; }
  /// What is not yet where it should go.
  void add_to(Matrix<double>& second) const {
    if (second_.size() > 0) second.triangularView<Eigen::Upper>() += second_.topLeftCorner(d_, d_);
  }

 private:
  const Vector<double>& shift_;
  bool nan_on_shift_;
  Index d_;
  bool few_;  // columns: our own product; otherwise BLAS
  Index stride_, block_rows_;
  Matrix<double> block_;
  Vector<double> first_;
  Matrix<double> second_;
  Matrix<double>& target_;
};

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

  const bool own_sums = d <= own_sum_columns;
  std::optional<BlasThreads> blas;
  if (d > few_columns) blas.emplace(own_sums ? 1 : thread_count(threads));
  const Index grain = std::max<Index>(64, 4000000 / std::max<Index>(d * d, 1));
  std::vector<std::unique_ptr<ShiftedSums>> parts(own_sums ? thread_count(threads) : 1);
  parallel_ranges(n, static_cast<int>(parts.size()), grain, [&](Index begin, Index end, int part) {
    auto& sums = parts[part];
    sums = std::make_unique<ShiftedSums>(shift_, nan_on_shift_,
                                         parts.size() == 1 ? &second_ : nullptr);
    sums->add(rows.middle(begin, end - begin), weights ? weights + begin : nullptr);
  });
  for (const auto& sums : parts) {
    if (!sums) continue;  // fewer parts than threads
    sum_ += sums->first();
    sums->add_to(second_);
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

double Moments::rounding_constant() const {
  // An entry of A is a sum of products, each of two factors that were rounded up to three times
  // (the shift, a root of the weight and the product with it). A product goes through one addition
  // for each row of its block and one for each later block or thread; an entry of a likewise, and
  // a aᵀ/W enters with both. The unit roundoff is ε/2.
  const double n = static_cast<double>(rows_), block = std::min(n, 3072.0);
  const double chain = block + n / 16 + 72;
  return 0.5 * (3 * chain + 16);
}

Vector<double> Moments::rounding(bool centred) const {
  const double constant = rounding_constant() * std::numeric_limits<double>::epsilon();
  Vector<double> length = second_.diagonal().cwiseSqrt();
  if (!centred) length += std::sqrt(weight_) * shift_.cwiseAbs();
  return std::sqrt(constant) * length;
}

std::vector<double> Moments::state() const {
  std::vector<double> out{static_cast<double>(rows_), weight_, shifted_ ? 1.0 : 0.0,
                          nan_on_shift_ ? 1.0 : 0.0};
  const auto append = [&](const double* from, Index count) {
    out.insert(out.end(), from, from + count);
  };
  append(shift_.data(), shift_.size());
  append(sum_.data(), sum_.size());
  append(second_.data(), second_.size());
  return out;
}

void Moments::restore(const std::vector<double>& state) {
  constexpr Index counts = 4;
  const Index d = features();
  require(static_cast<Index>(state.size()) == counts + 2 * d + d * d && state[0] >= 0 &&
              state[0] < 9e15 && state[1] >= 0,
          Errc::bad_data, "these {} numbers are not the state of moments of {} columns",
          state.size(), d);
  rows_ = static_cast<std::int64_t>(state[0]);
  weight_ = state[1];
  shifted_ = state[2] != 0;
  nan_on_shift_ = state[3] != 0;
  const double* from = state.data() + counts;
  shift_ = Eigen::Map<const Vector<double>>(from, d);
  sum_ = Eigen::Map<const Vector<double>>(from + d, d);
  second_ = Eigen::Map<const Matrix<double>>(from + 2 * d, d, d);
}

template void Moments::add(const Rows<float>&, const double*, int);
template void Moments::add(const Rows<double>&, const double*, int);

}  // namespace mercer
