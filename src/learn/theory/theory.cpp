#include "learn/theory/theory.hpp"

#include "linalg/lapack.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

constexpr double degrees = 57.29577951308232;
constexpr double ode_tolerance = 1e-11;
constexpr double orthogonal = 1e-13;  // |cos| of an angle that is 90 degrees up to rounding

/// Orthonormal rows; each spans with those before it what it did. A second sweep: one loses
/// orthogonality where rows are nearly dependent.
Matrix<double> orthonormal_spans(Matrix<double> a, Vector<double>* diagonal = nullptr) {
  if (diagonal) diagonal->resize(a.rows());
  for (Index j = 0; j < a.rows(); ++j) {
    const double before = a.row(j).norm();
    if (before > 0) a.row(j) /= before;
    for (int sweep = 0; sweep < 2; ++sweep)
      for (Index i = 0; i < j; ++i) a.row(j) -= a.row(i).dot(a.row(j)) * a.row(i);
    const double norm = a.row(j).norm();
    if (norm > 0) a.row(j) /= norm;
    if (diagonal) (*diagonal)[j] = before * norm;
  }
  return a;
}

double largest_singular(const Matrix<double>& a) { return right_svd(a).values[0]; }
double smallest_singular(const Matrix<double>& a) {
  const Vector<double> values = right_svd(a).values;
  return values[values.size() - 1];
}

}  // namespace

Flow flow_of(const RuleRow& rule, Index components) {
  if (rule.normalises) return Flow::orthonormal;
  return rule.flow == Flow::gha && components == 1 ? Flow::oja : rule.flow;
}

Vector<double> oja_modes(const Vector<double>& lambda, const Vector<double>& start, double t) {
  // Summed as 1 + Σ (e^{2λt} − 1)θ², all terms are positive and nothing cancels. The mode that is
  // largest by then divides everything once it has grown beyond 1, so that nothing overflows.
  Index lead = 0;
  double grown = -std::numeric_limits<double>::infinity();
  for (Index j = 0; j < lambda.size(); ++j) {
    const double now = lambda[j] * t + std::log(std::abs(start[j]));
    if (start[j] == 0 || now <= grown) continue;
    grown = now;
    lead = j;
  }
  const bool large = grown > 0;
  const double shift = large ? lambda[lead] : 0, unit = large ? std::abs(start[lead]) : 1;
  const double rest = std::exp(-2 * (large ? grown : 0));  // what 1 has become
  double sum = rest;
  Vector<double> out(lambda.size());
  for (Index j = 0; j < lambda.size(); ++j) {
    out[j] = start[j] == 0 ? 0 : std::exp((lambda[j] - shift) * t) * (start[j] / unit);
    const double exponent = 2 * lambda[j] * t;
    sum += exponent < 1 ? std::expm1(exponent) * rest * start[j] * start[j]
                        : out[j] * out[j] - rest * start[j] * start[j];
  }
  return out / std::sqrt(sum);
}

void gha_slope(const Vector<double>& lambda, const Matrix<double>& theta, Matrix<double>& slope) {
  slope = theta * lambda.asDiagonal();
  Matrix<double> overlap = slope * theta.transpose();  // (j, i): θ_jᵀΛθ_i
  overlap.triangularView<Eigen::StrictlyUpper>().setZero();
  slope.noalias() -= overlap * theta;
}

double lyapunov(double first_mode) {
  const double d = first_mode * first_mode - 1;
  return d * d;
}

double lyapunov_slope(const Vector<double>& lambda, const Vector<double>& theta) {
  const double square = theta[0] * theta[0];
  // λ₁ − Σλθ² = λ₁(1 − ‖θ‖²) + Σ (λ₁ − λ_i)θ_i²: no cancellation near the end.
  const double rest = lambda[0] * (1 - theta.squaredNorm()) +
                      ((lambda[0] - lambda.array()) * theta.array().square()).sum();
  return 4 * square * (square - 1) * rest;
}

double rayleigh(const Vector<double>& lambda, const Vector<double>& theta) {
  return (lambda.array() * theta.array().square()).sum() / theta.squaredNorm();
}

double line_angle(const Vector<double>& a, const Vector<double>& b) {
  const double na = a.norm(), nb = b.norm();
  if (na == 0 || nb == 0) return 90;
  Vector<double> u = a / na;
  const Vector<double> v = b / nb;
  if (u.dot(v) < 0) u = -u;
  return 2 * degrees * std::atan2((u - v).norm(), (u + v).norm());  // Kahan's formula
}

Vector<double> nested_span_angles(const Matrix<double>& a, const Matrix<double>& b) {
  const Matrix<double> p = orthonormal_spans(a), q = orthonormal_spans(b);
  Vector<double> angles(p.rows());
  for (Index j = 1; j <= p.rows(); ++j) {
    const auto pj = p.topRows(j), qj = q.topRows(j);
    const Matrix<double> cosines = qj * pj.transpose();
    const Matrix<double> rest = qj - cosines * pj;
    angles[j - 1] = degrees * std::atan2(largest_singular(rest), smallest_singular(cosines));
  }
  return angles;
}

Theory::Theory(Vector<double> values, const Matrix<double>& vectors, const Matrix<double>& weights,
               Flow flow)
    : flow_(flow), lambda_(std::move(values)), axes_(vectors) {
  // Directions of the first weights that the rows never reach.
  Matrix<double> rest = weights;
  for (int sweep = 0; sweep < 2; ++sweep) rest -= (rest * axes_.transpose()) * axes_;
  for (Index j = 0; j < rest.rows(); ++j) {
    Eigen::RowVectorXd axis = rest.row(j);
    for (int sweep = 0; sweep < 2; ++sweep) axis -= (axis * axes_.transpose()) * axes_;
    const double norm = axis.norm();
    if (!(norm > 1e-12 * std::max(1e-300, weights.row(j).norm()))) continue;
    const Index p = axes_.rows();
    axes_.conservativeResize(p + 1, Eigen::NoChange);
    axes_.row(p) = axis / norm;
    lambda_.conservativeResize(p + 1);
    lambda_[p] = 0;
  }
  start_ = coordinates(weights);
  // Rounding must not move a start that is orthogonal to an eigenvector: the ODE keeps it there.
  for (Index j = 0; j < start_.rows(); ++j)
    for (Index i = 0; i < start_.cols(); ++i)
      if (std::abs(start_(j, i)) <= orthogonal * weights.row(j).norm()) start_(j, i) = 0;
  eliminate();
  if (flow_ == Flow::gha)
    integrator_.emplace(
        start_,
        [lambda = lambda_](const Matrix<double>& y, Matrix<double>& slope) {
          gha_slope(lambda, y, slope);
        },
        ode_tolerance, ode_tolerance * lambda_[0]);
}

Matrix<double> Theory::coordinates(const Matrix<double>& weights) const {
  return weights * axes_.transpose();
}

/// The nested spans of e^{Rt}W₀ do not change when a row takes on multiples of earlier ones. With
/// row j made 1 at its first axis p_j and 0 at the axes of earlier rows, its entry i grows as
/// e^{(λ_i − λ_{p_j})t}, which never exceeds 1: the spans are known for every t to full precision,
/// where e^{Rt}W₀ itself has all its rows on one line after a while.
void Theory::eliminate() {
  constexpr double negligible = 1e-13;
  reduced_ = start_;
  const Index k = start_.rows(), p = start_.cols();
  pivot_.assign(static_cast<std::size_t>(k), 0);
  pivot_sign_ = Vector<double>::Ones(k);
  for (Index j = 0; j < k; ++j) {
    auto row = reduced_.row(j);
    for (Index i = 0; i < j; ++i) {
      const Index at = pivot_[static_cast<std::size_t>(i)];
      row -= row[at] * reduced_.row(i).eval();
      row[at] = 0;
    }
    const double size = row.cwiseAbs().maxCoeff();
    Index at = 0;
    while (at < p && !(std::abs(row[at]) > negligible * size)) row[at++] = 0;
    if (at == p) at = 0;  // a row that depends on earlier ones has no span of its own
    pivot_[static_cast<std::size_t>(j)] = at;
    pivot_sign_[j] = row[at] < 0 ? -1 : 1;
    if (row[at] != 0) row /= double(row[at]);
  }
}

Matrix<double> Theory::grown(double t) const {
  Matrix<double> out = reduced_;
  for (Index j = 0; j < out.rows(); ++j) {
    const double lead = lambda_[pivot_[static_cast<std::size_t>(j)]];
    for (Index i = 0; i < out.cols(); ++i)
      if (out(j, i) != 0) out(j, i) *= std::exp((lambda_[i] - lead) * t);
  }
  return out;
}

const Matrix<double>& Theory::at(double t) {
  now_.resize(start_.rows(), start_.cols());
  switch (flow_) {
    case Flow::none:
      now_.setConstant(std::numeric_limits<double>::quiet_NaN());
      break;
    case Flow::hebb:
      now_ = start_ * (lambda_.array() * t).exp().matrix().asDiagonal();
      break;
    case Flow::oja:
      for (Index j = 0; j < now_.rows(); ++j)
        now_.row(j) = oja_modes(lambda_, start_.row(j).transpose(), t).transpose();
      break;
    case Flow::gha:
      integrator_->advance(t);
      now_ = integrator_->y();
      now_.row(0) = oja_modes(lambda_, start_.row(0).transpose(), t).transpose();
      break;
    case Flow::orthonormal:
      now_ = pivot_sign_.asDiagonal() * orthonormal_spans(grown(t));
      break;
  }
  return now_;
}

}  // namespace mercer
