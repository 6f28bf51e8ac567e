#pragma once
// What all programs of the command line do around their commands.

namespace CLI {
class App;
}

namespace mercer::cli {

struct Program {
  const char* name;
  const char* summary;
  const char* examples;
  void (*add_commands)(CLI::App& app);
};

/// Runs the command that the arguments name. Every error is one line on standard error and an exit
/// code: 1, 2 for wrong usage, 130 for Ctrl-C.
int run_program(const Program& program, int argc, char** argv);

}  // namespace mercer::cli
