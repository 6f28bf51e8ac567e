// What is planned at a given speed. Nothing here measures anything.
#include "pca/plan.hpp"
#include "pca/compare_cost.hpp"

#include "support/errors.hpp"

#include <gtest/gtest.h>

namespace mercer::test::plan_test {

constexpr double gib = 1 << 30;

/// A rank as plan_at_speed chooses it; 0: exact.
Index rank_of(const Plan& plan) { return plan.approx ? std::get<Cholesky>(*plan.approx).rank : 0; }

FitOptions within(double seconds) {
  return {.components = 3, .kernel = kernels::rbf({.gamma = 1}), .seconds = seconds, .threads = 2};
}

TEST(Plan, the_time_decides_at_a_known_speed) {
  // Ten passes over a stored matrix of 2,500 rows: 3.1e6 values and 6e9 flops.
  const Speed slow{1e8, 1e10}, quick{1e10, 1e12};
  const auto plan = [](double seconds, const Speed& speed) {
    return plan_at_speed(within(seconds), 2500, gib, gib, speed);
  };
  EXPECT_EQ(rank_of(plan(10, slow)), 0);
  EXPECT_HAS(plan(10, slow).why, "exact: expected to take");
  EXPECT_GT(rank_of(plan(0.1, slow)), 16);
  EXPECT_EQ(rank_of(plan(0.1, quick)), 0);
  EXPECT_GT(rank_of(plan(0.001, quick)), 16);
  // Too little for anything: the smallest rank, and the report says so.
  for (const Speed& speed : {slow, quick}) {
    const Plan least = plan(1e-9, speed);
    EXPECT_EQ(rank_of(least), 16);
    EXPECT_HAS(least.why, "exact kernel PCA would take about");
    EXPECT_HAS(least.why, "the target time is exceeded");
  }
}

TEST(Plan, more_time_gives_a_larger_rank_within_rows_and_memory) {
  const Speed speed{1e9, 1e11};
  Index last = 0;
  for (const double seconds : {0.01, 0.1, 1.0, 10.0}) {
    const Index rank = rank_of(plan_at_speed(within(seconds), 1e6, 8 * gib, 8 * gib, speed));
    EXPECT_GT(rank, last);
    last = rank;
  }
  const Index scarce = rank_of(plan_at_speed(within(1e3), 1e6, gib, 0.1 * gib, speed));
  EXPECT_LT(scarce, rank_of(plan_at_speed(within(1e3), 1e6, gib, gib, speed)));
  EXPECT_EQ(rank_of(plan_at_speed(within(1e-9), 10, gib, gib, speed)), 10);  // rows
  expect_error(Errc::out_of_memory, {"`memory` is too small"},
               [&] { plan_at_speed(within(1e-9), 1e6, 1e6, 1e3, speed); });
}

TEST(Plan, as_many_landmarks_as_components_are_asked_for) {
  FitOptions options = within(1e-9);
  options.components = 40;
  EXPECT_EQ(rank_of(plan_at_speed(options, 2500, gib, gib, {1e9, 1e11})), 40);
}

TEST(Plan, landmarks_that_cost_more_than_exactness_are_told) {
  const Kernel kernel = kernels::rbf({.gamma = 1});
  EXPECT_TRUE(costs_more_than_exact(kernel, 20000, 50, 10000));
  EXPECT_HAS(expected_slower(kernel, 20000, 50, 10000),
             "exact kernel PCA is expected to be faster");
  EXPECT_FALSE(costs_more_than_exact(kernel, 20000, 50, 1000));
  EXPECT_FALSE(costs_more_than_exact(kernel, 1e6, 50, 1000));
  EXPECT_FALSE(costs_more_than_exact(kernel, 300, 5, 300));  // a moment, either way
  EXPECT_EQ(expected_slower(kernel, 300, 5, 300), "");
}

}  // namespace mercer::test::plan_test
