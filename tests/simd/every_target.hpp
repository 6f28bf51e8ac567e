#pragma once
// Runs a check once with every instruction set that this machine has.

#include <gtest/gtest.h>
#include <hwy/targets.h>

namespace mercer::test {

template <class Check>
void on_every_target(Check&& check) {
  const auto all = hwy::SupportedTargets();
  for (auto rest = all; rest != 0; rest &= rest - 1) {
    const auto target = rest & -rest;
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    SCOPED_TRACE(hwy::TargetName(target));
    check();
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

}  // namespace mercer::test
