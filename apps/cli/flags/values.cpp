#include "flags/values.hpp"

#include "core/closest_name.hpp"
#include "flags/options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <map>

namespace mercer::cli {

namespace {

/// CLI11 has no place for them.
std::map<const CLI::Option*, OptionValues>& all_values() {
  static std::map<const CLI::Option*, OptionValues> values;
  return values;
}

}  // namespace

CLI::Option* one_of(CLI::Option* option, std::vector<OptionValue> values) {
  option->check([option, values](const std::string& text) {
    if (std::ranges::find(values, text, &OptionValue::name) == values.end())
      refuse_value(option->get_name(), text, values);
    return std::string();
  });
  all_values()[option] = {std::move(values), true};
  return option;
}

CLI::Option* such_as(CLI::Option* option, std::vector<OptionValue> values) {
  all_values()[option] = {std::move(values), false};
  return option;
}

const OptionValues& values_of(const CLI::Option* option) {
  static const OptionValues none;
  const auto found = all_values().find(option);
  return found == all_values().end() ? none : found->second;
}

std::string listed(const std::vector<OptionValue>& values, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < values.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : i + 1 == values.size() ? last : ", ", values[i].name);
  return out;
}

void refuse_value(std::string_view option, std::string_view text,
                  const std::vector<OptionValue>& values) {
  std::vector<std::string> names;
  for (const OptionValue& value : values) names.push_back(value.name);
  const std::string* close = closest_name(text, names);
  throw UsageError(fmt::format("{} '{}' is unknown; {}use {}", option, text,
                               close ? fmt::format("did you mean {}? ", *close) : "",
                               listed(values)));
}

}  // namespace mercer::cli
