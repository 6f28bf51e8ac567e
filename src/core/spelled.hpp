#pragma once
// Messages with the option names of a front end. The library puts options in backquotes under their
// C++ names: `memory`, or with a value `components=25`. Each front end has a table of its names.

#include <span>
#include <string>
#include <string_view>

namespace mercer {

/// `option` is an option (memory) or one with its value (missing=drop); the latter comes first.
struct Spelling {
  std::string_view option, text;
};

/// How a front end writes an option that has a value: --memory 4GiB, memory=4.
using WithValue = std::string (*)(std::string_view option, std::string_view value);

/// The message with its options spelled by the table. One that the table lacks stays as it is; so
/// does one right behind a single quote, which is a name or a cell that the user gave.
std::string spelled(std::string_view message, std::span<const Spelling> table,
                    WithValue with_value);

}  // namespace mercer
