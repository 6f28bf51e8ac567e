#pragma once
// An argument that begins with a minus and is not an option: `mercer map '-x^2' rows.csv`.

#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mercer::cli {

/// The first argument of this command may begin with a minus.
void take_leading_minus(CLI::App& command, CLI::Option* first);

/// The arguments of the program, where such a first argument is marked as no option. `app` has the
/// commands; what could be an option (`-o`) stays one.
std::vector<std::string> with_leading_minus(int argc, char** argv, const CLI::App& app);

}  // namespace mercer::cli
