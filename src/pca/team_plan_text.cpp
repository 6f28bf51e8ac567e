// A team plan for people, and as JSON.
#include <mercer/team_plan.hpp>

#include "core/json_text.hpp"
#include "core/memory.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace mercer {

namespace {

std::string rank_line(const std::string& name, const TeamPlan& p, int rank) {
  return fmt::format("  {:<8}{:>11}{:>12.4g}{:>13}{:>13}{:>10.0f}\n", name,
                     format_bytes(p.ranks[static_cast<std::size_t>(rank)].bytes),
                     p.core_seconds(rank), format_bytes(p.sent(rank)),
                     format_bytes(p.received(rank)), p.messages(rank));
}

nlohmann::ordered_json traffic_json(const RankTraffic& traffic) {
  return {{"sent", traffic.sent}, {"received", traffic.received}, {"messages", traffic.messages}};
}

}  // namespace

std::string to_text(const TeamPlan& p, RowCount count) {
  constexpr int shown = 8;
  std::string text = to_text(p.plan, count);
  if (!p.plan.refusal.empty()) return text;
  text += fmt::format("\n{} process{}, in {:.0f} pass{}\n", p.team.ranks,
                      p.team.ranks == 1 ? "" : "es", p.passes(), p.passes() == 1 ? "" : "es");
  text += fmt::format("  {:<8}{:>11}{:>12}{:>13}{:>13}{:>10}\n", "rank", "memory", "core-s", "sent",
                      "received", "messages");
  for (int rank = 0; rank < std::min(p.team.ranks, shown); ++rank)
    text += rank_line(std::to_string(rank), p, rank);
  if (p.team.ranks > shown) text += fmt::format("  … {} more\n", p.team.ranks - shown);
  text += fmt::format("  about {:.2g} s of computing with {} core{} per process", p.work_seconds(),
                      p.plan.facts.threads, p.plan.facts.threads == 1 ? "" : "s");
  if (p.team.network > 0)
    text += fmt::format(", and {:.2g} s of communication at {:g} Gbit/s", p.network_seconds(),
                        p.team.network / 1e9);
  return text + "\n";
}

std::string to_json(const TeamPlan& p, RowCount count, int indent) {
  auto json = nlohmann::ordered_json::parse(to_json(p.plan, count));
  nlohmann::ordered_json ranks = nlohmann::ordered_json::array();
  for (int rank = 0; rank < p.team.ranks; ++rank) {
    const RankCost& cost = p.ranks[static_cast<std::size_t>(rank)];
    ranks.push_back({{"bytes", cost.bytes},
                     {"core_seconds", p.core_seconds(rank)},
                     {"sent_bytes", p.sent(rank)},
                     {"received_bytes", p.received(rank)},
                     {"messages", p.messages(rank)},
                     {"first_pass", traffic_json(cost.first)},
                     {"further_pass", traffic_json(cost.further)},
                     {"first_pass_core_seconds", cost.first_seconds},
                     {"further_pass_core_seconds", cost.further_seconds}});
  }
  json["team"] = {
      {"ranks", p.team.ranks},
      {"threads", p.plan.facts.threads},
      {"work_seconds", p.work_seconds()},
      {"network_seconds", p.team.network > 0 ? nlohmann::ordered_json(p.network_seconds())
                                             : nlohmann::ordered_json(nullptr)},
      {"per_rank", std::move(ranks)}};
  return json_text(json, indent);
}

}  // namespace mercer
