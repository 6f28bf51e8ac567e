// Plans are functions of facts and options: nothing here measures anything or looks at rows.
#include <mercer/plan.hpp>

#include "pca/compare_cost.hpp"
#include "pca/kernel/approximate.hpp"

#include "support/errors.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <vector>

namespace mercer::test::plan_test {

constexpr double mib = 1 << 20, gib = 1 << 30;

Facts facts(double rows, double columns, double budget, bool in_memory = true) {
  return {.rows = rows,
          .columns = columns,
          .entries = rows * columns,
          .in_memory = in_memory,
          .budget = budget,
          .threads = 2};
}

Facts pipe(double rows, double columns, double budget) {
  Facts f = facts(rows, columns, budget, false);
  f.rewindable = false;
  return f;
}

Facts sparse(double rows, double columns, double entries, double budget) {
  Facts f = facts(rows, columns, budget);
  f.sparse = true;
  f.entries = entries;
  return f;
}

const Kernel rbf = kernels::rbf({.gamma = 1});

struct Case {
  const char* what;
  Facts facts;
  FitOptions options;
  const char* method;
  const char* rows;
};

TEST(Plan, M_L7_the_reason_is_that_of_the_method_chosen) {
  const Plan wide = plan(facts(300, 20000, 64 * mib, false), {.components = 5});
  ASSERT_EQ(wide.chosen.method, "randomized");
  EXPECT_EQ(wide.chosen.why.find("only the covariance matrix"), std::string::npos)
      << wide.chosen.why;
  const Plan tall = plan(facts(1e7, 50, gib, false), {});
  EXPECT_NE(tall.chosen.why.find("only the covariance matrix"), std::string::npos)
      << tall.chosen.why;
}

TEST(Plan, M_L7_the_method_follows_from_facts_and_options) {
  const std::vector<Case> cases = {
      // Linear PCA: the cheapest of three that fits.
      {"many rows", facts(1e6, 50, gib), {}, "covariance", "in memory"},
      {"many columns", facts(100, 1e5, gib), {}, "gram", "in memory"},
      {"few components", facts(1e5, 3000, gib), {.components = 10}, "randomized", "in memory"},
      {"all components", facts(1e5, 3000, gib), {}, "covariance", "in memory"},
      {"little memory", facts(2000, 3000, 64 * mib), {.components = 5}, "randomized", "in memory"},
      {"sparse", sparse(1e5, 1e5, 1e6, gib), {.components = 5}, "randomized", "in memory"},
      {"as asked", facts(1e6, 50, gib), {.solver = Solver::svd}, "svd", "in memory"},
      {"from disk", facts(1e5, 50, gib, false), {}, "covariance", "in memory"},
      {"large", facts(1e7, 50, gib, false), {}, "covariance", "streamed"},
      {"large, few components",
       facts(1e7, 500, gib, false),
       {.components = 5},
       "covariance",
       "streamed"},
      {"a pipe", pipe(1e7, 50, 8 * gib), {}, "covariance", "in memory"},
      // Exact kernel PCA.
      {"few rows", facts(200, 5, gib), {.components = 3, .kernel = rbf}, "dense", "in memory"},
      {"all components", facts(3000, 5, gib), {.kernel = rbf}, "dense", "in memory"},
      {"all, no room", facts(3000, 5, 200 * mib), {.kernel = rbf}, "krylov", "in memory"},
      {"few of many", facts(3000, 5, gib), {.components = 3, .kernel = rbf}, "krylov", "in memory"},
      {"half of them",
       facts(1000, 5, gib),
       {.components = 500, .kernel = rbf},
       "dense",
       "in memory"},
      {"clipped",
       facts(3000, 5, gib),
       {.components = 3, .kernel = rbf, .clip = true},
       "dense",
       "in memory"},
      {"as asked",
       facts(3000, 5, gib),
       {.components = 3, .kernel = rbf, .solver = Solver::dense},
       "dense",
       "in memory"},
      {"precomputed",
       facts(3000, 3000, gib),
       {.components = 3, .precomputed = true},
       "krylov",
       "in memory"},
      {"from disk",
       facts(3000, 5, gib, false),
       {.components = 3, .kernel = rbf},
       "krylov",
       "in memory"},
      // Approximations.
      {"landmarks",
       facts(1e5, 5, gib),
       {.kernel = rbf, .approx = Cholesky{.rank = 50}},
       "cholesky(rank=50)",
       "in memory"},
      {"streamed landmarks",
       facts(1e8, 50, gib, false),
       {.kernel = rbf, .approx = Nystrom{.landmarks = 50}},
       "nystrom(landmarks=50, by=uniform)",
       "streamed"},
      {"landmarks of a pipe",
       pipe(0, 50, gib),
       {.kernel = rbf, .approx = Fourier{.features = 64}},
       "fourier(features=64, orthogonal=yes)",
       "read once"},
  };
  for (const Case& c : cases) {
    const Plan p = plan(c.facts, c.options);
    SCOPED_TRACE(c.what);
    EXPECT_EQ(p.chosen.method, c.method);
    EXPECT_EQ(p.PlanReport::rows, c.rows);
    EXPECT_EQ(p.refusal, "");
    EXPECT_FALSE(p.chosen.why.empty());
    EXPECT_GT(p.chosen.bytes, 0);
    EXPECT_GT(p.chosen.passes, 0);
    if (c.facts.rows > 0) EXPECT_GT(p.chosen.flops, 0);
    EXPECT_FALSE(p.rejected.empty());
    for (const PlannedMethod& m : p.rejected) {
      EXPECT_FALSE(m.why.empty()) << m.method;
      EXPECT_NE(m.method, p.chosen.method);
    }
  }
}

TEST(Plan, M_L7_what_would_be_refused_is_told_with_the_remedy) {
  const auto refusal = [](const Facts& f, const FitOptions& o) { return plan(f, o).refusal; };
  EXPECT_HAS(refusal(facts(1e6, 20000, 100 * mib), {}), "`solver=covariance` needs");
  EXPECT_HAS(refusal(facts(1e9, 50, gib, false), {.solver = Solver::gram}),
             "the Gram matrix needs all rows in memory");
  EXPECT_HAS(refusal(facts(9000, 5, gib), {.kernel = rbf, .solver = Solver::dense}),
             "`solver=dense` needs 2.4 GiB for 9000 rows");
  EXPECT_HAS(refusal(facts(9000, 5, gib), {.kernel = rbf, .clip = true}), "`clip` needs all");
  EXPECT_HAS(refusal(facts(1e6, 5, 100 * mib), {.components = 100, .kernel = rbf}),
             "use a larger `memory` or fewer components");
  EXPECT_HAS(refusal(facts(1e6, 5, 64 * mib), {.kernel = rbf, .approx = Cholesky{.rank = 5000}}),
             "cholesky(rank=5000) does not fit in memory");
}

TEST(Plan, M_L7_flops_are_the_counted_ones) {
  // N·d² + 10·d³, and N²·d + 10·N³ of the rejected one.
  const Plan linear = plan(facts(1000, 50, gib), {});
  EXPECT_DOUBLE_EQ(linear.chosen.flops, 1000.0 * 50 * 50 + 10 * 50 * 50 * 50);
  EXPECT_EQ(linear.rejected.back().method, "gram");
  EXPECT_DOUBLE_EQ(linear.rejected.back().flops, 1e6 * 50 + 1e10);
  // Kernel values once where all tiles are kept, in each of ten passes where they are not.
  const FitOptions options{.components = 3, .kernel = rbf};
  const Plan kept = plan(facts(10000, 5, 4 * gib), options),
             computed = plan(facts(10000, 5, 100 * mib), options);
  const double values = 1e8 / 2 * (rbf.flops_per_pair(5) + 1), products = 2 * 10 * 24 * 1e8;
  EXPECT_DOUBLE_EQ(kept.chosen.flops, values + products);
  EXPECT_DOUBLE_EQ(computed.chosen.flops, 10 * values + products);
  EXPECT_HAS(kept.tiles, "the kernel matrix is stored");
  EXPECT_HAS(computed.tiles, "recomputed on every pass");
}

TEST(Plan, M_L7_tiles_take_the_memory_that_there_is) {
  const FitOptions options{.components = 3, .kernel = rbf};
  // 4·N² bytes of symmetric halves in double are 382 MiB, half of that in 32 bits.
  const Plan roomy = plan(facts(10000, 5, gib), options),
             tight = plan(facts(10000, 5, 350 * mib), options);
  EXPECT_EQ(roomy.tiles, "the kernel matrix is stored");
  EXPECT_EQ(tight.tiles, "the kernel matrix is stored in 32 bits");
  EXPECT_LE(tight.chosen.bytes, 350 * mib);
  EXPECT_GT(roomy.chosen.bytes, 382 * mib);
  EXPECT_LE(roomy.chosen.bytes, gib);
}

TEST(Plan, scaled_rows_of_a_kernel_are_counted_twice) {
  // 32·N² bytes, tiles of wide rows and names fit beside the rows, but not beside a copy of them.
  const double n = 3000, d = 10000, enough = 32 * n * n + 70 * mib;
  FitOptions options{.kernel = rbf};
  EXPECT_EQ(plan(facts(n, d, enough), options).chosen.method, "dense");
  options.scale = Scale::std;
  EXPECT_EQ(plan(facts(n, d, enough), options).chosen.method, "krylov");
  EXPECT_EQ(plan(facts(n, d, enough + 8 * n * d), options).chosen.method, "dense");
}

TEST(Plan, a_few_wide_rows_are_kept_in_memory_where_vectors_of_a_stream_do_not_fit) {
  // 100 × 100,000 are 76 MiB; the vectors of a streamed fit take more than that.
  const FitOptions options{.components = 5};
  const Plan held = plan(facts(100, 1e5, 140 * mib, false), options);
  EXPECT_EQ(held.rows, "in memory");
  EXPECT_EQ(held.solver, Solver::gram);
  EXPECT_EQ(held.refusal, "");
  EXPECT_NE(plan(facts(100, 1e5, 64 * mib, false), options).refusal, "");
}

TEST(Plan, M_L7_a_plan_prints_itself) {
  const Plan p = plan(facts(3000, 5, gib), {.components = 3, .kernel = rbf});
  const std::string text = to_text(p);
  for (const char* part : {"3000 rows of 5 columns", "krylov", "about 10 passes", "flops", "rejected",
                           "dense", "1.0 GiB may be used", "only on request"})
    EXPECT_HAS(text, part);
  const auto json = nlohmann::json::parse(to_json(p));
  EXPECT_EQ(json["method"], "krylov");
  EXPECT_EQ(json["rows"], "in memory");
  EXPECT_EQ(json["budget_bytes"], gib);
  EXPECT_EQ(json["bytes"], p.chosen.bytes);
  EXPECT_EQ(json["rejected"][0]["method"], p.rejected[0].method);
  EXPECT_EQ(json["rejected"][0]["bytes"], p.rejected[0].bytes);
  EXPECT_TRUE(json["refusal"].is_null());
}

TEST(Plan, wrong_options_are_refused_as_by_fit) {
  expect_error(Errc::bad_option, {"`components=0`"},
               [] { plan(facts(10, 2, gib), {.components = 0}); });
  expect_error(Errc::bad_option, {"`clip` needs all eigenvalues"}, [] {
    plan(facts(10, 2, gib), {.kernel = rbf, .clip = true, .solver = Solver::krylov});
  });
}

// A target time, at a known speed.

/// A rank that was chosen by time; 0: exact.
Index rank_of(const Plan& p) { return p.approx ? std::get<Cholesky>(*p.approx).rank : 0; }

FitOptions within(double seconds) {
  return {.components = 3, .kernel = rbf, .seconds = seconds, .threads = 2};
}

Plan at_speed(const FitOptions& options, double rows, double budget, const Speed& speed) {
  Facts f = facts(rows, 5, budget);
  f.speed = speed;
  return plan(f, options);
}

TEST(Plan, the_time_decides_at_a_known_speed) {
  // Ten passes over a stored matrix of 2,500 rows: 3.1e6 values and 6e9 flops.
  const Speed slow{1e8, 1e10}, quick{1e10, 1e12};
  const auto planned = [](double seconds, const Speed& speed) {
    return at_speed(within(seconds), 2500, gib, speed);
  };
  EXPECT_EQ(rank_of(planned(10, slow)), 0);
  EXPECT_HAS(planned(10, slow).chosen.why, "exact: expected to take");
  EXPECT_GT(rank_of(planned(0.1, slow)), 16);
  EXPECT_EQ(rank_of(planned(0.1, quick)), 0);
  EXPECT_GT(rank_of(planned(0.001, quick)), 16);
  // Too little for anything: the smallest rank, and the report says so.
  for (const Speed& speed : {slow, quick}) {
    const Plan least = planned(1e-9, speed);
    EXPECT_EQ(rank_of(least), 16);
    EXPECT_HAS(least.chosen.why, "exact kernel PCA would take about");
    EXPECT_HAS(least.chosen.why, "the target time is exceeded");
  }
  expect_error(Errc::bad_option, {"`seconds`", "speed"},
               [] { plan(facts(2500, 5, gib), within(1)); });
}

TEST(Plan, more_time_gives_a_larger_rank_within_rows_and_memory) {
  const Speed speed{1e9, 1e11};
  Index last = 0;
  for (const double seconds : {0.01, 0.1, 1.0, 10.0}) {
    const Index rank = rank_of(at_speed(within(seconds), 1e6, 8 * gib, speed));
    EXPECT_GT(rank, last);
    last = rank;
  }
  const Index scarce = rank_of(at_speed(within(1e3), 1e6, 0.1 * gib, speed));
  EXPECT_LT(scarce, rank_of(at_speed(within(1e3), 1e6, gib, speed)));
  EXPECT_EQ(rank_of(at_speed(within(1e-9), 10, gib, speed)), 10);  // rows
  EXPECT_HAS(at_speed(within(1e-9), 1e6, 1e3, speed).refusal, "`memory` is too small");
}

TEST(Plan, as_many_landmarks_as_components_are_asked_for) {
  FitOptions options = within(1e-9);
  options.components = 40;
  EXPECT_EQ(rank_of(at_speed(options, 2500, gib, {1e9, 1e11})), 40);
}

TEST(Plan, landmarks_that_cost_more_than_exactness_are_told) {
  EXPECT_TRUE(costs_more_than_exact(rbf, 20000, 50, 10000));
  EXPECT_HAS(expected_slower(rbf, 20000, 50, 10000), "exact kernel PCA is expected to be faster");
  EXPECT_FALSE(costs_more_than_exact(rbf, 20000, 50, 1000));
  EXPECT_FALSE(costs_more_than_exact(rbf, 1e6, 50, 1000));
  EXPECT_FALSE(costs_more_than_exact(rbf, 300, 5, 300));  // a moment, either way
  EXPECT_EQ(expected_slower(rbf, 300, 5, 300), "");
}

}  // namespace mercer::test::plan_test
