#include "commands/learn_summary.hpp"

#include "commands/learn_report.hpp"
#include "core/json_text.hpp"
#include "terminal/learn_chart.hpp"
#include "terminal/summary.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

namespace mercer::cli {

namespace {

using Json = nlohmann::ordered_json;

/// Whether Ση < ∞.
bool finite_sum(const RobbinsMonro& theory) {
  for (const RobbinsMonro::Condition& c : theory.conditions)
    if (c.text == "Ση = ∞") return !c.holds;
  return false;
}

/// Why a run ended. Weights that rotate by less than --until may still be moving.
std::string_view stop_name(const Learned& learned) {
  switch (learned.stop) {
    case LearnStop::converged:
      return "converged";
    case LearnStop::not_moving:
      return learned.convergence.state == LearnState::moving ? "until" : "not moving";
    case LearnStop::interrupted:
      return "interrupted";
    case LearnStop::angle:
      return "angle";
    case LearnStop::end:
      break;
  }
  return "end";
}

std::string stop_text(const Learned& learned) {
  const std::string_view name = stop_name(learned);
  if (name == "end") return "all rows learned";
  if (name == "interrupted") return "interrupted";
  if (name == "angle") return "stopped: within --until-angle of the exact components";
  return fmt::format("stopped: {}", name == "until" ? "rotation within --until" : name);
}

/// ", up to sign: 2 of 3 neurons have the opposite sign"; empty where none has.
std::string opposite_signs(const TheoryReport& theory, const std::vector<TraceRow>& trace) {
  if (trace.empty()) return {};
  const std::vector<TraceRow::Mode>& modes = trace.back().modes;
  const std::size_t neurons =
      std::min(modes.size(), static_cast<std::size_t>(theory.angles.size()));
  const auto count =
      std::count_if(modes.begin(), modes.begin() + static_cast<std::ptrdiff_t>(neurons),
                    [](const TraceRow::Mode& m) { return m.theta * m.ode_theta < 0; });
  if (count == 0) return {};
  return fmt::format(", up to sign: {} of {} neuron{} ha{} the opposite sign", count, neurons,
                     neurons == 1 ? "" : "s", count == 1 ? "s" : "ve");
}

std::string theory_lines(const TheoryReport& theory, const std::vector<TraceRow>& trace) {
  std::string angles;
  const Index shown_angles = std::min<Index>(theory.angles.size(), 8);
  for (Index j = 0; j < shown_angles; ++j)
    angles += fmt::format("{}{:.3g}", j == 0 ? "" : ", ", theory.angles[j]);
  std::string text = fmt::format("theory  {}{} degree{} from the exact component{}\n", angles,
                                 shown_angles < theory.angles.size() ? ", ..." : "",
                                 angles == "1" ? "" : "s", theory.angles.size() == 1 ? "" : "s");
  if (std::isfinite(theory.mean_gap))
    text += fmt::format("        distance from the ODE: mean {:.3g}, final {:.3g}{}\n",
                        theory.mean_gap, theory.last_gap, opposite_signs(theory, trace));
  return text;
}

/// Forgetting keeps a rate above min(f/λ₁, ½/max(E‖x‖², ‖x‖²)) for any schedule.
RobbinsMonro conditions_of(const Rate& rate, double forgetting) {
  RobbinsMonro theory = rate.conditions();
  if (forgetting <= 0) return theory;
  for (RobbinsMonro::Condition& c : theory.conditions) {
    c.holds = c.text == "Ση = ∞";
    c.why = fmt::format("--forget {} keeps it {}", forgetting,
                        c.holds ? "above a positive number" : "from falling to 0");
  }
  return theory;
}

}  // namespace

void explain_rate(const Rate& rate, double forgetting, bool json) {
  const RobbinsMonro theory = conditions_of(rate, forgetting);
  if (json) {
    Json conditions = Json::array();
    for (const RobbinsMonro::Condition& c : theory.conditions)
      conditions.push_back({{"condition", c.text}, {"holds", c.holds}, {"why", c.why}});
    return print(json_text(Json{{"rate", rate.text()},
                                {"forgetting", forgetting},
                                {"robbins_monro", theory.every()},
                                {"conditions", std::move(conditions)}},
                           2) +
                 "\n");
  }
  std::string text = fmt::format("rate {}", rate.text()) +
                     (forgetting > 0 ? fmt::format(", --forget {}\n", forgetting) : "\n");
  for (const RobbinsMonro::Condition& c : theory.conditions)
    text += fmt::format("  {}  {}: {}\n", c.holds ? "yes" : "no ", c.text, c.why);
  text +=
      theory.every()
          ? "a Robbins-Monro schedule: the run converges under the conditions of the theory\n"
      : finite_sum(theory)
          ? "not a Robbins-Monro schedule: all steps together have a finite length, and the run "
            "stops wherever they end, near the solution or not\n"
          : "not a Robbins-Monro schedule: the run approaches the solution without converging "
            "to it\n";
  print(text);
}

std::string learned_json(const Learned& learned, const LearnFlags& flags) {
  Json out = Json::parse(to_json(learned.model));
  const Convergence& c = learned.convergence;
  Json learning = {{"rule", flags.rule},
                   {"rate", Rate::parse(flags.rate).text()},
                   {"rows", learned.rows},
                   {"skipped", learned.skipped},
                   {"steps", learned.steps},
                   {"epochs", learned.epochs},
                   {"time", learned.time},
                   {"order", learned.shuffled ? "shuffled" : "as-it-comes"},
                   {"stop", stop_name(learned)},
                   {"convergence",
                    {{"state", name_of(c.state)},
                     {"converged", c.converged},
                     {"angle", c.angle},
                     {"angle_change", c.angle_change},
                     {"norm_error", c.norm_error},
                     {"correlation", c.correlation},
                     {"variance_error", c.variance_error},
                     {"text", c.text}}},
                   {"theory", nullptr}};
  if (learned.theory) {
    const TheoryReport& t = *learned.theory;
    const auto list = [](const Vector<double>& v) {
      return std::vector<double>(v.data(), v.data() + v.size());
    };
    learning["theory"] = {{"eigenvalues", list(t.eigenvalues)},
                          {"angles", list(t.angles)},
                          {"mean_gap", t.mean_gap},
                          {"last_gap", t.last_gap}};
  }
  learning["prediction"] =
      learned.prediction ? prediction_json(*learned.prediction, learned.reached) : Json(nullptr);
  learning["theorem"] = learned.theorem ? theorem_json(*learned.theorem) : Json(nullptr);
  out["learning"] = learning;
  return json_text(out, 2) + "\n";
}

void show_learned(const Learned& learned, const LearnFlags& flags, const Source<double>& source) {
  const bool data_on_stdout = flags.model == "-" || flags.trace == "-" || flags.plot == "-";
  const Terminal out = terminal(data_on_stdout ? STDERR_FILENO : STDOUT_FILENO);
  const Summary summary = summarize(learned.model);
  std::string text =
      out.bold(shown(source.name(), 60, out.unicode)) + "  " + shape_line(summary, out) + "\n";
  if (learned.model.report().ddof == 1 && !flags.ddof.empty())
    text.insert(text.size() - 1, ", variances over N-1");
  if (const Index n = source.dropped_rows() + static_cast<Index>(learned.skipped); n > 0)
    text += fmt::format("{} row{} with missing values dropped\n", n, n == 1 ? "" : "s");
  text += out.dim(fmt::format("{}; {} epoch{}, {}; {}", solver_line(summary, out), learned.epochs,
                              learned.epochs == 1 ? "" : "s",
                              learned.shuffled ? "shuffled" : "in order", stop_text(learned))) +
          "\n\n" + component_table(summary, out) + "\n" + loading_lines(summary, out) + "\n";
  text += learned.convergence.text + "\n" + certificate_line(summary);
  if (learned.theory) {
    text += theory_lines(*learned.theory, learned.trace);
    if (!flags.no_plot) text += "\n" + run_charts(learned.trace, out);
  }
  if (learned.theorem) text += "\n" + theorem_lines(*learned.theorem);
  if (learned.prediction)
    text += prediction_lines(*learned.prediction, learned.steps, learned.reached);
  const auto where = [&](const char* what, const std::string& path) {
    if (!path.empty() && path != "-") text += fmt::format("{:<11} {}\n", what, path);
  };
  text += "\n";
  where("model", flags.model);
  where("trace", flags.trace);
  where("plot", flags.plot);
  where("checkpoint", flags.checkpoint);
  while (text.ends_with("\n\n")) text.pop_back();
  if (data_on_stdout) say(text);
  else print(text);
}

}  // namespace mercer::cli
