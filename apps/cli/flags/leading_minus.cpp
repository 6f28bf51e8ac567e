#include "flags/leading_minus.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <set>

namespace mercer::cli {

namespace {

// CLI11 takes every argument that begins with a minus and a letter for an option. A space in front
// of it prevents that, and is taken off again.
constexpr char mark = ' ';

std::set<const CLI::App*>& commands_with_leading_minus() {
  static std::set<const CLI::App*> commands;
  return commands;
}

const CLI::Option* option_named(const CLI::App& command, const std::string& name) {
  for (const CLI::Option* option : command.get_options())
    if (option->check_name(name)) return option;
  return nullptr;
}

bool takes_value(const CLI::Option& option) { return option.get_expected_min() > 0; }

/// `-o`, `-oFILE`, `-qh`: options of this command, though other characters may follow the first.
bool could_be_options(const CLI::App& command, const std::string& text) {
  for (std::size_t i = 1; i < text.size(); ++i) {
    const CLI::Option* option = option_named(command, std::string{'-', text[i]});
    if (!option) return false;
    if (takes_value(*option)) return true;
  }
  return true;
}

}  // namespace

void take_leading_minus(CLI::App& command, CLI::Option* first) {
  commands_with_leading_minus().insert(&command);
  first->transform([](const std::string& text) {
    return text.size() > 1 && text[0] == mark && text[1] == '-' ? text.substr(1) : text;
  });
}

std::vector<std::string> with_leading_minus(int argc, char** argv, const CLI::App& app) {
  std::vector<std::string> arguments(argv, argv + argc);
  const auto commands = app.get_subcommands([](const CLI::App*) { return true; });
  const auto command = std::ranges::find_if(
      commands, [&](const CLI::App* each) { return argc > 1 && each->get_name() == arguments[1]; });
  if (command == commands.end() || !commands_with_leading_minus().contains(*command))
    return arguments;
  for (std::size_t i = 2; i < arguments.size(); ++i) {
    std::string& text = arguments[i];
    if (text.size() < 2 || text[0] != '-' || text == "--") break;  // the first argument, or files
    if (text[1] == '-') {
      const CLI::Option* option = option_named(**command, text);
      i += option && takes_value(*option);
    } else if (could_be_options(**command, text)) {
      const CLI::Option* last = option_named(**command, text.size() == 2 ? text : "");
      i += last && takes_value(*last);
    } else {
      text.insert(text.begin(), mark);
      break;
    }
  }
  return arguments;
}

}  // namespace mercer::cli
