// Thick-restarted block Krylov with Rayleigh–Ritz. The space grows by the residuals of the leading
// Ritz vectors that have not converged: the same space as block Lanczos (every residual lies in the
// span of the next Krylov block), but with the products A·Q at hand nothing rests on a recurrence.
// Wu and Simon, SIMAX 22 (2000); Zhou and Saad, Numer. Algorithms 47 (2008).
#include "solvers/krylov.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"
#include "solvers/krylov_state.hpp"
#include "solvers/orthonormal.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Vector<double> inverse(const Vector<double>& lengths) {
  return lengths.cwiseMax(1e-300).cwiseInverse();
}

}  // namespace

void Krylov::reserve(Index k) {
  how_ = resolved(asked_, n_, k);
  if (q_.cols() >= how_.basis) return;
  agree(tall_.team(), [&] {
    for (Matrix<double>* wide : {&q_, &aq_}) {
      Matrix<double> wider(tall_.rows(), how_.basis);
      advise_huge_pages(wider.data(), sizeof(double) * static_cast<std::size_t>(wider.size()));
      if (m_ > 0) wider.leftCols(m_) = wide->leftCols(m_);
      wide->swap(wider);
    }
  });
  h_.conservativeResize(how_.basis, how_.basis);
  settled_at_.resize(static_cast<std::size_t>(how_.basis), nan);
}

void Krylov::begin() {
  Index given = 0;
  if (run_.start != nullptr) {
    agree(tall_.team(), [&] {
      require(run_.start->rows() == tall_.rows(), Errc::bad_option,
              "the start block has {} rows for a matrix of size {}", run_.start->rows(),
              tall_.rows());
    });
    given = std::min(run_.start->cols(), how_.basis);
  }
  // A few random vectors always join: the given ones may lack an eigenvector altogether.
  const Index least = run_.complete ? probe_vectors : 4;
  const Index width = std::min(std::max(how_.block, given + least), how_.basis);
  given = std::min(given, width);
  w_.resize(tall_.rows(), width);
  aw_.resize(tall_.rows(), width);
  if (given > 0) {
    // Divided twice, so that squares neither overflow nor vanish.
    w_.leftCols(given) = run_.start->leftCols(given);
    w_.leftCols(given) *= inverse(tall_.largest(w_.leftCols(given))).asDiagonal();
    w_.leftCols(given) *= inverse(tall_.norms(w_.leftCols(given))).asDiagonal();
  }
  tall_.fill_random(w_, given, random_);
  if (run_.complete && given < width) {
    draw_probes(std::min(probe_vectors, width - given));
    w_.middleCols(given, probes_.cols()) =
        probes_ * tall_.norms(probes_).cwiseInverse().asDiagonal();
  }
  orthonormalise(tall_, q_, 0, w_, aw_, random_);
  starts_ = width;
  absorb();
}

// Keeps only the converged pairs and starts again orthogonal to them. The best vector of a fresh
// space is either an eigenvector that was missed or the next one.
void Krylov::look_for_missed(Index k) {
  compress(k);
  wanted_ = std::min(k + 1, n_);
  const Index width = std::min(how_.block, n_ - m_);
  w_.resize(tall_.rows(), width);
  aw_.resize(tall_.rows(), width);
  tall_.fill_random(w_, 0, random_);
  orthonormalise(tall_, q_, m_, w_, aw_, random_);
  starts_ += width;
  best_first_ = -1;
  absorb();
}

// One pass: A·W; then W and A·W join the basis, and H gets its new columns.
void Krylov::absorb() {
  apply_(w_, aw_);
  ++passes_;
  const Index b = w_.cols();
  q_.middleCols(m_, b) = w_;
  aq_.middleCols(m_, b) = aw_;
  m_ += b;
  h_.block(0, m_ - b, m_, b) = tall_.inner(q_.leftCols(m_), aw_);
  const auto fresh = h_.block(0, m_ - b, m_, b);
  require(fresh.allFinite(), Errc::bad_data,
          "products of the matrix with unit vectors are not finite: it has NaN or infinity, or its "
          "numbers are so large that sums overflow; scale it by a power of two");
  scale_ = std::max(scale_, h_.diagonal().head(m_).cwiseAbs().maxCoeff());
  require(scale_ == 0 || scale_ >= std::numeric_limits<double>::min(), Errc::bad_data,
          "products of the matrix with unit vectors are about {:.1e}, which is subnormal; scale it "
          "by a power of two",
          scale_);
  // wᵀAw' and w'ᵀAw differ by rounding: a sample of the error of A·w along one of n directions.
  const auto square = h_.block(m_ - b, m_ - b, b, b);
  const double rounding = (square - square.transpose()).cwiseAbs().maxCoeff();
  noise_ = std::max(noise_, rounding * std::sqrt(static_cast<double>(n_)));
}

void Krylov::rayleigh_ritz() {
  const bool all = run_.complete && run_.complete->lower_end;
  auto [values, vectors] = tall_.eigen(h_.topLeftCorner(m_, m_), all ? m_ : kept());
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
  tall_.rotate(q_, t);
  tall_.rotate(aq_, t);
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
  w_.resize(tall_.rows(), b);
  aw_.resize(tall_.rows(), b);
  if (b == 0) return;
  const double unit = scale_ > 0 ? scale_ : 1;
  Matrix<double> y(m_, b), image(m_, b);  // of Q and of A·Q
  for (Index j = 0; j < b; ++j) {
    const Index i = which[static_cast<std::size_t>(j)];
    image.col(j) = y_.row(i).transpose() / unit;
    y.col(j) = y_.row(i).transpose() * (-theta_[i] / unit);
  }
  tall_.times(aq_.leftCols(m_), image, w_);
  tall_.times(q_.leftCols(m_), y, w_, true);
}

// Checks the first block of pairs that have not converged; returns whether a wanted one remains.
// The residuals are left in W.
bool Krylov::look_at_open_pairs() {
  open_.clear();
  for (Index i = 0; i < theta_.size() && std::ssize(open_) < how_.block; ++i)
    if (!settled(i)) open_.push_back(i);
  form_residuals(open_);
  open_residuals_ = tall_.norms(w_);
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
    out.segment(i, std::ssize(which)) = tall_.norms(w_);
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
      "tolerance {:.1e}; {}{}",
      worst, passes_, how_.tolerance, why,
      worst < 0.05 ? fmt::format("; use `tolerance={:.0e}`", 2 * worst) : "");
}

Eigenpairs Krylov::pairs(Index k, const Vector<double>& residuals) const {
  return {theta_.head(k), tall_.combined(y_.topRows(k), q_.leftCols(m_)), scale_ * residuals};
}

// The last column of W, unless a wanted pair needs it, goes to the smallest Ritz value.
void Krylov::follow_lower_end() {
  if (w_.cols() <= wanted_open_ || theta_.size() < m_) return;
  const double unit = scale_ > 0 ? scale_ : 1;
  const Matrix<double> image = y_.bottomRows(1).transpose() / unit;
  const Matrix<double> own = image * -theta_[m_ - 1];
  tall_.times(aq_.leftCols(m_), image, w_.rightCols(1));
  tall_.times(q_.leftCols(m_), own, w_.rightCols(1), true);
}

// Restarts forget the lower part of the spectrum. Where the gaps of the wanted pairs are tiny
// beside it, each restart has to remove it anew and gains next to nothing: thousands of passes with
// a small basis are tens with one of twice its size.
bool Krylov::grow() {
  constexpr int patience = 8;  // restarts; most runs need fewer
  const Index most = std::min(how_.most_basis, n_);
  if (how_.basis >= most || ++restarts_ <= patience) return false;
  restarts_ = 0;
  const Index block = how_.block;
  asked_.basis = std::min(2 * how_.basis, most);
  reserve(wanted_);
  how_.block = block;  // that of this run, whatever `wanted_` has become
  return true;
}

// The open residuals, made orthonormal, are the next block. Those that are nothing but rounding, or
// not there, give way to random vectors.
void Krylov::extend() {
  const Index width = std::min(how_.block, n_ - m_);
  if (run_.complete && run_.complete->lower_end) follow_lower_end();
  if (m_ + width > how_.basis && !grow()) compress(std::min(kept(), how_.basis - width));
  if (w_.cols() != width) {
    const Index found = std::min(w_.cols(), width);
    w_.conservativeResize(tall_.rows(), width);
    w_.rightCols(width - found).setZero();
    aw_.resize(tall_.rows(), width);
  }
  orthonormalise(tall_, q_, m_, w_, aw_, random_, true);
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
    agree(tall_.team(), [&] {
      const auto of_wanted = open_residuals_.head(wanted_open_);
      if (run_.monitor) run_.monitor(passes_, wanted_open_ > 0 ? of_wanted.maxCoeff() : 0.0);
    });
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
      if (m_ == n_) give_up(k, "the whole space was searched, so this is rounding");
      std::fill(settled_at_.begin(), settled_at_.end(), nan);
      look_at_open_pairs();
    }
    if (passes_ >= how_.max_passes) give_up(k, "it decreases too slowly");
    if (stagnates()) give_up(k, "it no longer decreases, because of rounding");
    extend();
  }
}

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
      pairs.vectors.conservativeResize(count, pairs.vectors.cols());
      if (run.complete == nullptr) return krylov.result(std::move(pairs));
      const Vector<double> before = std::move(pairs.values);
      pairs = krylov.solve(count, true);
      const double moved = (pairs.values - before).cwiseAbs().maxCoeff();
      if (moved <= 10 * how.tolerance * std::abs(pairs.values[0]))
        return krylov.result(std::move(pairs));
      continue;  // larger ones had been missed, and with them the number may change
    }
    const Index most = most_pairs(how, n);
    require(
        most > k, Errc::out_of_memory,
        "{} eigenpairs are not enough, and a basis of {} vectors is full; raise the memory budget",
        k, std::max(how.basis, how.most_basis));
    k = std::min(2 * k, most);
    if (how.basis > 0 && how.most_basis > how.basis)
      krylov.widen(
          std::min(how.most_basis, std::max(how.basis, k + 8 * std::max<Index>(how.block, 8))));
  }
}

}  // namespace mercer
