#include "learn/theory/prediction.hpp"

#include "learn/rates/rate_rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

namespace {

constexpr double per_degree = M_PI / 180;
constexpr double forever = std::numeric_limits<double>::infinity();
constexpr double unknown_steps = std::numeric_limits<double>::quiet_NaN();
/// Steps of a rate that follows the rows are taken in stretches of this share of those before.
constexpr double stretch = 0.02, most_simulated = 1e18;

/// θ at time t as if weights had length 1: k×p.
class Directions {
 public:
  explicit Directions(const PredictionInput& in)
      : theory_(in.lambda, in.vectors, in.start,
                in.start.rows() == 1 ? Flow::oja : Flow::orthonormal) {}
  const Theory& theory() const { return theory_; }
  Matrix<double> at(double t) {
    Matrix<double> theta = theory_.at(t);
    for (Index j = 0; j < theta.rows(); ++j)
      if (const double norm = theta.row(j).norm(); norm > 0) theta.row(j) /= norm;
    return theta;
  }
  /// The largest angle of a weight vector to its component, degrees.
  double angle(double t) {
    const Matrix<double> theta = at(t);
    double largest = theta.rows() <= theta.cols() ? 0 : 90;
    for (Index j = 0; j < std::min(theta.rows(), theta.cols()); ++j)
      largest = std::max(
          largest, line_angle(theta.row(j).transpose(), Vector<double>::Unit(theta.cols(), j)));
    return largest;
  }

 private:
  Theory theory_;
};

/// log of tan² of the angle of one neuron at time t.
double log_tangent_square(const Vector<double>& lambda, const Vector<double>& start, double t) {
  std::vector<double> terms;
  double largest = -forever;
  for (Index k = 1; k < lambda.size(); ++k) {
    if (start[k] == 0) continue;
    double gap = lambda[0] - lambda[k];
    if (gap <= equal_eigenvalues * lambda[0]) gap = 0;
    terms.push_back(2 * std::log(std::abs(start[k] / start[0])) - 2 * gap * t);
    largest = std::max(largest, terms.back());
  }
  if (terms.empty()) return -forever;
  double sum = 0;
  for (const double term : terms) sum += std::exp(term - largest);
  return largest + std::log(sum);
}

/// The first time at which `below` holds; it holds from then on. ∞: not up to `last`.
template <class Below>
double first_time(double begin, double growth, double last, Below&& below) {
  if (below(0)) return 0;
  double low = 0, high = begin;
  while (!below(high)) {
    low = high;
    high *= growth;
    if (!(high <= last)) return forever;
  }
  for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
    const double middle = low + (high - low) / 2;
    (below(middle) ? high : low) = middle;
  }
  return high;
}

double time_to(Directions& ode, double angle, double gap) {
  const Vector<double>& lambda = ode.theory().eigenvalues();
  const Matrix<double>& start = ode.theory().start();
  const double target = std::tan(angle * per_degree);
  if (start.rows() == 1) {
    if (start(0, 0) == 0) return forever;
    const Vector<double> first = start.row(0).transpose();
    const double wanted = 2 * std::log(target);
    return first_time(1e-3 / lambda[0], 2, 1e300,
                      [&](double t) { return log_tangent_square(lambda, first, t) <= wanted; });
  }
  if (!(gap > 0)) return forever;
  // At t = 1000/gap nothing of the other modes is left.
  return first_time(1e-3 / lambda[0], 1.05, 1000 / gap,
                    [&](double t) { return ode.angle(t) <= angle; });
}

/// Steps until Ση = `time` of a rate that follows rows and outputs; rows from the sample, outputs
/// of the weights that the ODE has at that time.
double simulated_steps(const RateRule& rule, Directions& ode, const Matrix<double>& sample,
                       double time, double weight) {
  if (!(time > 0)) return 0;
  if (std::isinf(time)) return forever;
  const Matrix<double> z = ode.theory().coordinates(sample);
  const Vector<double> squares = sample.rowwise().squaredNorm();
  std::vector<double> memory(rule.memory(), 0.0);
  double n = 0, t = 0, eta = 0;
  while (n < most_simulated) {
    if (t >= time) return n;
    // The mean over the sample: a single row may have an output near 0, and then any rate.
    const double count = std::max(1.0, std::floor(stretch * n));
    const Matrix<double> y = z * ode.at(t).transpose();
    const double gradient = (y.rowwise().squaredNorm().array() * squares.array()).mean();
    const double next = rule.eta(
        (n + count) * weight,
        {.square = 1, .output = gradient, .gradient = gradient, .weight = count * weight}, memory);
    const double passed = weight * count * (n > 0 && count > 1 ? 0.5 * (eta + next) : next);
    if (t + passed >= time) return n + std::max(1.0, std::ceil(count * (time - t) / passed));
    t += passed;
    n += count;
    eta = next;
  }
  return forever;
}

double three_digits(double x) { return std::stod(fmt::format("{:.3g}", x)); }

/// c/(n + t0) with c = 1/gap, for which the angle falls as 1/n, the fastest that stochastic steps
/// reach; t0 keeps the first step at a tenth of 1/E‖x‖², and the noise of the last ones, of
/// variance c²λ₁Σλ_k/n, within half of the angle.
void propose(StepPrediction& out, const PredictionInput& in, const Vector<double>& lambda,
             double gap) {
  if (!(gap > 0) || !std::isfinite(out.time) || out.time <= 0) return;
  const double c = three_digits(1 / gap), total = lambda.sum();
  double t0 = 10 * c * total;
  if (in.start.rows() == 1) {
    const double target = std::tan(out.angle * per_degree);
    const double noise = 4 * c * c * lambda[0] * (total - lambda[0]) / (target * target);
    t0 = std::max(t0, noise * std::exp(-out.time / c));
  }
  t0 = std::ceil(three_digits(t0));
  if (!(c > 0 && std::isfinite(c) && std::isfinite(t0))) return;
  const Rate rate = Rate::power(c, t0, 1);
  const double steps = rate.rule().steps(out.time, in.weight);
  if (!std::isfinite(steps) || (std::isfinite(out.steps) && steps > 0.5 * out.steps)) return;
  out.better_rate = rate.text();
  out.better_steps = steps;
}

/// Of q to the nearest point of the box, degrees.
double clipped_angle(const Vector<double>& q, double limit) {
  return line_angle(q, q.cwiseMax(-limit).cwiseMin(limit));
}

/// Whether the ODE of one neuron comes to the limit before this time. Of several neurons, whose
/// lengths this ODE does not have: taken for granted.
bool touches(const PredictionInput& in, double time) {
  if (in.start.rows() > 1) return true;
  constexpr int looks = 256;
  Theory theory(in.lambda, in.vectors, in.start, Flow::oja);
  const Index p = std::min(in.vectors.rows(), theory.modes());
  for (int i = 0; i <= looks; ++i) {
    const Matrix<double> w = theory.at(time * i / looks).leftCols(p) * in.vectors.topRows(p);
    if (w.cwiseAbs().maxCoeff() > in.limit * (1 + 1e-12)) return true;
  }
  return false;
}

}  // namespace

BeyondLimit beyond_limit(const Matrix<double>& vectors, Index k, double limit) {
  for (Index j = 0; j < std::min(k, vectors.rows()); ++j)
    if (const double most = vectors.row(j).cwiseAbs().maxCoeff(); most > limit * (1 + 1e-12))
      return {j, most};
  return {};
}

std::string component_name(Index number) {
  static constexpr const char* digits[] = {"₀", "₁", "₂", "₃", "₄", "₅", "₆", "₇", "₈", "₉"};
  std::string out = "q";
  for (const char c : std::to_string(number)) out += digits[c - '0'];
  return out;
}

double smallest_gap(const Vector<double>& lambda, Index k, Index dimension) {
  double gap = forever;
  for (Index j = 0; j < k; ++j) {
    if (j >= lambda.size()) return 0;
    if (j + 1 >= dimension) continue;  // the last direction of all: nothing is behind it
    gap = std::min(gap, lambda[j] - (j + 1 < lambda.size() ? lambda[j + 1] : 0));
  }
  if (std::isinf(gap)) gap = lambda[0];
  return gap <= equal_eigenvalues * lambda[0] ? 0 : gap;
}

Index multiplicity_of_first(const Vector<double>& lambda) {
  return static_cast<Index>((lambda.array() >= lambda[0] * (1 - equal_eigenvalues)).count());
}

StepPrediction predict_steps(const PredictionInput& in) {
  StepPrediction out;
  out.angle = in.angle;
  out.rate = in.rate.text();
  Directions ode(in);
  const double gap = smallest_gap(in.lambda, in.start.rows(), in.start.cols());
  out.start_angle = ode.angle(0);
  out.time = time_to(ode, in.angle, gap);
  if (std::isinf(out.time)) {
    out.steps = forever;
    const bool orthogonal = in.start.rows() == 1 && ode.theory().start()(0, 0) == 0;
    out.why = orthogonal ? "the start is orthogonal to q₁: θ₁ = 0 stays 0 in the ODE; a run leaves "
                           "only by the noise of its rows"
              : gap == 0 ? "two eigenvalues are equal: the ODE has no single limit"
                         : "the start lacks a component in the span of the first eigenvectors";
    return out;
  }
  if (!in.has_rate) {
    out.steps = unknown_steps;
    out.time = unknown_steps;
    out.why = "the rule has no rate, and no differential equation";
    return out;
  }
  if (in.forgetting > 0) {
    out.steps = unknown_steps;
    out.why = "with forgetting the rate follows the rows";
    return out;
  }
  if (const BeyondLimit beyond = beyond_limit(in.vectors, in.start.rows(), in.limit);
      beyond.component >= 0 && out.time > 0 && touches(in, out.time)) {
    const bool near = clipped_angle(in.vectors.row(beyond.component), in.limit) <= in.angle;
    out.steps = near ? unknown_steps : forever;
    if (!near) out.time = forever;
    out.why = fmt::format(
        "±{} cannot be reached: `limit={}` holds every weight, and its largest is {:.3g}",
        component_name(beyond.component + 1), in.limit, beyond.weight);
    return out;
  }
  out.steps = in.rate.rule().steps(out.time, in.weight);
  if (std::isnan(out.steps)) {
    if (in.batch == 1 && in.sample.rows() > 0)
      out.steps = simulated_steps(in.rate.rule(), ode, in.sample, out.time, in.weight);
    else out.why = "in mini-batches this rate follows the rows";
  }
  if (std::isinf(out.steps))
    out.why = fmt::format("Ση of {} stays below {:.3g}", out.rate, out.time);
  propose(out, in, in.lambda, gap);
  return out;
}

}  // namespace mercer
