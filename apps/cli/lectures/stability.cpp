#include "lectures/examples.hpp"
#include "lectures/stage.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

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
  stage.compare("magnitude of θ1 at the end", 1, std::abs(theta[theta.size() - 1]), 0.01);
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
      "A start outside the unit ball: the length falls to 1 (if wᵀRw > 0 at the start), and "
      "the weights reach -q₁ or q₁.");
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
      "Under six conditions the weights converge to ±q₁ with probability 1. For a rule, a rate and "
      "rows, each is proved, measured on the run, assumed or violated.");
  stage.run("mercer data clouds --rows 1800 --seed 1 -o clouds.csv");
  const std::string oja = "mercer learn clouds.csv --label class --rule oja --epochs 5 --theorem ";
  stage.run(oja + "--rate 1/n --limit 2 --no-plot");
  const auto theorem_at = [&](const std::string& line) {
    return stage.json(line + " --json")["learning"]["theorem"];
  };
  const auto finding = [](const nlohmann::json& theorem, int condition) {
    return theorem["conditions"][condition - 1]["finding"].get<std::string>();
  };
  const nlohmann::json harmonic = theorem_at(oja + "--rate 1/n --limit 2");
  const nlohmann::json constant = theorem_at(oja + "--rate 'constant(0.01)'");
  stage.compare("condition 1, rate 1/n", "proved", finding(harmonic, 1));
  stage.compare("condition 1, constant rate", "violated", finding(constant, 1));
  stage.compare("condition 3, smoothness of h", "proved", finding(harmonic, 3));
  stage.compare("condition 5, stable point", "proved", finding(harmonic, 5));
  const auto values = harmonic["eigenvalues"].get<std::vector<double>>();
  const auto jacobian = harmonic["jacobian"].get<std::vector<double>>();
  stage.compare("Jacobian at q1, along q1: -2λ1", -2 * values[0], std::ranges::min(jacobian),
                1e-12);
  stage.compare("Jacobian at q1, along q2: λ2 - λ1", values[1] - values[0],
                std::ranges::max(jacobian), 1e-12);
  stage.text(
      "A rate in proportion to 1/(λ₁ - λ₂) meets the conditions as well, and takes fewer steps. "
      "The start is in the basin of q₁, near its edge:");
  stage.run(
      "mercer learn clouds.csv --label class --rule oja --rate 'power(c=8,t0=50,a=1)' --epochs 5 "
      "--start 0.6,-0.4 --theory --trace-weights --trace trace.csv --no-plot");
  stage.run("mercer plot trace.csv --kind weights -o weights.svg");
  stage.picture("weights.svg", "the path of the weights within the basin of q₁");
  stage.text("Two equal eigenvalues violate condition 5: any direction of their plane is as good.");
  stage.write("square.csv", "x1,x2\n1,0\n-1,0\n0,1\n0,-1\n");
  const std::string square = "mercer learn square.csv --rule oja --rate 1/n --epochs 5 --theorem";
  stage.run(square + " --no-plot");
  stage.compare("condition 5, λ1 = λ2", "violated", finding(theorem_at(square), 5));
  stage.text(
      "How many steps? From 45° to 1°, ln(tan 45°/tan 1°)/(λ₁ - λ₂) units of time; with η = 1/n "
      "the time grows only as ln n.");
  const std::string steps =
      "mercer learn clouds.csv --label class --rule oja --rate 1/n --epochs 5 --start 1,0 "
      "--until-angle 1deg";
  stage.run(steps + " --no-plot");
  const nlohmann::json prediction = stage.json(steps + " --json")["learning"]["prediction"];
  stage.compare("t from 45° to 1°",
                std::log(1 / std::tan(std::numbers::pi / 180)) / (values[0] - values[1]),
                prediction["time"].get<double>(), 0.1);
  stage.compare("log10 of the steps at rate 1/n", 14, std::log10(prediction["steps"].get<double>()),
                0.7);
}

}  // namespace mercer::cli
