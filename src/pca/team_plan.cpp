#include <mercer/team_plan.hpp>

#include "core/require.hpp"
#include "pca/kernel/kernel_team_cost.hpp"
#include "pca/linear/linear_team_cost.hpp"
#include "pca/linear/team_options.hpp"
#include "pca/validate.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <string>

namespace mercer {

namespace {

double over_passes(double first, double further, double passes) {
  // A number of passes: there may be none.
  return first + std::max(0.0, passes - 1) * further;
}

}  // namespace

double TeamPlan::sent(int rank) const {
  const RankCost& r = ranks[static_cast<std::size_t>(rank)];
  return over_passes(r.first.sent, r.further.sent, passes());
}

double TeamPlan::received(int rank) const {
  const RankCost& r = ranks[static_cast<std::size_t>(rank)];
  return over_passes(r.first.received, r.further.received, passes());
}

double TeamPlan::messages(int rank) const {
  const RankCost& r = ranks[static_cast<std::size_t>(rank)];
  return over_passes(r.first.messages, r.further.messages, passes());
}

double TeamPlan::core_seconds(int rank) const {
  const RankCost& r = ranks[static_cast<std::size_t>(rank)];
  return over_passes(r.first_seconds, r.further_seconds, passes());
}

double TeamPlan::work_seconds() const {
  double most = 0;
  for (int rank = 0; rank < team.ranks; ++rank) most = std::max(most, core_seconds(rank));
  return most / plan.facts.threads;
}

double TeamPlan::network_seconds() const {
  double most = 0;
  for (int rank = 0; rank < team.ranks; ++rank) most = std::max({most, sent(rank), received(rank)});
  return team.network > 0 ? 8 * most / team.network : 0;
}

TeamPlan team_plan(const Facts& facts, const FitOptions& options, const TeamFacts& team) {
  require(team.ranks >= 1, Errc::bad_option, "`ranks={}` is not positive", team.ranks);
  constexpr int most = 8192;  // every pair of ranks is looked at
  require(team.ranks <= most, Errc::bad_option,
          "`ranks={}` exceeds {}: costs of more are not predicted", team.ranks, most);
  validate(options);
  require_distributed(options);
  require(!options.approx, Errc::bad_option,
          "`ranks` and `approx` are mutually exclusive: the traffic of approximations is not "
          "predicted");
  TeamPlan out;
  out.team = team;
  out.ranks.resize(static_cast<std::size_t>(team.ranks));
  if (options.kernel) plan_kernel_team(out, facts, options);
  else plan_linear_team(out, facts, options);
  return out;
}

double parse_network(std::string_view asked, std::string_view option) {
  std::string text;  // "10 Gbit/s" is 10gbit
  for (const char c : asked)
    if (c != ' ') text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (text.ends_with("/s")) text.resize(text.size() - 2);
  struct Unit {
    std::string_view name;
    double bits;
  };
  static constexpr Unit units[] = {{"gbit", 1e9}, {"mbit", 1e6}, {"kbit", 1e3}};
  for (const auto& [name, bits] : units) {
    if (!text.ends_with(name)) continue;
    const std::string_view digits = std::string_view(text).substr(0, text.size() - name.size());
    double value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error == std::errc() && end == digits.data() + digits.size() && value > 0 &&
        std::isfinite(value * bits))
      return value * bits;
  }
  fail(Errc::bad_option, "{} '{}' is not a rate such as 10gbit or 100mbit (bits per second)",
       option, asked);
}

}  // namespace mercer
