#pragma once
// A piece of input for a message: short, one line, printable.

#include <string>
#include <string_view>

namespace mercer {

inline std::string shown(std::string_view text) {
  constexpr std::size_t most = 40;
  std::string out(text.substr(0, most));
  for (char& c : out)
    if (c < 0x20 || c > 0x7e) c = '?';
  if (text.size() > most) out += "…";
  return out;
}

}  // namespace mercer
