// Has the run missed an eigenvalue? The bounds of missed.hpp, and the passes that sharpen them.
#include "linalg/blas.hpp"
#include "solvers/krylov_state.hpp"
#include "solvers/orthonormal.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

// The same space, with more pairs taken as found.
RitzSpace beside(const RitzSpace& space, Index found) {
  const Index rest = space.values.size() - found;
  RitzSpace out{space.values, found, space.residuals.bottomRightCorner(rest, rest), {}};
  if (space.probes.size() > 0) out.probes = space.probes.bottomRows(rest);
  return out;
}

}  // namespace

void Krylov::draw_probes(Index count) {
  probes_.resize(tall_.rows(), count);
  tall_.fill_normal(probes_, random_);
  probes_in_ = true;
  known_.resize(0);
}

// EᵀE of all Ritz pairs but the first k, from segments of the residuals: they are not kept.
Matrix<double> Krylov::residual_products(Index k) {
  const Index rest = m_ - k;
  const Matrix<double> y = y_.bottomRows(rest).transpose();
  const Matrix<double> own = y * theta_.tail(rest).asDiagonal() * -1.0;
  return tall_.inner_of(rest, [&](Index i, TallOut e) {
    multiply(aq_.row(i).data(), e.rows(), m_, aq_.cols(), y.data(), rest, rest, e.data(), rest);
    multiply(q_.row(i).data(), e.rows(), m_, q_.cols(), own.data(), rest, rest, e.data(), rest,
             true);
  });
}

// The input of missed.hpp. Leaves all Ritz pairs in theta_ and y_.
RitzSpace Krylov::ritz_space(Index k) {
  auto [values, vectors] = tall_.eigen(h_.topLeftCorner(m_, m_), m_);
  theta_ = std::move(values);
  y_ = std::move(vectors);
  smallest_ = std::min(smallest_, theta_[m_ - 1]);
  RitzSpace space{theta_, k, {}, {}};
  if (m_ == n_) return space;
  space.residuals = residual_products(k);
  if (!probes_in_) return space;
  const Matrix<double> coordinates = tall_.inner(q_.leftCols(m_), probes_);
  space.probes = y_.bottomRows(m_ - k) * coordinates;
  return space;
}

// A missed eigenvalue counts from here on: above the last wanted one by what its own error may be.
double Krylov::threshold(Index k) const {
  return theta_[k - 1] + std::max(how_.tolerance / 2, 1e-13) * scale_;
}

// Pairs beyond the wanted ones that have converged too. They count as found: copies of a wanted
// eigenvalue are then nothing that could hide a larger one. Adds what their residuals come to.
Index Krylov::pairs_found(const RitzSpace& space, double& residual) const {
  const double allowed = how_.tolerance / 4 * scale_;
  Index found = space.found;
  double squares = 0;
  for (; found < m_ - 1; ++found) {
    const double more = squares + space.residuals(found - space.found, found - space.found);
    if (!(more <= allowed * allowed)) break;
    squares = more;
  }
  residual = std::sqrt(squares);
  return found;
}

// Dimensions of the space in which a missed vector of an eigenvalue from τ on would be, judged by
// the pairs near there that were found after the random vectors had been drawn.
Index Krylov::copies(Index found, double tau) const {
  const double window = 1e3 * how_.tolerance * scale_;
  Index near = 0;
  while (near < found && theta_[near] >= tau - window) ++near;
  return 1 + largest_cluster(theta_, near, known_, window);
}

// Is an eigenvalue of τ or more, beside those that were found, as improbable as asked?
bool Krylov::bounded(const RitzSpace& space, double tau) const {
  // The missed vector is in one of so many places; vectors drawn again get half of the remaining
  // probability.
  const double places = std::ldexp(static_cast<double>(space.found + 1), probe_rounds_);
  const double limit =
      probe_limit(probes_.cols(), copies(space.found, tau), run_.complete->failure / places);
  return limit > 0 && shared_with_missed(space, tau) <= limit;
}

// Nothing larger was missed; sets ceiling_ and confidence_, to what rank 0 finds them to be: the
// functions of the mathematical library differ between processors.
bool Krylov::complete(Index k) {
  if (converged_at_ == 0) converged_at_ = passes_;
  const RitzSpace wanted = ritz_space(k);
  const bool enough = judge(wanted);
  Vector<double> found(4);
  found << static_cast<double>(enough), ceiling_, confidence_, static_cast<double>(found_);
  from_root(tall_.team(), found);
  ceiling_ = found[1];
  confidence_ = found[2];
  found_ = static_cast<Index>(found[3]);
  return found[0] != 0;
}

bool Krylov::judge(const RitzSpace& wanted) {
  const Index k = wanted.found;
  found_ = k;
  double tau = threshold(k), extra = 0;
  ceiling_ = tau;
  confidence_ = 1;
  if (m_ == n_) {
    ceiling_ = theta_[k - 1];
    return true;
  }
  const MatrixNorms norms = run_.complete->norms ? run_.complete->norms() : MatrixNorms{};
  if (nothing_beyond(wanted, norms, tau)) return true;
  // What is true beside more pairs is true beside the wanted ones, up to the residuals of the rest
  // (Weyl).
  found_ = pairs_found(wanted, extra);
  const RitzSpace space = beside(wanted, found_);
  ceiling_ = tau + extra;
  if (found_ > k && nothing_beyond(space, norms, tau)) return true;
  if (!probes_in_) return false;
  confidence_ = 1 - run_.complete->failure;
  if (bounded(space, tau)) return true;
  // Where the basis has no room for this, or gaps are too small, the bound is a larger number.
  const bool full = how_.basis < n_ && m_ + probes_.cols() > how_.basis && probe_rounds_ >= 2;
  // Random vectors drawn again, because copies had used up the others, get additional passes.
  const int since = probe_rounds_ <= 8 ? std::max(converged_at_, drawn_at_) : converged_at_;
  const bool late = passes_ >= since + converged_at_ + 20 || passes_ >= how_.max_passes;
  if (!full && !late) return false;
  for (double step = tau - theta_[k - 1]; tau < 4 * scale_; step *= 2) {
    tau = theta_[k - 1] + step;
    ceiling_ = tau + extra;
    if (nothing_beyond(space, norms, tau) || bounded(space, tau)) return true;
  }
  ceiling_ = std::sqrt(norms.squares);  // no eigenvalue exceeds this
  confidence_ = 1;
  return true;
}

// W ← E (τ − Θ)⁻¹ ζ, a column for each random vector: where a missed eigenvector would be.
void Krylov::form_probe_residuals(Index k) {
  const Index count = std::min(probes_.cols(), n_ - m_), rest = m_ - found_;
  const double tau = threshold(k), unit = scale_ > 0 ? scale_ : 1;
  const Matrix<double> coordinates = tall_.inner(q_.leftCols(m_), probes_);
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
  w_.resize(tall_.rows(), count);
  tall_.times(aq_.leftCols(m_), image, w_);
  tall_.times(q_.leftCols(m_), own, w_, true);
}

// One more pass, for what the random vectors may still hide; with new ones where the old ones have
// left the basis, or have shown so many copies of an eigenvalue that they can show no more.
void Krylov::look_for_larger(Index k) {
  const Index count = std::min({probe_vectors, n_ - k, how_.basis - k});
  const bool used_up =
      probes_in_ && probe_limit(probes_.cols(), copies(found_, threshold(k)), 1) == 0;
  // Where the basis holds the whole space there is always room for the rest of it.
  const bool room = how_.basis == n_ || m_ + probes_.cols() <= how_.basis;
  const bool anew = !probes_in_ || used_up || !room;
  if (anew) {
    // Room for as many more of these passes as there can be.
    if (m_ + 4 * count > how_.basis)
      compress(std::min(
          m_, std::max(k, std::min(std::max(k + how_.block, found_), how_.basis - 2 * count))));
    draw_probes(std::min(count, n_ - m_));
    known_ = theta_.head(std::min(found_, m_));
    ++probe_rounds_;
    drawn_at_ = passes_;
    w_ = probes_;
    w_ *= tall_.norms(probes_).cwiseInverse().asDiagonal();
    starts_ += w_.cols();
  } else {
    form_probe_residuals(k);
  }
  aw_.resize(tall_.rows(), w_.cols());
  orthonormalise(tall_, q_, m_, w_, aw_, random_, !anew);
  absorb();
}

}  // namespace mercer
