#include <mercer/kernel.hpp>

#include "support/errors.hpp"
#include "support/random.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace mercer::text_test {

using test::error_of;

std::string printed(const std::string& text) { return Kernel::parse(text).text(); }

TEST(KernelText, M_C5_printing_what_was_parsed_is_stable) {
  for (const char* text : {
           "linear()",
           "rbf()",
           "rbf(gamma=0.1)",
           "0.5*rbf(gamma=0.1) + poly(degree=2, coef0=1)",
           "poly(degree=2, coef0=-1, gamma=0.5)",
           "0.5*rbf(gamma=0.1) + linear()^2",
           "2*linear()*rbf(gamma=1e-07)*cosine()",
           "(linear() + 3*cosine())^3*rbf(gamma=1)",
           "0.25*(linear() + cosine())",
           "(2*linear())^2",
           "matern(nu=2.5, length=0.30000000000000004)",
           "rational_quadratic(alpha=1, length=2) + sigmoid(gamma=1, coef0=0)",
           "chi2(gamma=1)*additive_chi2() + constant(value=1e+300)",
           "laplacian() + exponential(gamma=3)",
       })
    EXPECT_EQ(printed(text), text);
}

TEST(KernelText, M_C5_other_ways_to_write_it) {
  EXPECT_EQ(printed(" rbf "), "rbf()");
  EXPECT_EQ(printed("rbf(sigma=2)"), "rbf(gamma=0.125)");
  EXPECT_EQ(printed("laplacian( sigma = 2 )"), "laplacian(gamma=0.5)");
  EXPECT_EQ(printed("rbf*2"), "2*rbf()");
  EXPECT_EQ(printed("2*rbf*3*linear"), "6*rbf()*linear()");
  EXPECT_EQ(printed("2*(3*(4*linear))"), "24*linear()");
  EXPECT_EQ(printed("((linear))"), "linear()");
  EXPECT_EQ(printed("(linear + rbf) + (cosine + linear)"),
            "linear() + rbf() + cosine() + linear()");
  EXPECT_EQ(printed("linear*(rbf*cosine)"), "linear()*rbf()*cosine()");
  EXPECT_EQ(printed("linear^1"), "linear()");
  EXPECT_EQ(printed("(linear^2)^3"), "linear()^6");
  EXPECT_EQ(printed("rbf\n + 1\n"), "rbf() + constant(value=1)");
  EXPECT_EQ(printed("rbf + 1"), "rbf() + constant(value=1)");
  EXPECT_EQ(printed("2*3"), "constant(value=6)");
  EXPECT_EQ(printed("1*linear"), "linear()");
  EXPECT_EQ(printed("poly"), "poly(degree=3, coef0=1)");
  EXPECT_EQ(printed("poly(gamma=2)"), "poly(degree=3, coef0=1, gamma=2)");
  EXPECT_EQ(printed("poly(degree=2.0,coef0=+1)"), "poly(degree=2, coef0=1)");
  EXPECT_EQ(printed(".5*linear"), "0.5*linear()");
}

TEST(KernelText, errors_show_the_column_and_say_what_helps) {
  const auto complains = [](const std::string& text, const std::vector<std::string>& words) {
    const auto e = error_of([&] { Kernel::parse(text); });
    EXPECT_EQ(e.code(), Errc::bad_option) << text;
    for (const std::string& word : words) EXPECT_HAS(e.what(), word);
  };
  complains("", {"column 1", "unexpected end, expected a kernel or a number"});
  complains("rbf(gama=1)", {"kernel expression, column 5: ", "rbf has no parameter 'gama'",
                            "did you mean gamma? (in 'rbf(gama=1)')"});
  complains("rbg", {"column 1", "no kernel 'rbg'", "did you mean rbf?"});
  complains("RBF", {"no kernel 'RBF'", "did you mean rbf?"});
  complains("bell", {"no kernel 'bell'", "linear, poly, rbf"});
  complains("2*rbf(gamma=1) + ", {"column 18", "unexpected end"});
  complains("linear - rbf", {"column 8", "minus", "positive factors"});
  complains("-1*rbf", {"column 1", "minus"});
  complains("0*rbf", {"column 1", "factor 0 must be greater than 0"});
  complains("1e300*1e300*linear", {"factor inf"});
  complains("rbf(gamma=0)", {"column 11", "rbf: gamma = 0 must be greater than 0"});
  complains("rbf(gamma=-1)", {"gamma = -1"});
  complains("rbf(gamma=nan)", {"gamma = nan"});
  complains("rbf(gamma=inf)", {"gamma = inf must be finite"});
  complains("rbf(gamma=1e999)", {"column 11", "1e999"});
  complains("rbf(sigma=1e-200)", {"sigma = 1e-200"});
  complains("rbf(sigma=0)", {"sigma = 0 must be greater than 0"});
  complains("rbf(gamma=1, sigma=2)", {"column 14", "same parameter"});
  complains("poly(degree=2, degree=3)", {"column 16", "degree is given twice"});
  complains("poly(degree=2.5)", {"degree = 2.5", "integer"});
  complains("poly(degree=0)", {"degree = 0"});
  complains("poly(coef0=inf)", {"coef0 = inf must be finite"});
  complains("matern(nu=1)", {"nu = 1 must be 0.5, 1.5 or 2.5"});
  complains("linear(gamma=1)", {"column 8", "linear has no parameters"});
  complains("rbf(0.1)", {"column 5", "name the parameter", "gamma="});
  complains("rbf(gamma)", {"column 10", "unexpected ')', expected '='"});
  complains("rbf(gamma=)", {"unexpected ')', expected a number"});
  complains("rbf(gamma=1", {"column 12", "unexpected end, expected ',' or ')'"});
  complains("(linear", {"column 8", "')'"});
  complains("linear)", {"column 7", "')'"});
  complains("linear rbf", {"column 8", "unexpected 'r', expected '+', '*', '^' or the end"});
  complains("linear^2.5", {"column 8", "exponent"});
  complains("linear^0", {"exponent"});
  complains("linear^-2", {"exponent"});
  complains("linear^99999999999", {"exponent"});
  complains("linear^2^2", {"power of a power"});
  complains("2^2*linear", {"not a number"});
  complains("function(mine)", {"'mine'", "a user-defined function"});
  complains("rbf + function mine", {"'('"});
  complains(fmt::format("{:(>65}linear{:)>65}", "", ""), {"column 65", "64 nested parentheses"});
  complains(std::string(5000, '('), {"4096"});
  complains("rbf\n + nosuch", {"line 2, column 4"});
  complains(std::string("rbf\0", 4), {"column 4"});
  EXPECT_NO_THROW(Kernel::parse(std::string(64, '(') + "linear" + std::string(64, ')')));
}

TEST(KernelText, random_texts_parse_or_are_refused) {
  test::Random random(1);
  const std::vector<std::string> pieces = {
      "rbf", "linear", "poly", "(",     ")",   "(",      ")", "+", "*", "^", "2",
      "=",   ",",      " ",    "gamma", "0.5", "degree", "-", "e", ".", "1", "\x80"};
  int parsed = 0;
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto n = random.bits() % 12; n > 0; --n) text += pieces[random.bits() % pieces.size()];
    try {
      const std::string once = printed(text);
      EXPECT_EQ(printed(once), once) << text;
      ++parsed;
    } catch (const Error& e) {
      EXPECT_EQ(e.code(), Errc::bad_option);
    }
  }
  EXPECT_GT(parsed, 100);
}

TEST(KernelText, factories_refuse_what_the_parser_refuses) {
  EXPECT_HAS(error_of([] { kernels::rbf({.gamma = 0}); }).what(), "rbf: gamma = 0");
  EXPECT_HAS(error_of([] { kernels::rbf({.gamma = std::nan("")}); }).what(), "rbf: gamma = nan");
  EXPECT_HAS(error_of([] { kernels::rbf({.gamma = 1.0 / 0.0}); }).what(), "rbf: gamma = inf");
  EXPECT_HAS(error_of([] { kernels::laplacian({.sigma = -1}); }).what(), "laplacian: sigma = -1");
  EXPECT_HAS(error_of([] { kernels::rbf({.gamma = 1, .sigma = 1}); }).what(), "give one of them");
  EXPECT_HAS(error_of([] { kernels::poly({.degree = 0}); }).what(), "poly: degree = 0");
  EXPECT_HAS(error_of([] { kernels::matern({.nu = 2}); }).what(), "matern: nu = 2");
  EXPECT_HAS(error_of([] { kernels::matern({.length = std::nan("")}); }).what(), "length = nan");
  EXPECT_HAS(error_of([] { kernels::constant(-1); }).what(), "constant: value = -1");
  EXPECT_HAS(error_of([] { kernels::chi2(std::nan("")); }).what(), "chi2: gamma = nan");
}

}  // namespace mercer::text_test
