// Laws that every learning rule obeys on any stream. A new rule joins by its row in the table.
#include <mercer/error.hpp>
#include <mercer/hebbian.hpp>

#include "support/random.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace mercer::learner_laws_test {

struct Case {
  Matrix<double> x;
  LearnerOptions options;
  Hebbian learner() const { return Hebbian(identity_map<double>(x.cols()), options); }
};

Case any_case() {
  test::Random random(*rc::gen::inRange<std::uint64_t>(0, 1 << 30));
  const Index n = *rc::gen::inRange<Index>(30, 120), d = *rc::gen::inRange<Index>(2, 20);
  Vector<double> deviations(d);
  for (Index j = 0; j < d; ++j) deviations[j] = std::pow(0.8, static_cast<double>(j));
  Case c;
  c.x = random.normal(n, d) * deviations.asDiagonal() * random.rotation(d);
  c.x.array() += 1;
  const auto rules = rule_table();
  c.options.rule = rules[*rc::gen::inRange<std::size_t>(0, rules.size())].name;
  const bool several = c.options.rule != "oja" && !c.options.rule.starts_with("hebb");
  c.options.components = several ? *rc::gen::inRange<Index>(1, std::min<Index>(d, 4) + 1) : 1;
  c.options.rate = Rate::parse(*rc::gen::element<std::string>("auto", "1/n", "constant(0.01)",
                                                              "power(0.5,20,0.7)", "adaoja"));
  if (c.options.rate.text() == "1/n") c.x *= 0.3;  // its first step is 1: not for large rows
  if (c.options.rule == "hebb") c.options.rate = Rate::constant(0.001);
  c.options.batch = *rc::gen::element<Index>(1, 1, 7, 40);
  c.options.centre = *rc::gen::element(LearnedMean::running, LearnedMean::none, LearnedMean::known);
  if (c.options.centre == LearnedMean::known) c.options.mean = c.x.colwise().mean().transpose();
  c.options.forgetting = *rc::gen::element(0.0, 0.0, 0.02);
  c.options.watch = *rc::gen::arbitrary<bool>();
  return c;
}

void feed(Hebbian& learner, const Matrix<double>& x, Index first, Index last, Index cut) {
  for (Index i = first; i < last; i += cut)
    learner.update(Rows<double>(x).middle(i, std::min(cut, last - i)));
}

TEST(LearnerLaw, M_E9_steps_do_not_depend_on_how_the_stream_is_cut) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const Index n = c.x.rows();
    Hebbian whole = c.learner(), cut = c.learner();
    feed(whole, c.x, 0, n, n);
    feed(cut, c.x, 0, n, *rc::gen::inRange<Index>(1, 30));
    RC_ASSERT(whole.weights() == cut.weights());
    RC_ASSERT(whole.save_state() == cut.save_state());
  }));
}

TEST(LearnerLaw, M_E9_a_run_that_was_stopped_and_resumed_has_the_same_bits) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const Index n = c.x.rows(), stop = *rc::gen::inRange<Index>(0, n);
    Hebbian whole = c.learner(), first = c.learner(), second = c.learner();
    feed(whole, c.x, 0, n, 11);
    feed(first, c.x, 0, stop, 11);
    if (*rc::gen::arbitrary<bool>()) first.look(), whole.look();
    second.load_state(first.save_state());
    RC_ASSERT(second.save_state() == first.save_state());
    feed(second, c.x, stop, n, 11);
    RC_ASSERT(second.weights() == whole.weights());
    RC_ASSERT(second.mean() == whole.mean());
    RC_ASSERT(second.time() == whole.time());
    RC_ASSERT(second.rows() == whole.rows());
    RC_ASSERT(second.output_variances() == whole.output_variances());
  }));
}

TEST(LearnerLaw, the_number_of_threads_changes_nothing) {
  EXPECT_TRUE(rc::check([] {
    Case c = any_case();
    c.options.threads = 1;
    Hebbian one = c.learner();
    c.options.threads = 3;
    Hebbian three = c.learner();
    one.update(c.x);
    three.update(c.x);
    RC_ASSERT(one.save_state() == three.save_state());
  }));
}

TEST(LearnerLaw, M_E6_no_weight_ever_exceeds_the_limit) {
  EXPECT_TRUE(rc::check([] {
    Case c = any_case();
    c.options.limit = *rc::gen::element(0.05, 0.3, 0.9);
    if (c.options.rule == "hebb") c.options.rate = Rate::constant(0.5);  // it would explode
    Hebbian learner = c.learner();
    RC_ASSERT(learner.weights().cwiseAbs().maxCoeff() <= c.options.limit);
    for (Index i = 0; i < c.x.rows(); ++i) {
      learner.update(Rows<double>(c.x).middle(i, 1));
      RC_ASSERT(learner.weights().cwiseAbs().maxCoeff() <= c.options.limit);
    }
  }));
}

TEST(LearnerLaw, models_have_orthonormal_components_fixed_signs_and_falling_variances) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    Hebbian learner = c.learner();
    learner.update(c.x);
    RC_PRE(learner.steps() > 1);
    const auto model = learner.model();
    const Matrix<double>& b = model.components();
    RC_ASSERT((b * b.transpose() - Matrix<double>::Identity(b.rows(), b.rows())).norm() < 1e-10);
    for (Index i = 0; i < b.rows(); ++i) {
      Index at = 0;
      b.row(i).cwiseAbs().maxCoeff(&at);
      RC_ASSERT(b(i, at) > 0 || std::abs(b(i, at)) < b.row(i).maxCoeff() * (1 + 1e-5));
    }
    const Vector<double> lambda = model.explained_variance();
    for (Index j = 1; j < lambda.size(); ++j) RC_ASSERT(lambda[j] <= lambda[j - 1]);
    RC_ASSERT(model.explained_variance_ratio().sum() <= 1 + 1e-12);
    RC_ASSERT(model.report().method == c.options.rule);
    RC_ASSERT(Model<double>::deserialize(model.serialize()).transform(c.x) == model.transform(c.x));
  }));
}

TEST(LearnerLaw, a_state_that_was_tampered_with_or_is_of_another_run_is_refused) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    Hebbian learner = c.learner();
    learner.update(c.x);
    std::string bytes = learner.save_state();
    const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
    bytes[at] = static_cast<char>(bytes[at] ^ 4);
    RC_ASSERT_THROWS_AS(learner.load_state(bytes), Error);
    RC_ASSERT_THROWS_AS(learner.load_state(learner.save_state().substr(0, at)), Error);
    Case other = c;
    other.options.seed = 99;
    Hebbian stranger = other.learner();
    RC_ASSERT_THROWS_AS(stranger.load_state(learner.save_state()), Error);
  }));
}

}  // namespace mercer::learner_laws_test
