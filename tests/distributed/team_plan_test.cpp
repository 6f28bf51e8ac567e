// Predicted costs of distributed fits, and what these fits then do.
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/team_fit.hpp"
#include "support/temp_dir.hpp"
#include "support/thread_team.hpp"

#include <mercer/fit.hpp>
#include <mercer/team_plan.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

namespace mercer::test::team_plan_test {

template <class T>
TeamPlan plan_of(const Rows<T>& x, const FitOptions& options, const TeamFacts& team) {
  return team_plan({.rows = static_cast<double>(x.rows()),
                    .columns = static_cast<double>(x.cols()),
                    .entries = static_cast<double>(x.entries()),
                    .number_bytes = sizeof(T),
                    .sparse = x.sparse(),
                    .in_memory = true,
                    .budget = static_cast<double>(options.memory)},
                   options, team);
}

RankTraffic predicted(const TeamPlan& plan, int rank, int passes) {
  const RankCost& cost = plan.ranks[static_cast<std::size_t>(rank)];
  RankTraffic out = cost.first;
  for (int pass = 1; pass < passes; ++pass) out += cost.further;
  return out;
}

/// Rows and passes of every rank send and receive what the plan says.
template <class T>
void expect_as_predicted(const Rows<T>& x, FitOptions options, const std::string& method,
                         const std::vector<double>& weights = {}) {
  options.memory = std::size_t{1} << 29;
  options.threads = 1;
  for (int ranks = 1; ranks <= 8; ++ranks) {
    const TeamPlan plan = plan_of(x, options, {.ranks = ranks, .weighted = !weights.empty()});
    EXPECT_EQ(plan.plan.chosen.method, method);
    const std::vector<Index> cuts = cuts_of(x.rows(), ranks, Shares::even);
    with_team(ranks, [&](Team& team) {
      const auto rank = static_cast<std::size_t>(team.rank());
      TeamLedger ledger(team);
      FitOptions mine = options;
      mine.team = &ledger;
      const Index first = cuts[rank], count = cuts[rank + 1] - first;
      const Weights w = weights.empty()
                            ? Weights()
                            : Weights(weights.data() + first, static_cast<std::size_t>(count));
      const Model<T> model = fit(x.middle(first, count), mine, w);
      RankTraffic counted = ledger.of(Purpose::rows);
      counted += ledger.of(Purpose::passes);
      const RankTraffic said = predicted(plan, team.rank(), model.report().solver.passes);
      EXPECT_EQ(counted.sent, said.sent) << ranks << " ranks, " << rank;
      EXPECT_EQ(counted.received, said.received) << ranks << " ranks, " << rank;
      EXPECT_EQ(counted.messages, said.messages) << ranks << " ranks, " << rank;
      EXPECT_EQ(ledger.total().sent, team.traffic().bytes);
    });
  }
}

TEST(TeamPlan, M_G8_traffic_of_exact_kernels_is_what_the_plan_says) {
  const Matrix<double> x = Random(1).normal(2100, 4);
  const FitOptions options{
      .components = 3, .kernel = Kernel::parse("rbf(gamma=0.2)"), .solver = Solver::krylov};
  expect_as_predicted(Rows<double>(x), options, "krylov");
  expect_as_predicted(Rows<double>(x), options, "krylov", std::vector<double>(2100, 0.5));
  // All rows, and nothing else: every process solves it.
  const Matrix<double> few = x.topRows(200);
  expect_as_predicted(Rows<double>(few), {.components = 3, .kernel = options.kernel}, "dense");
}

TEST(TeamPlan, M_G8_traffic_of_linear_pca_is_what_the_plan_says) {
  const Matrix<double> x = Random(2).normal(9000, 6);
  const FitOptions options{.components = 2, .solver = Solver::covariance};
  expect_as_predicted(Rows<double>(x), options, "covariance");
  FitOptions scaled = options;
  scaled.scale = Scale::std;
  expect_as_predicted(Rows<double>(x), scaled, "covariance", std::vector<double>(9000, 2.0));
  const Matrix<float> few = x.topRows(100).cast<float>();  // fewer rows than choose a shift
  expect_as_predicted(Rows<float>(few), options, "covariance");
  const Matrix<double> wide = Random(3).normal(3000, 150);
  expect_as_predicted(Rows<double>(wide), options, "covariance");
}

TEST(TeamPlan, M_G8_traffic_of_products_is_what_the_plan_says) {
  Matrix<double> x = Random(4).normal(3000, 300);  // more columns than the basis has vectors
  for (Index j = 0; j < x.cols(); ++j) x.col(j) *= std::pow(0.8, static_cast<double>(j));
  const FitOptions options{.components = 3, .solver = Solver::randomized};
  expect_as_predicted(Rows<double>(x), options, "randomized");
  Matrix<double> holes = x;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.cols(); ++j)
      if ((j + i) % 4 != 0) holes(i, j) = 0;  // equally many entries in each row
  const auto sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(holes.sparseView()));
  expect_as_predicted(Rows<double>(sparse), options, "randomized");
  expect_as_predicted(Rows<double>(sparse), {.components = 3, .solver = Solver::covariance},
                      "covariance");
}

TEST(TeamPlan, M_G8_work_is_shared_and_memory_and_network_are_those_of_one_process) {
  const Facts facts{.rows = 1e6, .columns = 20, .entries = 2e7, .budget = 16e9};
  const FitOptions options{.components = 10, .kernel = kernels::rbf({.gamma = 1})};
  const TeamPlan one = team_plan(facts, options, {});
  const TeamPlan many = team_plan(facts, options, {.ranks = 32, .network = 1e10});
  EXPECT_EQ(one.sent(0), 0);
  EXPECT_EQ(one.network_seconds(), 0);
  double all = 0;
  for (int rank = 0; rank < 32; ++rank) {
    all += many.core_seconds(rank);
    EXPECT_LE(many.ranks[static_cast<std::size_t>(rank)].bytes, facts.budget);
    EXPECT_LE(many.core_seconds(rank) * 32, 1.2 * one.core_seconds(0)) << rank;
  }
  EXPECT_NEAR(all, one.core_seconds(0), 0.15 * one.core_seconds(0));
  EXPECT_GT(many.network_seconds(), 0);
  // Half of a ring: the vectors of the others, and sums for their rows.
  EXPECT_GT(many.ranks[0].further.sent, 8e6 * 32 / 2);
  EXPECT_LT(many.ranks[0].further.sent, 8e6 * 32 * 4);

  const auto json = nlohmann::json::parse(to_json(many));
  EXPECT_EQ(json["method"], "krylov");
  EXPECT_EQ(json["team"]["per_rank"].size(), 32U);
  EXPECT_EQ(json["team"]["per_rank"][5]["sent_bytes"], many.sent(5));
  const std::string text = to_text(many);
  EXPECT_TRUE(has(text, "32 processes, in 10 passes")) << text;
  EXPECT_TRUE(has(text, "at 10 Gbit/s")) << text;
}

TEST(TeamPlan, M_G8_refuses_what_is_not_distributed) {
  const Facts facts{.rows = 100, .columns = 5, .entries = 500, .budget = 1e9};
  const auto refused = [&](const FitOptions& options, int ranks) {
    return refusal([&] { team_plan(facts, options, {.ranks = ranks}); }, Errc::bad_option);
  };
  EXPECT_TRUE(has(refused({}, 0), "`ranks=0` is not positive"));
  EXPECT_TRUE(has(refused({}, 100000), "`ranks=100000` exceeds 8192"));
  EXPECT_TRUE(has(refused({.solver = Solver::svd}, 2), "not distributed"));
  EXPECT_TRUE(has(refused({.solver = Solver::gram}, 2), "is not predicted"));
  EXPECT_EQ(parse_network("2.5gbit", "network"), 2.5e9);
  EXPECT_EQ(parse_network("10 Gbit/s", "network"), 1e10);
  for (const char* text : {"10", "gbit", "-1gbit", "1 tbit", "0mbit"})
    EXPECT_TRUE(
        has(refusal([&] { parse_network(text, "`network`"); }, Errc::bad_option), "is not a rate"))
        << text;
}

TEST(TeamPlan, M_G8_the_command_prints_the_costs_of_processes) {
  const std::vector<std::string> fit = {"fit", data_file("wine.csv"), "--label", "cultivar"};
  const auto with = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = fit;
    arguments.insert(arguments.end(), more.begin(), more.end());
    return mercer(arguments);
  };
  const mercer::test::Run table = with({"--explain", "--ranks", "3", "--network", "100mbit"});
  EXPECT_EQ(table.exit_code, 0) << table.err;
  EXPECT_TRUE(has(table.out, "3 processes, in 1 pass"));
  EXPECT_TRUE(has(table.out, "at 0.1 Gbit/s"));
  const auto refused = [&](const std::vector<std::string>& more) {
    const mercer::test::Run r = with(more);
    EXPECT_EQ(r.exit_code, 2) << r.out;
    return r.err;
  };
  EXPECT_TRUE(has(refused({"--ranks", "3"}), "--ranks requires --explain"));
  EXPECT_TRUE(has(refused({"--explain", "--network", "1gbit"}), "requires --explain --ranks"));
  EXPECT_TRUE(has(refused({"--explain", "--ranks", "0"}), "--ranks"));
  EXPECT_TRUE(has(refused({"--explain", "--ranks", "2", "--network", "fast"}),
                  "--network 'fast' is not a rate such as 10gbit"));
  EXPECT_TRUE(has(refused({"--explain", "--ranks", "2", "--solver", "svd"}),
                  "--solver svd is not distributed"));
}

}  // namespace mercer::test::team_plan_test
