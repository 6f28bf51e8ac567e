#pragma once
// Validation at the public edge: require(k <= n, Errc::bad_option, "components = {} …", k).

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <string>
#include <utility>

namespace mercer {

/// Names and cells come from files: a message stays one line and moves no cursor.
template <class... Args>
[[noreturn]] void fail(Errc code, fmt::format_string<Args...> text, Args&&... args) {
  std::string message = fmt::format(text, std::forward<Args>(args)...);
  for (char& c : message)
    if (static_cast<unsigned char>(c) < ' ' || c == 0x7f) c = ' ';
  throw Error(code, message);
}

template <class... Args>
void require(bool holds, Errc code, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) [[unlikely]]
    fail(code, text, std::forward<Args>(args)...);
}

}  // namespace mercer
