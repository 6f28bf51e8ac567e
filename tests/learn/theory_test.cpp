// The ODEs behind the rules: closed forms against a Runge-Kutta method of fixed small steps in the
// original coordinates, which knows nothing of eigenvectors.

#include "learn/theory/theory.hpp"

#include "support/random.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>

#include <cmath>
#include <functional>

namespace mercer::test::theory_test {

using Weights = Eigen::MatrixXd;  // k×d

/// Classical Runge-Kutta: with h = 1/2000 and |λ| ≤ 2 its error is about 1e-13 a unit of time.
Weights runge_kutta(Weights w, double t, const std::function<Weights(const Weights&)>& slope) {
  const int steps = std::max(1, static_cast<int>(std::ceil(t * 2000)));
  const double h = t / steps;
  for (int i = 0; i < steps; ++i) {
    const Weights a = slope(w), b = slope(w + h / 2 * a), c = slope(w + h / 2 * b),
                  d = slope(w + h * c);
    w += h / 6 * (a + 2 * b + 2 * c + d);
  }
  return w;
}

Weights sanger(const Weights& w, const Eigen::MatrixXd& r) {
  Weights out = w * r;
  for (Index j = 0; j < w.rows(); ++j)
    for (Index i = 0; i <= j; ++i) out.row(j) -= w.row(i).dot((w.row(j) * r).eval()) * w.row(i);
  return out;
}

class TheoryTest : public testing::Test {
 protected:
  TheoryTest() {
    Random random(7);
    lambda = Vector<double>(5);
    lambda << 2, 1.3, 0.9, 0.4, 0.1;
    q = random.rotation(5);
    r = q.transpose() * lambda.asDiagonal() * q;
    w0 = 0.4 * random.normal(3, 5);
  }
  Matrix<double> theta(const Weights& w) const { return w * q.transpose(); }
  Theory theory(Flow flow, Index neurons) const {
    return Theory(lambda, q, w0.topRows(neurons), flow);
  }

  Vector<double> lambda;
  Matrix<double> q;
  Eigen::MatrixXd r;
  Matrix<double> w0;
};

double gap(const Matrix<double>& a, const Matrix<double>& b) {
  return (a - b).cwiseAbs().maxCoeff();
}

TEST_F(TheoryTest, M_E7_closed_form_of_oja_is_what_an_integrator_finds) {
  for (const double length : {0.1, 1.0, 3.0})
    for (const double t : {0.01, 0.5, 2.0, 6.0}) {
      const Weights start = length * w0.topRows(1).normalized();
      Theory closed(lambda, q, start, Flow::oja);
      const Weights end = runge_kutta(start, t, [&](const Weights& w) {
        return Weights(w * r - (w * r * w.transpose())(0, 0) * w);
      });
      EXPECT_LT(gap(closed.at(t), theta(end)), 1e-10) << "length " << length << ", t " << t;
    }
}

TEST_F(TheoryTest, M_E7_our_integrator_agrees_with_the_closed_form) {
  Integrator run(
      theta(w0.topRows(1)),
      [&](const Matrix<double>& y, Matrix<double>& slope) { gha_slope(lambda, y, slope); }, 1e-13);
  Theory closed = theory(Flow::oja, 1);
  for (const double t : {0.1, 0.7, 3.0, 12.0}) {
    run.advance(t);
    EXPECT_LT(gap(run.y(), closed.at(t)), 1e-10) << t;
  }
}

TEST_F(TheoryTest, M_E7_closed_form_never_overflows_and_ends_on_the_first_axis) {
  Theory closed = theory(Flow::oja, 1);
  const double sign = theta(w0)(0, 0) < 0 ? -1 : 1;
  for (const double t : {1e2, 1e5, 1e300}) {
    const Matrix<double> end = closed.at(t);
    EXPECT_NEAR(end(0, 0), sign, 1e-14);
    EXPECT_LT(end.rightCols(4).cwiseAbs().maxCoeff(), 1e-14);
  }
  // Without a part along q₁ it ends on q₂.
  Vector<double> start(5);
  start << 0, -1e-200, 0.3, 0.2, 0;
  const Vector<double> end = oja_modes(lambda, start, 1e4);
  EXPECT_EQ(end[0], 0);
  EXPECT_NEAR(end[1], -1, 1e-14);
}

TEST_F(TheoryTest, M_E7_alpha_decays_by_the_gap) {
  Theory closed = theory(Flow::oja, 1);
  const Matrix<double> start = theta(w0);
  for (const double t : {0.3, 1.0, 4.0}) {
    const Matrix<double> now = closed.at(t);
    for (Index j = 1; j < 5; ++j)
      EXPECT_NEAR(now(0, j) / now(0, 0),
                  start(0, j) / start(0, 0) * std::exp(-(lambda[0] - lambda[j]) * t), 1e-12);
  }
}

TEST_F(TheoryTest, M_E7_lyapunov_never_rises_from_inside_the_ball) {
  Random random(3);
  for (int run = 0; run < 50; ++run) {
    Vector<double> start = random.normal(5, 1);
    start *= random.uniform() / start.norm();
    double before = lyapunov(start[0]);
    for (double t = 0.05; t < 10; t += 0.05) {
      const Vector<double> now = oja_modes(lambda, start, t);
      const double v = lyapunov(now[0]);
      EXPECT_LE(v, before + 1e-15);
      EXPECT_LE(lyapunov_slope(lambda, now), 1e-15);
      before = v;
    }
  }
}

TEST_F(TheoryTest, M_E7_slope_of_the_lyapunov_function_is_its_derivative) {
  for (const double length : {0.7, 1.5}) {  // outside of the ball it may rise
    const Vector<double> start = length * theta(w0).row(0).transpose().normalized();
    const double h = 1e-4;
    const double difference =
        (lyapunov(oja_modes(lambda, start, 2 * h)[0]) - lyapunov(start[0])) / (2 * h);
    const double slope = lyapunov_slope(lambda, oja_modes(lambda, start, h));
    EXPECT_NEAR(difference, slope, 1e-6 * std::max(1.0, std::abs(slope)));  // O(h²)
  }
}

TEST_F(TheoryTest, M_E7_norm_tends_to_1_and_the_rayleigh_quotient_never_falls) {
  Theory closed = theory(Flow::oja, 1);
  double before = 0;
  for (double t = 0; t < 20; t += 0.1) {
    const Vector<double> now = closed.at(t).row(0).transpose();
    const double quotient = rayleigh(lambda, now);
    EXPECT_GE(quotient, before - 1e-14);
    before = quotient;
  }
  EXPECT_NEAR(before, lambda[0], 1e-10);  // e^{−2(2−1.3)·20} = 7e-13
  EXPECT_NEAR(closed.at(20).row(0).norm(), 1, 1e-12);
}

TEST_F(TheoryTest, M_E7_the_other_neurons_of_gha_are_what_an_integrator_finds) {
  Theory gha = theory(Flow::gha, 3);
  for (const double t : {0.2, 1.0, 5.0}) {
    const Weights end = runge_kutta(w0, t, [&](const Weights& w) { return sanger(w, r); });
    EXPECT_LT(gap(gha.at(t), theta(end)), 1e-9) << t;  // the integrator's tolerance is 1e-11 a step
    EXPECT_LT(nested_span_angles(theta(end), gha.grown(t)).maxCoeff(), 1e-7) << t;
  }
}

TEST_F(TheoryTest, M_E7_spans_stay_known_when_all_columns_have_become_one_line) {
  Theory gha = theory(Flow::gha, 3);
  // e^{(λ₁−λ₃)t} = e^{1100}: far beyond double, and the spans have converged.
  const Matrix<double> axes = Matrix<double>::Identity(3, 5);
  EXPECT_LT(nested_span_angles(gha.grown(1000), axes).maxCoeff(), 1e-12);
  EXPECT_TRUE(gha.grown(1000).allFinite());
}

TEST_F(TheoryTest, M_E7_orthonormal_flow_is_the_qr_of_the_exponential) {
  const Eigen::MatrixXd start =
      Eigen::HouseholderQR<Eigen::MatrixXd>(w0.transpose()).householderQ() *
      Eigen::MatrixXd::Identity(5, 3);
  Theory flow(lambda, q, start.transpose(), Flow::orthonormal);
  for (const double t : {0.0, 0.3, 2.0}) {
    const Eigen::MatrixXd grown =
        q.transpose() * (lambda.array() * t).exp().matrix().asDiagonal() * q * start;
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(grown);
    Eigen::MatrixXd w = qr.householderQ() * Eigen::MatrixXd::Identity(5, 3);
    for (Index j = 0; j < 3; ++j)
      if (qr.matrixQR()(j, j) < 0) w.col(j) *= -1;
    EXPECT_LT(gap(flow.at(t), theta(w.transpose())), 1e-10) << t;
  }
}

TEST_F(TheoryTest, M_E1_plain_hebb_grows_like_the_exponential) {
  Theory hebb = theory(Flow::hebb, 1);
  const Weights end =
      runge_kutta(w0.topRows(1), 3, [&](const Weights& w) { return Weights(w * r); });
  EXPECT_LT(gap(hebb.at(3), theta(end)), 1e-9 * end.norm());
  EXPECT_NEAR(std::log(hebb.at(20).norm() / hebb.at(19).norm()), lambda[0], 1e-6);
}

TEST_F(TheoryTest, weights_outside_of_the_data_get_axes_of_their_own) {
  // Only three eigenvectors are given: the other two count as variance 0.
  Vector<double> all = lambda;
  all.tail(2).setZero();
  r = q.transpose() * all.asDiagonal() * q;
  Theory gha(lambda.head(3), q.topRows(3), w0, Flow::gha);
  EXPECT_EQ(gha.modes(), 5);
  const Weights end = runge_kutta(w0, 2, [&](const Weights& w) { return sanger(w, r); });
  EXPECT_LT(gap(gha.at(2), gha.coordinates(end)), 1e-9);
  for (Index j = 0; j < 3; ++j)
    EXPECT_NEAR(gha.coordinates(end).row(j).norm(), end.row(j).norm(), 1e-12);
}

TEST(SpanAngles, are_those_of_planes_with_a_known_angle) {
  for (const double degrees : {1e-9, 0.5, 44.0, 89.0, 90.0}) {
    const double a = degrees / 57.29577951308232;
    Matrix<double> left(2, 3), right(2, 3);
    left << 1, 0, 0, 5, 2, 0;
    right << -3, 0, 0, 1, std::cos(a), std::sin(a);
    const Vector<double> angles = nested_span_angles(left, right);
    EXPECT_NEAR(angles[0], 0, 1e-12);
    EXPECT_NEAR(angles[1], degrees, 1e-12 + 1e-12 * degrees);
    EXPECT_NEAR(line_angle(Eigen::Vector3d(0, 7, 0), Eigen::Vector3d(0, -std::cos(a), std::sin(a))),
                degrees, 1e-12 + 1e-12 * degrees);
  }
}

TEST(IntegratorTest, goes_on_bit_for_bit_from_its_state) {
  const auto slope = [](const Matrix<double>& y, Matrix<double>& f) { f = y.array().sin(); };
  Matrix<double> y(1, 3);
  y << 0.1, 1, 2;
  Integrator whole(y, slope, 1e-10), first(y, slope, 1e-10), second(y, slope, 1e-10);
  for (const double t : {0.3, 0.9, 1.0, 4.0}) whole.advance(t);
  for (const double t : {0.3, 0.9}) first.advance(t);
  second.restore(first.time(), first.step(), first.y());
  for (const double t : {1.0, 4.0}) second.advance(t);
  EXPECT_EQ(whole.y(), second.y());
  EXPECT_EQ(whole.step(), second.step());
}

}  // namespace mercer::test::theory_test
