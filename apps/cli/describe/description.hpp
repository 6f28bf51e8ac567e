#pragma once
// The command line as data: every command with its arguments and options, read from CLI11's own
// tree. JSON, completions and the manual page are made from it.

#include "flags/values.hpp"

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mercer::cli {

struct OptionText {
  std::vector<std::string> names;  ///< "-k", "--components"; "DATA" for an argument
  std::string value;               ///< "N"; empty: a switch, or an argument
  std::string help, standard, group;
  OptionValues values;
  bool required = false, repeats = false;

  bool is_switch() const { return value.empty(); }
};

struct CommandText {
  std::string name, about, examples;
  std::vector<OptionText> arguments, options;
  std::vector<CommandText> commands;
};

CommandText describe(const CLI::App& app);

/// What `visit(words, command)` shows: words are those after "mercer": {"kernel", "check"}. The
/// program itself comes first, with none.
template <class Visit>
void for_each_command(const CommandText& command, const Visit& visit,
                      const std::vector<std::string>& words = {}) {
  visit(words, command);
  for (const CommandText& below : command.commands) {
    std::vector<std::string> more = words;
    more.push_back(below.name);
    for_each_command(below, visit, more);
  }
}

/// "kernel check".
std::string joined(const std::vector<std::string>& words, const std::string& between = " ");

std::string json_of(const CommandText& program);
std::string bash_completion(const CommandText& program);
std::string zsh_completion(const CommandText& program);
std::string fish_completion(const CommandText& program);
/// troff, as man(1) reads it.
std::string manual_page(const CommandText& program);

}  // namespace mercer::cli
