// First weights, the weights in the trace, and the divisor of variances.

#include "learn/learning.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace mercer::test::start_test {

LearnOptions oja(const std::string& rate = "power(c=0.05,t0=20)") {
  LearnOptions o = gha(1);
  o.learner.rule = "oja";
  o.learner.rate = Rate::parse(rate);
  o.epochs = 5;
  return o;
}

std::string refused(const LearnOptions& o) {
  return error_of([&] { learn(Rows<double>(cloud(50)), o); }).what();
}

TEST(Start, M_T7_the_first_weights_are_those_given) {
  LearnOptions o = oja();
  o.learner.start = Matrix<double>::Zero(1, 4);
  o.learner.start << 0.3, -2, 0, 1;
  o.trace_weights = true;
  std::vector<TraceRow> rows;
  o.trace.row = [&](const TraceRow& row) { rows.push_back(row); };
  const Learned learned = learn(Rows<double>(cloud(50)), o);
  EXPECT_EQ(rows[0].step, 0);
  EXPECT_EQ(rows[0].weights, o.learner.start);
  EXPECT_EQ(rows[0].norm, o.learner.start.norm());
  EXPECT_EQ(rows.back().step, 250);
  EXPECT_NEAR(rows.back().weights.row(0).norm(), rows.back().norm, 1e-15);
  EXPECT_EQ(learned.trace.front().step, 0);
  const Hebbian fresh(identity_map<double>(4), o.learner);
  EXPECT_EQ(fresh.weights(), o.learner.start);
  LearnerOptions longer{.rule = "gha", .components = 2, .start_norm = 2};
  const Matrix<double> w = Hebbian(identity_map<double>(4), longer).weights();
  EXPECT_NEAR(w.row(0).norm(), 2, 1e-14);
  EXPECT_NEAR(w.row(1).norm(), 2, 1e-14);
  EXPECT_NEAR(w.row(0).dot(w.row(1)), 0, 1e-14);
}

TEST(Start, M_T7_from_outside_the_unit_ball_the_norm_falls_to_1) {
  LearnOptions o = oja("constant(0.0005)");
  o.learner.start_norm = 3;
  o.theory = true;
  o.trace_every = 20;
  const Learned learned = learn(Rows<double>(cloud(400)), o);
  double before = 3;
  for (const TraceRow& row : learned.trace) {
    EXPECT_LT(row.ode_norm, before + 1e-12);  // monotone from outside, by ‖w‖² > 1
    before = row.ode_norm;
  }
  EXPECT_NEAR(learned.trace.back().norm, 1, 0.02);
  EXPECT_LT(learned.theory->angles[0], 12);
}

TEST(Start, M_T7_a_start_in_the_span_of_q2_stays_there_in_the_ode_and_not_in_the_run) {
  const Matrix<double> x = cloud(400);
  const auto exact = fit(Rows<double>(x));
  LearnOptions o = oja("constant(0.002)");
  o.learner.start = exact.components().row(1);
  o.theory = true;
  o.theorem = true;
  o.epochs = 20;
  const Learned learned = learn(Rows<double>(x), o);
  for (const TraceRow& row : learned.trace) {
    EXPECT_EQ(row.modes[0].ode_theta, 0);  // exactly, at every time
    EXPECT_NEAR(row.modes[0].ode_angle, 90, 1e-9);
    EXPECT_NEAR(std::abs(row.modes[1].ode_theta), 1, 1e-9);
  }
  EXPECT_LT(learned.theory->angles[0], 25);  // the run left by its noise
  EXPECT_TRUE(std::isinf(learned.prediction->time));
  EXPECT_HAS(learned.prediction->why, "orthogonal to q₁");
  EXPECT_HAS(learned.theorem->conditions[5].evidence, "left it by the noise of its rows");
}

TEST(Start, M_T7_rows_on_the_axes_have_no_noise_and_the_run_stays_too) {
  Matrix<double> x = Matrix<double>::Zero(4, 2);
  x << 2, 0, -2, 0, 0, 1, 0, -1;
  LearnOptions o = oja("constant(0.01)");
  o.learner.start = Matrix<double>::Zero(1, 2);
  o.learner.start(0, 1) = 1;
  o.learner.centre = LearnedMean::none;
  o.theorem = true;
  o.epochs = 100;
  const Learned learned = learn(Rows<double>(x), o);
  EXPECT_HAS(learned.theorem->conditions[5].evidence, "stayed too");
  EXPECT_EQ(learned.theorem->conditions[5].finding, Finding::violated);
}

TEST(Start, M_T7_bad_starts_are_named) {
  LearnOptions o = oja();
  o.learner.start = Matrix<double>::Zero(1, 4);
  EXPECT_HAS(refused(o), "`start`: the weights of component 1 are all 0");
  o.learner.start(0, 2) = std::nan("");
  EXPECT_HAS(refused(o), "weight 3 of component 1 is nan");
  o.learner.start = Matrix<double>::Ones(1, 3);
  EXPECT_HAS(refused(o), "`start` has 3 numbers per component, the rows have 4 features");
  o.learner.start = Matrix<double>::Ones(2, 4);
  EXPECT_HAS(refused(o), "`start` has 2 rows of weights for `components=1`");
  o.learner.start = Matrix<double>::Ones(1, 4);
  o.learner.limit = 0.5;
  EXPECT_HAS(refused(o), "beyond `limit=0.5`");
  o = gha(1);
  o.learner.rule = "ccipca";
  o.learner.start = Matrix<double>::Ones(1, 4);
  EXPECT_HAS(refused(o), "`start` requires another rule");
  o = oja();
  o.learner.start_norm = 0;
  EXPECT_HAS(refused(o), "`start_norm=0`");
  o.learner.start_norm = 1e-200;
  EXPECT_HAS(refused(o), "`start_norm=1e-200` must be from 1e-50 to 1000");
  o = oja();
  o.learner.start = Matrix<double>::Constant(1, 4, 1e-200);
  EXPECT_HAS(refused(o), "have length 2e-200; give a length from 1e-50 to 1000");
}

TEST(Start, M_T7_a_trace_with_weights_reads_back) {
  for (const Index k : {1, 3})
    for (const bool theory : {false, true}) {
      LearnOptions o = gha(k);
      o.trace_weights = true;
      o.theory = theory;
      o.epochs = 2;
      std::int64_t rows = 0;
      o.trace.row = [&](const TraceRow& row) {
        ++rows;
        const auto names = trace_columns(row);
        const auto values = trace_values(row);
        ASSERT_EQ(names.size(), values.size());
        EXPECT_EQ(names.back(), fmt::format("w{}_4", k));
        const TraceRow back = trace_row(values.data(), static_cast<Index>(row.modes.size()),
                                        static_cast<Index>(row.span_angles.size()), row.ode, k, 4);
        EXPECT_EQ(trace_values(back), values);
        EXPECT_EQ(back.weights, row.weights);
      };
      learn(Rows<double>(cloud(50)), o);
      EXPECT_GT(rows, 20);
    }
}

struct Died {};

TEST(Start, M_T7_M_T5_a_killed_run_resumes_with_its_weights_theorem_and_angle) {
  const Matrix<double> x = cloud(120);
  for (const double until : {0.0, 2.0}) {
    TempDir dir;
    LearnOptions o = gha(2);
    o.learner.start_norm = 2;
    o.trace_weights = true;
    o.theorem = true;
    o.until_angle = until;
    o.ddof = 1;
    o.epochs = 8;
    o.trace_every = 3;
    std::vector<std::vector<double>> whole, pieces;
    o.trace.row = [&](const TraceRow& row) { whole.push_back(trace_values(row)); };
    const Learned undisturbed = learn(Rows<double>(x), o);
    o.checkpoint = dir / "run.ckpt";
    o.checkpoint_every = 40;
    o.resume = true;
    std::size_t die_at = 3;
    o.trace.keep = [&](std::int64_t rows) { pieces.resize(static_cast<std::size_t>(rows)); };
    o.trace.row = [&](const TraceRow& row) {
      pieces.push_back(trace_values(row));
      if (pieces.size() == die_at) throw Died();
    };
    std::optional<Learned> resumed;
    while (!resumed) {
      try {
        resumed = learn(Rows<double>(x), o);
      } catch (const Died&) {
        die_at += 1 + die_at / 2;
      }
    }
    EXPECT_EQ(pieces, whole);
    EXPECT_EQ(resumed->steps, undisturbed.steps);
    EXPECT_EQ(resumed->stop, undisturbed.stop);
    EXPECT_EQ(resumed->reached, undisturbed.reached);
    EXPECT_EQ(resumed->model.components(), undisturbed.model.components());
    for (std::size_t i = 0; i < 6; ++i)
      EXPECT_EQ(resumed->theorem->conditions[i].evidence,
                undisturbed.theorem->conditions[i].evidence);
  }
}

TEST(Start, another_start_is_another_run) {
  TempDir dir;
  LearnOptions o = oja();
  o.checkpoint = dir / "run.ckpt";
  learn(Rows<double>(cloud(50)), o);
  o.resume = true;
  o.learner.start_norm = 2;
  EXPECT_HAS(refused(o), "its start is random of length 1, not random of length 2");
}

TEST(Start, M_T7_variances_have_the_divisor_that_is_asked_for) {
  const Matrix<double> x = cloud(60);
  LearnOptions o = gha(2);
  o.epochs = 3;
  const Model<double> over_n = learn(Rows<double>(x), o).model;
  o.ddof = 1;
  const Model<double> less = learn(Rows<double>(x), o).model;
  EXPECT_EQ(over_n.report().ddof, 0);
  EXPECT_EQ(less.report().ddof, 1);
  for (Index j = 0; j < 2; ++j)
    EXPECT_NEAR(less.explained_variance()[j] / over_n.explained_variance()[j], 60.0 / 59, 1e-13);
  EXPECT_NEAR(less.report().total_variance / over_n.report().total_variance, 60.0 / 59, 1e-13);
  EXPECT_NEAR(less.report().total_variance, fit(Rows<double>(x)).report().total_variance, 1e-9);
  EXPECT_NEAR(less.explained_variance_ratio()[0], over_n.explained_variance_ratio()[0], 1e-13);
  o.ddof = 2;
  EXPECT_HAS(refused(o), "`ddof=2` must be 0 or 1");
}

}  // namespace mercer::test::start_test
