#include "simd/targets.hpp"

#include "support/errors.hpp"

#include <hwy/targets.h>

namespace mercer::targets_test {

TEST(SimdTargets, any_that_the_machine_has_can_be_forced) {
  for (const std::string& name : simd_names()) {
    force_simd(name);
    EXPECT_EQ(simd_name(), name);
    hwy::SetSupportedTargetsForTest(0);
  }
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  EXPECT_HAS(test::error_of([] { force_simd("mmx"); }).what(), "'mmx'");
}

}  // namespace mercer::targets_test
