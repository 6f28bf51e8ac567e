#include "commands/commands.hpp"
#include "describe/description.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "terminal/terminal.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>
#include <vector>

namespace mercer::cli {

namespace {

constexpr const char* help_examples =
    "  mercer help fit\n"
    "  mercer help kernel check\n"
    "  mercer help --man > mercer.1                         the manual page\n";

struct HelpFlags {
  std::vector<std::string> words;
  bool man = false;
};

void show_help(const CLI::App& app, const HelpFlags& flags) {
  if (flags.man) return print(manual_page(describe(app)));
  const CLI::App* command = &app;
  for (const std::string& word : flags.words) {
    const auto below =
        command->get_subcommands([&](const CLI::App* sub) { return sub->get_name() == word; });
    if (below.empty()) throw UsageError(fmt::format("unknown command '{}'", joined(flags.words)));
    command = below.front();
  }
  // App::help() would be that of the command that was given: this one.
  print(command->get_formatter()->make_help(command, "", CLI::AppFormatMode::Normal));
}

}  // namespace

void add_help_command(CLI::App& app) {
  auto flags = std::make_shared<HelpFlags>();
  CLI::App& command = add_command(app, "help", "Show the help of a command", help_examples);
  std::vector<OptionValue> names;
  for (const CLI::App* sub : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back({sub->get_name(), ""});
  such_as(add_list(command, "COMMAND", flags->words, "", "a command", "Files"), names);
  add_switch(command, "--man", flags->man, "print the manual page, for man(1)", "Results");
  add_help(command);
  command.callback([flags, &app] { show_help(app, *flags); });
}

}  // namespace mercer::cli
