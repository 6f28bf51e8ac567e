#pragma once
// Numbers as text: the shortest form that reads back exactly.

#include <mercer/source.hpp>

#include <charconv>
#include <string_view>

namespace mercer {

/// Longest text of a float, a double or a 64-bit integer: -1.7976931348623157e+308.
constexpr std::size_t longest_number = 24;

/// Writes to `out`, which has room for `longest_number`; returns the end.
template <class T>
char* write_shortest(T value, char* out) {
  return std::to_chars(out, out + longest_number, value).ptr;
}

template <class T>
void push_shortest(TextColumn& column, T value) {
  char text[longest_number];
  column.push_back({text, static_cast<std::size_t>(write_shortest(value, text) - text)});
}

}  // namespace mercer
