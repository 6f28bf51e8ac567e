#include "lectures/examples.hpp"
#include "lectures/stage.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <numbers>

namespace mercer::cli {

namespace {

/// V = (θ₁² − 1)².
double lyapunov(double theta) { return (theta * theta - 1) * (theta * theta - 1); }

}  // namespace

void modes(Stage& stage) {
  stage.text(
      "Oja's rule follows dw/dt = Rw - (wᵀRw)w. With the modes θ_k = q_kᵀw, the ratio θ₂/θ₁ decays "
      "exponentially, and V = (θ₁² - 1)² never grows inside the unit ball:");
  stage.formula("θ₂/θ₁ ∝ e^(-(λ₁ - λ₂)t),   dV/dt = 4θ₁²(θ₁² - 1)(λ₁ - Σλ_lθ_l²) ≤ 0");
  stage.run("mercer data clouds --rows 1800 --seed 1 -o clouds.csv");
  stage.run("mercer fit clouds.csv --label class --ddof 0 --no-plot -o clouds.st");
  stage.run(
      "mercer learn clouds.csv --label class --rule oja --rate 'constant(0.005)' --epochs 8 "
      "--theory --trace trace.csv --plot run.svg --no-plot -o oja.st");
  const Vector<double> time = stage.column("trace.csv", "time");
  const Vector<double> alpha = stage.column("trace.csv", "ode_alpha_2");
  const Vector<double> theta = stage.column("trace.csv", "theta_1");
  const Vector<double> solution = stage.column("trace.csv", "ode_theta_1");
  const Vector<double> variance = stage.model("clouds.st").explained_variance();
  const Index first = 0, later = time.size() / 2;
  const double decay = std::log(alpha[first] / alpha[later]) / (time[later] - time[first]);
  stage.compare("decay rate of θ2/θ1, solution", variance[0] - variance[1], decay, 1e-9);
  stage.compare("time constant 1/(λ1 - λ2)", 1 / (variance[0] - variance[1]), 1 / decay, 1e-6);
  stage.compare("|θ1| at the end", 1, std::abs(theta[theta.size() - 1]), 0.01);
  bool falls = true;
  for (Index i = 1; i < solution.size(); ++i)
    falls = falls && lyapunov(solution[i]) <= lyapunov(solution[i - 1]);
  stage.compare("V never grows along the solution", "yes", falls ? "yes" : "no");
  stage.compare("output variance = λ1", variance[0], stage.model("oja.st").explained_variance()[0],
                0.01);
  stage.picture("run.svg", "modes, norm, Lyapunov function and angle: the run and the solution");
  stage.run("mercer plot trace.csv --kind alpha -o alpha.svg");
  stage.picture("alpha.svg", "θ₂/θ₁ and its exponential");
  stage.text(
      "A start outside the unit ball: the length falls to 1, and the weights reach -q₁ or q₁.");
  stage.run(
      "mercer learn clouds.csv --label class --rule oja --rate 'constant(0.005)' --epochs 8 "
      "--start 1.5,-1 --trace-weights --theory --trace outside.csv --no-plot -o outside.st");
  const Vector<double> norm = stage.column("outside.csv", "norm");
  stage.compare("‖w‖ at the start, outside", std::sqrt(3.25), norm[0], 0.05);
  stage.compare("‖w‖ at the end", 1, norm[norm.size() - 1], 0.01);
  stage.run("mercer plot outside.csv --kind weights -o weights.svg");
  stage.picture("weights.svg", "the path of the weights, with basins and saddles");
}

void six_conditions(Stage& stage) {
  stage.text(
      "The theorem on asymptotic stability has six conditions; the first is about the rate.");
  stage.run("mercer learn --explain-rate --rate 1/n");
  stage.compare("1/n meets condition 1", "yes",
                stage.output().find("\n  no ") == std::string::npos ? "yes" : "no");
  stage.run("mercer learn --explain-rate --rate 'constant(0.01)'");
  stage.compare("a constant rate meets condition 1", "no",
                stage.output().find("\n  no ") == std::string::npos ? "yes" : "no");
}

}  // namespace mercer::cli
