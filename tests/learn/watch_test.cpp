// What a stream tells of components while it passes by.
#include "learn/theory/watch.hpp"

#include <mercer/hebbian.hpp>

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::watch_test {

TEST(Watch, M_P7_at_most_a_twentieth_of_the_bounds_miss) {
  // Rows of independent columns: the components are the axes.
  const Vector<double> deviations{{3, 2.4, 1, 0.7, 0.5, 0.5}};
  constexpr int runs = 400;
  constexpr Index rows = 2048, k = 2;
  int missed = 0;
  for (int run = 0; run < runs; ++run) {
    test::Random random(static_cast<std::uint64_t>(run));
    Watch watch(k, 6, LearnedMean::running, static_cast<std::uint64_t>(run));
    const Vector<double> mean = Vector<double>::Zero(6);
    const Matrix<double> b = Matrix<double>::Identity(k, 6);
    for (int window = 0; window < 2; ++window) {  // the first finds the test vectors
      const Matrix<double> x = random.normal(rows, 6) * deviations.asDiagonal();
      for (Index i = 0; i < rows; ++i) watch.add(x.row(i).data(), 1, mean);
      if (window == 0) watch.restart(b, rows);
    }
    const Verdict v = watch.verdict(b);
    ASSERT_EQ(v.angles.size(), k);
    // The components are where they should be: the place that was found is off by its error.
    bool outside = false;
    for (Index j = 0; j < k; ++j) {
      outside = outside || v.angles[j] > v.bounds[j];
      EXPECT_LT(v.bounds[j], 15);
      EXPECT_NEAR(v.values[j], deviations[j] * deviations[j], 2 * v.errors[j]);
    }
    missed += outside;
  }
  // 5 % of 400 runs, and three standard errors.
  EXPECT_LE(missed, 20 + 3 * std::sqrt(400 * 0.05 * 0.95));
}

TEST(Watch, M_P7_components_elsewhere_are_seen_to_be) {
  test::Random random(5);
  Watch watch(1, 5, LearnedMean::running, 1);
  const Matrix<double> wrong = Matrix<double>::Identity(5, 5).row(1);
  EXPECT_EQ(watch.verdict(wrong).largest(), 90);  // nothing is known yet
  for (int window = 0; window < 3; ++window) {
    Matrix<double> x = random.normal(4000, 5) * Vector<double>{{2, 1, 1, 1, 1}}.asDiagonal();
    x.array() += 1e6;  // far from 0
    for (Index i = 0; i < x.rows(); ++i) watch.add(x.row(i).data(), 1, Vector<double>::Zero(5));
    const Verdict v = watch.verdict(wrong);
    EXPECT_GT(v.largest(), 45);
    if (window > 0) {
      EXPECT_NEAR(v.values[0], 4, v.errors[0]);
    }
    watch.restart(wrong, 4000 * (window + 1));
  }
}

TEST(Watch, M_P7_a_learner_that_is_watched_knows_when_it_has_converged) {
  test::Random random(6);
  const Vector<double> deviations{{3, 2, 1, 0.5}};
  const auto run = [&](const char* rule) {
    Hebbian neurons(identity_map<double>(4),
                    {.rule = rule, .components = 2, .rate = Rate::constant(1e-9), .watch = true});
    Convergence last;
    for (int look = 0; look < 4; ++look) {
      const Matrix<double> x = random.normal(20000, 4) * deviations.asDiagonal();
      neurons.update(x);
      last = neurons.look();
    }
    return last;
  };
  const Convergence there = run("ccipca");  // which has no rate
  EXPECT_EQ(there.state, LearnState::converged) << there.text;
  EXPECT_LE(there.angle, 2);
  EXPECT_NEAR(there.variances[0], 9, there.errors[0]);
  const Convergence still = run("gha");
  EXPECT_EQ(still.state, LearnState::not_moving) << still.text;
  EXPECT_FALSE(still.converged);
  EXPECT_GT(still.angle, 2);
}

}  // namespace mercer::watch_test
