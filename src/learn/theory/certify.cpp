#include "learn/theory/certify.hpp"

#include "core/random.hpp"
#include "linalg/lapack.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

constexpr double in_degrees = 180 / M_PI;
constexpr int most_passes = 24;
/// Passes that the random vectors get before they count, where the trace proves nothing.
constexpr int fair_passes = 4;
constexpr Index random_vectors = 2;
constexpr double fine = 0.02;      // degrees: nothing is gained by knowing the place better
constexpr double rounded = 1e-13;  // of products over the rows, relative to λ₁

/// An orthonormal basis that grows, with R of it.
struct Basis {
  Moment& r;
  Matrix<double> v, own_dual, rv;

  const Matrix<double>& dual() const { return r.euclidean() ? v : own_dual; }

  /// What is left of rows without the basis and without each other; those that have nothing left
  /// are dropped.
  void add(Matrix<double> fresh, Matrix<double> fresh_dual) {
    const Index old = v.rows(), n = fresh.cols();
    v.conservativeResize(old + fresh.rows(), n);
    if (!r.euclidean()) own_dual.conservativeResize(old + fresh.rows(), n);
    Index at = old;
    for (Index i = 0; i < fresh.rows(); ++i) {
      auto row = fresh.row(i);
      auto row_dual = fresh_dual.row(i);
      const double before = std::sqrt(std::abs(row.dot(row_dual)));
      if (!(before > 0)) continue;
      row /= before;
      row_dual /= before;
      for (int sweep = 0; sweep < 2; ++sweep) {
        const Eigen::RowVectorXd along = row * dual().topRows(at).transpose();
        row -= along * v.topRows(at);
        row_dual -= along * dual().topRows(at);
      }
      const double left = row.dot(row_dual);
      if (!(left > 1e-16)) continue;
      v.row(at) = row / std::sqrt(left);
      if (!r.euclidean()) own_dual.row(at) = row_dual / std::sqrt(left);
      ++at;
    }
    v.conservativeResize(at, n);
    if (!r.euclidean()) own_dual.conservativeResize(at, n);
    if (at == old) return;
    rv.conservativeResize(at, n);
    rv.bottomRows(at - old) = r.times(v.bottomRows(at - old), dual().bottomRows(at - old));
  }
};

}  // namespace

double turned(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
  const double na = a.norm(), nb = b.norm();
  if (!(na > 0 && nb > 0)) return 90;
  const Eigen::RowVectorXd u = a / na, v = (a.dot(b) < 0 ? -b : b) / nb;
  return 2 * std::atan2((u - v).norm(), (u + v).norm()) * in_degrees;
}

double Verdict::largest() const {
  return angles.size() == 0 ? 90 : std::min(90.0, (angles + bounds).maxCoeff());
}

Verdict certify(Moment& r, const Matrix<double>& components, double limit, std::uint64_t seed) {
  const Index k = components.rows(), n = components.cols();
  Random random(seed);
  Matrix<double> start(k + std::min(random_vectors, n - k), n);
  start.topRows(k) = components;
  for (Index i = k; i < start.rows(); ++i)
    for (Index c = 0; c < n; ++c) start(i, c) = random.normal();
  Basis basis{r, {}, {}, {}};
  basis.v.resize(0, n);
  basis.own_dual.resize(0, n);
  basis.rv.resize(0, n);
  {
    Matrix<double> dual = r.dual(start);
    basis.add(std::move(start), std::move(dual));
  }
  Verdict out;
  for (int pass = 1; basis.v.rows() >= k; ++pass) {
    const Index p = basis.v.rows(), wanted = std::min(k + 1, p);
    Matrix<double> h = basis.rv * basis.dual().transpose();
    h = (0.5 * (h + h.transpose())).eval();
    const SymmetricEigen pairs = symmetric_eigen(h, wanted);
    const Matrix<double>& u = pairs.vectors;
    const Vector<double>& theta = pairs.values;
    Matrix<double> residual = u * basis.rv - theta.asDiagonal() * (u * basis.v);
    Matrix<double> residual_dual = r.dual(residual);
    Vector<double> rho(wanted);
    for (Index j = 0; j < wanted; ++j)  // a square that rounding may carry below 0
      rho[j] = std::sqrt(std::abs(residual.row(j).dot(residual_dual.row(j)))) + rounded * theta[0];

    const double left = r.trace() - theta.head(k).sum();
    const double beyond = wanted > k ? std::min(left, theta[k] + rho[k]) : 0;
    const Matrix<double> at = components * basis.dual().transpose();
    out.angles.resize(k);
    out.bounds.resize(k);
    out.values = theta.head(k);
    out.errors = rho.head(k);
    bool far = false;
    for (Index j = 0; j < k; ++j) {
      double gap = theta[j] - beyond;
      for (Index i = 0; i < k; ++i)
        if (i != j) gap = std::min(gap, std::abs(theta[j] - theta[i]) - rho[i]);
      out.bounds[j] = rho[j] < gap ? std::asin(rho[j] / gap) * in_degrees : 90;
      const double along = at.row(j).dot(u.row(j));
      out.angles[j] =
          std::atan2((at.row(j) - along * u.row(j)).norm(), std::abs(along)) * in_degrees;
      far = far || (out.bounds[j] < 45 && out.angles[j] - out.bounds[j] > limit);
    }
    const bool fair = left < theta[k - 1] || pass >= fair_passes || p == n;
    const bool known = out.bounds.maxCoeff() <= fine;
    if ((fair && (far || known)) || pass == most_passes) break;
    basis.add(std::move(residual), std::move(residual_dual));
    if (basis.v.rows() == p) break;  // an invariant space: nothing more is to be found
  }
  return out;
}

}  // namespace mercer
