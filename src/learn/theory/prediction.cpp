#include "learn/theory/prediction.hpp"

#include "learn/rates/rate_rule.hpp"
#include "learn/theory/sanger_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

namespace mercer {

namespace {

constexpr double per_degree = M_PI / 180;
constexpr double forever = std::numeric_limits<double>::infinity();
constexpr double unknown_steps = std::numeric_limits<double>::quiet_NaN();
/// Steps of a rate that follows the rows are taken in stretches of this share of those before.
constexpr double stretch = 0.02, most_simulated = 1e18;

/// The slowest rate with which weights of the ODE approach ±q_j: the smallest gap, for Sanger's
/// rule also λ_k, with which w_k leaves the components before it.
double slowest_rate(const PredictionInput& in) {
  const double gap = smallest_gap(in.lambda, in.start.rows(), in.start.cols());
  const Index k = in.start.rows();
  if (flow_of(in.rule, k) != Flow::gha || k > in.lambda.size()) return gap;
  return in.lambda[k - 1] <= equal_eigenvalues * in.lambda[0] ? 0 : std::min(gap, in.lambda[k - 1]);
}

/// The largest angle of a weight vector to its component, degrees.
double largest_angle(const Matrix<double>& theta) {
  double largest = theta.rows() <= theta.cols() ? 0 : 90;
  for (Index j = 0; j < std::min(theta.rows(), theta.cols()); ++j)
    largest = std::max(largest,
                       line_angle(theta.row(j).transpose(), Vector<double>::Unit(theta.cols(), j)));
  return largest;
}

/// θ along the ODE of the rule, k×p. Of one neuron any length has the same directions.
class Directions {
 public:
  explicit Directions(const PredictionInput& in)
      : theory_(in.lambda, in.vectors, in.start,
                in.start.rows() == 1 ? Flow::oja : Flow::orthonormal) {
    if (flow_of(in.rule, in.start.rows()) == Flow::gha)
      sanger_ =
          std::make_unique<SangerPath>(theory_.eigenvalues(), theory_.start(),
                                       sanger_tolerance(theory_.eigenvalues(), theory_.start(),
                                                        in.angle * per_degree, slowest_rate(in)));
  }
  const Theory& theory() const { return theory_; }
  SangerPath* sanger() const { return sanger_.get(); }
  /// Of Sanger's rule times may not fall.
  Matrix<double> theta(double t) {
    if (!sanger_) return theory_.at(t);
    sanger_->advance(t);
    return sanger_->theta();
  }
  /// As if weights had length 1.
  Matrix<double> at(double t) {
    Matrix<double> out = theta(t);
    for (Index j = 0; j < out.rows(); ++j)
      if (const double norm = out.row(j).norm(); norm > 0) out.row(j) /= norm;
    return out;
  }
  double angle(double t) { return largest_angle(at(t)); }
  /// That of the QR factor, which says where the ODE ends.
  double orthonormal_angle(double t) { return largest_angle(theory_.at(t)); }

 private:
  Theory theory_;
  std::unique_ptr<SangerPath> sanger_;
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

/// ∞: never; NaN: more work than is done.
double time_to(Directions& ode, double angle, double slowest) {
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
  if (ode.angle(0) <= angle) return 0;
  if (!(slowest > 0)) return forever;
  // At this time nothing of the other modes is left.
  const double last = 1000 / slowest;
  if (!ode.sanger())
    return first_time(1e-3 / lambda[0], 1.05, last,
                      [&](double t) { return ode.angle(t) <= angle; });
  if (ode.orthonormal_angle(last) > angle) return forever;
  return ode.sanger()->first_time(
      last, [&](const Matrix<double>& theta) { return largest_angle(theta) <= angle; });
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

/// Σ over the pairs with another direction of λ_jλ_i/(2c|λ_j − λ_i| − 1), the largest over the
/// neurons j: times c²/n, the variance of their angles from the noise of steps c/n. For one neuron
/// all denominators are taken as 1, which is that of the closest eigenvalue if c = 1/gap.
double noise_of(const Vector<double>& lambda, Index neurons, double c) {
  double most = 0;
  for (Index j = 0; j < std::min(neurons, lambda.size()); ++j) {
    double sum = 0;
    for (Index i = 0; i < lambda.size(); ++i)
      if (i != j)
        sum += lambda[j] * lambda[i] /
               (neurons == 1 ? 1 : std::max(1.0, 2 * c * std::abs(lambda[j] - lambda[i]) - 1));
    most = std::max(most, sum);
  }
  return c * c * most;
}

/// c/(n + t0) with c = 1/slowest rate, for which the angle falls as 1/n, the fastest that
/// stochastic steps reach; t0 keeps the first step at a tenth of 1/E‖x‖², and the noise of the last
/// ones within half of the angle.
void propose(StepPrediction& out, const PredictionInput& in, const Vector<double>& lambda,
             double slowest) {
  if (!(slowest > 0) || !std::isfinite(out.time) || out.time <= 0) return;
  const double c = three_digits(1 / slowest), total = lambda.sum();
  const double target = std::tan(out.angle * per_degree);
  const double noise = 4 * noise_of(lambda, in.start.rows(), c) / (target * target);
  const double t0 =
      std::ceil(three_digits(std::max(10 * c * total, noise * std::exp(-out.time / c))));
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

/// Whether a weight of the ODE comes to the limit before this time.
bool touches(const PredictionInput& in, double time) {
  if (std::isinf(in.limit)) return false;
  constexpr int looks = 256;
  const Flow flow = flow_of(in.rule, in.start.rows());
  Directions sanger(in);
  Theory theory(in.lambda, in.vectors, in.start, flow == Flow::gha ? Flow::orthonormal : flow);
  for (int i = 0; i <= looks; ++i) {
    const double t = time * i / looks;
    const Matrix<double> w = theory.weights(flow == Flow::gha ? sanger.theta(t) : theory.at(t));
    // Written so that a length beyond the numbers is one beyond the limit.
    if (!(w.cwiseAbs().maxCoeff() <= in.limit * (1 + 1e-12))) return true;
  }
  return false;
}

/// Why the weights of the ODE never come within the angle.
std::string why_never(const PredictionInput& in, const Theory& theory, double slowest) {
  if (in.start.rows() == 1 && theory.start()(0, 0) == 0)
    return "the start is orthogonal to q₁: θ₁ = 0 stays 0 in the ODE; a run leaves only by the "
           "noise of its rows";
  if (slowest > 0) return "the start lacks a component in the span of the first eigenvectors";
  const auto positive =
      static_cast<Index>((in.lambda.array() > equal_eigenvalues * in.lambda[0]).count());
  if (positive < in.start.rows())
    return fmt::format("the eigenvalue of {} is 0: the ODE does not bring a weight vector there",
                       component_name(positive + 1));
  return "two eigenvalues are equal: the ODE has no single limit";
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
  const double slowest = slowest_rate(in);
  out.start_angle = ode.angle(0);
  if (!in.rule.has_rate) {
    out.steps = out.time = unknown_steps;
    out.why = "the rule has no rate, and no differential equation";
    return out;
  }
  out.time = time_to(ode, in.angle, slowest);
  if (std::isnan(out.time)) {
    out.steps = unknown_steps;
    out.why = fmt::format("the ODE of {} is too long to integrate; at t = {:.3g} it is at {:.3g}°",
                          in.rule.name, ode.sanger()->time(), largest_angle(ode.sanger()->theta()));
    return out;
  }
  if (std::isinf(out.time)) {
    out.steps = forever;
    out.why = why_never(in, ode.theory(), slowest);
    return out;
  }
  if (in.forgetting > 0) {
    out.steps = unknown_steps;
    out.why = "with forgetting the rate follows the rows";
    return out;
  }
  if (out.time > 0 && touches(in, out.time)) {
    out.steps = unknown_steps;
    const BeyondLimit beyond = beyond_limit(in.vectors, in.start.rows(), in.limit);
    if (beyond.component < 0) {
      out.why = fmt::format(
          "before that a weight reaches `limit={}`, which the ODE does not contain{}", in.limit,
          in.rule.flow == Flow::hebb ? "; the run ends in a corner of its box" : "");
      return out;
    }
    if (clipped_angle(in.vectors.row(beyond.component), in.limit) > in.angle)
      out.steps = out.time = forever;
    out.why = fmt::format(
        "±{} cannot be reached: `limit={}` holds every weight, and its largest is {:.3g}",
        component_name(beyond.component + 1), in.limit, beyond.weight);
    return out;
  }
  out.steps = in.rate.rule().steps(out.time, in.weight);
  if (std::isnan(out.steps)) {
    if (in.batch == 1 && in.sample.rows() > 0) {
      Directions again(in);  // from t = 0
      out.steps = simulated_steps(in.rate.rule(), again, in.sample, out.time, in.weight);
    } else {
      out.why = "in mini-batches this rate follows the rows";
    }
  }
  if (std::isinf(out.steps))
    out.why = fmt::format("Ση of {} stays below {:.3g}", out.rate, out.time);
  propose(out, in, in.lambda, slowest);
  return out;
}

}  // namespace mercer
