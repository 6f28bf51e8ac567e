#pragma once
// The values that an option takes: help, completion, manual and the error of a wrong value read
// them from the option.

#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class Option;
}

namespace mercer::cli {

struct OptionValue {
  std::string name, notes;
};

struct OptionValues {
  std::vector<OptionValue> list;
  bool closed = false;  ///< there are no others
};

/// Any other value is a `UsageError`.
CLI::Option* one_of(CLI::Option* option, std::vector<OptionValue> values);
/// Examples of what can be given.
CLI::Option* such_as(CLI::Option* option, std::vector<OptionValue> values);
const OptionValues& values_of(const CLI::Option* option);

/// "a, b or c".
std::string listed(const std::vector<OptionValue>& values, std::string_view last = " or ");

/// Throws "--solver 'magic' is unknown; use a, b or c".
[[noreturn]] void refuse_value(std::string_view option, std::string_view text,
                               const std::vector<OptionValue>& values);

}  // namespace mercer::cli
