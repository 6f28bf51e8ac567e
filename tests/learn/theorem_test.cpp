// The six conditions of the stability theorem.

#include "learn/learning.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>

#include <cmath>

namespace mercer::test::theorem_test {

LearnOptions oja(const std::string& rate) {
  LearnOptions o = gha(1);
  o.learner.rule = "oja";
  o.learner.rate = Rate::parse(rate);
  o.epochs = 3;
  return o;
}

Finding finding(const Theorem& t, int number) {
  return t.conditions.at(static_cast<std::size_t>(number - 1)).finding;
}
std::string evidence(const Theorem& t, int number) {
  return t.conditions.at(static_cast<std::size_t>(number - 1)).evidence;
}

/// Rows on the axes, ±a_i e_i, so that R = diag(a_i²)/d and the mean is 0.
Matrix<double> axes(std::initializer_list<double> lengths) {
  const auto d = static_cast<Index>(lengths.size());
  Matrix<double> x = Matrix<double>::Zero(2 * d, d);
  Index i = 0;
  for (const double a : lengths) {
    x(2 * i, i) = a;
    x(2 * i + 1, i) = -a;
    ++i;
  }
  return x;
}

TEST(Theorem, M_T5_a_falling_rate_proves_the_first_condition_and_others_violate_it) {
  const Matrix<double> x = cloud(200);
  const auto first = [&](const std::string& rate) {
    return finding(theorem(Rows<double>(x), oja(rate)), 1);
  };
  EXPECT_EQ(first("power(c=0.01)"), Finding::proved);
  EXPECT_EQ(first("power(c=0.01,t0=5,a=0.75)"), Finding::proved);
  EXPECT_EQ(first("constant(0.002)"), Finding::violated);
  EXPECT_EQ(first("power(c=0.01,a=1.5)"), Finding::violated);  // Ση is finite
  EXPECT_EQ(first("auto"), Finding::assumed);
  LearnOptions forgets = oja("power(c=0.01)");
  forgets.learner.forgetting = 0.01;
  EXPECT_EQ(finding(theorem(Rows<double>(x), forgets), 1), Finding::violated);
  EXPECT_EQ(finding(theorem(Rows<double>(Matrix<double>(0.05 * x)), oja("1/n")), 1),
            Finding::proved);
}

TEST(Theorem, M_T5_all_conditions_of_ojas_rule_on_ordinary_rows) {
  const Theorem t = theorem(Rows<double>(cloud(300)), oja("power(c=0.05,t0=20)"));
  ASSERT_EQ(t.conditions.size(), 6u);
  for (const TheoremCondition& c : t.conditions) {
    EXPECT_NE(c.finding, Finding::violated) << c.number << " " << c.evidence;
    EXPECT_FALSE(c.evidence.empty());
  }
  EXPECT_TRUE(t.holds());
  EXPECT_EQ(finding(t, 2), Finding::measured);
  EXPECT_EQ(finding(t, 3), Finding::measured);  // on the ball that was measured
  EXPECT_EQ(finding(t, 4), Finding::proved);    // shuffled
  EXPECT_EQ(finding(t, 5), Finding::proved);
  EXPECT_EQ(finding(t, 6), Finding::measured);
  EXPECT_EQ(t.steps, 900);
  EXPECT_EQ(t.multiplicity, 1);
}

/// The Jacobian of the mean field by central differences, in the original coordinates.
Eigen::VectorXd numeric_jacobian(const Eigen::MatrixXd& r, const Eigen::MatrixXd& at) {
  const Index k = at.rows(), d = at.cols(), n = k * d;
  const auto field = [&](const Eigen::MatrixXd& w) {
    Eigen::MatrixXd h = w * r;
    const Eigen::MatrixXd rows = w * r;
    for (Index j = 0; j < k; ++j)
      for (Index i = 0; i <= j; ++i) h.row(j) -= w.row(i).dot(rows.row(j)) * w.row(i);
    return h;
  };
  Eigen::MatrixXd jacobian(n, n);
  for (Index c = 0; c < n; ++c) {
    Eigen::MatrixXd up = at, down = at;
    up(c / d, c % d) += 1e-5;
    down(c / d, c % d) -= 1e-5;
    const Eigen::MatrixXd slope = (field(up) - field(down)) / 2e-5;
    for (Index i = 0; i < n; ++i) jacobian(i, c) = slope(i / d, i % d);
  }
  Eigen::VectorXd values = Eigen::EigenSolver<Eigen::MatrixXd>(jacobian).eigenvalues().real();
  std::sort(values.data(), values.data() + n, std::greater<>());
  return values;
}

TEST(Theorem, M_T5_the_eigenvalues_of_the_jacobian_are_those_of_differences) {
  const Matrix<double> x = cloud(200, 0);
  const Eigen::MatrixXd centred = x.rowwise() - x.colwise().mean();
  const Eigen::MatrixXd r = centred.transpose() * centred / 200;
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(r);
  for (const Index k : {1, 2}) {
    LearnOptions o = gha(k);
    o.epochs = 1;
    const Theorem t = theorem(Rows<double>(x), o);
    const Eigen::MatrixXd q = solver.eigenvectors().rightCols(k).rowwise().reverse().transpose();
    const Eigen::VectorXd expected = numeric_jacobian(r, q);
    ASSERT_EQ(t.jacobian.size(), expected.size());
    EXPECT_LT((t.jacobian - expected).cwiseAbs().maxCoeff(), 1e-6) << k;
    EXPECT_LT(t.jacobian[0], 0);
  }
  const Theorem t = theorem(Rows<double>(x), oja("power(c=0.01)"));
  const Eigen::VectorXd lambda = solver.eigenvalues().reverse();
  for (Index i = 1; i < 4; ++i)
    EXPECT_NEAR(t.time_constants[i - 1], 1 / (lambda[0] - lambda[i]), 1e-9);
  EXPECT_NEAR(t.gap, lambda[0] - lambda[1], 1e-9);
}

TEST(Theorem, M_T5_equal_eigenvalues_violate_the_fifth_condition) {
  const Theorem t = theorem(Rows<double>(axes({1, 1, 0.5})), oja("power(c=0.1)"));
  EXPECT_EQ(finding(t, 5), Finding::violated);
  EXPECT_EQ(t.multiplicity, 2);
  EXPECT_HAS(evidence(t, 5), "multiplicity 2");
  EXPECT_HAS(evidence(t, 5), "span(q₁ … q₂)");  // what the rule finds instead
  EXPECT_TRUE(std::isinf(t.time_constants[0]));
  EXPECT_FALSE(t.holds());
  EXPECT_HAS(t.conclusion, "5 (stable point)");
}

TEST(Theorem, M_T5_boundedness_is_proved_by_a_limit_by_normalisation_or_by_small_steps) {
  const Matrix<double> x = cloud(100);
  LearnOptions limited = oja("power(c=0.05,t0=20)");
  limited.learner.limit = 1;
  EXPECT_EQ(finding(theorem(Rows<double>(x), limited), 2), Finding::proved);
  EXPECT_EQ(finding(theorem(Rows<double>(x), limited), 3), Finding::proved);
  LearnOptions normalized = oja("power(c=0.05,t0=20)");
  normalized.learner.rule = "hebb-normalized";
  EXPECT_EQ(finding(theorem(Rows<double>(x), normalized), 2), Finding::proved);
  EXPECT_EQ(finding(theorem(Rows<double>(x), oja("constant(0.0002)")), 2), Finding::proved);
  LearnOptions hebb = oja("constant(0.0005)");
  hebb.learner.rule = "hebb";
  hebb.epochs = 1;
  EXPECT_EQ(finding(theorem(Rows<double>(x), hebb), 2), Finding::violated);
  EXPECT_EQ(finding(theorem(Rows<double>(x), hebb), 5), Finding::violated);

  // The supremum is that of every step.
  LearnOptions seen = oja("power(c=0.05,t0=20)");
  seen.trace_every = 1;
  double most = 0;
  seen.trace.row = [&](const TraceRow& row) { most = std::max(most, row.norm); };
  const Theorem t = theorem(Rows<double>(x), seen);
  EXPECT_HAS(evidence(t, 2), fmt::format("at most {:.4g}", most));
}

TEST(Theorem, M_T5_a_limit_that_excludes_the_component_violates_the_fifth_condition) {
  const Matrix<double> x = axes({2, 1, 0.5});  // q₁ = e₁
  LearnOptions o = oja("power(c=0.05,t0=20)");
  o.learner.limit = 0.6;
  o.learner.start = Matrix<double>::Constant(1, 3, 0.5);
  const Theorem t = theorem(Rows<double>(x), o);
  EXPECT_EQ(finding(t, 5), Finding::violated);
  EXPECT_HAS(evidence(t, 5), "largest weight is 1, and `limit=0.6`");
  EXPECT_FALSE(t.holds());
  // The direction of e₁ is in the box, though e₁ is not: when a run has it is unknown.
  EXPECT_TRUE(std::isnan(t.prediction.steps));
  EXPECT_HAS(t.prediction.why, "±q₁ cannot be reached: `limit=0.6`");
  // Short weights turn before they grow to the limit.
  o.learner.start *= 1e-8;
  const Theorem small = theorem(Rows<double>(x), o);
  EXPECT_EQ(finding(small, 5), Finding::violated);
  EXPECT_TRUE(std::isfinite(small.prediction.steps));
  o.learner.limit = 1;  // holds every unit vector
  EXPECT_EQ(finding(theorem(Rows<double>(x), o), 5), Finding::proved);
}

/// The inequality behind "η‖x‖² ≤ √2 − 1": no step lengthens w beyond max(‖w‖², 1 + η‖x‖²/2).
TEST(Theorem, M_T5_small_steps_keep_ojas_weights_in_their_ball) {
  Random random(3);
  for (int i = 0; i < 200'000; ++i) {
    const double s = 0.4142 * random.uniform();
    const double size = 1 + 2 / s;  // of ‖w‖², at most
    Vector<double> x = random.normal(1, 2).transpose(), w = random.normal(1, 2).transpose();
    x /= x.norm();
    w *= std::sqrt(random.uniform() * (i % 2 ? size : 3)) / w.norm();
    const double y = w.dot(x), before = w.squaredNorm();
    const Vector<double> after = w + s * y * (x - y * w);  // ‖x‖ = 1, so η = s
    ASSERT_LE(after.squaredNorm(), std::max(before, 1 + s / 2) * (1 + 1e-12)) << s << " " << before;
  }
}

TEST(Theorem, M_T5_rows_that_drift_violate_the_fourth_condition_unless_they_are_shuffled) {
  Matrix<double> x = cloud(400, 0);
  for (Index i = 200; i < 400; ++i) x.row(i) = x.row(i).reverse().eval();
  LearnOptions o = oja("power(c=0.05,t0=20)");
  o.order = Order::as_it_comes;
  EXPECT_EQ(finding(theorem(Rows<double>(x), o), 4), Finding::violated);
  EXPECT_EQ(finding(theorem(Rows<double>(cloud(400, 0)), o), 4), Finding::measured);
  o.order = Order::shuffled;
  EXPECT_EQ(finding(theorem(Rows<double>(x), o), 4), Finding::proved);
}

TEST(Theorem, M_T5_visits_to_the_basin_are_counted_at_every_step) {
  const Matrix<double> x = cloud(150);
  LearnOptions o = oja("auto");
  o.trace_every = 1;
  o.theory = true;
  std::int64_t inside = 0;
  o.trace.row = [&](const TraceRow& row) {
    inside += row.norm <= 2 && std::abs(row.modes[0].theta) >= 0.1 ? 1 : 0;
  };
  const Theorem t = theorem(Rows<double>(x), o);
  EXPECT_HAS(evidence(t, 6), fmt::format("{} of 450 steps", inside));
}

TEST(Theorem, M_T5_rules_without_an_ode_are_refused_with_those_that_have_one) {
  LearnOptions o = gha(2);
  o.learner.rule = "ccipca";
  const std::string text = error_of([&] { theorem(Rows<double>(cloud(50)), o); }).what();
  for (const char* rule : {"`rule=ccipca`", "hebb", "hebb-normalized", "oja", "gha", "block-oja"})
    EXPECT_HAS(text, rule);
}

TEST(Theorem, M_T5_a_run_that_diverges_has_a_report) {
  const Theorem t = theorem(Rows<double>(Matrix<double>(5 * cloud(100))), oja("constant(1)"));
  EXPECT_EQ(finding(t, 2), Finding::violated);
  EXPECT_HAS(evidence(t, 2), "`limit=1`");
}

TEST(Theorem, M_T5_several_components_and_mini_batches_have_a_report) {
  for (const char* rule : {"gha", "block-oja"})
    for (const Index batch : {1, 10}) {
      LearnOptions o = gha(3);
      o.learner.rule = rule;
      o.learner.batch = batch;
      o.epochs = 20;
      const Theorem t = theorem(Rows<double>(cloud(200)), o);
      EXPECT_EQ(finding(t, 5), Finding::proved) << rule;
      EXPECT_EQ(t.steps, 4000 / batch);
      EXPECT_TRUE(std::isfinite(t.prediction.time)) << rule;
    }
}

TEST(Theorem, M_T5_hebb_rests_on_every_direction_of_eigenvalue_0) {
  LearnOptions o = oja("constant(0.001)");
  o.learner.rule = "hebb";
  EXPECT_HAS(evidence(theorem(Rows<double>(axes({2, 1})), o), 5), "has one fixed point, 0");
  EXPECT_HAS(evidence(theorem(Rows<double>(axes({2, 1, 0})), o), 5),
             "0 at 0 and along the direction of eigenvalue 0");
  EXPECT_HAS(evidence(theorem(Rows<double>(axes({2, 1, 0, 0})), o), 5),
             "along the 2 directions of eigenvalue 0");
}

}  // namespace mercer::test::theorem_test
