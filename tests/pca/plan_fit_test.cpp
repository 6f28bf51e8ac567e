// What was planned is what a fit does.
#include <mercer/data.hpp>
#include <mercer/plan.hpp>

#include "kernels/evaluation.hpp"

#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace mercer::test::plan_fit_test {

Matrix<double> cloud(Index rows, Index columns) {
  Matrix<double> x = Random(5).normal(rows, columns);
  for (Index j = 0; j < columns; ++j) x.col(j) *= 1 + static_cast<double>(j % 7);
  return x;
}

const Kernel rbf = kernels::rbf({.gamma = 0.05});

/// The report of a fit has the method, the reason and the estimates of the plan.
template <class T>
void expect_as_planned(const Plan& p, const Model<T>& model) {
  const Report& report = model.report();
  ASSERT_TRUE(report.plan.has_value());
  EXPECT_EQ(report.plan->chosen.method, p.chosen.method);
  EXPECT_EQ(report.plan->chosen.why, p.chosen.why);
  EXPECT_EQ(report.plan->chosen.flops, p.chosen.flops);
  EXPECT_EQ(report.plan->rows, p.PlanReport::rows);
  EXPECT_EQ(report.plan->rejected.size(), p.rejected.size());
  if (p.approx) EXPECT_EQ(report.approximation->text, p.chosen.method);
  else EXPECT_EQ(report.solver.name, p.chosen.method);
}

TEST(PlanOfFit, M_L7_linear_pca_does_what_was_planned) {
  struct Case {
    Index rows, columns;
    FitOptions options;
  };
  const std::vector<Case> cases = {{500, 20, {}},
                                   {20, 400, {}},
                                   {3000, 600, {.components = 3, .tolerance = 1e-4}},
                                   {300, 30, {.components = variance_fraction(0.9)}},
                                   {300, 30, {.solver = Solver::svd}},
                                   {100, 30, {.solver = Solver::gram}},
                                   {300, 30, {.components = 2, .solver = Solver::randomized}},
                                   {300, 30, {.scale = Scale::std}},
                                   {1000, 30, {.memory = 2 << 20}}};
  for (Case c : cases) {
    c.options.threads = 2;
    const Matrix<double> x = cloud(c.rows, c.columns);
    SCOPED_TRACE(c.rows);
    expect_as_planned(plan(x, c.options), fit(x, c.options));
    ChunkedSource<double> source{Rows<double>(x), 64};
    const Plan p = plan(source, c.options);
    expect_as_planned(p, fit(source, c.options));
  }
}

TEST(PlanOfFit, M_L7_kernel_pca_does_what_was_planned) {
  const std::vector<FitOptions> options = {
      {.components = 3, .kernel = rbf},
      {.kernel = rbf},
      {.components = 3, .kernel = rbf, .solver = Solver::dense},
      {.components = 3, .kernel = rbf, .solver = Solver::krylov},
      {.components = 3, .kernel = rbf, .scale = Scale::std},
      {.components = 3, .kernel = rbf, .memory = 30 << 20},
      {.components = 3, .kernel = kernels::linear()},
      {.components = 3, .kernel = rbf, .approx = Cholesky{.rank = 40}},
      {.components = 3, .kernel = rbf, .approx = Nystrom{.landmarks = 40}},
      {.components = 3, .kernel = rbf, .approx = Fourier{.features = 64}}};
  for (const Index rows : {100, 900})
    for (FitOptions o : options) {
      o.threads = 2;
      const Matrix<double> x = cloud(rows, 5);
      SCOPED_TRACE(o.kernel->text());
      expect_as_planned(plan(x, o), fit(x, o));
      ChunkedSource<double> source{Rows<double>(x), 64};
      const Plan p = plan(source, o);
      expect_as_planned(p, fit(source, o));
    }
}

TEST(PlanOfFit, M_L7_a_map_is_planned_by_its_features) {
  const Matrix<double> x = cloud(400, 4);
  const auto map = polynomial_map<double>(4, 3);
  const auto source = from_memory(Rows<double>(x));
  const Plan p = plan(*source, map, {});
  EXPECT_EQ(p.facts.columns, static_cast<double>(map->features()));
  expect_as_planned(p, fit(*source, map, {}));
}

TEST(PlanOfFit, M_L7_rows_that_do_not_fit_are_streamed_as_planned) {
  const Matrix<double> x = cloud(20000, 16);  // 2.4 MiB
  const FitOptions options{.memory = 4 << 20, .threads = 1};
  ChunkedSource<double> source{Rows<double>(x), 1000};
  const Plan p = plan(source, options);
  EXPECT_TRUE(p.streamed());
  expect_as_planned(p, fit(source, options));
}

TEST(PlanOfFit, the_means_of_rows_are_of_the_pass_that_checks_them) {
  std::vector<std::string> stages;
  const Matrix<double> x = cloud(60, 3);
  fit(x, {.components = 2, .kernel = rbf, .monitor = [&](const Progress& now) {
            if (stages.empty() || stages.back() != now.what) stages.emplace_back(now.what);
            return true;
          }});
  EXPECT_EQ(std::ranges::count(stages, "means"), 0);
}

// N²/2 kernel values, those below the diagonal of its tiles, and 64 columns to begin with: what a
// fit with the scores of its rows evaluates.
TEST(PlanOfFit, M_D2_scores_of_the_rows_cost_no_kernel_value) {
  for (const Index n : {900, 2000})
    for (const Solver solver : {Solver::dense, Solver::krylov}) {
      const Matrix<double> x = cloud(n, 5);
      const std::uint64_t before = evaluated_pairs();
      const auto model = fit(x, {.components = 4, .kernel = rbf, .solver = solver});
      const Matrix<double> scores = model.training_scores();
      const auto values = static_cast<double>(evaluated_pairs() - before);
      const auto rows = static_cast<double>(n);
      EXPECT_EQ(scores.rows(), n);
      EXPECT_LE(values, rows * rows / 2 + rows * (256.0 / 2 + 64 + 64)) << n;
      EXPECT_GE(values, rows * rows / 2);
      EXPECT_LT((scores - model.transform(x)).cwiseAbs().maxCoeff(), 1e-7);
    }
}

}  // namespace mercer::test::plan_fit_test
