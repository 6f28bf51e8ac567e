#include "flags/same_options.hpp"

#include "core/packed.hpp"
#include "core/team.hpp"
#include "flags/options.hpp"

#include <mercer/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace mercer::cli {

namespace {

using Lines = std::vector<std::string>;

/// "mercer 0.1.0", "fit", "--label cultivar", …
Lines lines_of(const CLI::App& command) {
  Lines lines = {std::string("version ") + MERCER_VERSION, command.get_name()};
  for (const CLI::Option* option : command.get_options()) {
    const std::string name = option->get_name();
    if (option->count() == 0 || name == "--memory" || name == "--threads") continue;
    lines.push_back(fmt::format("{} {}", name, fmt::join(option->results(), " ")));
  }
  return lines;
}

/// A line of `a` that `b` has not.
const std::string* lacking(const Lines& a, const Lines& b) {
  for (const std::string& line : a)
    if (std::ranges::find(b, line) == b.end()) return &line;
  return nullptr;
}

void compare(const CLI::App& command, Team& team) {
  const Lines mine = lines_of(command);
  std::string bytes = packed(mine);
  from_root(team, bytes);
  Lines first;
  unpack(bytes, first);
  agree(team, [&] {
    if (const std::string* line = lacking(mine, first))
      throw UsageError(
          fmt::format("rank {} was started with '{}' and rank 0 was not; start "
                      "all with the same options",
                      team.rank(), *line));
    if (const std::string* line = lacking(first, mine))
      throw UsageError(
          fmt::format("rank 0 was started with '{}' and rank {} was not; start "
                      "all with the same options",
                      *line, team.rank()));
  });
}

}  // namespace

void require_same_options(CLI::App& app, Team& team) {
  for (CLI::App* command : app.get_subcommands({}))
    command->parse_complete_callback([command, &team] { compare(*command, team); });
}

}  // namespace mercer::cli
