#include "simd/targets.hpp"

#include "core/require.hpp"

#include <fmt/ranges.h>
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

std::vector<std::string> simd_names() {
  std::vector<std::string> names;
  for (const auto target : hwy::SupportedAndGeneratedTargets())
    names.push_back(lower(hwy::TargetName(target)));
  return names;
}

void force_simd(std::string_view name) {
  for (const auto target : hwy::SupportedAndGeneratedTargets())
    if (lower(hwy::TargetName(target)) == lower(name)) {
      hwy::SetSupportedTargetsForTest(target);
      hwy::GetChosenTarget().Update(hwy::SupportedTargets());
      return;
    }
  fail(Errc::bad_option, "MERCER_SIMD: no instruction set '{}' here; there are {}", name,
       fmt::join(simd_names(), ", "));
}

std::string simd_name() {
  const auto all = hwy::SupportedTargets() & HWY_TARGETS;
  return lower(hwy::TargetName(all & -all));
}

}  // namespace mercer
