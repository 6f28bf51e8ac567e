#include "terminal/program.hpp"

#include "describe/description.hpp"
#include "flags/help.hpp"
#include "flags/leading_minus.hpp"
#include "flags/options.hpp"
#include "flags/same_options.hpp"
#include "flags/spelling.hpp"
#include "simd/targets.hpp"
#include "terminal/interrupt.hpp"
#include "terminal/job.hpp"
#include "terminal/terminal.hpp"

#include <mercer/error.hpp>
#include <mercer/version.hpp>

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mercer::cli {

namespace {

constexpr std::string_view memory_line =
    "mercer: not enough memory; try a smaller --memory, or fewer components (-k)\n";

/// Shows an error; a process that is not the first keeps it until the job ends.
void complain_with(std::string_view line) {
  if (job().leads()) say(line);
  else unsaid() = line;
}

int complain_of_memory() {
  // Nothing is left to put a line together from.
  complain_with(memory_line);
  return 1;
}

int complain(int code, std::string_view message, const std::string& help = {}) {
  try {
    // One line, whatever a file name or a cell brought along.
    const std::string line = shown(message, message.size() + 1, true);
    complain_with(
        fmt::format("mercer: {}{}\n", line, help.empty() ? "" : fmt::format(" (see {})", help)));
    return code;
  } catch (const std::bad_alloc&) {
    return complain_of_memory();
  }
}

/// What the library refused, in flags.
int complain_of(const Error& error, int code) {
  try {
    return complain(code, in_flags(error.what()));
  } catch (const std::bad_alloc&) {
    return complain_of_memory();
  }
}

int unexpected(const std::exception& error) {
  try {
    return complain(1, fmt::format("unexpected: {}", error.what()));
  } catch (const std::bad_alloc&) {
    return complain_of_memory();
  }
}

/// An error of CLI11 as a message of ours.
std::string command_line_error(const CLI::ParseError& error, const CLI::App& command) {
  const bool no_command = has_commands(command);
  for (const std::string& word : command.remaining(true)) {
    if (word.size() > 1 && word.front() == '-') return fmt::format("unknown option '{}'", word);
    return fmt::format("{} '{}'", no_command ? "unknown command" : "unexpected argument", word);
  }
  if (no_command && dynamic_cast<const CLI::RequiredError*>(&error)) return "a command is missing";
  std::string what = error.what();
  const auto colon = what.find(": ");
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) && colon != what.npos)
    return fmt::format("{} needs a value", what.substr(0, colon));
  return what;
}

int run(const Program& program, int argc, char** argv) {
  watch_signals();
  if (const char* simd = std::getenv("MERCER_SIMD"); simd && *simd) force_simd(simd);
  CLI::App app(program.summary, program.name);
  set_help_layout(app);
  app.footer(program.examples);
  app.require_subcommand(1);
  program.add_commands(app);
  if (job().team) require_same_options(app, *job().team);
  app.add_flag_callback(
         "--describe",
         [&] {
           print(json_of(describe(app)));
           throw CLI::Success();
         },
         "describe all commands and options as JSON")
      ->group("Running");
  app.set_version_flag("--version", fmt::format("{} {}", program.name, MERCER_VERSION),
                       "show the version")
      ->group("Running");
  add_help(app);

  const auto command = [&]() -> const CLI::App& {
    const CLI::App* last = &app;
    while (!last->get_subcommands().empty()) last = last->get_subcommands().front();
    return *last;
  };
  const auto help = [&] { return full_name(command()) + " --help"; };
  try {
    std::vector<std::string> arguments = with_leading_minus(argc, argv, app);
    std::ranges::reverse(arguments);  // as CLI11 takes them
    if (!arguments.empty()) arguments.pop_back();
    app.parse(std::move(arguments));
    return 0;
  } catch (const CLI::CallForHelp&) {
    print(command().help());
    return 0;
  } catch (const CLI::CallForVersion& version) {
    print(std::string(version.what()) + "\n");
    return 0;
  } catch (const CLI::Success&) {
    return 0;
  } catch (const CLI::ParseError& error) {
    return complain(2, command_line_error(error, command()), help());
  } catch (const UsageError& error) {
    return complain(2, error.what(), help());
  }
}

}  // namespace

int run_program(const Program& program, int argc, char** argv) {
  try {
    const int code = run(program, argc, argv);
    if (code == 0) end_if_pipe_closed();
    return code;
  } catch (const Error& error) {
    if (error.code() == Errc::interrupted) {
      // Any of several processes may have had the signal.
      if (job().team) return complain_of(error, 128 + SIGINT);
      if (!interrupted()) end_by_closed_pipe();
      return complain_of(error, exit_code_of_signal());
    }
    return complain_of(error, error.code() == Errc::bad_option ? 2 : 1);
  } catch (const std::bad_alloc&) {
    return complain_of_memory();
  } catch (const std::exception& error) {
    return unexpected(error);
  }
}

}  // namespace mercer::cli

/// Before anything static is constructed (the command-line library has validators that allocate),
/// and for destructors of JSON values, which do too: nothing can be thrown from either.
__attribute__((constructor(101))) static void end_in_words() {
  std::set_terminate([] {
    const std::string_view line = mercer::cli::memory_line;
    [[maybe_unused]] const auto written = write(STDERR_FILENO, line.data(), line.size());
    _exit(1);
  });
}
