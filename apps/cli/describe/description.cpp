#include "describe/description.hpp"

#include "core/json_text.hpp"

#include <mercer/version.hpp>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

namespace mercer::cli {

namespace {

using DescriptionJson = nlohmann::ordered_json;

/// Help texts are broken into lines where they are shown, not before.
std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  return text;
}

OptionText option_text(const CLI::Option& option) {
  OptionText out;
  if (option.get_positional()) out.names = {option.get_name(true, false)};
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  out.value = option.get_option_text();
  out.help = one_line(option.get_description());
  out.standard = option.get_default_str();
  out.group = option.get_group();
  out.values = values_of(&option);
  out.required = option.get_required();
  out.repeats = option.get_items_expected_max() > 1;
  return out;
}

DescriptionJson option_json(const OptionText& option) {
  DescriptionJson out = {{"names", option.names}, {"help", option.help}, {"group", option.group}};
  out["value"] = option.is_switch() ? DescriptionJson() : DescriptionJson(option.value);
  DescriptionJson values = DescriptionJson::array();
  for (const OptionValue& value : option.values.list)
    values.push_back({{"name", value.name}, {"notes", value.notes}});
  out["values"] = values;
  out["closed"] = option.values.closed;
  out["default"] = option.standard.empty() ? DescriptionJson() : DescriptionJson(option.standard);
  out["required"] = option.required;
  out["repeats"] = option.repeats;
  return out;
}

DescriptionJson command_json(const CommandText& command) {
  DescriptionJson arguments = DescriptionJson::array(), options = DescriptionJson::array(),
                  commands = DescriptionJson::array();
  for (const OptionText& argument : command.arguments) arguments.push_back(option_json(argument));
  for (const OptionText& option : command.options) options.push_back(option_json(option));
  for (const CommandText& below : command.commands) commands.push_back(command_json(below));
  return {{"name", command.name},   {"about", command.about}, {"examples", command.examples},
          {"arguments", arguments}, {"options", options},     {"commands", commands}};
}

}  // namespace

CommandText describe(const CLI::App& app) {
  CommandText out{app.get_name(), app.get_description(), app.get_footer(), {}, {}, {}};
  for (const CLI::Option* option : app.get_options())
    (option->get_positional() ? out.arguments : out.options).push_back(option_text(*option));
  for (const CLI::App* below : app.get_subcommands([](const CLI::App*) { return true; }))
    out.commands.push_back(describe(*below));
  return out;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : between) + word;
  return out;
}

std::string json_of(const CommandText& program) {
  DescriptionJson out = {{"version", MERCER_VERSION}};
  out.update(command_json(program));
  return json_text(out, 2) + "\n";
}

}  // namespace mercer::cli
