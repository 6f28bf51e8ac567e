#include "commands/commands.hpp"

#include "completion_scripts.hpp"
#include "flags/help.hpp"
#include "flags/options.hpp"
#include "terminal/terminal.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

namespace mercer::cli {

namespace {

constexpr const char* completion_examples =
    "  source <(mercer completion bash)                     for this shell\n"
    "  mercer completion zsh > \"${fpath[1]}/_mercer\"\n"
    "  mercer completion fish > ~/.config/fish/completions/mercer.fish\n";

}  // namespace

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App& command = add_command(
      app, "completion", "Print the completion script for bash, zsh or fish", completion_examples);
  add_text(command, "SHELL", *shell, "", "bash, zsh or fish", "Files")->required();
  add_help(command);
  command.callback([shell] {
    if (*shell == "bash") print(bash_completion);
    else if (*shell == "zsh") print(zsh_completion);
    else if (*shell == "fish") print(fish_completion);
    else
      throw UsageError(
          fmt::format("no completion for '{}'; there is one for bash, zsh and fish", *shell));
  });
}

}  // namespace mercer::cli
