// Predicted numbers of steps of rules of several vectors and of limited weights, beside the ODE of
// the rule, integrated here in small steps, and beside runs.

#include "learn/learning.hpp"
#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mercer::test::prediction_test {

/// Rows ±√(d a_i) e_i: R = diag(a) exactly, about the mean 0.
Matrix<double> axes(const std::vector<double>& variances) {
  const auto d = static_cast<Index>(variances.size());
  Matrix<double> x = Matrix<double>::Zero(2 * d, d);
  for (Index i = 0; i < d; ++i) {
    x(2 * i, i) = std::sqrt(static_cast<double>(d) * variances[static_cast<std::size_t>(i)]);
    x(2 * i + 1, i) = -x(2 * i, i);
  }
  return x;
}

/// Degrees of the worst weight vector to its own axis.
double worst_angle(const Matrix<double>& w) {
  double worst = 0;
  for (Index j = 0; j < w.rows(); ++j)
    worst = std::max(worst, degrees_between(w.row(j), Eigen::RowVectorXd::Unit(w.cols(), j)));
  return worst;
}

/// Sanger's, dw_j/dt = Rw_j − Σ_{i≤j} (w_iᵀRw_j)w_i, or where rows stay orthonormal: dw_j/dt = Rw_j
/// − (w_jᵀRw_j)w_j − 2Σ_{i<j} (w_iᵀRw_j)w_i.
Matrix<double> slope(const Matrix<double>& w, const Vector<double>& lambda, bool orthonormal) {
  Matrix<double> out = w * lambda.asDiagonal();
  const Matrix<double> s = out * w.transpose();
  for (Index j = 0; j < w.rows(); ++j)
    for (Index i = 0; i <= j; ++i)
      out.row(j) -= (orthonormal && i < j ? 2 : 1) * s(j, i) * w.row(i);
  return out;
}

/// By the classical Runge–Kutta method.
double time_of_ode(Matrix<double> w, const Vector<double>& lambda, double angle, bool orthonormal) {
  const double h = 0.02 / lambda[0];
  for (double t = 0;; t += h) {
    if (worst_angle(w) <= angle) return t;
    const Matrix<double> a = slope(w, lambda, orthonormal);
    const Matrix<double> b = slope(w + h / 2 * a, lambda, orthonormal);
    const Matrix<double> c = slope(w + h / 2 * b, lambda, orthonormal);
    const Matrix<double> d = slope(w + h * c, lambda, orthonormal);
    w += h / 6 * (a + 2 * b + 2 * c + d);
  }
}

Matrix<double> turned_start(double degrees) {
  const double c = std::cos(degrees * M_PI / 180), s = std::sin(degrees * M_PI / 180);
  Matrix<double> w(2, 2);
  w << c, s, -s, c;
  return w;
}

LearnOptions options(const std::string& rule, const Matrix<double>& start,
                     const std::string& rate) {
  LearnOptions o = gha(start.rows());
  o.learner.rule = rule;
  o.learner.rate = Rate::parse(rate);
  o.learner.start = start;
  o.theorem = true;
  o.epochs = 1;
  return o;
}

StepPrediction predicted(const Matrix<double>& x, const LearnOptions& o) {
  return *learn(Rows<double>(x), o).prediction;
}

TEST(Prediction, M_T6_of_several_vectors_is_when_all_of_them_are_there_along_the_ode_of_the_rule) {
  const std::vector<std::vector<double>> cases = {{0.14425, 0.02161}, {1, 0.5, 0.2, 0.05}};
  for (const auto& variances : cases)
    for (const double degrees : {40.0, 85.0})
      for (const double angle : {10.0, 1.0, 0.01}) {
        const auto d = static_cast<Index>(variances.size());
        Matrix<double> start = Matrix<double>::Zero(2, d);
        start.leftCols(2) = turned_start(degrees);
        start.rightCols(d - 2).setConstant(0.3);
        const Vector<double> lambda = Eigen::Map<const Vector<double>>(variances.data(), d);
        for (const char* rule : {"gha", "block-oja"}) {
          const bool orthonormal = std::string(rule) == "block-oja";
          LearnOptions o = options(rule, start, "constant(1e-4)");
          o.until_angle = angle;
          Matrix<double> first = start;
          if (orthonormal) {
            first.row(0).normalize();
            first.row(1) -= first.row(1).dot(first.row(0)) * first.row(0);
            first.row(1).normalize();
          }
          const StepPrediction p = predicted(axes(variances), o);
          const double t = time_of_ode(first, lambda, angle, orthonormal);
          EXPECT_NEAR(p.time, t, 0.021 / lambda[0]) << rule << d << " " << degrees << " " << angle;
          EXPECT_EQ(p.steps, std::ceil(p.time / 1e-4)) << rule;
        }
      }
}

TEST(Prediction, M_T6_of_two_vectors_is_near_the_run_and_so_is_the_proposed_rate) {
  Random random(11);
  Vector<double> deviations(2);
  deviations << std::sqrt(0.14425), std::sqrt(0.02161);
  const Matrix<double> x = rows_with_deviations(random, 1800, deviations, 0);
  const auto run = [&](const std::string& rate) {
    LearnOptions o = options("gha", turned_start(50), rate);
    o.theorem = false;
    o.until_angle = 1;
    o.epochs = 100;
    return learn(Rows<double>(x), o);
  };
  const Learned slow = run("constant(0.003)");
  ASSERT_TRUE(slow.reached);
  EXPECT_GT(*slow.reached, 10'000);
  EXPECT_NEAR(static_cast<double>(*slow.reached) / slow.prediction->steps, 1, 0.15);
  ASSERT_FALSE(slow.prediction->better_rate.empty());
  const Learned fast = run(slow.prediction->better_rate);
  ASSERT_TRUE(fast.reached);
  EXPECT_EQ(fast.prediction->steps, slow.prediction->better_steps);
  EXPECT_NEAR(static_cast<double>(*fast.reached) / fast.prediction->steps, 1, 0.5);
  // c = 1/(λ₁ − λ₂) turns the second vector too slowly: 10¹⁰ steps.
  EXPECT_GT(run("power(c=8.19,t0=14,a=1)").prediction->steps, 1e9);
}

TEST(Prediction, M_T6_until_angle_stops_at_the_first_step_of_a_long_run_too) {
  Random random(7);
  Vector<double> deviations(2);
  deviations << 1, 0.5;
  const Matrix<double> x = rows_with_deviations(random, 700, deviations, 0);
  for (const char* rate : {"constant(0.0007)", "constant(0.0003)"}) {
    LearnOptions o = options("gha", turned_start(60), rate);
    o.theorem = false;
    o.epochs = 80;
    o.trace_weights = true;
    o.trace_every = 1;
    o.theory = true;
    std::int64_t first = 0;
    o.trace.row = [&](const TraceRow& row) {
      if (first == 0 && std::max(row.modes[0].angle, row.modes[1].angle) <= 2) first = row.step;
    };
    learn(Rows<double>(x), o);
    ASSERT_GT(first, 10'000) << rate;
    o.trace.row = {};
    o.theory = false;
    o.until_angle = 2;
    const Learned learned = learn(Rows<double>(x), o);
    EXPECT_EQ(learned.reached, first) << rate;
    EXPECT_EQ(learned.steps, first) << rate;
  }
}

TEST(Prediction, M_T6_an_ode_that_never_arrives_or_is_too_long_is_said_to_be_that) {
  const StepPrediction flat =
      predicted(axes({1, 0}), options("gha", turned_start(40), "constant(0.01)"));
  EXPECT_TRUE(std::isinf(flat.time));
  EXPECT_HAS(flat.why, "the eigenvalue of q₂ is 0");
  const StepPrediction orthogonal =
      predicted(axes({1, 0.5}), options("gha", turned_start(90), "constant(0.01)"));
  EXPECT_TRUE(std::isinf(orthogonal.time));
  EXPECT_HAS(orthogonal.why, "lacks a component");
  Matrix<double> start = Matrix<double>::Constant(2, 3, 0.5);
  start(0, 0) = 1;
  const StepPrediction close =
      predicted(axes({1, 0.5, 0.5 - 1e-7}), options("gha", start, "constant(0.01)"));
  EXPECT_TRUE(std::isnan(close.steps));
  EXPECT_TRUE(std::isnan(close.time));
  EXPECT_HAS(close.why, "too long to integrate");
}

TEST(Prediction, M_T6_a_limit_that_the_weights_reach_before_makes_the_number_unknown) {
  const Matrix<double> x = axes({0.14425, 0.02161});
  LearnOptions hebb = options("hebb", turned_start(40).topRows(1), "constant(0.01)");
  EXPECT_TRUE(std::isfinite(predicted(x, hebb).steps));
  hebb.learner.limit = 1;
  const StepPrediction p = predicted(x, hebb);
  EXPECT_TRUE(std::isnan(p.steps));
  EXPECT_HAS(p.why, "a weight reaches `limit=1`");
  EXPECT_HAS(p.why, "corner");
  // From inside no weight exceeds 1.
  LearnOptions inside = options("oja", turned_start(40).topRows(1), "constant(0.01)");
  const StepPrediction free = predicted(x, inside);
  inside.learner.limit = 1;
  EXPECT_EQ(predicted(x, inside).steps, free.steps);
}

TEST(Prediction, M_E7_rules_that_normalise_are_compared_with_the_ode_from_the_normalised_start) {
  const Matrix<double> x = axes({0.14425, 0.02161});
  for (const double length : {0.02, 20.0}) {
    LearnOptions o =
        options("hebb-normalized", length * turned_start(14).topRows(1), "constant(0.001)");
    o.theory = true;
    o.trace_every = 1;
    o.epochs = 500;
    double worst = 0;
    o.trace.row = [&](const TraceRow& row) {
      // θ₁² = cos²φ e^{2λ₁t}/(cos²φ e^{2λ₁t} + sin²φ e^{2λ₂t})
      const double ratio =
          std::pow(std::tan(14 * M_PI / 180), 2) * std::exp(2 * (0.02161 - 0.14425) * row.time);
      worst =
          std::max(worst, std::abs(std::abs(row.modes[0].ode_theta) - 1 / std::sqrt(1 + ratio)));
    };
    const Learned learned = learn(Rows<double>(x), o);
    EXPECT_LT(worst, 1e-12) << length;
    EXPECT_LT(learned.theory->mean_gap, 0.01) << length;
    const std::string bounded = learned.theorem->conditions[1].evidence;
    if (length > 1) {
      EXPECT_HAS(bounded, "the start has |w| = 20");
      EXPECT_HAS(bounded, "on this run |w| was at most 20");
    } else {
      EXPECT_HAS(bounded, "on this run |w| was at most 1,");
    }
  }
}

}  // namespace mercer::test::prediction_test
