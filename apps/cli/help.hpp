#pragma once
// Help with the examples first: most people look for the line to copy.

namespace CLI {
class App;
}

namespace mercer::cli {

/// Sets the layout of the help of `app` and of every command added later. The footer of a command
/// holds its examples.
void set_help_layout(CLI::App& app);

}  // namespace mercer::cli
