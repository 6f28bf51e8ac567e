#include "lectures/examples.hpp"
#include "lectures/stage.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <numbers>

namespace mercer::cli {

namespace {

double degrees_between(const Matrix<double>& a, const Matrix<double>& b, Index k) {
  const double cosine = std::abs(a.row(k).dot(b.row(k))) / a.row(k).norm() / b.row(k).norm();
  return std::acos(std::min(1.0, cosine)) * 180 / std::numbers::pi;
}

}  // namespace

void hebb_growth(Stage& stage) {
  stage.text(
      "Hebb's rule w ← w + η y x strengthens what is active together. Its mean step is η R w, so "
      "the weights follow dw/dt = Rw: their length grows as e^(λ₁t), t = Ση, and their direction "
      "tends to ±q₁ if "
      "θ₁(0) = q₁ᵀw(0) is not 0.");
  stage.run("mercer data clouds --rows 1800 --seed 1 -o clouds.csv");
  stage.run("mercer fit clouds.csv --label class --ddof 0 --no-plot -o clouds.st");
  stage.run(
      "mercer learn clouds.csv --label class --rule hebb --rate 'constant(0.02)' --epochs 2 "
      "--theory --trace trace.csv --no-plot -o hebb.st");
  const Vector<double> time = stage.column("trace.csv", "time");
  const Vector<double> norm = stage.column("trace.csv", "norm");
  // The second half: the other mode has decayed relative to the first.
  const Index half = time.size() / 2, last = time.size() - 1;
  const double growth = std::log(norm[last] / norm[half]) / (time[last] - time[half]);
  const Model<double> exact = stage.model("clouds.st");
  stage.compare("growth rate of ‖w‖ = λ1", exact.explained_variance()[0], growth, 0.01);
  stage.compare("angle to q1, degrees", 0,
                degrees_between(stage.model("hebb.st").components(), exact.components(), 0), 3);
  stage.run("mercer plot trace.csv --kind trace -o growth.svg");
  stage.picture("growth.svg", "the length of the weights against the solution of dw/dt = Rw");
  stage.text("Without a bound the run must end. Mercer stops it and reports the growth:");
  stage.run(
      "mercer learn clouds.csv --label class --rule hebb --rate 'constant(0.05)' --epochs 20 "
      "--no-plot",
      1);
}

void oja_normalized(Stage& stage) {
  stage.text(
      "Normalised Hebb divides by the length after each step. Expanded in η, it is Oja's rule:");
  stage.formula("(w + ηyx)/‖w + ηyx‖ = w + ηy(x - yw) + O(η²)");
  stage.text(
      "One step of the two rules from the same weights differs by a multiple of η²: at half the "
      "rate the gap is a quarter. Both runs last the same time t = Ση.");
  stage.run("mercer data clouds --rows 1800 --seed 1 -o clouds.csv");
  stage.run("mercer fit clouds.csv --label class --ddof 0 --no-plot -o clouds.st");
  const auto gap_at = [&](const char* rate, int epochs) {
    const std::string line = fmt::format(
        "mercer learn clouds.csv --label class --compare hebb-normalized,oja --rate '{}' "
        "--epochs {}",
        rate, epochs);
    stage.run(line);
    return stage.json(line + " --json")["comparison"];
  };
  const nlohmann::json fast = gap_at("constant(0.02)", 2), slow = gap_at("constant(0.01)", 4);
  const auto number = [](const nlohmann::json& from, const char* key) {
    return from[key].get<double>();
  };
  stage.compare("gap per step at η = 0.02 over that at 0.01", 4,
                number(fast, "mean_gap_per_step") / number(slow, "mean_gap_per_step"), 0.2);
  stage.compare("gap per step/η², from the expansion", number(slow, "expected_gap"),
                number(slow, "scaled_gap"), 0.05 * number(slow, "expected_gap"));
  stage.run(
      "mercer learn clouds.csv --label class --rule oja --rate 'constant(0.02)' --epochs 20 "
      "--theory --no-plot --plot oja.svg -o oja.st");
  const Matrix<double> exact = stage.model("clouds.st").components();
  stage.compare("Oja: angle to q1, degrees", 0,
                degrees_between(stage.model("oja.st").components(), exact, 0), 2);
  stage.picture("oja.svg", "modes, norm, Lyapunov function and angle of Oja's rule");
}

void gha(Stage& stage) {
  stage.text(
      "Sanger's rule: neuron j learns from the residual of the row after neurons 1 … j, "
      "Δw_j = ηy_j(x - Σ_{i≤j} y_i w_i). The neurons converge to the components, in order.");
  stage.copy_bundled("wine.csv", "wine.csv");
  stage.run(
      "mercer learn wine.csv --label cultivar --scale std --rule gha -k 3 --epochs 100 --seed 2 "
      "--theory --trace trace.csv --no-plot -o gha.st");
  stage.run("mercer fit wine.csv --label cultivar --scale std --ddof 0 -k 3 --no-plot -o exact.st");
  const Model<double> learned = stage.model("gha.st"), exact = stage.model("exact.st");
  for (Index k = 0; k < 3; ++k) {
    stage.compare(fmt::format("variance of neuron {} = λ{}", k + 1, k + 1),
                  exact.explained_variance()[k], learned.explained_variance()[k], 0.05);
    stage.compare(fmt::format("angle of w{} to q{}, degrees", k + 1, k + 1), 0,
                  degrees_between(learned.components(), exact.components(), k), 1);
  }
  stage.run("mercer plot trace.csv --kind trace -o trace.svg");
  stage.picture("trace.svg", "the run against its differential equation");
}

}  // namespace mercer::cli
