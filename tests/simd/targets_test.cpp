#include "simd/targets.hpp"

#include "support/errors.hpp"

#include <hwy/highway.h>

namespace mercer::targets_test {

TEST(SimdTargets, any_that_the_machine_has_can_be_forced) {
  const auto targets = hwy::SupportedAndGeneratedTargets();
  for (const auto target : targets) {
    force_simd(hwy::TargetName(target));
    EXPECT_EQ(hwy::SupportedTargets(), target);
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_HAS(test::error_of([] { force_simd("mmx"); }).what(), "'mmx'");
}

}  // namespace mercer::targets_test
