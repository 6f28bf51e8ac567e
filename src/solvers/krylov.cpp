// Thick-restarted block Krylov with Rayleigh–Ritz. The space grows by the residuals of the leading
// Ritz vectors that have not converged: the same space as block Lanczos (every residual lies in the
// span of the next Krylov block), but with the products A·Q at hand nothing rests on a recurrence.
// Wu and Simon, SIMAX 22 (2000); Zhou and Saad, Numer. Algorithms 47 (2008).
#include "solvers/krylov.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "solvers/orthonormal.hpp"
#include "solvers/tall.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

class Krylov {
 public:
  Krylov(Index n, const BlockApply& apply, const BlockKrylov& how, const KrylovRun& run)
      : n_(n), apply_(apply), asked_(how), run_(run), random_(how.seed) {}

  /// Goes on from what a call with a smaller k has found. `complete_too`: and sees
  /// that nothing was missed, when the run asks for that.
  Eigenpairs solve(Index k, bool complete_too);
  void widen(Index basis) { asked_.basis = basis; }
  KrylovResult result(Eigenpairs pairs) const {
    return {std::move(pairs), passes_, ceiling_, confidence_, smallest_};
  }

 private:
  void reserve(Index k);
  void begin();
  void look_for_missed(Index k);
  void absorb();
  void rayleigh_ritz();
  void compress(Index keep);
  Index kept() const;
  bool settled(Index i) const;
  bool look_at_open_pairs();
  void form_residuals(const std::vector<Index>& which);
  Vector<double> all_residuals(Index k);
  bool copies_may_be_missing(Index k) const;
  bool stagnates();
  void extend();
  void draw_probes(Index count);
  RitzSpace ritz_space(Index k);
  Matrix<double> residual_products(Index k);
  double threshold(Index k) const;
  bool complete(Index k);
  Index copies(Index k) const;
  bool bounded(const RitzSpace& space, double tau) const;
  void look_for_larger(Index k);
  void follow_lower_end();
  void form_probe_residuals(Index k);
  Eigenpairs pairs(Index k, const Vector<double>& residuals) const;
  [[noreturn]] void give_up(Index k, std::string_view why);

  Index n_;
  const BlockApply& apply_;
  BlockKrylov asked_, how_;
  const KrylovRun& run_;
  std::mt19937_64 random_;

  Matrix<double> q_, aq_;  // n×basis, the first m_ columns in use: Q and A·Q
  Matrix<double> h_;       // QᵀAQ, upper triangle
  Index m_ = 0;
  Matrix<double> w_, aw_;  // n×block: the next block and its product
  Vector<double> theta_;   // Ritz values, descending
  Matrix<double> y_;       // their vectors in the basis, as rows
  double scale_ = 0;       // the largest |eigenvalue| seen: ‖A‖

  Index wanted_ = 0;                // pairs that must converge
  std::vector<double> settled_at_;  // Ritz value with which a pair converged; NaN: it has not
  std::vector<Index> open_;         // the first pairs that have not, a block of them
  Vector<double> open_residuals_;   // relative to scale_
  Index wanted_open_ = 0;           // how many of these are wanted
  Index starts_ = 0;                // vectors from which Krylov spaces were built
  int passes_ = 0;

  Matrix<double> probes_;   // n×s: random vectors that nothing was known of when they were drawn
  bool probes_in_ = false;  // they lie in the basis
  Vector<double> known_;    // Ritz values that had converged when they were drawn
  int probe_rounds_ = 0;    // how often they were drawn after the wanted pairs had converged
  int converged_at_ = 0;    // pass in which these did so first
  double ceiling_ = std::numeric_limits<double>::infinity();
  double confidence_ = 0;
  double smallest_ = std::numeric_limits<double>::infinity();

  double noise_ = 0;       // ‖error of A·q‖, judged by how far A is from symmetric
  Index best_first_ = -1;  // the first open pair, its lowest residual so far, and when that was
  double best_ = 0;
  int best_pass_ = 0;
};

void Krylov::reserve(Index k) {
  how_ = resolved(asked_, n_, k);
  if (q_.cols() >= how_.basis) return;
  for (Matrix<double>* wide : {&q_, &aq_}) {
    Matrix<double> wider(n_, how_.basis);
    advise_huge_pages(wider.data(), sizeof(double) * static_cast<std::size_t>(wider.size()));
    if (m_ > 0) wider.leftCols(m_) = wide->leftCols(m_);
    wide->swap(wider);
  }
  h_.conservativeResize(how_.basis, how_.basis);
  settled_at_.resize(static_cast<std::size_t>(how_.basis), nan);
}

void Krylov::begin() {
  Index given = 0;
  if (run_.start != nullptr) {
    require(run_.start->rows() == n_, Errc::bad_option,
            "the start block has {} rows for a matrix of size {}", run_.start->rows(), n_);
    given = std::min(run_.start->cols(), how_.basis);
  }
  // A few random vectors always join: the given ones may lack an eigenvector altogether.
  const Index least = run_.complete ? probe_vectors : 4;
  const Index width = std::min(std::max(how_.block, given + least), how_.basis);
  given = std::min(given, width);
  w_.resize(n_, width);
  aw_.resize(n_, width);
  for (Index j = 0; j < given; ++j)
    w_.col(j) = run_.start->col(j) / std::max(run_.start->col(j).stableNorm(), 1e-300);
  fill_random(w_, given, random_);
  if (run_.complete && given < width) {
    draw_probes(std::min(probe_vectors, width - given));
    for (Index j = 0; j < probes_.cols(); ++j) w_.col(given + j) = probes_.col(j).normalized();
  }
  orthonormalise(q_, 0, w_, aw_, random_, run_.threads);
  starts_ = width;
  absorb();
}

// Keeps the converged pairs only and begins anew beside them. The best that a fresh space then
// finds is either an eigenvector that was missed or the next one.
void Krylov::look_for_missed(Index k) {
  compress(k);
  wanted_ = std::min(k + 1, n_);
  const Index width = std::min(how_.block, n_ - m_);
  w_.resize(n_, width);
  aw_.resize(n_, width);
  fill_random(w_, 0, random_);
  orthonormalise(q_, m_, w_, aw_, random_, run_.threads);
  starts_ += width;
  best_first_ = -1;
  absorb();
}

// One pass: A·W; then W and A·W join the basis, and H gets its new columns.
void Krylov::absorb() {
  apply_(w_, aw_);
  ++passes_;
  const Index b = w_.cols(), stride = q_.cols();
  q_.middleCols(m_, b) = w_;
  aq_.middleCols(m_, b) = aw_;
  double* column = h_.data() + m_;
  m_ += b;
  tall_times_tall(q_.data(), n_, m_, stride, aw_.data(), b, b, column, h_.cols(), run_.threads);
  const auto fresh = h_.block(0, m_ - b, m_, b);
  require(fresh.allFinite(), Errc::bad_data,
          "the matrix is not finite: its product with a block of unit vectors has NaN or infinity");
  scale_ = std::max(scale_, h_.diagonal().head(m_).cwiseAbs().maxCoeff());
  // wᵀAw' and w'ᵀAw differ by rounding: a sample of the error of A·w along one of n directions.
  const auto square = h_.block(m_ - b, m_ - b, b, b);
  const double rounding = (square - square.transpose()).cwiseAbs().maxCoeff();
  noise_ = std::max(noise_, rounding * std::sqrt(static_cast<double>(n_)));
}

void Krylov::rayleigh_ritz() {
  const bool all = run_.complete && run_.complete->lower_end;
  auto [values, vectors] =
      symmetric_eigen(h_.topLeftCorner(m_, m_), all ? m_ : kept(), run_.threads);
  if (all) smallest_ = std::min(smallest_, values[m_ - 1]);
  theta_ = std::move(values);
  y_ = std::move(vectors);
  scale_ = std::max(scale_, std::abs(theta_[0]));
}

// Ritz vectors that outlive a restart: the wanted, a block beside them, and a third of what is
// left.
Index Krylov::kept() const {
  const Index left = std::max<Index>(how_.basis - wanted_ - 2 * how_.block, 0);
  return std::min(m_, wanted_ + how_.block + left / 3);
}

// Q ← Q·Y: the leading Ritz vectors are the basis.
void Krylov::compress(Index keep) {
  const Matrix<double> t = y_.topRows(keep).transpose();
  rotate_columns(q_, t, run_.threads);
  rotate_columns(aq_, t, run_.threads);
  m_ = keep;
  h_.topLeftCorner(m_, m_) = theta_.head(m_).asDiagonal();
  y_.setIdentity(m_, m_);
  theta_.conservativeResize(m_);
  probes_in_ = false;  // what is left out has a part of them
}

bool Krylov::settled(Index i) const {
  return std::abs(theta_[i] - settled_at_[static_cast<std::size_t>(i)]) <= how_.tolerance * scale_;
}

// W ← (A·Q·y − θ·Q·y) / scale, a column for each pair; divided so that squares neither overflow nor
// vanish.
void Krylov::form_residuals(const std::vector<Index>& which) {
  const auto b = static_cast<Index>(which.size());
  w_.resize(n_, b);
  aw_.resize(n_, b);
  if (b == 0) return;
  const double unit = scale_ > 0 ? scale_ : 1;
  Matrix<double> y(m_, b), image(m_, b);  // of Q and of A·Q
  for (Index j = 0; j < b; ++j) {
    const Index i = which[static_cast<std::size_t>(j)];
    image.col(j) = y_.row(i).transpose() / unit;
    y.col(j) = y_.row(i).transpose() * (-theta_[i] / unit);
  }
  tall_times_small(aq_.data(), n_, m_, aq_.cols(), image.data(), b, b, w_.data(), b, false,
                   run_.threads);
  tall_times_small(q_.data(), n_, m_, q_.cols(), y.data(), b, b, w_.data(), b, true, run_.threads);
}

// Looks at the first block of pairs that have not converged, and says whether a wanted one remains.
// The residuals are left in W.
bool Krylov::look_at_open_pairs() {
  open_.clear();
  for (Index i = 0; i < theta_.size() && std::ssize(open_) < how_.block; ++i)
    if (!settled(i)) open_.push_back(i);
  form_residuals(open_);
  open_residuals_ = w_.colwise().norm();
  wanted_open_ = 0;
  for (Index j = 0; j < w_.cols(); ++j) {
    const Index i = open_[static_cast<std::size_t>(j)];
    const bool converged = open_residuals_[j] <= how_.tolerance;
    settled_at_[static_cast<std::size_t>(i)] = converged ? theta_[i] : nan;
    if (i < wanted_) wanted_open_ = j + 1;
  }
  for (Index i = 0; i < wanted_; ++i)
    if (i >= theta_.size() || !settled(i)) return true;
  return false;
}

Vector<double> Krylov::all_residuals(Index k) {
  Vector<double> out(k);
  for (Index i = 0; i < k; i += how_.block) {
    std::vector<Index> which;
    for (Index j = i; j < std::min(k, i + how_.block); ++j) which.push_back(j);
    form_residuals(which);
    out.segment(i, std::ssize(which)) = w_.colwise().norm();
  }
  return out;
}

// The Krylov space of s vectors holds at most s copies of an eigenvalue.
bool Krylov::copies_may_be_missing(Index k) const {
  const double same = 1e3 * how_.tolerance * scale_;
  for (Index i = 0; i + starts_ <= k; ++i)
    if (theta_[i] - theta_[i + starts_ - 1] <= same) return m_ < n_;
  return false;
}

// The leading open residual no longer falls, and is as small as the rounding of the products.
bool Krylov::stagnates() {
  Index j = 0;
  while (j < wanted_open_ && open_residuals_[j] <= how_.tolerance) ++j;
  if (j == wanted_open_) return false;
  const Index first = open_[static_cast<std::size_t>(j)];
  const double residual = open_residuals_[j];
  if (first != best_first_ || residual < 0.5 * best_) {
    best_first_ = first;
    best_ = residual;
    best_pass_ = passes_;
  }
  return passes_ - best_pass_ >= 5 && residual <= 3 * std::max(noise_ / scale_, 1e-14);
}

void Krylov::give_up(Index k, std::string_view why) {
  const double worst = theta_.size() >= k ? all_residuals(k).maxCoeff() : 1.0;
  fail(
      Errc::not_converged,
      "the eigenpairs reached a residual of {:.1e} of the largest eigenvalue in {} passes, not the "
      "tolerance {:.1e}; {}",
      worst, passes_, how_.tolerance, why);
}

Eigenpairs Krylov::pairs(Index k, const Vector<double>& residuals) const {
  const BlasThreads one(1);
  Eigenpairs out{theta_.head(k), Matrix<double>(k, n_), scale_ * residuals};
  multiply_transposed(y_.data(), k, m_, m_, q_.data(), n_, q_.cols(), out.vectors.data(), n_);
  return out;
}

// The last column of W, unless a wanted pair needs it, goes to the smallest Ritz value.
void Krylov::follow_lower_end() {
  if (w_.cols() <= wanted_open_ || theta_.size() < m_) return;
  const Index last = w_.cols() - 1;
  const double unit = scale_ > 0 ? scale_ : 1;
  const Matrix<double> image = y_.bottomRows(1).transpose() / unit;
  const Matrix<double> own = image * -theta_[m_ - 1];
  tall_times_small(aq_.data(), n_, m_, aq_.cols(), image.data(), 1, 1, w_.data() + last, w_.cols(),
                   false, run_.threads);
  tall_times_small(q_.data(), n_, m_, q_.cols(), own.data(), 1, 1, w_.data() + last, w_.cols(),
                   true, run_.threads);
}

// The open residuals, made orthonormal, are the next block. Those that are nothing but rounding, or
// not there, give way to random vectors.
void Krylov::extend() {
  const Index width = std::min(how_.block, n_ - m_);
  if (run_.complete && run_.complete->lower_end) follow_lower_end();
  if (m_ + width > how_.basis) compress(std::min(kept(), how_.basis - width));
  if (w_.cols() != width) {
    const Index found = std::min(w_.cols(), width);
    w_.conservativeResize(n_, width);
    w_.rightCols(width - found).setZero();
    aw_.resize(n_, width);
  }
  orthonormalise(q_, m_, w_, aw_, random_, run_.threads, true);
  absorb();
}

void Krylov::draw_probes(Index count) {
  probes_.resize(n_, count);
  fill_normal(probes_, random_);
  probes_in_ = true;
  known_.resize(0);
}

// EᵀE of all Ritz pairs but the first k, from strips of the residuals: they are not kept.
Matrix<double> Krylov::residual_products(Index k) {
  constexpr Index strip = 2048;
  const Index rest = m_ - k, parts = (n_ + strip - 1) / strip;
  const Matrix<double> y = y_.bottomRows(rest).transpose();
  const Matrix<double> own = y * theta_.tail(rest).asDiagonal() * -1.0;
  std::vector<Matrix<double>> sums(static_cast<std::size_t>(parts));
  const BlasThreads one(1);
  parallel_for(parts, run_.threads, [&](Index part) {
    const Index i = part * strip, rows = std::min(strip, n_ - i);
    Matrix<double> e(rows, rest);
    multiply(aq_.row(i).data(), rows, m_, aq_.cols(), y.data(), rest, rest, e.data(), rest);
    multiply(q_.row(i).data(), rows, m_, q_.cols(), own.data(), rest, rest, e.data(), rest, true);
    Matrix<double>& sum = sums[static_cast<std::size_t>(part)];
    sum.resize(rest, rest);
    multiply_tall(e.data(), rows, rest, rest, e.data(), rest, rest, sum.data(), rest);
  });
  for (std::size_t part = 1; part < sums.size(); ++part) sums[0] += sums[part];
  return std::move(sums[0]);
}

// All of what missed.hpp looks at. Leaves all Ritz pairs in theta_ and y_.
RitzSpace Krylov::ritz_space(Index k) {
  auto [values, vectors] = symmetric_eigen(h_.topLeftCorner(m_, m_), m_, run_.threads);
  theta_ = std::move(values);
  y_ = std::move(vectors);
  smallest_ = std::min(smallest_, theta_[m_ - 1]);
  RitzSpace space{theta_, k, {}, {}};
  if (m_ == n_) return space;
  space.residuals = residual_products(k);
  if (!probes_in_) return space;
  Matrix<double> coordinates(m_, probes_.cols());
  tall_times_tall(q_.data(), n_, m_, q_.cols(), probes_.data(), probes_.cols(), probes_.cols(),
                  coordinates.data(), coordinates.cols(), run_.threads);
  space.probes = y_.bottomRows(m_ - k) * coordinates;
  return space;
}

// A missed eigenvalue counts from here on: above the last wanted one by what its own error may be.
double Krylov::threshold(Index k) const {
  return theta_[k - 1] + std::max(how_.tolerance / 2, 1e-13) * scale_;
}

// Dimensions of the space in which a missed vector would be, judged by the pairs that were found
// after the random vectors had been drawn.
Index Krylov::copies(Index k) const {
  return 1 + largest_cluster(theta_, k, known_, 1e3 * how_.tolerance * scale_);
}

// Is an eigenvalue of τ or more, beside those that were found, as improbable as asked?
bool Krylov::bounded(const RitzSpace& space, double tau) const {
  // The missed vector is in one of so many places; random vectors drawn again get half of what is
  // left of the probability.
  const double places = std::ldexp(static_cast<double>(space.found + 1), probe_rounds_);
  const double limit =
      probe_limit(probes_.cols(), copies(space.found), run_.complete->failure / places);
  return limit > 0 && shared_with_missed(space, tau) <= limit;
}

// Nothing larger was missed; says so in ceiling_ and confidence_.
bool Krylov::complete(Index k) {
  if (converged_at_ == 0) converged_at_ = passes_;
  const RitzSpace space = ritz_space(k);
  double tau = threshold(k);
  ceiling_ = tau;
  confidence_ = 1;
  if (m_ == n_) {
    ceiling_ = theta_[k - 1];
    return true;
  }
  const MatrixNorms norms = run_.complete->norms ? run_.complete->norms() : MatrixNorms{};
  if (nothing_beyond(space, norms, tau)) return true;
  if (!probes_in_) return false;
  confidence_ = 1 - run_.complete->failure;
  if (bounded(space, tau)) return true;
  // Where the basis has no room for this, or gaps are too small, the bound is a larger number.
  const bool full = how_.basis < n_ && m_ + probes_.cols() > how_.basis && probe_rounds_ >= 2;
  const bool late = passes_ >= 2 * converged_at_ + 20 || passes_ >= how_.max_passes;
  if (!full && !late) return false;
  for (double step = tau - theta_[k - 1]; tau < 4 * scale_; step *= 2) {
    ceiling_ = tau = theta_[k - 1] + step;
    if (nothing_beyond(space, norms, tau) || bounded(space, tau)) return true;
  }
  ceiling_ = std::sqrt(norms.squares);  // no eigenvalue exceeds this
  confidence_ = 1;
  return true;
}

// W ← E (τ − Θ)⁻¹ ζ, a column for each random vector: where a missed eigenvector would be.
void Krylov::form_probe_residuals(Index k) {
  const Index count = std::min(probes_.cols(), n_ - m_), rest = m_ - k;
  const double tau = threshold(k), unit = scale_ > 0 ? scale_ : 1;
  Matrix<double> coordinates(m_, probes_.cols());
  tall_times_tall(q_.data(), n_, m_, q_.cols(), probes_.data(), probes_.cols(), probes_.cols(),
                  coordinates.data(), coordinates.cols(), run_.threads);
  const auto y = y_.bottomRows(rest);
  const Vector<double> theta = theta_.tail(rest);
  Matrix<double> weights = y * coordinates.leftCols(count);
  weights.array().colwise() *= unit / (tau - theta.array());
  for (Index j = 0; j < count; ++j) {
    const double largest = weights.col(j).cwiseAbs().maxCoeff();
    if (largest > 0) weights.col(j) /= largest;
  }
  const Matrix<double> image = y.transpose() * weights / unit;
  const Matrix<double> own = y.transpose() * (theta.asDiagonal() * weights) / -unit;
  w_.resize(n_, count);
  tall_times_small(aq_.data(), n_, m_, aq_.cols(), image.data(), count, count, w_.data(), count,
                   false, run_.threads);
  tall_times_small(q_.data(), n_, m_, q_.cols(), own.data(), count, count, w_.data(), count, true,
                   run_.threads);
}

// One more pass, for what the random vectors may still hide; with new ones where the old ones have
// left the basis, or have shown so many copies of an eigenvalue that they can show no more.
void Krylov::look_for_larger(Index k) {
  const Index count = std::min({probe_vectors, n_ - k, how_.basis - k});
  const bool used_up = probes_in_ && probe_limit(probes_.cols(), copies(k), 1) == 0;
  // Where the basis holds the whole space there is always room for the rest of it.
  const bool room = how_.basis == n_ || m_ + probes_.cols() <= how_.basis;
  const bool anew = !probes_in_ || used_up || !room;
  if (anew) {
    // Room for as many more of these passes as there can be.
    if (m_ + 4 * count > how_.basis)
      compress(std::min(m_, std::max(k, std::min(k + how_.block, how_.basis - 2 * count))));
    draw_probes(std::min(count, n_ - m_));
    known_ = theta_.head(k);
    ++probe_rounds_;
    w_ = probes_;
    w_.colwise().normalize();
    starts_ += w_.cols();
  } else {
    form_probe_residuals(k);
  }
  aw_.resize(n_, w_.cols());
  orthonormalise(q_, m_, w_, aw_, random_, run_.threads, !anew);
  absorb();
}

Eigenpairs Krylov::solve(Index k, bool complete_too) {
  reserve(k);
  wanted_ = k;
  best_first_ = -1;
  if (m_ == 0) begin();
  for (;;) {
    rayleigh_ritz();
    const bool open = look_at_open_pairs();
    if (run_.monitor)
      run_.monitor(passes_, wanted_open_ > 0 ? open_residuals_.head(wanted_open_).maxCoeff() : 0.0);
    if (!open || m_ == n_) {
      // Residuals of pairs that settled earlier are computed anew: the basis has changed since.
      const Vector<double> residuals = all_residuals(k);
      if (residuals.maxCoeff() <= how_.tolerance) {
        if (run_.complete) {
          if (!complete_too) return pairs(k, residuals);
          if (complete(k)) return pairs(k, all_residuals(k));
          if (passes_ >= how_.max_passes) give_up(k, "larger eigenvalues may have been missed");
          look_for_larger(k);
          continue;
        }
        if (!copies_may_be_missing(k)) return pairs(k, residuals);
        look_for_missed(k);
        continue;
      }
      if (m_ == n_) give_up(k, "the whole space was searched, so this is rounding: loosen it");
      std::fill(settled_at_.begin(), settled_at_.end(), nan);
      look_at_open_pairs();
    }
    if (passes_ >= how_.max_passes) give_up(k, "allow more passes or loosen the tolerance");
    if (stagnates())
      give_up(k, "it no longer falls, as the products have no more correct digits: loosen it");
    extend();
  }
}

}  // namespace

KrylovResult krylov_eigenpairs(Index n, const BlockApply& apply, Index k, const BlockKrylov& how,
                               const KrylovRun& run) {
  Krylov krylov(n, apply, how, run);
  return krylov.result(krylov.solve(k, true));
}

KrylovResult krylov_eigenpairs_until(Index n, const BlockApply& apply, Index first,
                                     const std::function<Index(const Vector<double>&)>& enough,
                                     const BlockKrylov& how, const KrylovRun& run) {
  Krylov krylov(n, apply, how, run);
  for (Index k = std::min(first, n);;) {
    Eigenpairs pairs = krylov.solve(k, false);
    const Index keep = enough(pairs.values);
    if (keep != 0 || k == n) {
      if (keep < 0) return krylov.result(std::move(pairs));
      const Index count = keep > 0 ? std::min(keep, k) : k;
      pairs.values.conservativeResize(count);
      pairs.residuals.conservativeResize(count);
      pairs.vectors.conservativeResize(count, n);
      if (run.complete == nullptr) return krylov.result(std::move(pairs));
      const Vector<double> before = std::move(pairs.values);
      pairs = krylov.solve(count, true);
      const double moved = (pairs.values - before).cwiseAbs().maxCoeff();
      if (moved <= 10 * how.tolerance * std::abs(pairs.values[0]))
        return krylov.result(std::move(pairs));
      continue;  // larger ones had been missed, and with them the number may change
    }
    const Index most = most_pairs(how, n);
    require(most > k, Errc::out_of_memory,
            "{} eigenpairs are not enough, and a basis of {} vectors holds no more; raise the "
            "memory budget",
            k, std::max(how.basis, how.most_basis));
    k = std::min(2 * k, most);
    if (how.basis > 0 && how.most_basis > how.basis)
      krylov.widen(
          std::min(how.most_basis, std::max(how.basis, k + 8 * std::max<Index>(how.block, 8))));
  }
}

}  // namespace mercer
