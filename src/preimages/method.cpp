#include <mercer/preimage.hpp>

#include "core/text_form.hpp"

#include <array>
#include <utility>
#include <vector>

namespace mercer {

namespace {

constexpr std::array<std::pair<std::string_view, PreImageMethod>, 5> method_names = {{
    {"auto", PreImageMethod::automatic},
    {"exact", PreImageMethod::exact},
    {"ridge", PreImageMethod::ridge},
    {"fixed-point", PreImageMethod::fixed_point},
    {"distances", PreImageMethod::distances},
}};

}  // namespace

std::string_view name_of(PreImageMethod method) {
  for (const auto& entry : method_names)
    if (entry.second == method) return entry.first;
  return "";
}

PreImageMethod parse_preimage_method(std::string_view text) {
  for (const auto& entry : method_names)
    if (entry.first == text) return entry.second;
  std::vector<std::string_view> all;
  for (const auto& entry : method_names) all.push_back(entry.first);
  fail(Errc::bad_option, "{}", no_such("pre-image method", text, all));
}

}  // namespace mercer
