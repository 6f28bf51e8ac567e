// "Converged" means near the components of the rows, "not moving" does not.

#include "learn/learning.hpp"
#include "support/chunked_source.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <mercer/error.hpp>
#include <mercer/learn.hpp>

#include <algorithm>
#include <cmath>

namespace mercer::test::learn_convergence_test {

/// Scatter of centred rows, decomposed by itself.
struct Truth {
  Eigen::VectorXd values;  // of the scatter matrix, descending
  Matrix<double> vectors;  // rows
};
Truth truth(const Matrix<double>& x) {
  using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Wide z = x.cast<long double>();
  z.rowwise() -= z.colwise().mean().eval();
  const Eigen::SelfAdjointEigenSolver<Wide> solver(z.transpose() * z);
  return {solver.eigenvalues().reverse().cast<double>(),
          solver.eigenvectors().rowwise().reverse().transpose().cast<double>()};
}

double farthest(const Model<double>& model, const Truth& t) {
  double angle = 0;
  for (Index j = 0; j < model.outputs(); ++j)
    angle = std::max(angle, degrees_between(model.components().row(j), t.vectors.row(j)));
  return angle;
}

TEST(LearnConvergence, M_P7_tiny_steps_are_not_moving_and_not_converged) {
  const Matrix<double> x = cloud(500);
  LearnOptions options = gha(1);
  options.learner.rule = "oja";
  options.learner.rate = Rate::constant(1e-9);
  const Learned learned = learn(Rows<double>(x), options);
  ASSERT_GT(farthest(learned.model, truth(x)), 20);  // where the first weights were
  EXPECT_EQ(learned.convergence.state, LearnState::not_moving) << learned.convergence.text;
  EXPECT_FALSE(learned.convergence.converged);
  EXPECT_FALSE(learned.model.report().solver.converged);
  EXPECT_EQ(learned.stop, LearnStop::not_moving);
  EXPECT_LT(learned.epochs, 20);  // more of them would change nothing
  EXPECT_TRUE(learned.model.report().certificate.low.empty());
  EXPECT_NE(learned.model.report().certificate.reason, "");
}

TEST(LearnConvergence, M_P7_what_has_converged_is_near_the_components_for_any_gap_and_rule) {
  int converged = 0, not_moving = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    test::Random random(seed);
    const double gaps[] = {0.5, 0.1, 0.02, 0.002};
    Vector<double> deviations(6);
    deviations << 1, std::sqrt(1 - gaps[seed % 4]), 0.5, 0.3, 0.2, 0.2;
    const Matrix<double> x = rows_with_deviations(random, 300, deviations, 5);
    const char* rules[] = {"ccipca", "gha", "block-oja"};
    LearnOptions options = gha(1 + static_cast<Index>(seed % 2));
    options.learner.rule = rules[seed % 3];
    options.learner.seed = seed;
    if (seed % 5 == 0) options.learner.rate = Rate::parse("power(c=0.5,t0=10,a=1)");
    if (seed % 7 == 0) options.learner.batch = 10;
    const Learned learned = learn(Rows<double>(x), options);
    const Truth t = truth(x);
    const double angle = farthest(learned.model, t);
    not_moving += learned.convergence.state == LearnState::not_moving;
    if (!learned.convergence.converged) continue;
    ++converged;
    // 2 degrees, and not even what it says itself is exceeded.
    EXPECT_LE(angle, 2) << seed;
    EXPECT_LE(angle, learned.convergence.angle + 1e-3) << seed << learned.convergence.text;
    const Certificate& c = learned.model.report().certificate;
    ASSERT_EQ(static_cast<Index>(c.low.size()), learned.model.outputs());
    for (std::size_t j = 0; j < c.low.size(); ++j) {
      // M_P1: intervals hold the eigenvalue of the rows, and the one that was learned.
      EXPECT_LE(c.low[j], t.values[static_cast<Index>(j)]) << seed;
      EXPECT_GE(c.high[j], t.values[static_cast<Index>(j)]) << seed;
      EXPECT_LE(c.low[j], learned.model.eigenvalues()[static_cast<Index>(j)]);
      EXPECT_GE(c.high[j], learned.model.eigenvalues()[static_cast<Index>(j)]);
    }
  }
  EXPECT_GT(converged, 20);
  EXPECT_GT(not_moving, 3);
}

TEST(LearnConvergence, M_P7_streams_are_judged_as_they_come) {
  test::Random random(3);
  const Vector<double> deviations{{3, 2, 1, 0.3}};
  const Matrix<double> x = random.normal(60000, 4) * deviations.asDiagonal();
  for (const double rate : {0.0, 1e-9}) {
    ChunkedSource<double> source(Rows<double>(x), 1000);
    LearnOptions options = gha(2);
    options.order = Order::as_it_comes;
    options.epochs = 1;
    options.learner.rule = rate > 0 ? "gha" : "ccipca";
    if (rate > 0) options.learner.rate = Rate::constant(rate);
    const Learned learned = learn(source, options);
    EXPECT_EQ(learned.convergence.state, rate > 0 ? LearnState::not_moving : LearnState::converged)
        << learned.convergence.text;
    if (rate > 0) continue;
    for (Index j = 0; j < 2; ++j)
      EXPECT_GT(std::abs(learned.model.components()(j, j)),
                std::cos(learned.convergence.angle / 57));
    const Certificate& c = learned.model.report().certificate;
    ASSERT_EQ(c.low.size(), 2u);
    EXPECT_LT(c.confidence, 1);
    EXPECT_LT(c.low[0], 9 * 60000);
    EXPECT_GT(c.high[0], 9 * 60000);
  }
}

TEST(LearnConvergence, M_P7_ordinary_streams_converge_and_are_near_their_components) {
  // Variances 16, 8, 4, 2 and 1: a gap of 2:1 in 4 and in 20 columns.
  struct Case {
    const char* rule;
    Index columns, rows;
  };
  for (const Case& c : {Case{"ccipca", 4, 20000}, Case{"ccipca", 20, 120000},
                        Case{"gha", 4, 400000}, Case{"oja", 4, 400000}})
    for (const unsigned seed : {1u, 2u}) {
      test::Random random(seed);
      Vector<double> deviations = Vector<double>::Ones(c.columns);
      deviations.head(4) << 4, std::sqrt(8), 2, std::sqrt(2);
      const Matrix<double> x = random.normal(c.rows, c.columns) * deviations.asDiagonal();
      ChunkedSource<double> source(Rows<double>(x), 1000);
      LearnOptions options = gha(1);
      options.learner.rule = c.rule;
      options.order = Order::as_it_comes;
      options.epochs = 1;
      const Learned learned = learn(source, options);
      EXPECT_TRUE(learned.convergence.converged)
          << c.rule << c.columns << ": " << learned.convergence.text;
      EXPECT_GT(std::abs(learned.model.components()(0, 0)), std::cos(2 / 57.3));
    }
}

TEST(LearnConvergence, M_P1_intervals_hold_what_landmarks_leave_out) {
  int stated = 0;
  for (const unsigned seed : {1u, 2u, 3u}) {
    test::Random random(seed);
    Matrix<double> x = random.normal(120, 2);
    x.col(0) *= 2;
    const double gamma = 0.5;
    using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
    Wide k(120, 120);
    for (Index i = 0; i < 120; ++i)
      for (Index j = 0; j < 120; ++j)
        k(i, j) = std::exp(-static_cast<long double>(gamma) *
                           (x.row(i) - x.row(j)).cast<long double>().squaredNorm());
    const Wide centre = Wide::Identity(120, 120) - Wide::Constant(120, 120, 1.0L / 120);
    const Wide a = centre * k * centre;
    const Eigen::SelfAdjointEigenSolver<Wide> exact(a);
    for (const Index landmarks : {8, 20, 120}) {
      LearnOptions options = gha(1);
      options.kernel = kernels::rbf({.gamma = gamma});
      options.landmarks = landmarks;
      options.epochs = 200;
      const Learned learned = learn(Rows<double>(x), options);
      const Certificate& c = learned.model.report().certificate;
      if (c.low.empty()) {
        EXPECT_NE(c.reason, "");
        continue;
      }
      ++stated;
      EXPECT_LE(c.low[0], static_cast<double>(exact.eigenvalues()[119])) << landmarks;
      EXPECT_GE(c.high[0], static_cast<double>(exact.eigenvalues()[119])) << landmarks;
      if (landmarks == 120) {  // nothing is left out
        EXPECT_LT(c.high[0] - c.low[0], 0.05 * c.high[0]);
      }
    }
  }
  EXPECT_GT(stated, 4);
}

TEST(LearnConvergence, M_P3_variances_of_a_forgetting_run_are_at_most_all_of_it) {
  const Matrix<double> x = cloud(400);
  for (const double forgetting : {0.01, 0.1, 0.3})
    for (const bool scaled : {false, true}) {
      LearnOptions options = gha(3);
      options.order = Order::as_it_comes;
      options.learner.forgetting = forgetting;
      options.epochs = 2;
      if (scaled) options.scale = Scale::std;
      const Learned learned = learn(Rows<double>(x), options);
      EXPECT_LE(learned.model.explained_variance_ratio().sum(), 1 + 1e-12) << forgetting;
    }
}

TEST(LearnConvergence, M_P4_the_same_bits_for_any_number_of_threads) {
  // Large enough that mini-batches and judges are split over threads.
  test::Random random(4);
  Vector<double> deviations(40);
  for (Index j = 0; j < 40; ++j) deviations[j] = std::pow(0.8, static_cast<double>(j));
  const Matrix<double> x = rows_with_deviations(random, 6000, deviations, 1);
  for (const char* rule : {"gha", "block-oja", "ccipca"}) {
    std::optional<Learned> first;
    for (const int threads : {1, 2, 3, 5, 8, 16}) {
      LearnOptions options = gha(8);
      options.learner.rule = rule;
      options.learner.batch = 3000;
      options.learner.threads = threads;
      options.epochs = 4;
      Learned learned = learn(Rows<double>(x), options);
      if (!first) {
        first = std::move(learned);
        continue;
      }
      EXPECT_EQ(learned.model.components(), first->model.components()) << rule << threads;
      EXPECT_EQ(learned.model.eigenvalues(), first->model.eigenvalues()) << rule << threads;
      EXPECT_EQ(learned.convergence.text, first->convergence.text) << rule << threads;
      EXPECT_EQ(learned.convergence.angle, first->convergence.angle) << rule << threads;
    }
  }
}

TEST(LearnConvergence, extreme_rates_end_soon_and_leave_finite_traces) {
  const Matrix<double> x = cloud(60);
  for (const char* rule : {"hebb", "hebb-normalized", "oja", "gha", "block-oja", "ccipca"})
    for (const char* rate : {"constant(1e6)", "constant(1e300)", "constant(1e-300)",
                             "power(c=1e300,t0=1e300,a=300)", "power(c=1e300,t0=0,a=0.1)",
                             "power(c=1e-300,t0=1e300,a=1)", "adaoja(1e-300)", "adaoja(1e300)"})
      for (const bool theory : {false, true})
        for (const double limit : {0.0, 1e50}) {
          LearnOptions options = gha(std::string(rule) == "gha" ? 2 : 1);
          options.learner.rule = rule;
          options.learner.rate = Rate::parse(rate);
          if (limit > 0) options.learner.limit = limit;
          options.epochs = 3;
          options.trace_every = 1;
          options.theory = theory;
          options.trace.row = [&](const TraceRow& row) {
            TraceRow defined = row;  // plain Hebb has no Lyapunov function
            if (std::string(rule) == "hebb") defined.lyapunov = defined.lyapunov_sign = 0;
            for (const double value : trace_values(defined)) ASSERT_TRUE(std::isfinite(value));
          };
          try {
            const Learned learned = learn(Rows<double>(x), options);
            EXPECT_TRUE(learned.model.components().allFinite());
            EXPECT_TRUE(learned.model.eigenvalues().allFinite());
            EXPECT_TRUE(std::isfinite(learned.convergence.angle_change));
            EXPECT_LE(learned.model.explained_variance_ratio().sum(), 1 + 1e-12);
          } catch (const Error& error) {
            EXPECT_EQ(error.code(), Errc::not_converged) << error.what();
            EXPECT_EQ(std::string(error.what()).find("nan"), std::string::npos) << error.what();
          }
        }
}

}  // namespace mercer::test::learn_convergence_test
