#include "core/spelled.hpp"

#include <algorithm>
#include <optional>

namespace mercer {

namespace {

std::optional<std::string> spelled_option(std::string_view option, std::span<const Spelling> table,
                                          WithValue with_value) {
  const auto find = [&](std::string_view name) {
    return std::ranges::find(table, name, &Spelling::option);
  };
  if (const auto whole = find(option); whole != table.end()) return std::string(whole->text);
  const auto equals = option.find('=');
  if (equals == option.npos) return std::nullopt;
  const auto row = find(option.substr(0, equals));
  if (row == table.end()) return std::nullopt;
  return with_value(row->text, option.substr(equals + 1));
}

}  // namespace

std::string spelled(std::string_view message, std::span<const Spelling> table,
                    WithValue with_value) {
  std::string out;
  for (std::size_t at = 0; at < message.size();) {
    const auto open = message.find('`', at);
    const auto close = open == message.npos ? message.npos : message.find('`', open + 1);
    if (close == message.npos) return out.append(message.substr(at));
    const bool quoted = open > 0 && message[open - 1] == '\'';
    const auto text =
        quoted ? std::nullopt
               : spelled_option(message.substr(open + 1, close - open - 1), table, with_value);
    out.append(message.substr(at, open - at));
    // A backquote that begins no option may be part of a file's name: continue after it.
    out.append(text ? *text : "`");
    at = text ? close + 1 : open + 1;
  }
  return out;
}

}  // namespace mercer
