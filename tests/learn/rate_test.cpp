#include <mercer/rate.hpp>

#include "support/errors.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::rate_test {

using test::error_of;

TEST(Rate, M_E5_text_parses_back_to_the_same_rate) {
  for (const char* text :
       {"auto", "1/n", "constant(c=0.01)", "power(c=0.5,t0=100,a=0.75)", "adaoja(b=1e-05)"})
    EXPECT_EQ(Rate::parse(text).text(), text);
  EXPECT_EQ(Rate::parse(" power( 2 , 3, a = 0.6 ) ").text(), "power(c=2,t0=3,a=0.6)");
  EXPECT_EQ(Rate::parse("power(2)").text(), "power(c=2,t0=0,a=1)");
  EXPECT_EQ(Rate::parse("constant(0.1)").text(), Rate::constant(0.1).text());
  EXPECT_EQ(Rate().text(), "auto");
}

TEST(Rate, M_E5_every_schedule_of_the_table_has_its_three_conditions_with_reasons) {
  for (const RateEntry& entry : rate_table()) {
    const std::string& text = entry.example;
    const RobbinsMonro conditions = Rate::parse(text).conditions();
    EXPECT_EQ(Rate::parse(Rate::parse(text).text()).text(), Rate::parse(text).text());
    ASSERT_EQ(conditions.conditions.size(), 3U) << text;
    for (const auto& c : conditions.conditions) EXPECT_FALSE(c.why.empty()) << text;
  }
}

TEST(Rate, M_E5_says_which_conditions_hold) {
  const auto holds = [](const char* text) {
    std::string all;
    for (const auto& c : Rate::parse(text).conditions().conditions) all += c.holds ? '1' : '0';
    return all;
  };
  EXPECT_EQ(holds("1/n"), "111");
  EXPECT_EQ(holds("power(1,0,0.6)"), "111");
  EXPECT_EQ(holds("power(1,0,0.3)"), "111");  // with p = 4
  EXPECT_EQ(holds("power(1,0,1.5)"), "101");
  EXPECT_EQ(holds("power(1,0,0)"), "010");
  EXPECT_EQ(holds("constant(0.1)"), "010");
  EXPECT_EQ(holds("adaoja"), "111");
  EXPECT_EQ(holds("auto"), "111");
  EXPECT_TRUE(Rate::parse("1/n").conditions().every());
  EXPECT_FALSE(Rate::parse("constant(0.1)").conditions().every());
  EXPECT_HAS(Rate::parse("adaoja").conditions().conditions[2].why, "infinite");
  EXPECT_HAS(Rate::parse("power(1,0,0.3)").conditions().conditions[2].why, "p = 4");
}

TEST(Rate, M_E5_values_follow_their_formulas) {
  RateRun harmonic(Rate::harmonic()), power(Rate::power(2, 10, 0.75)), ada(Rate::adaoja(0.5));
  double sum = 0;
  for (int n = 1; n <= 20; ++n) {
    const StepFacts facts{.square = 3, .output = 2, .gradient = 0.1 * n, .rows = 1};
    EXPECT_DOUBLE_EQ(harmonic.next(facts), 1.0 / n);
    EXPECT_DOUBLE_EQ(power.next(facts), 2 / std::pow(n + 10, 0.75));
    sum += 0.1 * n;
    EXPECT_DOUBLE_EQ(ada.next(facts), 1 / std::sqrt(0.25 + sum));
  }
}

TEST(Rate, a_restored_run_goes_on_as_if_it_had_not_stopped) {
  for (const char* text : {"auto", "1/n", "power(1,10,0.75)", "adaoja"}) {
    RateRun run(Rate::parse(text));
    const auto facts = [](int n) {
      return StepFacts{.square = 3.0 + n % 3, .output = 2, .gradient = 6};
    };
    for (int n = 0; n < 50; ++n) run.next(facts(n));
    RateRun other(Rate::parse(text));
    other.restore(run.state());
    for (int n = 50; n < 300; ++n) ASSERT_EQ(run.next(facts(n)), other.next(facts(n))) << text;
  }
  RateRun run{Rate::harmonic()};
  EXPECT_EQ(error_of([&] { run.restore({1, 2, 3}); }).code(), Errc::bad_option);
}

TEST(Rate, bad_text_is_refused_with_the_place_and_the_reason) {
  const auto message = [](const char* text) {
    const Error error = error_of([&] { Rate::parse(text); });
    EXPECT_EQ(error.code(), Errc::bad_option);
    return std::string(error.what());
  };
  EXPECT_HAS(message(""), "column 1");
  EXPECT_HAS(message("powr(1,2,3)"), "did you mean power?");
  EXPECT_HAS(message("constant"), "needs c");
  EXPECT_HAS(message("constant(0)"), "column 10: constant: c = 0 must be greater than 0");
  EXPECT_HAS(message("constant(-1)"), "must be greater than 0");
  EXPECT_HAS(message("constant(nan)"), "finite");
  EXPECT_HAS(message("constant(1e999)"), "out of the range");
  EXPECT_HAS(message("constant(1"), "unexpected end");
  EXPECT_HAS(message("constant(1) x"), "unexpected 'x', expected the end");
  EXPECT_HAS(message("constant(b=1)"), "no parameter 'b'");
  EXPECT_HAS(message("1/n(2)"), "has no parameters");
  EXPECT_HAS(message("power(1,2,3,4)"), "more numbers");
  EXPECT_HAS(message("power(1,c=2)"), "column 9: c is given twice");
  EXPECT_HAS(message("power(1,t_0=2)"), "did you mean t0?");
  EXPECT_HAS(error_of([] { Rate::constant(-1); }).what(), "c = -1 must be greater than 0");
}

}  // namespace mercer::rate_test
