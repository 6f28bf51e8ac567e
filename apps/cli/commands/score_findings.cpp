#include "commands/score_findings.hpp"

#include "core/json_text.hpp"
#include "core/packed.hpp"
#include "core/team.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

namespace mercer::cli {

namespace {

constexpr std::size_t most_shown = 10;

std::string limit_line(const char* name, const std::optional<double>& limit, double level,
                       const std::string& from, Index beyond, Index rows) {
  if (!limit) return fmt::format("{:<5} no limit: {}\n", name, from);
  return fmt::format("{:<5} {:.12g} % limit {:.6g} ({}); {} row{} outside, {:.2f} %\n", name,
                     100 * level, *limit, from, beyond, beyond == 1 ? "" : "s",
                     100 * static_cast<double>(beyond) / static_cast<double>(rows));
}

}  // namespace

void collect(Team& team, Findings& found, bool own_dropped) {
  ScoreTotals& totals = found.totals;
  const std::vector<std::string> all =
      gather(team, packed(totals.rows, totals.complete, totals.exact, found.t2, found.spe,
                          found.any, found.dropped, found.listed));
  Index rows = totals.rows + (own_dropped ? found.dropped : 0);  // in the files so far
  for (std::size_t rank = 1; rank < all.size(); ++rank) {
    Findings other;
    unpack(all[rank], other.totals.rows, other.totals.complete, other.totals.exact, other.t2,
           other.spe, other.any, other.dropped, other.listed);
    totals.add(other.totals);
    found.t2 += other.t2;
    found.spe += other.spe;
    found.any += other.any;
    if (own_dropped) found.dropped += other.dropped;
    for (Beyond& row : other.listed) {
      if (found.listed.size() == most_listed) break;
      row.row += rows;
      found.listed.push_back(std::move(row));
    }
    rows += other.totals.rows + (own_dropped ? other.dropped : 0);
  }
}

std::string json_of(const Findings& found, const ScoreLimits& limits) {
  using Json = nlohmann::ordered_json;
  const ScoreTotals& totals = found.totals;
  const auto or_null = [](const std::optional<double>& value) {
    return value ? Json(*value) : Json(nullptr);
  };
  const bool spe = found.no_spe.empty();
  Json ratio = Json::array(), listed = Json::array();
  if (spe)
    for (const double square : totals.squares)
      ratio.push_back(totals.size > 0 ? square / totals.size : 0.0);
  for (const Beyond& b : found.listed) {
    Json row{{"row", b.row}};
    if (!b.id.empty()) row["id"] = b.id;
    if (!b.label.empty()) row["label"] = b.label;
    row["t2"] = b.t2;
    if (spe) row["spe"] = b.spe;
    row["flag"] = static_cast<int>(b.flag);
    listed.push_back(std::move(row));
  }
  const Json json{
      {"rows", totals.rows},
      {"n_components", found.components},
      {"mean_spe", spe ? Json(totals.mean_spe()) : Json(nullptr)},
      {"explained_variance", spe ? Json(totals.explained()) : Json(nullptr)},
      {"explained_variance_ratio", spe ? ratio : Json(nullptr)},
      {"fit_explained_variance", found.fitted},
      {"level", limits.level},
      {"t2_limit", or_null(limits.t2)},
      {"t2_limit_from", limits.t2_from},
      {"spe_limit", or_null(limits.spe)},
      {"spe_limit_from", limits.spe_from},
      {"lost_digits", found.lost_digits.empty() ? Json(nullptr) : Json(found.lost_digits)},
      {"beyond", {{"t2", found.t2}, {"spe", found.spe}, {"any", found.any}}},
      {"flagged", listed},
  };
  return json_text(json, 2) + "\n";
}

std::string words_of(const Findings& found, const ScoreLimits& limits, const std::string& data,
                     bool list, const Terminal& out) {
  const ScoreTotals& totals = found.totals;
  std::string text = fmt::format(
      "{}  {} row{}, {} component{}\n", out.bold(shown(data, 60, out.unicode)), totals.rows,
      totals.rows == 1 ? "" : "s", found.components, found.components == 1 ? "" : "s");
  if (found.no_spe.empty())
    text += fmt::format(
        "mean squared reconstruction error {:.6g} per row\n"
        "explained variance {:.2f} % of these rows, {:.2f} % in the fit\n",
        totals.mean_spe(), 100 * totals.explained(), 100 * found.fitted);
  text += limit_line("T2", limits.t2, limits.level, limits.t2_from, found.t2, totals.rows);
  text += limit_line("SPE", limits.spe, limits.level, limits.spe_from, found.spe, totals.rows);
  if (!found.remedies.empty()) text += fmt::format("for a limit, {}\n", found.remedies);
  if (!list || found.any == 0) return text;
  text += "\n" + out.bold(fmt::format("{:>10}{:>13}{:>13}", "row", "T2", "SPE")) + "\n";
  const std::size_t rows = std::min(found.listed.size(), most_shown);
  for (std::size_t i = 0; i < rows; ++i) {
    const Beyond& b = found.listed[i];
    const auto cell = [&](double value, bool beyond) {
      return fmt::format("{:>12.5g}{}", value, beyond ? "*" : " ");
    };
    text += fmt::format("{:>10}", b.row) + cell(b.t2, b.flag != Flag::spe) +
            (found.no_spe.empty() ? cell(b.spe, b.flag != Flag::t2) : fmt::format("{:>13}", ""));
    for (const std::string& name : {b.id, b.label})
      if (!name.empty()) text += "  " + shown(name, 30, out.unicode);
    text += '\n';
  }
  if (found.any > static_cast<Index>(rows))
    text += out.dim(fmt::format("       {} more\n", found.any - static_cast<Index>(rows)));
  return text;
}

}  // namespace mercer::cli
