#include "commands/learn_compare.hpp"

#include "commands/learn_report.hpp"
#include "core/json_text.hpp"
#include "flags/options.hpp"
#include "terminal/terminal.hpp"

#include <mercer/compare_rules.hpp>
#include <mercer/data.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace mercer::cli {

namespace {

void write_gaps(const std::vector<RuleGap>& gaps, const std::string& path) {
  Sink<double> sink(path,
                    {"step", "time", "eta", "gap_per_step", "gap", "first_norm", "second_norm"});
  Matrix<double> rows(static_cast<Index>(gaps.size()), 7);
  for (Index i = 0; i < rows.rows(); ++i) {
    const RuleGap& g = gaps[static_cast<std::size_t>(i)];
    rows.row(i) << static_cast<double>(g.step), g.time, g.eta, g.gap_per_step, g.gap, g.first_norm,
        g.second_norm;
  }
  sink.write(rows);
  sink.finish();
  sink.close();
}

}  // namespace

std::pair<std::string, std::string> two_rules(const std::string& text) {
  const std::size_t comma = text.find(',');
  if (comma == std::string::npos || comma == 0 || comma + 1 == text.size() ||
      text.find(',', comma + 1) != std::string::npos)
    throw UsageError(
        fmt::format("--compare '{}' is not two rules, such as hebb-normalized,oja", text));
  return {text.substr(0, comma), text.substr(comma + 1)};
}

void compare(Source<double>& source, const std::string& rules, const LearnOptions& options,
             const CompareOutput& output) {
  const auto [first, second] = two_rules(rules);
  const RuleComparison result = compare_rules(source, first, second, options);
  if (!output.trace.empty()) write_gaps(result.trace, output.trace);
  if (output.json)
    return print(json_text(nlohmann::ordered_json{{"comparison", comparison_json(result)}}, 2) +
                 "\n");
  if (output.quiet) return;
  const std::string text = comparison_lines(result);
  if (output.trace == "-") say(text);
  else print(text);
}

}  // namespace mercer::cli
