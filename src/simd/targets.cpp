#include "simd/targets.hpp"

#include "core/require.hpp"

#include <hwy/highway.h>
#include <hwy/targets.h>

namespace mercer {

namespace {

std::string lower(std::string_view name) {
  std::string text(name);
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

void force_simd(std::string_view name) {
  std::string list;
  for (const auto target : hwy::SupportedAndGeneratedTargets()) {
    const std::string known = lower(hwy::TargetName(target));
    if (known == lower(name)) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      return;
    }
    list += (list.empty() ? "" : ", ") + known;
  }
  fail(Errc::bad_option, "MERCER_SIMD: no instruction set '{}' here; there are {}", name, list);
}

std::string simd_name() {
  const auto all = hwy::SupportedTargets() & HWY_TARGETS;
  return lower(hwy::TargetName(all & -all));
}

}  // namespace mercer
