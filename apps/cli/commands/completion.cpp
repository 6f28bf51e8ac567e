#include "commands/commands.hpp"
#include "describe/description.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "terminal/terminal.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace mercer::cli {

namespace {

constexpr const char* completion_examples =
    "  source <(mercer completion bash)                     for this shell\n"
    "  mercer completion zsh > \"${fpath[1]}/_mercer\"\n"
    "  mercer completion fish > ~/.config/fish/completions/mercer.fish\n";

struct Shell {
  const char* name;
  std::string (*script)(const CommandText&);
};
constexpr Shell shells[] = {
    {"bash", bash_completion}, {"zsh", zsh_completion}, {"fish", fish_completion}};

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App& command = add_command(app, "completion", "Print the completion script for a shell",
                                  completion_examples);
  std::vector<OptionValue> names;
  for (const Shell& s : shells) names.push_back({s.name, ""});
  add_choice(command, "SHELL", *shell, "", names, "the shell", "Files")->required();
  add_help(command);
  command.callback([shell, &app] {
    print(std::ranges::find(shells, *shell, &Shell::name)->script(describe(app)));
  });
}

}  // namespace mercer::cli
