#include "learn/theory/watch.hpp"

#include "core/random.hpp"
#include "learn/rules/rule.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr Index watched_rows = 64;  // of a block
constexpr Index least_blocks = 16;  // for a standard error
constexpr Index all_blocks = 4096;  // so many are all taken, then one of
constexpr Index one_block_of = 8;   // so many
constexpr double doubt = 0.05;      // of all components together
constexpr double watch_degrees = 180 / M_PI;

}  // namespace

Watch::Watch(Index components, Index features, LearnedMean centre, std::uint64_t seed)
    : k_(components), how_(centre), seed_(seed) {
  if (!on()) return;
  const Index p = std::min(features, 2 * k_ + 2);
  t_ = Matrix<double>::Zero(p, features);
  rows_.resize(watched_rows, features);
  rows_.setZero();
  weights_ = Vector<double>::Zero(watched_rows);
  centre_ = Vector<double>::Zero(features);
  clear();
  Random random(seed_ + 1);
  for (Index i = 0; i < t_.size(); ++i) t_.data()[i] = random.normal();
  orthonormal_rows(t_);
}

void Watch::clear() {
  const Index p = t_.rows(), d = t_.cols();
  for (double& c : counts_) c = 0;
  sum_.setZero(p, d);
  weighted_sum_.setZero(p, d);
  x_.setZero(d);
  squares_.setZero(p, p);
  lengths_.setZero(p);
}

void Watch::add(const double* row, double w, const Vector<double>& mean) {
  const auto at = static_cast<Index>(counts_[waiting]);
  rows_.row(at) = Eigen::Map<const Eigen::RowVectorXd>(row, t_.cols());
  weights_[at] = w;
  counts_[seen] += 1;
  counts_[waiting] += 1;
  if (at + 1 == watched_rows) take_block(mean);
}

void Watch::take_block(const Vector<double>& mean) {
  counts_[waiting] = 0;
  // Relative to a point near the mean: a mean that is large relative to the spread loses no
  // accuracy.
  if (counts_[centred] == 0) {
    counts_[centred] = 1;
    centre_ = how_ == LearnedMean::running
                  ? Vector<double>(rows_.transpose() * weights_ / weights_.sum())
                  : mean;
  }
  const auto block = static_cast<Index>(counts_[seen]) / watched_rows;
  if (block > all_blocks && block % one_block_of != 0) return;
  const Index p = t_.rows(), d = t_.cols();
  rows_.rowwise() -= centre_.transpose();
  Matrix<double> z(p, watched_rows), a(p, d), h(p, p);
  multiply_transposed(t_.data(), p, d, d, rows_.data(), watched_rows, d, z.data(), watched_rows);
  z *= weights_.asDiagonal();
  multiply(z.data(), p, watched_rows, watched_rows, rows_.data(), d, d, a.data(), d, false);
  multiply_transposed(a.data(), p, d, d, t_.data(), p, d, h.data(), p);
  const double own = weights_.sum();
  sum_ += a;
  weighted_sum_ += own * a;
  x_ += rows_.transpose() * weights_;
  squares_ += h.cwiseAbs2();
  lengths_ += a.rowwise().squaredNorm();
  counts_[square] += rows_.rowwise().squaredNorm().dot(weights_);
  counts_[weight] += own;
  counts_[weight_square] += own * own;
  counts_[blocks] += 1;
}

Verdict Watch::verdict(const Matrix<double>& components) const {
  Verdict out;
  const double n = counts_[blocks], w = counts_[weight];
  if (n < least_blocks) return out;
  const Index p = t_.rows(), d = t_.cols(), k = k_;
  const Matrix<double> mean = sum_ / w;  // of z xᵀ about the centre
  Matrix<double> tr = mean;
  double total = counts_[square] / w;
  if (how_ == LearnedMean::running) {
    const Vector<double> x = x_ / w;
    tr -= (t_ * x) * x.transpose();
    total -= x.squaredNorm();
  }
  // Variances of these means: Σ (A_b − ω_b A)² / w², over one less than the blocks.
  const double few = n / (n - 1) / (w * w), ww = counts_[weight_square];
  const Matrix<double> h0 = mean * t_.transpose();
  const Matrix<double> cross = (weighted_sum_ * t_.transpose()).cwiseProduct(h0);
  const Matrix<double> variance = few * (squares_ - 2 * cross + ww * h0.cwiseAbs2());
  const Vector<double> all =
      few * (lengths_ - 2 * weighted_sum_.cwiseProduct(mean).rowwise().sum() +
             ww * mean.rowwise().squaredNorm());
  const Vector<double> outside = all - variance.rowwise().sum();

  Matrix<double> h = tr * t_.transpose();
  h = (0.5 * (h + h.transpose())).eval();
  const double inside = h.trace();
  const SymmetricEigen pairs = symmetric_eigen(h, p);
  const Vector<double>& theta = pairs.values;
  const Matrix<double> u = pairs.vectors * t_, shares = pairs.vectors.cwiseAbs2();
  const Matrix<double> residual = pairs.vectors * tr - theta.asDiagonal() * u;
  const Vector<double> rho = residual.rowwise().norm();
  // In the basis of the Ritz vectors, entries of the noise taken as independent.
  const Matrix<double> turned_variance = shares * variance * shares.transpose();
  const Vector<double> turned_outside = shares * outside;
  const bool whole = p == d;
  const double beyond = whole ? 0 : std::min(total - inside, theta[p - 1] + rho[p - 1]);
  // P(|N| > z) ≤ exp(−z²/2), for k components at once.
  const double z = std::sqrt(2 * std::log(static_cast<double>(k) / doubt));
  // Over many directions the length of the noise is certain, and is in ρ already.
  const double spread = whole ? 0 : std::min(1.0, 4 / static_cast<double>(d - p));

  out.angles.resize(k);
  out.bounds.resize(k);
  out.values = theta.head(k);
  out.errors.resize(k);
  for (Index j = 0; j < k; ++j) {
    const double gap = theta[j] - beyond;
    double noise = 0;
    for (Index i = 0; i < p; ++i)
      if (i != j) noise += turned_variance(i, j) / std::pow(theta[i] - theta[j], 2);
    double rest = 0;
    if (!whole) {
      noise += spread * turned_outside[j] / (gap * gap);
      rest = rho[j] < gap ? std::asin(rho[j] / gap) : M_PI / 2;
    }
    const double bound = rest + z * std::sqrt(std::abs(noise));
    out.angles[j] = turned(components.row(j), u.row(j));
    // NaN and infinity, where two variances are equal, are no bound.
    out.bounds[j] = bound < M_PI / 2 ? bound * watch_degrees : 90;
    const double sine = std::sin(std::min(M_PI / 2, bound));
    out.errors[j] = z * std::sqrt(std::abs(turned_variance(j, j))) + theta[0] * sine * sine;
  }
  return out;
}

void Watch::restart(const Matrix<double>& components, std::int64_t rows) {
  const Index p = t_.rows(), d = t_.cols();
  // The components, then what a step of subspace iteration has beside them: where they are not the
  // leading ones, those come in here.
  Matrix<double> all(k_ + p, d);
  all.topRows(k_) = components;
  if (counts_[blocks] > 0) {
    Matrix<double> h = sum_ * t_.transpose();
    h = (0.5 * (h + h.transpose())).eval();
    all.bottomRows(p) = symmetric_eigen(h, p).vectors * sum_;
  } else {
    all.bottomRows(p) = t_;
  }
  orthonormal_rows(all);
  Matrix<double> fresh = Matrix<double>::Zero(p, d);
  for (Index i = 0, at = 0; i < all.rows() && at < p; ++i)
    if (all.row(i).squaredNorm() > 0.5) fresh.row(at++) = all.row(i);
  Random random(seed_ + static_cast<std::uint64_t>(rows) + 1);
  for (Index i = 0; i < p; ++i) {
    if (fresh.row(i).squaredNorm() > 0.5) continue;
    for (Index c = 0; c < d; ++c) fresh(i, c) = random.normal();
    for (int sweep = 0; sweep < 2; ++sweep)
      for (Index j = 0; j < p; ++j)
        if (j != i) fresh.row(i) -= fresh.row(i).dot(fresh.row(j)) * fresh.row(j);
    fresh.row(i).normalize();
  }
  t_ = fresh;
  clear();
  counts_[before] = static_cast<double>(rows);
}

}  // namespace mercer
