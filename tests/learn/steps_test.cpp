// How many steps a run takes: sums of rates, the time of the ODE, and runs beside them.

#include "learn/learning.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::test::steps_test {

/// Rows ±√2a_i e_i: R = diag(a_1², a_2²) exactly, about the mean 0.
Matrix<double> plane(double first, double second) {
  Matrix<double> x = Matrix<double>::Zero(4, 2);
  x(0, 0) = std::sqrt(2 * first);
  x(1, 0) = -x(0, 0);
  x(2, 1) = std::sqrt(2 * second);
  x(3, 1) = -x(2, 1);
  return x;
}

LearnOptions from_45_degrees(const std::string& rate) {
  LearnOptions o = gha(1);
  o.learner.rule = "oja";
  o.learner.rate = Rate::parse(rate);
  o.learner.start = Matrix<double>::Ones(1, 2);
  o.epochs = 1;
  o.theorem = true;
  return o;
}

TEST(Steps, M_T6_a_sum_of_rates_is_inverted_exactly) {
  for (const char* text : {"1/n", "power(c=2,t0=100,a=0.75)", "power(c=0.3,t0=0.5,a=1)",
                           "power(c=5,a=1.3)", "power(c=1,a=0)", "constant(0.01)"}) {
    const Rate rate = Rate::parse(text);
    RateRun run(rate);
    long double sum = 0;
    for (std::int64_t n = 1; n <= 300'000; ++n) {
      const double eta = run.next({});
      sum += eta;
      if (n % 9973 != 0 && n > 20) continue;
      EXPECT_EQ(rate.steps(static_cast<double>(sum - 0.5L * eta)), static_cast<double>(n)) << text;
    }
  }
  EXPECT_EQ(Rate::harmonic().steps(0), 0);
  EXPECT_TRUE(std::isinf(Rate::parse("power(c=1,a=2)").steps(1.65)));  // ζ(2) = 1.6449…
  EXPECT_LT(Rate::parse("power(c=1,a=2)").steps(1.6449), 1e6);
  EXPECT_TRUE(std::isnan(Rate::automatic().steps(1)));
}

TEST(Steps, M_T6_a_sum_of_1e14_terms_is_that_of_the_asymptotic_series) {
  // H_n = ln n + γ + 1/2n − 1/12n² + …
  for (const double n : {1e9, 1e14, 1e15}) {
    const long double h = std::log(static_cast<long double>(n)) + 0.57721566490153286061L +
                          1 / (2 * static_cast<long double>(n));
    EXPECT_NEAR(Rate::harmonic().steps(static_cast<double>(h)) / n, 1, 1e-14 + 4e-16 * 35 * 2);
  }
}

TEST(Steps, M_T6_one_over_n_takes_1e14_steps_on_the_two_clouds) {
  const double first = 0.14425, second = 0.02161;
  LearnOptions o = from_45_degrees("1/n");
  StepPrediction told;
  std::int64_t steps = 0;
  o.on_prediction = [&](const StepPrediction& p, std::int64_t n) {
    told = p;
    steps = n;
  };
  const Learned learned = learn(Rows<double>(plane(first, second)), o);
  const StepPrediction& p = *learned.prediction;
  EXPECT_NEAR(p.start_angle, 45, 1e-9);
  const double t = -std::log(std::tan(M_PI / 180)) / (first - second);
  EXPECT_NEAR(p.time, t, 1e-9 * t);
  EXPECT_NEAR(p.steps / std::exp(t - 0.5772156649015329), 1, 1e-9);
  EXPECT_GT(p.steps, 1e14);
  EXPECT_LT(p.steps, 2e14);
  EXPECT_EQ(told.steps, p.steps);  // before the run
  EXPECT_EQ(steps, 4);
  EXPECT_FALSE(learned.reached);
  // The rate that is proposed keeps what is promised: on clouds, not only on four rows.
  ASSERT_FALSE(p.better_rate.empty());
  EXPECT_LT(p.better_steps, 1e5);
  EXPECT_EQ(Rate::parse(p.better_rate).steps(p.time), p.better_steps);
  Random random(11);
  Vector<double> deviations(2);
  deviations << std::sqrt(first), std::sqrt(second);
  const Matrix<double> clouds = rows_with_deviations(random, 2000, deviations, 0);
  LearnOptions better = from_45_degrees(p.better_rate);
  better.until_angle = 1;
  better.epochs = 20;
  const Learned fast = learn(Rows<double>(clouds), better);
  EXPECT_EQ(fast.stop, LearnStop::angle);
  ASSERT_TRUE(fast.reached);
  EXPECT_LT(static_cast<double>(*fast.reached), 3 * fast.prediction->steps);
}

TEST(Steps, M_T6_the_prediction_is_when_the_ode_gets_there) {
  const Matrix<double> x = cloud(300);
  for (const char* rate : {"constant(0.0002)", "power(c=0.05,t0=20,a=0.8)"}) {
    LearnOptions o = gha(1);
    o.learner.rate = Rate::parse(rate);
    o.theory = true;
    o.theorem = true;
    o.trace_every = 1;
    o.epochs = 60;
    std::int64_t first = 0;
    o.trace.row = [&](const TraceRow& row) {
      if (first == 0 && row.modes[0].ode_angle <= 1) first = row.step;
    };
    const Learned learned = learn(Rows<double>(x), o);
    EXPECT_NEAR(learned.prediction->steps, static_cast<double>(first), 1) << rate;
    ASSERT_TRUE(learned.reached) << rate;
    EXPECT_NEAR(static_cast<double>(*learned.reached) / learned.prediction->steps, 1, 0.5) << rate;
  }
}

TEST(Steps, M_T6_rates_that_follow_the_rows_are_predicted_along_the_ode) {
  const double first = 0.14425, second = 0.02161;
  for (const char* rate : {"auto", "adaoja(5)"}) {
    const StepPrediction p =
        *learn(Rows<double>(plane(first, second)), from_45_degrees(rate)).prediction;
    // Step by step, with the mean of y²‖x‖² over the four rows.
    double t = 0, sum = 0;
    int n = 0;
    while (t < p.time) {
      const double ratio = std::exp(2 * (second - first) * t), share = 1 / (1 + ratio);
      sum += 2 * first * first * share + 2 * second * second * (1 - share);
      ++n;
      t += std::string(rate) == "auto" ? 12 / std::sqrt(sum / n) / std::pow(n + 200.0, 0.8)
                                       : 1 / std::sqrt(25 + sum);
    }
    EXPECT_NEAR(p.steps / n, 1, 0.03) << rate << " " << n;
  }
}

TEST(Steps, M_T6_the_prediction_of_auto_is_near_its_run) {
  LearnOptions o = gha(1);
  o.until_angle = 5;
  o.epochs = 20;
  const Learned learned = learn(Rows<double>(cloud(2000)), o);
  ASSERT_TRUE(learned.reached);
  const double ratio = static_cast<double>(*learned.reached) / learned.prediction->steps;
  EXPECT_GT(ratio, 0.25);
  EXPECT_LT(ratio, 4);
}

TEST(Steps, M_T6_until_angle_stops_at_the_first_step_within_it) {
  const Matrix<double> x = cloud(500);
  for (const Index k : {1, 2}) {
    LearnOptions o = gha(k);
    o.theory = true;
    o.trace_every = 1;
    o.epochs = 20;
    std::int64_t first = 0;
    o.trace.row = [&](const TraceRow& row) {
      double largest = 0;
      for (Index j = 0; j < k; ++j)
        largest = std::max(largest, row.modes[static_cast<std::size_t>(j)].angle);
      if (first == 0 && largest <= 3) first = row.step;
    };
    learn(Rows<double>(x), o);
    ASSERT_GT(first, 0);
    o.trace.row = {};
    o.theory = false;
    o.until_angle = 3;
    const Learned learned = learn(Rows<double>(x), o);
    EXPECT_EQ(learned.stop, LearnStop::angle);
    EXPECT_EQ(learned.steps, first);
    EXPECT_EQ(learned.reached, first);
  }
  LearnOptions bad = gha(1);
  bad.until_angle = 95;
  EXPECT_HAS(error_of([&] { learn(Rows<double>(x), bad); }).what(), "`until_angle=95`");
}

TEST(Steps, M_T6_a_constant_that_never_ends_is_said_to_be_infinite) {
  LearnOptions o = from_45_degrees("power(c=1,a=2)");
  const StepPrediction p = *learn(Rows<double>(plane(0.2, 0.1)), o).prediction;
  EXPECT_TRUE(std::isinf(p.steps));
  EXPECT_HAS(p.why, "stays below");
}

TEST(Steps, M_T6_weights_of_rows_count_as_often_as_they_say) {
  const Matrix<double> x = cloud(300);
  for (const char* rate : {"constant(0.0002)", "power(c=0.05,t0=20,a=0.8)", "1/n"}) {
    for (const double weight : {0.5, 10.0}) {
      LearnOptions o = gha(1);
      o.learner.rate = Rate::parse(rate);
      o.learner.limit = 1;
      o.theorem = true;
      o.epochs = 1;
      const std::vector<double> weights(300, weight);
      const StepPrediction p = *learn(Rows<double>(x), o, weights).prediction;
      // The steps of the schedule itself.
      RateRun run(o.learner.rate);
      double sum = 0, n = 0;
      while (sum < p.time && n < 1e6) {
        sum += weight * run.next({.weight = weight});
        ++n;
      }
      EXPECT_NEAR(p.steps, n, 1) << rate << " " << weight;
    }
  }
}

TEST(Steps, M_T6_an_angle_that_holds_at_once_ends_the_run_with_a_model) {
  const Matrix<double> x = cloud(100);
  for (const bool exact : {false, true}) {
    LearnOptions o = gha(1);
    o.learner.rule = "oja";
    o.learner.rate = Rate::constant(1e-4);
    o.epochs = 2;
    o.until_angle = 89;
    if (exact) {
      o.learner.start = fit(Rows<double>(x), {.components = 1}).components();
      o.until_angle = 5;
    }
    const Learned learned = learn(Rows<double>(x), o);
    EXPECT_EQ(learned.stop, LearnStop::angle);
    EXPECT_LE(learned.rows, exact ? 2 : 5);
    EXPECT_GT(learned.model.report().total_variance, 0);
  }
}

}  // namespace mercer::test::steps_test
