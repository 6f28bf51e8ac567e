#include "describe/description.hpp"

#include <fmt/format.h>

namespace mercer::cli {

namespace {

std::string fish_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// When the words of `path` have been typed, and none of the commands below it.
std::string fish_condition(const std::vector<std::string>& path, const CommandText& command) {
  std::string out;
  for (const std::string& word : path)
    out += (out.empty() ? "" : "; and ") + ("__fish_seen_subcommand_from " + word);
  if (command.commands.empty()) return out;
  out += out.empty() ? "not __fish_seen_subcommand_from" : "; and not __fish_seen_subcommand_from";
  for (const CommandText& below : command.commands) out += " " + below.name;
  return out;
}

/// An argument of `-a`: words by spaces, each quoted once more.
std::string fish_values(const std::vector<OptionValue>& values) {
  std::string out;
  for (const OptionValue& value : values) {
    const bool plain = value.name.find_first_of("()$*?\\'\"{}[] ") == std::string::npos;
    out += (out.empty() ? "" : " ") + (plain ? value.name : fish_quoted(value.name));
  }
  return fish_quoted(out);
}

}  // namespace

std::string fish_completion(const CommandText& program) {
  std::string out = "# fish completion for mercer, made by `mercer completion fish`\n\n";
  for_each_command(program, [&](const std::vector<std::string>& path, const CommandText& command) {
    const std::string begin =
        fmt::format("complete -c mercer -n {}", fish_quoted(fish_condition(path, command)));
    for (const CommandText& below : command.commands)
      out += fmt::format("{} -f -a {} -d {}\n", begin, below.name, fish_quoted(below.about));
    for (const OptionText& argument : command.arguments)
      if (!argument.values.list.empty())
        out += fmt::format("{} -f -a {} -d {}\n", begin, fish_values(argument.values.list),
                           fish_quoted(argument.help));
    for (const OptionText& option : command.options) {
      out += begin;
      for (const std::string& name : option.names)
        out += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      if (!option.is_switch())
        out += option.values.list.empty() ? " -r -F" : " -x -a " + fish_values(option.values.list);
      out += fmt::format(" -d {}\n", fish_quoted(option.help));
    }
  });
  return out;
}

}  // namespace mercer::cli
