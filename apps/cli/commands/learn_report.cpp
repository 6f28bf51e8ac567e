#include "commands/learn_report.hpp"

#include "flags/spelling.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr Index shown_constants = 6;

std::vector<double> list_of(const Vector<double>& v) { return {v.data(), v.data() + v.size()}; }

/// 4210, 1.2e14.
std::string count_of(double steps) {
  return steps < 1e7 ? fmt::format("{:.0f}", steps) : fmt::format("{:.2g}", steps);
}

/// Infinite and unknown numbers are null in JSON.
Json finite(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json finite_list(const Vector<double>& values) {
  Json out = Json::array();
  for (Index i = 0; i < values.size(); ++i) out.push_back(finite(values[i]));
  return out;
}

std::string needed(const StepPrediction& p) {
  if (std::isinf(p.time))
    return fmt::format("the ODE never comes within {:g}°: {}", p.angle, in_flags(p.why));
  if (p.time == 0)
    return fmt::format("the start is within {:g}° already ({:.3g}°)", p.angle, p.start_angle);
  const std::string from = fmt::format("from {:.3g}° to {:g}°", p.start_angle, p.angle);
  if (std::isnan(p.steps))
    return fmt::format("unknown number of steps {}: {}", from, in_flags(p.why));
  if (std::isinf(p.steps))
    return fmt::format("rate {} never gets {}: {}", p.rate, from, in_flags(p.why));
  return fmt::format("about {} steps {} at rate {} (t = {:.4g})", count_of(p.steps), from, p.rate,
                     p.time);
}

std::string better(const StepPrediction& p) {
  return p.better_rate.empty()
             ? std::string()
             : fmt::format("--rate '{}' needs about {}", p.better_rate, count_of(p.better_steps));
}

}  // namespace

std::string theorem_lines(const Theorem& t) {
  std::string text = fmt::format("theorem  {} at rate {}\n", t.rule, t.rate);
  for (const TheoremCondition& c : t.conditions)
    text += fmt::format("  {} {:<16}{:<9} {}\n", c.number, c.name, name_of(c.finding),
                        in_flags(c.evidence));
  text += fmt::format("  {}\n", t.conclusion);
  std::string constants;
  for (Index i = 0; i < std::min(t.time_constants.size(), shown_constants); ++i)
    constants += fmt::format("{}{:.4g}", i == 0 ? "" : ", ", t.time_constants[i]);
  if (t.time_constants.size() > shown_constants) constants += ", …";
  if (!constants.empty()) text += fmt::format("time constants 1/(λ₁ − λ_k): {}\n", constants);
  return text;
}

std::string prediction_lines(const StepPrediction& p, std::int64_t steps,
                             const std::optional<std::int64_t>& reached) {
  std::string text = fmt::format("predicted  {}\n", needed(p));
  text += reached ? fmt::format("run        {:g}° reached at step {}\n", p.angle, *reached)
                  : fmt::format("run        {:g}° not reached in {} steps\n", p.angle, steps);
  if (!p.better_rate.empty()) text += fmt::format("faster     {}\n", better(p));
  return text;
}

std::string prediction_note(const StepPrediction& p, std::int64_t steps) {
  const bool never = std::isinf(p.time) || std::isinf(p.steps);
  if (!never && !(steps > 0 && p.steps > static_cast<double>(steps))) return {};
  std::string text = fmt::format("mercer: note: {}", needed(p));
  if (!never) text += fmt::format("; this run has {}", steps);
  if (!p.better_rate.empty()) text += "; " + better(p);
  return text + "\n";
}

std::string comparison_lines(const RuleComparison& c) {
  std::string text = fmt::format("{} and {}, rate {}: {} steps, t = {:.4g}\n", c.first, c.second,
                                 c.rate, c.steps, c.time);
  text += fmt::format("gap per step  mean {:.3g}, largest {:.3g}; over η²: {:.4g}",
                      c.mean_gap_per_step, c.largest_gap_per_step, c.scaled_gap);
  if (std::isfinite(c.expected_gap))
    text += fmt::format(" (second order of the expansion: {:.4g})", c.expected_gap);
  text += fmt::format("\ngap of runs   largest {:.3g}, final {:.3g}, {:.3g}° apart at the end\n",
                      c.largest_gap, c.last_gap, c.angle);
  return text;
}

Json theorem_json(const Theorem& t) {
  Json conditions = Json::array();
  for (const TheoremCondition& c : t.conditions)
    conditions.push_back({{"number", c.number},
                          {"name", c.name},
                          {"statement", c.statement},
                          {"finding", name_of(c.finding)},
                          {"evidence", in_flags(c.evidence)}});
  return {{"rule", t.rule},
          {"rate", t.rate},
          {"holds", t.holds()},
          {"conclusion", t.conclusion},
          {"conditions", std::move(conditions)},
          {"eigenvalues", list_of(t.eigenvalues)},
          {"jacobian", list_of(t.jacobian)},
          {"time_constants", finite_list(t.time_constants)},
          {"gap", t.gap},
          {"multiplicity", t.multiplicity},
          {"steps", t.steps},
          {"angle", t.angle}};
}

Json prediction_json(const StepPrediction& p, const std::optional<std::int64_t>& reached) {
  Json out = {{"angle", p.angle},
              {"start_angle", p.start_angle},
              {"time", finite(p.time)},
              {"steps", finite(p.steps)},
              {"rate", p.rate},
              {"why", p.why.empty() ? Json(nullptr) : Json(in_flags(p.why))},
              {"reached", reached ? Json(*reached) : Json(nullptr)},
              {"better_rate", nullptr},
              {"better_steps", nullptr}};
  if (!p.better_rate.empty()) {
    out["better_rate"] = p.better_rate;
    out["better_steps"] = p.better_steps;
  }
  return out;
}

Json comparison_json(const RuleComparison& c) {
  return {{"rules", {c.first, c.second}},
          {"rate", c.rate},
          {"steps", c.steps},
          {"time", c.time},
          {"mean_gap_per_step", c.mean_gap_per_step},
          {"largest_gap_per_step", c.largest_gap_per_step},
          {"scaled_gap", c.scaled_gap},
          {"expected_gap", finite(c.expected_gap)},
          {"largest_gap", c.largest_gap},
          {"last_gap", c.last_gap},
          {"angle", c.angle}};
}

}  // namespace mercer::cli
