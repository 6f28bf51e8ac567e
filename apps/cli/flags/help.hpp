#pragma once
// Help with the examples first: most people look for the line to copy.

#include <cstddef>
#include <string>

namespace CLI {
class App;
}

namespace mercer::cli {

/// Sets the layout of the help of `app` and of every command added later.
void set_help_layout(CLI::App& app);

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples);

/// Does it consist of other commands?
bool has_commands(const CLI::App& app);

/// "mercer kernel check".
std::string full_name(const CLI::App& command);

/// Adds --help; after the other flags, so that it stands last in its group.
void add_help(CLI::App& command);

}  // namespace mercer::cli
