// Hebb 1949: Δw = η y x. Its mean dw/dt = Rw has no bound: ‖w‖ grows like e^{λ₁t}, t = Ση.
#include "learn/rules/rule.hpp"

#include <fmt/format.h>

#include <cmath>

namespace mercer {

namespace {

using Row = Eigen::Map<const Eigen::RowVectorXd>;

/// From when on the growth is measured: by then the first component prevails.
constexpr double grown = 10;

/// What is remembered, to explain the end.
enum : std::size_t { elapsed, since, norm_then, along, steps, size };

void watch(Neurons& n, double eta, double weight, double along_w) {
  const double norm = n.w.norm();
  if (n.memory[norm_then] == 0) n.memory[norm_then] = norm;  // of the first weights
  if (norm >= grown && n.memory[norm_then] < grown) {
    n.memory[since] = n.memory[elapsed];
    n.memory[norm_then] = norm;
    n.memory[along] = n.memory[steps] = 0;
  }
  n.memory[elapsed] += eta;
  n.memory[along] += weight * along_w / (norm * norm);
  n.memory[steps] += weight;
}

void hebb_by_row(Neurons& n, const RowStep& s) {
  watch(n, s.eta, s.weight, s.y[0] * s.y[0]);
  n.w += (s.eta * s.y[0]) * Row(s.x, n.w.cols());
  look_ahead(n, s);
}

void hebb_by_batch(Neurons& n, const BatchStep& s) {
  watch(n, s.eta, s.weight, s.yy(0, 0));
  n.w += s.eta * s.yx;
}

std::string explain(const Neurons& n) {
  const double norm = n.w.stableNorm();
  const double passed = n.memory[elapsed] - n.memory[since];
  const double growth = std::log(norm / n.memory[norm_then]) / passed;
  const double variance = n.memory[along] / n.memory[steps];
  // One long step is no evidence of growth.
  const std::string grows =
      std::isfinite(growth) && std::isfinite(variance)
          ? fmt::format(
                ", growing like e^({:.3g} t) where theory predicts e^(lambda_1 t), with lambda_1 = "
                "{:.3g} estimated from the variance along w",
                growth, variance)
          : ", after one step or two";
  return fmt::format(
      "plain Hebb is unbounded: |w| = {:.2g} at t = {:.3g}{}; no rate bounds it; use oja or "
      "hebb-normalized, or `limit=1`",
      norm, n.memory[elapsed], grows);
}

}  // namespace

extern const RuleRow hebb_rule = {
    .name = "hebb",
    .formula = "w += eta y x",
    .notes = "grows like e^(lambda_1 t), then stops with an explanation",
    .one_component = true,
    .flow = Flow::hebb,
    .largest = 1e6,
    .memory = [](Index) { return std::size_t{size}; },
    .by_row = hebb_by_row,
    .by_batch = hebb_by_batch,
    .explain = explain,
};

}  // namespace mercer
