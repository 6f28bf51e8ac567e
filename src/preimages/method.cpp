#include <mercer/preimage.hpp>

#include "core/require.hpp"

#include <array>
#include <utility>

namespace mercer {

namespace {

constexpr std::array<std::pair<std::string_view, PreImageMethod>, 5> names = {{
    {"auto", PreImageMethod::automatic},
    {"exact", PreImageMethod::exact},
    {"ridge", PreImageMethod::ridge},
    {"fixed-point", PreImageMethod::fixed_point},
    {"distances", PreImageMethod::distances},
}};

}  // namespace

std::string_view name_of(PreImageMethod method) {
  for (const auto& entry : names)
    if (entry.second == method) return entry.first;
  return "";
}

PreImageMethod parse_preimage_method(std::string_view text) {
  for (const auto& entry : names)
    if (entry.first == text) return entry.second;
  fail(Errc::bad_option,
       "'{}' finds no pre-images; there are auto, exact, ridge, fixed-point and distances", text);
}

}  // namespace mercer
