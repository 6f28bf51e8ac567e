// A plan for people, and as JSON.
#include <mercer/plan_text.hpp>

#include "core/json_text.hpp"
#include "core/memory.hpp"
#include "model/description.hpp"

#include <fmt/format.h>

namespace mercer {

namespace {

/// Residuals decide, which depend on the spectrum: randomized has taken 1 to 50 passes where 12
/// were expected.
bool estimated_passes(const PlannedMethod& m) {
  return m.method == "krylov" || m.method == "randomized";
}

std::string passes_text(const PlannedMethod& m) {
  if (m.passes == 0) return "";
  return fmt::format("{}{:.0f} pass{}", estimated_passes(m) ? "about " : "", m.passes,
                     m.passes > 1.5 ? "es" : "");
}

std::string cost_line(const PlannedMethod& m) {
  return fmt::format("  {:<22}{:>10}{:>17}{:>16}   {}\n", m.method,
                     m.bytes > 0 ? format_bytes(m.bytes) : "?", passes_text(m),
                     m.flops > 0 ? fmt::format("{:.2g} flops", m.flops) : "", m.why);
}

nlohmann::ordered_json with_bytes(nlohmann::ordered_json json, const PlannedMethod& m) {
  json["bytes"] = m.bytes > 0 ? nlohmann::ordered_json(m.bytes) : nlohmann::ordered_json(nullptr);
  return json;
}

}  // namespace

std::string to_text(const Plan& p, RowCount count) {
  const Facts& f = p.facts;
  const bool estimated = count == RowCount::estimated;
  std::string text = fmt::format(
      "{}{:.0f} rows{} of {:.0f} columns{}, {}; {} may be used{}\n\nchosen\n",
      estimated ? "about " : "", f.rows, estimated ? " (estimated from the size of the file)" : "",
      f.columns, f.sparse ? ", sparse" : "", p.rows, format_bytes(f.budget),
      f.in_memory ? " beside them" : "");
  text += cost_line(p.chosen);
  if (!p.tiles.empty()) text += fmt::format("  {}\n", p.tiles);
  if (!p.refusal.empty()) text += fmt::format("  impossible: {}\n", p.refusal);
  if (!p.rejected.empty()) text += "\nrejected\n";
  for (const PlannedMethod& m : p.rejected) text += cost_line(m);
  return text;
}

std::string to_text(const Plan& p) { return to_text(p, RowCount::exact); }

std::string to_json(const Plan& p, int indent) { return to_json(p, RowCount::exact, indent); }

std::string to_json(const Plan& p, RowCount count, int indent) {
  nlohmann::ordered_json json = with_bytes(plan_json(p), p.chosen);
  for (std::size_t i = 0; i < p.rejected.size(); ++i)
    json["rejected"][i] = with_bytes(json["rejected"][i], p.rejected[i]);
  json["budget_bytes"] = p.facts.budget;
  json["n_samples"] = static_cast<std::int64_t>(p.facts.rows);
  json["n_samples_estimated"] = count == RowCount::estimated;
  json["n_features"] = static_cast<std::int64_t>(p.facts.columns);
  json["tiles"] =
      p.tiles.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(p.tiles);
  json["refusal"] =
      p.refusal.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(p.refusal);
  return json_text(json, indent);
}

}  // namespace mercer
