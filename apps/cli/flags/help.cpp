#include "flags/help.hpp"

#include "flags/values.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <string>

namespace mercer::cli {

namespace {

constexpr std::size_t help_column = 34, help_width = 112;

/// Broken into lines at spaces.
std::string broken(const std::string& text, std::size_t width) {
  std::string out, line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
    begin = end + 1;
  }
  return out + line;
}

class Layout final : public CLI::Formatter {
 public:
  Layout() { column_width(help_column); }

  std::string make_help(const CLI::App* app, std::string, CLI::AppFormatMode mode) const override {
    const bool commands = has_commands(*app);
    std::string usage = "Usage: " + full_name(*app) + (commands ? " COMMAND" : "");
    std::string positionals;
    for (const CLI::Option* option :
         app->get_options([](const CLI::Option* o) { return o->get_positional(); })) {
      usage += " " + option->get_name(true, false);
      positionals += make_option(option, true);
    }
    usage += " [OPTIONS]";
    std::string out =
        app->get_description() + "\n\nExamples:\n" + app->get_footer() + "\n" + usage + "\n";
    if (!positionals.empty()) out += "\n" + positionals;
    out += commands ? make_subcommands(app, mode) : "";
    out += make_groups(app, mode);
    // One empty line between groups, none at the end.
    for (std::size_t at; (at = out.find("\n\n\n")) != std::string::npos;) out.erase(at, 1);
    while (out.ends_with("\n\n")) out.pop_back();
    return out;
  }

  std::string make_option_desc(const CLI::Option* option) const override {
    const OptionValues& values = values_of(option);
    std::string text = option->get_description();
    // Those that the name of the value does not list already: none|std
    if (!values.list.empty() && option->get_option_text().find('|') == std::string::npos)
      text += (values.closed ? ": " : "; for example ") + listed(values.list);
    if (!option->get_default_str().empty()) text += " (default: " + option->get_default_str() + ")";
    return broken(text, help_width - help_column);
  }

  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_option_text().empty() ? "" : " " + option->get_option_text();
  }
};

}  // namespace

void set_help_layout(CLI::App& app) { app.formatter(std::make_shared<Layout>()); }

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& examples) {
  CLI::App& command = *app.add_subcommand(name, description);
  command.group("Commands")->footer(examples);
  return command;
}

bool has_commands(const CLI::App& app) {
  return !app.get_subcommands([](const CLI::App*) { return true; }).empty();
}

std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent ? full_name(*parent) + " " + command.get_name() : command.get_name();
}

void add_help(CLI::App& command) {
  command.set_help_flag("-h,--help", "show this help")->group("Running");
}

}  // namespace mercer::cli
