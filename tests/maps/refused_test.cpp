// Maps that are too large, and texts that are no map.
#include "maps/binomial.hpp"
#include "maps/budget.hpp"
#include "maps/from_text.hpp"
#include "support/errors.hpp"

#include <mercer/error.hpp>

#include <gtest/gtest.h>

namespace mercer::refused_test {

using test::has;
using test::refusal;

TEST(Binomial, is_exact_up_to_the_last_number_that_fits) {
  EXPECT_EQ(binomial(5, 2), 10);
  EXPECT_EQ(binomial(7, 0), 1);
  EXPECT_EQ(binomial(3, 4), 0);
  EXPECT_EQ(binomial(66, 33), 7219428434016265740);  // C(67, 33) no longer fits
  EXPECT_EQ(binomial(67, 33), too_many);
  EXPECT_EQ(binomial(1'000'000'000'000, 30), too_many);
  EXPECT_EQ(binomial(1'000'000'000, 2), 499'999'999'500'000'000);
}

TEST(MapSize, M_B2_is_known_without_allocating_the_features) {
  EXPECT_EQ(monomial_map<double>(784, 5)->features(), binomial(788, 5));
  EXPECT_EQ(polynomial_map<double>(100'000, 2)->features(), 5'000'150'001);
}

TEST(MapSize, that_cannot_fit_is_refused_with_the_number) {
  const auto phi = monomial_map<double>(64, 5);
  require_fits(*phi, 1, std::size_t{1} << 30);
  const std::string text =
      refusal([&] { require_fits(*phi, 10424128, std::size_t{4} << 30); }, Errc::out_of_memory);
  EXPECT_TRUE(has(text, "monomials(degree=5) of 64 columns has 10424128 features")) << text;
  EXPECT_TRUE(has(text, "need 791 TiB, but only 4.0 GiB is allowed")) << text;
  EXPECT_TRUE(has(refusal([] { polynomial_map<float>(10'000, 20); }, Errc::out_of_memory),
                  "more than 9.2e+18 features"));
}

TEST(MapText, that_is_wrong_is_refused_with_the_column) {
  const auto complaint = [](const char* text) {
    return refusal([&] { map_from_text<double>(text, 3); }, Errc::bad_option);
  };
  EXPECT_TRUE(has(complaint("monomials"), "column 10: monomials needs degree"));
  EXPECT_TRUE(has(complaint("monomials()"), "monomials needs degree: monomials(degree=…)"));
  EXPECT_TRUE(has(complaint("plain(degree:2)"), "column 13: unexpected ':', expected '='"));
  EXPECT_TRUE(has(complaint("plain(degree=two)"), "column 14: unexpected 't', expected a number"));
  EXPECT_TRUE(has(complaint("plain(degree=2.5)"),
                  "column 14: plain: degree = 2.5 must be an integer from 1 to 30"));
  EXPECT_TRUE(has(complaint("plain(degree=99999999999)"),
                  "column 14: plain: degree = 99999999999 must be"));
  EXPECT_TRUE(has(complaint("squares(degree=2)"), "column 9: squares has no parameters"));
  EXPECT_TRUE(has(complaint("squares() + 1"), "column 11: unexpected '+', expected the end"));
  EXPECT_TRUE(has(complaint("polynomial(degree=0)"), "from 1 to 30"));
  EXPECT_TRUE(has(complaint("monomials(degree=31)"), "from 1 to 30"));
  EXPECT_TRUE(has(complaint("plain(degree=-1)"), "from 1 to 30"));
  EXPECT_TRUE(has(complaint("plain(2)"), "name the parameter: plain(degree=…, exactly=…, constant=…)"));
  EXPECT_TRUE(has(complaint("plain(degree=2, degree=3)"), "column 17: degree is given twice"));
  EXPECT_TRUE(has(complaint("square"), "no map 'square'; did you mean squares?"));
  EXPECT_TRUE(has(complaint(""), "there are identity, squares, monomials, polynomial, plain"));
  EXPECT_TRUE(has(complaint("fourier"), "no map 'fourier'"));  // of a model file only
  EXPECT_TRUE(has(complaint("function(mine)"), "a user-defined function"));
}

TEST(MapText, every_map_of_the_table_is_made_by_its_example_and_its_own_text) {
  EXPECT_EQ(map_table().size(), 5u);
  for (const MapEntry& entry : map_table()) {
    const auto phi = map_from_text<double>(entry.example, 3);
    EXPECT_EQ(map_from_text<float>(phi->text(), 3)->text(), phi->text());
    EXPECT_TRUE(entry.text.starts_with(phi->text().substr(0, phi->text().find('(')))) << entry.text;
    EXPECT_FALSE(entry.formula.empty());
  }
}

}  // namespace mercer::refused_test
