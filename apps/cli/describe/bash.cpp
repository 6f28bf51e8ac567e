#include "describe/description.hpp"

#include <fmt/format.h>

namespace mercer::cli {

namespace {

std::string bash_quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string bash_list(const std::vector<OptionValue>& values) {
  std::string out;
  for (const OptionValue& value : values) out += (out.empty() ? "" : " ") + bash_quoted(value.name);
  return out;
}

}  // namespace

std::string bash_completion(const CommandText& program) {
  std::string commands, values, words;
  for_each_command(program, [&](const std::vector<std::string>& path, const CommandText& command) {
    const std::string name = joined(path);
    if (!path.empty()) {
      const std::vector<std::string> above(path.begin(), path.end() - 1);
      commands += fmt::format("{}{}", commands.empty() ? "" : " | ",
                              bash_quoted(joined(above) + "/" + path.back()));
    }
    std::string options, plain;
    for (const OptionText& option : command.options) {
      for (const std::string& flag : option.names) options += " " + flag;
      if (option.is_switch()) continue;
      std::string patterns;
      for (const std::string& flag : option.names)
        patterns += (patterns.empty() ? "" : " | ") + bash_quoted(name + "/" + flag);
      values += fmt::format("    {}) values=({}) ;;\n", patterns, bash_list(option.values.list));
    }
    for (const CommandText& below : command.commands) plain += " " + bash_quoted(below.name);
    for (const OptionText& argument : command.arguments)
      if (!argument.values.list.empty()) plain += " " + bash_list(argument.values.list);
    words +=
        fmt::format("    {}) options=({}) words=({}) ;;\n", bash_quoted(name),
                    options.empty() ? "" : options.substr(1), plain.empty() ? "" : plain.substr(1));
  });
  return fmt::format(R"__(# bash completion for mercer, made by `mercer completion bash`

_mercer() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD-1]}} command="" i item
  local -a options=() words=() values=()
  COMPREPLY=()
  # --option=value comes as three words
  if [[ $word == = ]]; then
    word=""
  elif [[ $previous == = ]]; then
    previous=${{COMP_WORDS[COMP_CWORD-2]}}
  fi

  for ((i = 1; i < COMP_CWORD; i++)); do
    case $command/${{COMP_WORDS[i]}} in
      {}) command=${{command:+$command }}${{COMP_WORDS[i]}} ;;
    esac
  done

  # Values of the option before the cursor; where there is no list, bash offers files.
  case $command/$previous in
{}    *) previous="" ;;
  esac
  if [[ -n $previous ]]; then
    for item in "${{values[@]}}"; do
      [[ $item == "$word"* ]] && COMPREPLY+=("$(printf %q "$item")")
    done
    return
  fi

  case $command in
{}  esac
  if [[ $word == --* || (-z $word && ${{#words[@]}} -gt 0) ]]; then
    for item in "${{options[@]}}"; do [[ $item == --* ]] && words+=("$item"); done
  elif [[ $word == -* ]]; then
    words=("${{options[@]}}")
  fi
  for item in "${{words[@]}}"; do
    [[ $item == "$word"* ]] && COMPREPLY+=("$item")
  done
  return 0
}}

complete -o default -F _mercer mercer
)__",
                     commands, values, words);
}

}  // namespace mercer::cli
