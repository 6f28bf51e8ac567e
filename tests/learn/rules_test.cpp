// E1 to E4 of the rules, one by one.
#include <mercer/hebbian.hpp>

#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::rules_test {

using test::error_of;

/// Centred rows whose covariance (over N) is exactly diag(4, 1, 0.25), rotated by `axes`.
struct Cloud {
  Matrix<double> x, axes;
};
Cloud cloud(Index n, std::uint64_t seed) {
  test::Random random(seed);
  Matrix<double> z = random.normal(n, 3);
  z.rowwise() -= z.colwise().mean().eval();
  const Eigen::MatrixXd q =
      Eigen::HouseholderQR<Eigen::MatrixXd>(z).householderQ() * Eigen::MatrixXd::Identity(n, 3);
  Cloud c;
  c.axes = random.rotation(3);
  c.x = std::sqrt(static_cast<double>(n)) * q * Vector<double>{{2, 1, 0.5}}.asDiagonal() * c.axes;
  return c;
}

Hebbian learner(const std::string& rule, const Rate& rate, Index k = 1) {
  return Hebbian(identity_map<double>(3),
                 {.rule = rule, .components = k, .rate = rate, .centre = LearnedMean::none});
}

TEST(Hebb, M_E1_weights_grow_like_e_to_the_lambda_1_t_until_they_are_stopped) {
  const Cloud c = cloud(400, 1);
  Hebbian hebb = learner("hebb", Rate::constant(0.0005));
  // ln‖w‖ over t, once the first component prevails.
  double t0 = 0, log0 = 0;
  const Error error = error_of([&] {
    for (int e = 0; e < 1000; ++e) {
      hebb.update(c.x);
      const double norm = hebb.weights().norm();
      if (norm < 100) t0 = hebb.time(), log0 = std::log(norm);
      // Each row adds η²y²‖x‖²/2 beyond the mean flow: a relative error of about η·tr R, 0.3 %.
      if (norm > 1e4) ASSERT_NEAR((std::log(norm) - log0) / (hebb.time() - t0), 4, 0.04);
    }
  });
  EXPECT_EQ(error.code(), Errc::not_converged);
  EXPECT_HAS(error.what(), "plain Hebb is unbounded");
  EXPECT_HAS(error.what(), "lambda_1 = ");
  EXPECT_LT(hebb.weights().norm(), 2e6);  // at once, not when numbers run out
  const std::string text = error.what();
  const auto number_after = [&](const char* mark) {
    return std::stod(text.substr(text.find(mark) + std::string(mark).size()));
  };
  EXPECT_NEAR(number_after("e^("), 4, 0.1);
  EXPECT_NEAR(number_after("lambda_1 = "), 4, 0.1);
}

TEST(HebbNormalized, M_E2_the_norm_is_1_after_every_step) {
  const Cloud c = cloud(100, 2);
  Hebbian hebb = learner("hebb-normalized", Rate::constant(0.3));
  for (Index i = 0; i < 100; ++i) {
    hebb.update(Rows<double>(c.x).middle(i, 1));
    ASSERT_NEAR(hebb.weights().norm(), 1, 1e-15 * 4);
  }
}

TEST(Oja, M_E3_agrees_with_normalised_hebb_to_second_order_in_the_rate) {
  const Cloud c = cloud(50, 3);
  std::vector<double> gaps;
  for (const double eta : {0.02, 0.01, 0.005, 0.0025}) {
    double gap = 0;
    for (Index i = 0; i < 50; ++i) {
      Hebbian oja = learner("oja", Rate::constant(eta));
      Hebbian hebb = learner("hebb-normalized", Rate::constant(eta));
      oja.update(Rows<double>(c.x).middle(i, 1));  // one step from the same weights
      hebb.update(Rows<double>(c.x).middle(i, 1));
      gap += (oja.weights() - hebb.weights()).norm();
    }
    gaps.push_back(gap);
  }
  for (std::size_t i = 1; i < gaps.size(); ++i)
    EXPECT_NEAR(std::log2(gaps[i - 1] / gaps[i]), 2, 0.1);  // the next order is η³
}

TEST(Oja, M_E3_finds_the_first_direction_with_length_1_and_its_variance) {
  const Cloud c = cloud(300, 4);
  for (const std::uint64_t seed : {1, 2, 3}) {
    Hebbian oja(identity_map<double>(3), {.rule = "oja",
                                          .rate = Rate::power(0.5, 50, 0.8),
                                          .centre = LearnedMean::none,
                                          .seed = seed});
    for (int e = 0; e < 60; ++e) oja.update(c.x);
    // Within an epoch weights wander by about η N^½ λ₁ = 0.01; the square of that is lost.
    EXPECT_GT(std::abs(oja.weights().row(0).dot(c.axes.row(0))), 1 - 1e-3);
    EXPECT_NEAR(oja.weights().norm(), 1, 1e-2);
    EXPECT_NEAR(oja.output_variances()[0], 4, 0.04);
    EXPECT_NEAR(oja.model().explained_variance()[0], 4, 0.04);
    EXPECT_NEAR(oja.total_variance(), 5.25, 1e-6);
  }
}

TEST(Gha, M_E4_is_sangers_rule_step_by_step) {
  const Cloud c = cloud(40, 5);
  Hebbian gha = learner("gha", Rate::power(0.2, 10, 0.8), 3);
  Matrix<double> w = gha.weights();
  gha.update(c.x);
  for (Index i = 0; i < 40; ++i) {
    const double eta = 0.2 * std::pow(static_cast<double>(i + 11), -0.8);
    const Vector<double> y = w * c.x.row(i).transpose();
    const Matrix<double> old = w;
    for (Index j = 0; j < 3; ++j) {
      Eigen::RowVectorXd rest = c.x.row(i);
      for (Index l = 0; l <= j; ++l) rest -= y[l] * old.row(l);
      w.row(j) += eta * y[j] * rest;
    }
  }
  EXPECT_LT((gha.weights() - w).norm(), 1e-13);
}

TEST(Gha, M_E4_mini_batches_average_the_rule) {
  const Cloud c = cloud(60, 6);
  Hebbian gha(identity_map<double>(3),
              {.rule = "gha", .components = 2, .rate = Rate::constant(0.1), .batch = 20});
  Matrix<double> w = gha.weights();
  gha.update(Matrix<double>(c.x.array() + 5));
  Matrix<double> seen(0, 3);
  for (Index b = 0; b < 3; ++b) {
    const Matrix<double> all = (c.x.topRows(20 * (b + 1)).array() + 5).matrix();
    const Eigen::RowVectorXd mean = all.colwise().mean();
    const Matrix<double> x = all.bottomRows(20).rowwise() - mean;
    const Matrix<double> y = x * w.transpose();
    const Matrix<double> yy = y.transpose() * y / 20;
    Matrix<double> lower = Matrix<double>::Zero(2, 2);
    lower << yy(0, 0), 0, yy(1, 0), yy(1, 1);
    w += 0.1 * (y.transpose() * x / 20 - lower * w);
  }
  EXPECT_LT((gha.weights() - w).norm(), 1e-13);
  EXPECT_LT((gha.mean().transpose() - (c.x.array() + 5).colwise().mean().matrix()).norm(), 1e-13);
}

TEST(Gha, M_E4_a_drifting_stream_is_followed_when_the_past_is_forgotten) {
  const Cloud before = cloud(3000, 7), after = cloud(3000, 8);
  const auto run = [&](double forgetting) {
    Hebbian gha(identity_map<double>(3), {.rule = "oja", .forgetting = forgetting});
    for (int e = 0; e < 10; ++e) gha.update(before.x);
    gha.update(after.x);
    return std::abs(gha.weights().row(0).normalized().dot(after.axes.row(0)));
  };
  EXPECT_GT(run(0.01), 0.98);
  EXPECT_LT(run(0), run(0.01));
}

TEST(Ccipca, constant_columns_and_first_rows_at_right_angles_do_not_trap_it) {
  const Cloud c = cloud(2000, 12);
  Matrix<double> x(2004, 5);
  x.setZero();
  x.block(0, 2, 3, 3).setIdentity();  // and a row of zeros
  x.bottomRightCorner(2000, 3) = c.x;
  for (const LearnedMean centre : {LearnedMean::none, LearnedMean::running}) {
    Hebbian ccipca(identity_map<double>(5), {.rule = "ccipca", .components = 3, .centre = centre});
    for (int e = 0; e < 5; ++e) ccipca.update(x);
    for (Index j = 0; j < 3; ++j)
      EXPECT_GT(std::abs(ccipca.weights().row(j).tail(3).dot(c.axes.row(j))), 0.99) << j;
  }
}

TEST(Hebbian, threads_share_large_mini_batches_without_changing_a_bit) {
  test::Random random(11);
  const Matrix<double> x = random.normal(2100, 128);
  const auto run = [&](int threads) {
    Hebbian gha(identity_map<double>(128),
                {.rule = "gha", .components = 16, .batch = 2048, .threads = threads});
    gha.update(x);
    return gha.save_state();
  };
  const std::string one = run(1);
  for (const int threads : {2, 3, 8}) EXPECT_EQ(run(threads), one);
}

TEST(Hebbian, a_rate_that_is_too_large_is_stopped_at_once_with_advice) {
  const Cloud c = cloud(500, 9);
  for (const Index batch : {1, 50})
    for (const char* rule : {"oja", "gha"}) {
      Hebbian wild(identity_map<double>(3),
                   {.rule = rule, .rate = Rate::constant(30), .batch = batch});
      const Error error = error_of([&] {
        for (int e = 0; e < 100; ++e) wild.update(c.x);
      });
      EXPECT_EQ(error.code(), Errc::not_converged);
      EXPECT_HAS(error.what(), "step ");
      EXPECT_HAS(error.what(), "rate 30");
      EXPECT_HAS(error.what(), "auto");
      EXPECT_LT(wild.steps(), 20) << rule << batch;
    }
}

TEST(Hebbian, convergence_is_seen_when_it_is_there_and_not_before) {
  const Cloud c = cloud(500, 10);
  for (const bool watch : {false, true}) {
    Hebbian gha(identity_map<double>(3), {.components = 2, .watch = watch});
    EXPECT_EQ(gha.look().state, LearnState::moving);
    gha.update(Rows<double>(c.x).middle(0, 20));
    EXPECT_FALSE(gha.look().converged);
    for (int e = 0; e < 60; ++e) gha.update(c.x);
    gha.look();
    for (int e = 0; e < 60; ++e) gha.update(c.x);
    const Convergence there = gha.look();
    EXPECT_LT(there.angle_change, 0.5);
    // That it does not move any more is all that is known without watching the rows.
    EXPECT_EQ(there.state, watch ? LearnState::converged : LearnState::not_moving) << there.text;
    EXPECT_EQ(there.converged, watch);
    EXPECT_HAS(there.text, watch ? "converged: " : "not estimated");
    EXPECT_EQ(there.angle < 2, watch);
  }
}

}  // namespace mercer::rules_test
