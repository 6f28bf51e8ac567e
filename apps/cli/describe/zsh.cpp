#include "describe/description.hpp"

#include <fmt/format.h>

namespace mercer::cli {

namespace {

/// Inside '…', with a backslash before each of `special`.
std::string zsh_escaped(const std::string& text, std::string_view special) {
  std::string out;
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
      continue;
    }
    if (special.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

/// `:message:action` of what is completed: the values, or files.
std::string zsh_action(const std::string& name, const std::vector<OptionValue>& values) {
  std::string action = "_files";
  if (!values.empty()) {
    std::string list;
    for (const OptionValue& value : values)
      list += (list.empty() ? "" : " ") + zsh_escaped(value.name, "\\:() $`\"[]{}*?");
    action = "(" + list + ")";
  }
  return fmt::format(":{}:{}", zsh_escaped(name, "\\:"), action);
}

std::string zsh_option(const OptionText& option) {
  const std::string help = "[" + zsh_escaped(option.help, "\\[]:") + "]";
  const std::string action = option.is_switch() ? "" : zsh_action(option.value, option.values.list);
  std::string out;
  for (const std::string& name : option.names) {
    std::string others;  // given one name, the other is not offered
    if (option.names.size() > 1 && !option.repeats) others = "(" + joined(option.names) + ")";
    out += fmt::format("    '{}{}{}{}{}'\n", others, option.repeats ? "*" : "", name, help, action);
  }
  return out;
}

std::string zsh_function(const std::vector<std::string>& path) {
  return path.empty() ? "_mercer" : "_mercer_" + joined(path, "_");
}

}  // namespace

std::string zsh_completion(const CommandText& program) {
  std::string functions;
  for_each_command(program, [&](const std::vector<std::string>& path, const CommandText& command) {
    std::string options;
    for (const OptionText& option : command.options) options += zsh_option(option);
    const std::string name = zsh_function(path);
    if (command.commands.empty()) {
      for (const OptionText& argument : command.arguments)
        options += fmt::format("    '{}{}{}'\n", argument.repeats ? "*" : "",
                               argument.required || argument.repeats ? "" : ":",
                               zsh_action(argument.names.front(), argument.values.list));
      functions += fmt::format(
          "{}() {{\n  local -a arguments=(\n{}  )\n  _arguments -s -S $arguments\n}}\n\n", name,
          options);
      return;
    }
    std::string list, cases;
    for (const CommandText& below : command.commands) {
      list += fmt::format("    '{}:{}'\n", below.name, zsh_escaped(below.about, "\\:"));
      std::vector<std::string> more = path;
      more.push_back(below.name);
      cases += fmt::format("        {}) {} ;;\n", below.name, zsh_function(more));
    }
    functions += fmt::format(R"__({}() {{
  local curcontext=$curcontext state line ret=1
  typeset -A opt_args
  local -a commands=(
{}  )
  local -a arguments=(
{}  )
  _arguments -C $arguments '1:command:->command' '*::argument:->argument' && ret=0
  case $state in
    command) _describe -t commands command commands && ret=0 ;;
    argument)
      case $line[1] in
{}      esac ;;
  esac
  return ret
}}

)__",
                             name, list, options, cases);
  });
  return "#compdef mercer\n# zsh completion for mercer, made by `mercer completion zsh`\n\n" +
         functions + R"__(if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _mercer "$@"
else
  compdef _mercer mercer
fi
)__";
}

}  // namespace mercer::cli
