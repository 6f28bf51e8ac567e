#pragma once
// Validation at the public edge: require(k <= n, Errc::bad_option, "components = {} …", k).

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <utility>

namespace mercer {

template <class... Args>
[[noreturn]] void fail(Errc code, fmt::format_string<Args...> text, Args&&... args) {
  throw Error(code, fmt::format(text, std::forward<Args>(args)...));
}

template <class... Args>
void require(bool holds, Errc code, fmt::format_string<Args...> text, Args&&... args) {
  if (!holds) [[unlikely]]
    fail(code, text, std::forward<Args>(args)...);
}

}  // namespace mercer
