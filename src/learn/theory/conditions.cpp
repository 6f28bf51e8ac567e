#include "learn/theory/conditions.hpp"

#include "core/require.hpp"
#include "core/text_form.hpp"
#include "learn/rates/rate_rule.hpp"
#include "learn/theory/prediction.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// η‖x‖² up to which one step of Oja's rule cannot lengthen w beyond √(1 + s/2): √2 − 1.
constexpr double safe_step = 0.41421356;
/// Halves whose mean fields differ by more standard errors have different distributions.
constexpr double drift = 4;
constexpr Index shown_eigenvalues = 6;

TheoremCondition condition(int number, Finding finding, std::string evidence) {
  static constexpr const char* names[] = {"rate",       "bounded weights", "smooth h",
                                          "mean field", "stable point",    "basin"};
  static constexpr const char* statements[] = {
      "η > 0 decreases to 0, Ση = ∞, Ση^p < ∞ for some p > 1",
      "w(n) is bounded with probability 1",
      "h(w, x) is continuously differentiable, with bounded derivatives",
      "h̄(w) = lim E[h(w, x)] exists for each w",
      "dw/dt = h̄(w) has a locally asymptotically stable solution q",
      "w(n) is infinitely often in a compact part A of the basin of attraction of q"};
  return {number, names[number - 1], statements[number - 1], finding, std::move(evidence)};
}

TheoremCondition rate_condition(const TheoremInput& in) {
  const LearnerOptions& l = in.options.learner;
  const RobbinsMonro theory = l.rate.conditions();
  if (l.forgetting > 0)
    return condition(1, Finding::violated,
                     fmt::format("`forgetting={}` keeps the rate from falling to 0", l.forgetting));
  std::string text;
  for (const RobbinsMonro::Condition& c : theory.conditions)
    text +=
        fmt::format("{}{}{}: {}", text.empty() ? "" : "; ", c.holds ? "" : "not ", c.text, c.why);
  if (!theory.every()) return condition(1, Finding::violated, text);
  // A schedule that keeps numbers of the rows is known only as far as the rows are.
  if (l.rate.rule().memory() > 0)
    return condition(1, Finding::assumed,
                     text +
                         "; it follows the rows, and need not decrease at "
                         "every step");
  return condition(1, Finding::proved, text);
}

/// A radius that the weights never leave, with its proof; ∞: none.
struct Bound {
  double radius = std::numeric_limits<double>::infinity();
  std::string proof;
};

Bound proved_bound(const TheoremInput& in) {
  const LearnerOptions& l = in.options.learner;
  const auto d = static_cast<double>(in.start.cols());
  Bound out;
  if (!std::isinf(l.limit)) {
    out.radius = l.limit * std::sqrt(d);
    out.proof = fmt::format("`limit={}` holds every weight: |w| ≤ {:.3g}", l.limit, out.radius);
    return out;
  }
  const double first = in.start.rowwise().norm().maxCoeff();
  if (in.rule.normalises) {
    out.radius = std::max(1.0, first);
    out.proof = "each step ends with |w| = 1";
    if (out.radius > 1 + 1e-12) out.proof += fmt::format(", the start has |w| = {:.4g}", first);
    return out;
  }
  if (flow_of(in.rule, l.components) != Flow::oja || l.batch != 1 || l.rate.rule().memory() > 0 ||
      l.forgetting > 0 || l.components != 1 || in.weighted)
    return out;
  // About a running mean, which lies among the rows, a row is at most twice as long.
  const double square = in.field.longest_square() * (l.centre == LearnedMean::running ? 4 : 1);
  double memory_none[1] = {0};
  const double eta = l.rate.rule().eta(1, {}, std::span<double>(memory_none, 0));
  const double s = eta * square;
  if (!(s <= safe_step) || !(first * first <= 1 + 2 / s)) return out;
  out.radius = std::sqrt(std::max(first * first, 1 + s / 2));
  out.proof = fmt::format(
      "η|x|² ≤ {:.3g} for all rows and steps, at most √2 − 1: then |w|² ≤ max(|w₀|², 1 + η|x|²/2) "
      "= "
      "{:.6g} (for rows no longer than these)",
      s, out.radius * out.radius);
  return out;
}

/// Of the weights of the run, from the start on.
double largest_norm(const TheoremInput& in) {
  return std::max(in.run.largest_norm(), in.start.rowwise().norm().maxCoeff());
}

TheoremCondition bounded_condition(const TheoremInput& in, const Bound& bound) {
  const std::string seen = fmt::format("on this run |w| was at most {:.4g}, at the end {:.4g}",
                                       largest_norm(in), in.run.last_norm());
  if (std::isfinite(bound.radius)) return condition(2, Finding::proved, bound.proof + "; " + seen);
  if (in.rule.flow == Flow::hebb)
    return condition(2, Finding::violated,
                     fmt::format("|w| grows like e^(λ₁t), λ₁ = {:.4g}; {}: `limit=1` bounds it",
                                 in.lambda[0], seen));
  if (in.diverged)
    return condition(2, Finding::violated,
                     "the weights diverged; " + seen + ": `limit=1` or a smaller rate bounds them");
  return condition(2, Finding::measured,
                   fmt::format("{} ({} steps); `limit` would prove it", seen, in.run.steps()));
}

TheoremCondition smooth_condition(const TheoremInput& in, const Bound& bound) {
  const double x = in.field.longest_square(), length = std::sqrt(x);
  const bool proved = std::isfinite(bound.radius);
  const double a = proved ? bound.radius : largest_norm(in);
  const auto k = static_cast<double>(in.options.learner.components);
  const bool hebb = in.rule.flow == Flow::hebb;
  const double by_w = hebb ? x : x * (1 + 3 * k * a * a);
  const double by_x = hebb ? 2 * a * length : 2 * a * length * (1 + k * a * a);
  std::string text = fmt::format(
      "{}: |∂h/∂w| ≤ {:.3g} and |∂h/∂x| ≤ {:.3g} for |w| ≤ {:.3g} ({}) and |x| ≤ {:.3g} (the "
      "longest row)",
      hebb ? "h = yx is a polynomial" : "h = y(x − yw) is a polynomial", by_w, by_x, a,
      proved ? "proved" : "measured", length);
  if (in.rule.normalises) text += "; the rule adds terms in η, smooth since |w + ηyx| ≥ |w|";
  if (in.diverged && !proved)
    return condition(3, Finding::assumed, text + "; the ball holds only the run so far");
  // Derivatives of a polynomial are bounded where the weights are, and no better known.
  return condition(3, proved ? Finding::proved : Finding::measured, text);
}

TheoremCondition field_condition(const TheoremInput& in) {
  double ratio = 0, difference = 0;
  for (Index p = 0; p < in.field.points(); ++p) {
    if (in.field.ratio(p) < ratio) continue;
    ratio = in.field.ratio(p);
    difference = in.field.difference(p);
  }
  const std::string halves = fmt::format(
      "{} differ in h̄ by {:.2g} of λ₁, {:.2g} standard errors (at q₁ and at the start)",
      in.field.alternate() ? "odd and even rows" : "the first and the second half of the rows",
      difference / in.lambda[0], ratio);
  if (in.shuffled)
    return condition(
        4, Finding::proved,
        fmt::format("each epoch draws the same {} rows in random order: h̄(w) is their mean; {}",
                    in.rows, halves));
  if (ratio > drift)
    return condition(4, Finding::violated,
                     halves + ": the rows drift; shuffle them, or learn with forgetting");
  return condition(4, Finding::measured, halves);
}

/// "-8.2, -3.9, …".
std::string some(const Vector<double>& values) {
  std::string text;
  for (Index i = 0; i < std::min(values.size(), shown_eigenvalues); ++i)
    text += fmt::format("{}{:.4g}", i == 0 ? "" : ", ", values[i]);
  return text + (values.size() > shown_eigenvalues ? ", …" : "");
}

/// Descending.
Vector<double> jacobian_eigenvalues(const TheoremInput& in) {
  const Index k = in.options.learner.components, d = in.start.cols();
  const auto value = [&](Index i) { return i < in.lambda.size() ? in.lambda[i] : 0.0; };
  std::vector<double> all;
  if (in.rule.flow == Flow::hebb) {
    for (Index i = 0; i < d; ++i) all.push_back(value(i));
  } else {
    for (Index j = 0; j < k; ++j)
      for (Index i = 0; i < d; ++i) {
        const bool whole = in.rule.flow != Flow::orthonormal;  // weights may change length
        if (i == j && whole) all.push_back(-2 * value(j));
        if (i > j) all.push_back(value(i) - value(j));
        if (i < j && whole) all.push_back(-value(j));
      }
  }
  std::sort(all.begin(), all.end(), std::greater<>());
  return Eigen::Map<const Vector<double>>(all.data(), static_cast<Index>(all.size()));
}

/// Those of dw/dt = Rw: the null space of R, of which λ₁ > 0 leaves none stable.
std::string fixed_points_of_hebb(const TheoremInput& in) {
  const Index d = in.start.cols();
  const auto positive =
      static_cast<Index>((in.lambda.array() > equal_eigenvalues * in.lambda[0]).count());
  if (positive >= d) return "dw/dt = Rw has one fixed point, 0, and it is unstable";
  const Index null = d - positive;
  return fmt::format(
      "dw/dt = Rw is 0 at 0 and along the {}, and every such point is unstable",
      null == 1 ? "direction of eigenvalue 0" : fmt::format("{} directions of eigenvalue 0", null));
}

TheoremCondition stable_condition(const TheoremInput& in, const Theorem& report) {
  const Index k = in.options.learner.components;
  if (in.rule.flow == Flow::hebb)
    return condition(5, Finding::violated,
                     fmt::format("{} (eigenvalues {}); with a limit, weights end at its corners; "
                                 "oja and hebb-normalized have a stable one",
                                 fixed_points_of_hebb(in), some(report.jacobian)));
  if (report.gap == 0) {
    const Index m = report.multiplicity;
    const std::string instead =
        k == 1 ? fmt::format(
                     "the rule finds a unit vector of span(q₁ … {}), for the ODE the "
                     "direction of the start's projection on it; noise moves it within "
                     "that span",
                     component_name(m))
               : "weights of equal eigenvalues end anywhere in the span of their eigenvectors";
    return condition(
        5, Finding::violated,
        k == 1 ? fmt::format("λ₁ = {:.6g} has multiplicity {}: no single direction is stable; {}",
                             in.lambda[0], m, instead)
               : fmt::format("two of the first {} eigenvalues are equal, or one is 0: {}", k + 1,
                             instead));
  }
  if (const BeyondLimit beyond = beyond_limit(in.vectors, k, in.options.learner.limit);
      beyond.component >= 0)
    return condition(
        5, Finding::violated,
        fmt::format(
            "±{} cannot be reached: its largest weight is {:.3g}, and `limit={}` holds every "
            "weight; a limit of 1 excludes no unit vector",
            component_name(beyond.component + 1), beyond.weight, in.options.learner.limit));
  return condition(
      5, Finding::proved,
      fmt::format("the Jacobian at {} has the eigenvalues {}: all negative; gap {:.4g}, {:.3g} % "
                  "of λ₁, multiplicity 1",
                  k == 1 ? "±q₁" : "±q₁ … ±" + component_name(k), some(report.jacobian), report.gap,
                  100 * report.gap / in.lambda[0]));
}

TheoremCondition basin_condition(const TheoremInput& in) {
  const Stability& run = in.run;
  const Index k = in.options.learner.components;
  const std::string where =
      fmt::format("A = {{|w| ≤ {:g}, |θ₁| ≥ {:g}}}{}", basin_norm, basin_mode,
                  k == 1 ? "" : " for every weight vector and its own component");
  const bool orthogonal =
      std::isinf(in.prediction.time) && k == 1 && in.prediction.start_angle > 90 - 1e-9;
  std::string start;
  if (orthogonal)
    start = fmt::format(
        "θ₁(0) = 0: the ODE stays orthogonal to q₁, where no basin is; this run {}; ",
        run.largest_first_mode() > 1e-9 ? "left it by the noise of its rows"
                                        : "stayed too, as every row has q₁ᵀx = 0 or y = 0");
  if (run.inside() == 0)
    return condition(6, Finding::violated,
                     fmt::format("{}{} was not entered in {} steps, the largest |θ₁| was {:.2g}",
                                 start, where, run.steps(), run.largest_first_mode()));
  const std::string text = fmt::format(
      "{}{}: {} of {} steps ended in it, the first is step {}, {}", start, where, run.inside(),
      run.steps(), run.first_inside(),
      run.is_inside() ? run.last_outside() == 0
                            ? std::string("and the run never left it")
                            : fmt::format("without a break since step {}", run.last_outside() + 1)
                      : fmt::format("and the run ended outside (entered {} times)", run.entries()));
  return condition(6, run.is_inside() ? Finding::measured : Finding::violated, text);
}

std::string conclude(const Theorem& t, Index k) {
  std::string violated;
  for (const TheoremCondition& c : t.conditions)
    if (c.finding == Finding::violated)
      violated += fmt::format("{}{} ({})", violated.empty() ? "" : ", ", c.number, c.name);
  if (!violated.empty()) return fmt::format("the theorem does not apply: violated {}", violated);
  const std::string limit = k == 1 ? "w(n) → ±q₁" : fmt::format("w_j(n) → ±q_j, j = 1 … {}", k);
  const bool proved = std::all_of(t.conditions.begin(), t.conditions.end(),
                                  [](const auto& c) { return c.finding == Finding::proved; });
  return proved ? limit + " with probability 1"
                : limit +
                      " with probability 1, if the conditions that were measured or assumed "
                      "hold beyond this run";
}

}  // namespace

std::string_view name_of(Finding finding) {
  static constexpr std::string_view names[] = {"proved", "measured", "assumed", "violated"};
  return names[static_cast<std::size_t>(finding)];
}

bool Theorem::holds() const {
  return std::none_of(conditions.begin(), conditions.end(),
                      [](const auto& c) { return c.finding == Finding::violated; });
}

void require_ode(const RuleRow& rule) {
  if (rule.flow != Flow::none) return;
  std::vector<std::string_view> names;
  for (const RuleRow* row : rule_rows())
    if (row->flow != Flow::none) names.push_back(row->name);
  fail(Errc::bad_option, "`theorem`: `rule={}` has no differential equation; use one that has: {}",
       rule.name, either_of(names));
}

Theorem stability_theorem(const TheoremInput& in) {
  Theorem out;
  const Index k = in.options.learner.components;
  out.rule = std::string(in.rule.name);
  out.rate = in.options.learner.rate.text();
  out.eigenvalues = in.lambda;
  out.jacobian = jacobian_eigenvalues(in);
  const Index d = in.start.cols();
  out.time_constants.resize(std::max<Index>(0, d - 1));
  for (Index i = 1; i < d; ++i) {
    const double gap = in.lambda[0] - (i < in.lambda.size() ? in.lambda[i] : 0);
    out.time_constants[i - 1] =
        gap > equal_eigenvalues * in.lambda[0] ? 1 / gap : std::numeric_limits<double>::infinity();
  }
  out.gap = smallest_gap(in.lambda, k, d);
  out.multiplicity = multiplicity_of_first(in.lambda);
  out.prediction = in.prediction;
  out.steps = in.run.steps();
  out.reached = in.run.reached();
  out.angle = in.run.angle();
  const Bound bound = proved_bound(in);
  out.conditions = {rate_condition(in),  bounded_condition(in, bound), smooth_condition(in, bound),
                    field_condition(in), stable_condition(in, out),    basin_condition(in)};
  out.conclusion = conclude(out, k);
  return out;
}

}  // namespace mercer
