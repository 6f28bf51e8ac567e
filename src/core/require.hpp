#pragma once
// Validation at the public edge: require(k <= n, Errc::bad_option, "`components={}` …", k).
// Options stand in backquotes, as core/spelled.hpp reads them.

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace mercer {

/// An argument of a message that names the file or stream the rows come from; the error keeps it.
struct Input {
  explicit Input(std::string_view given) : name(given) {}
  std::string_view name;
};

/// Names and cells come from files: a message stays one line and moves no cursor.
template <class... Args>
[[noreturn]] void fail(Errc code, fmt::format_string<Args...> text, Args&&... args) {
  std::string input;
  [[maybe_unused]] const auto keep = [&](const auto& arg) {
    if constexpr (std::is_same_v<std::decay_t<decltype(arg)>, Input>) input = arg.name;
  };
  (keep(args), ...);
  std::string message = fmt::format(text, std::forward<Args>(args)...);
  for (char& c : message)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  throw Error(code, message, std::move(input));
}

template <class... Args>
void require(bool holds, Errc code, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) [[unlikely]]
    fail(code, text, std::forward<Args>(args)...);
}

}  // namespace mercer

template <>
struct fmt::formatter<mercer::Input> : fmt::formatter<std::string_view> {
  auto format(const mercer::Input& input, fmt::format_context& context) const {
    return fmt::formatter<std::string_view>::format(input.name, context);
  }
};
