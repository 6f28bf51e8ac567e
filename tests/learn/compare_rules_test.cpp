// Normalised Hebb against Oja on the same rows.

#include "learn/learning.hpp"
#include "support/errors.hpp"

#include <mercer/compare_rules.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::test::compare_rules_test {

LearnOptions at(double rate) {
  LearnOptions o = gha(1);
  o.learner.rate = Rate::constant(rate);
  o.order = Order::as_it_comes;
  o.epochs = 2;
  return o;
}

TEST(CompareRules, M_T8_half_the_rate_is_a_quarter_of_the_gap_per_step) {
  const Matrix<double> x = cloud(500);
  const auto coarse = compare_rules(Rows<double>(x), "hebb-normalized", "oja", at(2e-5));
  const auto fine = compare_rules(Rows<double>(x), "hebb-normalized", "oja", at(1e-5));
  EXPECT_EQ(coarse.steps, 1000);
  EXPECT_GT(coarse.mean_gap_per_step, 0);
  EXPECT_NEAR(coarse.mean_gap_per_step / fine.mean_gap_per_step, 4, 0.3);
  EXPECT_NEAR(coarse.scaled_gap / fine.scaled_gap, 1, 0.08);
  // The term of second order that Oja's rule leaves out.
  EXPECT_NEAR(fine.scaled_gap / fine.expected_gap, 1, 0.02);
  // After the same time, twice as many steps of a quarter each: runs are apart by O(η).
  LearnOptions longer = at(1e-5);
  longer.epochs = 4;
  const auto slow = compare_rules(Rows<double>(x), "hebb-normalized", "oja", longer);
  EXPECT_NEAR(slow.time, coarse.time, 1e-12);
  EXPECT_GT(coarse.largest_gap / slow.largest_gap, 1.4);
  EXPECT_LT(coarse.largest_gap / slow.largest_gap, 2.8);
  EXPECT_LT(fine.angle, 1);
}

TEST(CompareRules, M_T8_the_first_step_is_that_of_the_formulas) {
  Matrix<double> x(2, 2);
  x << 1, 2, -1, 0.5;
  LearnOptions o = at(0.1);
  o.epochs = 1;
  o.learner.centre = LearnedMean::none;
  o.learner.start = Matrix<double>(1, 2);
  o.learner.start << 0.6, 0.8;
  const auto result = compare_rules(Rows<double>(x), "hebb-normalized", "oja", o);
  const Eigen::RowVector2d w(0.6, 0.8), row(1, 2);
  const double y = w.dot(row);
  const Eigen::RowVector2d hebb = (w + 0.1 * y * row).normalized(),
                           oja = w + 0.1 * y * (row - y * w);
  EXPECT_NEAR(result.trace[0].gap_per_step, (hebb - oja).norm(), 1e-15);
  EXPECT_NEAR(result.trace[0].gap, (hebb - oja).norm(), 1e-15);
  EXPECT_NEAR(result.trace[0].first_norm, 1, 1e-15);
  EXPECT_EQ(result.steps, 2);
}

TEST(CompareRules, M_T8_rows_and_first_weights_are_those_of_learn) {
  const Matrix<double> x = cloud(100);
  LearnOptions o = at(1e-3);
  o.order = Order::shuffled;
  const auto result = compare_rules(Rows<double>(x), "oja", "gha", o);
  EXPECT_EQ(result.largest_gap, 0);  // one neuron of gha is Oja's
  EXPECT_TRUE(std::isnan(result.expected_gap));
  o.learner.rule = "oja";
  const Learned learned = learn(Rows<double>(x), o);
  EXPECT_NEAR(result.trace.back().first_norm, learned.trace.back().norm, 1e-12);
  EXPECT_NEAR(result.time, learned.time, 1e-12);
}

TEST(CompareRules, M_T8_what_cannot_be_compared_is_refused) {
  const Matrix<double> x = cloud(50);
  const auto refused = [&](const std::string& a, const std::string& b, LearnOptions o) {
    return std::string(error_of([&] { compare_rules(Rows<double>(x), a, b, o); }).what());
  };
  EXPECT_HAS(refused("oja", "ccipca", at(1e-3)), "`rule=ccipca` has no rate");
  EXPECT_HAS(refused("oja", "ojaa", at(1e-3)), "ojaa");
  LearnOptions batches = at(1e-3);
  batches.learner.batch = 10;
  EXPECT_HAS(refused("oja", "gha", batches), "row by row");
  LearnOptions two = at(1e-3);
  two.learner.components = 2;
  EXPECT_HAS(refused("gha", "oja", two), "one component");
  EXPECT_HAS(refused("oja", "hebb", at(10)), "diverge");
}

}  // namespace mercer::test::compare_rules_test
