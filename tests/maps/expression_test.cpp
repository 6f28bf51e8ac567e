// Maps that are written as expressions.
#include "maps/expression_map.hpp"
#include "maps/from_text.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/expression.hpp>
#include <mercer/features.hpp>
#include <mercer/fit.hpp>
#include <mercer/learn.hpp>
#include <mercer/score.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

namespace mercer::expression_test {

using test::has;
using test::refusal;

const std::vector<std::string> names{"height", "width", "sepal length"};

Matrix<double> random_rows(Index rows, Index columns, std::uint64_t seed) {
  return test::Random(seed).normal(rows, columns);
}

/// Features of a row of three columns.
Vector<double> values(const std::string& text, double a, double b, double c) {
  const Matrix<double> x{{a, b, c}};
  const auto phi = expression_map<double>(text, names);
  Matrix<double> out(1, phi->features());
  phi->apply(Rows<double>(x), out);
  return out.row(0).transpose();
}
double value(const std::string& text, double a = 2, double b = 3, double c = 5) {
  return values(text, a, b, c)[0];
}
std::string text_of(const std::string& text) { return expression_map<double>(text, names)->text(); }

TEST(Expression, M_T4_operators_bind_as_in_mathematics) {
  EXPECT_EQ(value("height + width*x3"), 17);
  EXPECT_EQ(value("(height + width)*`sepal length`"), 25);
  EXPECT_EQ(value("-height^2"), -4);
  EXPECT_EQ(value("(-height)^2"), 4);
  EXPECT_EQ(value("2^width^height"), 512);
  EXPECT_EQ(value("2^-height"), 0.25);
  EXPECT_EQ(value("x3 - width - height"), 0);
  EXPECT_EQ(value("x3/height/2"), 1.25);
  EXPECT_EQ(value("2*-width"), -6);
  EXPECT_EQ(value("+height--width"), 5);
  EXPECT_EQ(value("1e-3*.5"), 0.0005);
}

TEST(Expression, M_T4_functions_and_constants_have_their_values) {
  EXPECT_EQ(value("sqrt(2)*height"), std::sqrt(2.0) * 2);
  EXPECT_EQ(value("exp(width)"), std::exp(3.0));
  EXPECT_EQ(value("log(x3)"), std::log(5.0));
  EXPECT_EQ(value("sin(height)"), std::sin(2.0));
  EXPECT_EQ(value("cos(height)"), std::cos(2.0));
  EXPECT_EQ(value("abs(height - width)"), 1);
  EXPECT_EQ(value("tanh(height)"), std::tanh(2.0));
  EXPECT_EQ(value("min(width, height, x3)"), 2);
  EXPECT_EQ(value("max(width, height, x3)"), 5);
  EXPECT_EQ(value("pi"), std::numbers::pi);
  EXPECT_EQ(value("e"), std::numbers::e);
  EXPECT_EQ(expression_table().size(), 9u);
}

TEST(Expression, M_T4_columns_come_before_positions_and_constants) {
  const std::vector<std::string> odd{"x2", "e"};
  const Matrix<double> x{{7, 11}};
  Matrix<double> out(1, 3);
  expression_map<double>("x2, x1, e", odd)->apply(Rows<double>(x), out);
  EXPECT_EQ(out, (Matrix<double>{{7, 7, 11}}));
}

TEST(Expression, M_T4_text_reads_back_to_the_same_map) {
  EXPECT_EQ(text_of(" height ^2,width*  height"), "height^2, width*height");
  EXPECT_EQ(text_of("((height+width))*2"), "(height + width)*2");
  EXPECT_EQ(text_of("height-(width-x3)"), "height - (width - x3)");
  EXPECT_EQ(text_of("`sepal length`/(2*x1)"), "`sepal length`/(2*x1)");
  EXPECT_EQ(text_of("(-height)^(1/2)"), "(-height)^(1/2)");
  EXPECT_EQ(text_of("`height`"), "height");
  const auto odd = expression_map<double>("`squares`, `a``b`", {"squares", "a`b"});
  EXPECT_EQ(odd->text(), "`squares`, `a``b`");
  for (const char* text : {"-(-height)^2^x3", "2*(3*height)", "min(height, -width)^-2"}) {
    EXPECT_EQ(text_of(text_of(text)), text_of(text));
    EXPECT_EQ(value(text_of(text)), value(text)) << text;
  }
}

TEST(Expression, M_T4_the_lectures_conic_map_equals_monomials) {
  const Matrix<double> x = random_rows(50, 2, 7);
  const auto ours = fit(x, expression_map<double>("x1^2, sqrt(2)*x1*x2, x2^2", 2));
  const auto theirs = fit(x, monomial_map<double>(2, 2));
  for (Index j = 0; j < 3; ++j)
    EXPECT_NEAR(ours.eigenvalues()[j], theirs.eigenvalues()[j], 1e-12 * ours.eigenvalues()[0]);
  EXPECT_LT((ours.transform(x) - theirs.transform(x)).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(Expression, M_T4_bits_depend_on_neither_blocks_nor_threads) {
  const Matrix<double> x = random_rows(1000, 3, 11);
  const auto phi = expression_map<double>("exp(sin(x1)*x2), tanh(x3)/(1 + x1^2), abs(x2)^1.5", 3);
  Matrix<double> all(1000, 3), row(1, 3);
  phi->apply(x, all);
  for (Index i = 0; i < 1000; ++i) {
    phi->apply(Rows<double>(x).middle(i, 1), row);
    EXPECT_EQ(row, all.row(i));
  }
  const auto one = fit(x, phi, {.threads = 1}), four = fit(x, phi, {.threads = 4});
  EXPECT_EQ(one.eigenvalues(), four.eigenvalues());
  EXPECT_EQ(one.report().certificate.high, four.report().certificate.high);
}

TEST(Expression, M_T4_is_saved_with_the_model_under_the_names_of_its_columns) {
  const Matrix<double> x = random_rows(40, 3, 3).cwiseAbs();
  const auto model = fit(x, expression_map<double>("log(height), `sepal length`*width", names));
  const auto again = Model<double>::deserialize(model.serialize());
  EXPECT_EQ(again.map().text(), "log(height), `sepal length`*width");
  EXPECT_EQ(again.transform(x), model.transform(x));
  const auto single = Model<float>::deserialize(model.serialize());
  EXPECT_EQ(single.map().text(), model.map().text());
}

TEST(Expression, M_T4_a_row_outside_the_domain_is_named_with_its_values) {
  Matrix<double> x = random_rows(600, 3, 5).cwiseAbs();
  x(570, 1) = -1.5;
  const auto complaint = [&](const char* text) {
    return refusal([&] { fit(x, expression_map<double>(text, names)); }, Errc::bad_data);
  };
  EXPECT_HAS(complaint("height, log(width)"),
             "row 571: the feature 'log(width)' takes the logarithm of -1.5, where width = -1.5");
  EXPECT_HAS(complaint("sqrt(width)"), "row 571");
  EXPECT_HAS(complaint("height/(width + 1.5)"), "divides by 0, where height = ");
  EXPECT_HAS(complaint("width^0.5"), "raises -1.5 to the power 0.5");
  EXPECT_HAS(complaint("exp(1000 + height)"), "row 1: the feature 'exp(1000 + height)' overflows");
  // What is finite in the end does not hide what was not on the way.
  EXPECT_HAS(complaint("tanh(1/(width + 1.5))"), "divides by 0");
  EXPECT_HAS(complaint("min(height, log(width))"), "logarithm");
  EXPECT_HAS(complaint("log(width)^0"), "logarithm");
  // The same of new rows.
  const Matrix<double> good = x.topRows(500);
  const auto model = fit(good, expression_map<double>("height, log(width)", names));
  EXPECT_HAS(refusal([&] { model.transform(x); }, Errc::bad_data), "row 571: the feature");
}

TEST(Expression, M_T4_an_overflow_is_named_with_its_row_and_feature) {
  Matrix<double> x = random_rows(600, 3, 5).cwiseAbs();
  x(411, 1) = 3e200;
  const auto phi = expression_map<double>("height, 1e-10*width^2", names);
  const std::string reason = "row 412: the feature '1e-10*width^2' overflows, where width = 3e+200";
  EXPECT_HAS(refusal([&] { map_features(*phi, Rows<double>(x)); }, Errc::bad_data), reason);
  EXPECT_HAS(refusal([&] { fit(x, phi); }, Errc::bad_data), reason);
  EXPECT_HAS(refusal([&] { learn(x, {.map = phi}); }, Errc::bad_data), reason);
  EXPECT_HAS(refusal([&] { fit(x, monomial_map<double>(3, 2)); }, Errc::bad_data),
             "row 412: the feature 'x2^2' of monomials(degree=2) overflows; scale the data");
  // A constant overflows on every row; a difference of two overflows is no number.
  for (const char* text : {"width*1e200*1e200", "1e200*1e200*height - 1e300*1e200*width"})
    EXPECT_HAS(refusal([&] { fit(x, expression_map<double>(text, names)); }, Errc::bad_data),
               "row 1: the feature '")
        << text;
  // Rows of a fitted model.
  Matrix<double> good = x;
  good(411, 1) = 1;
  const auto model = fit(good, phi);
  EXPECT_HAS(refusal([&] { model.transform(x); }, Errc::bad_data), reason);
  const Scorer<double> scorer(model);
  EXPECT_HAS(refusal([&] { scorer(Rows<double>(x)); }, Errc::bad_data), reason);
}

TEST(Expression, M_T4_lines_of_an_expression_are_counted) {
  const auto complaint = [](const std::string& text) {
    return refusal([&] { map_from_text<double>(text, 3, names); }, Errc::bad_option);
  };
  EXPECT_EQ(map_from_text<double>("height,\n\twidth^2,\r\n x3", 3, names)->text(),
            "height, width^2, x3");
  const std::string wrong = complaint("height,\nwidth * + * x3,\n2");
  EXPECT_HAS(wrong, "map, line 2, column 11: unexpected '*'");
  EXPECT_HAS(wrong, "(in 'width * + * x3,')");
  EXPECT_EQ(wrong.find('\n'), wrong.npos);
  EXPECT_HAS(complaint("height +\n"), "map, line 2, column 1: unexpected end");
  EXPECT_HAS(complaint("größe + 2"), "column 1: no column 'größe'");
  EXPECT_HAS(complaint("`größe` + height"), "column 1: no column 'größe'");
  EXPECT_HAS(complaint("height + größe * §"), "column 10");
  EXPECT_HAS(complaint("2 * pi² "), "column 5");
}

TEST(Expression, M_T4_what_is_wrong_is_refused_with_its_place) {
  const auto complaint = [](const std::string& text) {
    return refusal([&] { map_from_text<double>(text, 3, names); }, Errc::bad_option);
  };
  EXPECT_HAS(complaint("hieght^2"), "column 1: no column 'hieght'; did you mean height?");
  EXPECT_HAS(complaint("hieght"), "no map or column 'hieght'; did you mean height?");
  EXPECT_HAS(complaint("height + x4"), "column 10: no column 'x4': there are 3 columns");
  EXPECT_HAS(complaint("2*depth"), "no column 'depth'; there are height, width, sepal length");
  EXPECT_HAS(complaint("height + "), "unexpected end, expected a column, a number or a function");
  EXPECT_HAS(complaint("height, "), "unexpected end");
  EXPECT_HAS(complaint("height width"), "column 8: unexpected 'w', expected an operator");
  EXPECT_HAS(complaint("(height"), "expected an operator or ')'");
  EXPECT_HAS(complaint("1 + sqr(height)"), "no function 'sqr'; did you mean sqrt?");
  EXPECT_HAS(complaint("sqrt(height, width)"), "sqrt takes one number");
  EXPECT_HAS(complaint("min(height)"), "min takes two or more numbers");
  EXPECT_HAS(complaint("1 + `sepal"), "column 5: the name in backquotes has no end");
  EXPECT_HAS(complaint("monomial(degree=2)"), "no map 'monomial'; did you mean monomials?");
  EXPECT_HAS(complaint("1e999*height"), "out of the range of a double");
}

TEST(Expression, M_T4_endless_nesting_and_length_are_refused) {
  const auto complaint = [](const std::string& text) {
    return refusal([&] { expression_map<double>(text, 1); }, Errc::bad_option);
  };
  EXPECT_HAS(complaint(std::string(2000, '(') + "x1"), "more than 64 levels of nesting");
  EXPECT_HAS(complaint(std::string(2000, '-') + "x1"), "more than 64 levels of nesting");
  std::string powers = "x1", roots;
  for (int i = 0; i < 500; ++i) powers += "^x1", roots += "sqrt(";
  EXPECT_HAS(complaint(powers), "more than 64 levels of nesting");
  EXPECT_HAS(complaint(roots + "x1"), "more than 64 levels of nesting");
  EXPECT_HAS(complaint(std::string(5000, '1')), "longer than 4096 characters");
  std::string sum = "x1";
  for (int i = 0; i < 1000; ++i) sum += "+x1";
  const Matrix<double> x{{0.5}};
  Matrix<double> out(1, 1);
  expression_map<double>(sum, 1)->apply(Rows<double>(x), out);
  EXPECT_EQ(out(0, 0), 500.5);
}

/// An expression at random, and its value in long double.
struct Sample {
  std::string text;
  long double value;
};
Sample sample(std::mt19937& random, const std::vector<double>& x, int depth) {
  const auto pick = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  if (depth == 0 || pick(5) == 0) {
    if (const int n = 1 + pick(9); pick(3) == 0)
      return {std::to_string(n), static_cast<long double>(n)};
    const int j = pick(3);
    return {"x" + std::to_string(j + 1), x[static_cast<std::size_t>(j)]};
  }
  const Sample a = sample(random, x, depth - 1), b = sample(random, x, depth - 1);
  switch (pick(10)) {
    case 0:
      return {"(" + a.text + " + " + b.text + ")", a.value + b.value};
    case 1:
      return {"(" + a.text + " - " + b.text + ")", a.value - b.value};
    case 2:
      return {"(" + a.text + "*" + b.text + ")", a.value * b.value};
    case 3:
      return {"(" + a.text + "/(1 + " + b.text + "^2))", a.value / (1 + b.value * b.value)};
    case 4:
      return {"(-" + a.text + ")", -a.value};
    case 5:
      return {"sin(" + a.text + ")", std::sin(a.value)};
    case 6:
      return {"tanh(" + a.text + ")", std::tanh(a.value)};
    case 7:
      return {"sqrt(abs(" + a.text + "))", std::sqrt(std::abs(a.value))};
    case 8:
      return {"exp(-abs(" + a.text + "))", std::exp(-std::abs(a.value))};
    default:
      return {"max(" + a.text + ", " + b.text + ")", std::max(a.value, b.value)};
  }
}

TEST(Expression, M_T4_errors_of_random_expressions_are_within_their_bounds) {
  std::mt19937 random(1);
  const Matrix<double> x{{0.7, -1.9, 1e5}};
  const std::vector<double> row(x.data(), x.data() + 3);
  int meaningful = 0;
  for (int i = 0; i < 3000; ++i) {
    const Sample s = sample(random, row, 4);
    if (s.text.size() < 3) continue;
    const auto phi = expression_map<double>(s.text, 3);
    EXPECT_EQ(expression_map<double>(phi->text(), 3)->text(), phi->text());
    Matrix<double> out(1, 1), error(1, 1);
    dynamic_cast<const MeasuresFeatureError&>(*phi).apply_with_errors(Rows<double>(x), {}, out,
                                                                      error);
    const auto off = static_cast<double>(std::abs(out(0, 0) - s.value));
    EXPECT_LE(off, error(0, 0) * (1 + 1e-9) + 1e-18 * std::abs(out(0, 0))) << s.text;
    if (error(0, 0) > 0 && error(0, 0) < 1e-3 * std::abs(out(0, 0))) ++meaningful;
  }
  EXPECT_GT(meaningful, 1000);
}

TEST(Expression, M_T4_random_text_is_a_map_or_refused) {
  std::mt19937 random(2);
  const std::string letters = "x1234e.+-*/^(),` sqrtlogminpi";
  int maps = 0;
  for (int i = 0; i < 20000; ++i) {
    std::string text;
    for (unsigned n = 1 + random() % 12; n > 0; --n) text += letters[random() % letters.size()];
    try {
      const auto phi = map_from_text<double>(text, 4);
      EXPECT_EQ(map_from_text<double>(phi->text(), 4)->text(), phi->text()) << text;
      ++maps;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::bad_option) << text;
    }
  }
  EXPECT_GT(maps, 100);
}

TEST(Expression, M_T4_works_with_weights_z_scores_missing_cells_and_floats) {
  Matrix<double> x = random_rows(200, 2, 9);
  const auto phi = expression_map<double>("x1^2, x1*x2, tanh(x2)", 2);
  const std::vector<double> twice(200, 2.0);
  EXPECT_NEAR(fit(x, phi, {}, twice).eigenvalues()[0], 2 * fit(x, phi).eigenvalues()[0], 1e-9);
  Matrix<double> z = x;
  for (Index j = 0; j < 2; ++j) {
    z.col(j).array() -= x.col(j).mean();
    z.col(j) /= std::sqrt(z.col(j).squaredNorm() / 199);
  }
  EXPECT_NEAR(fit(x, phi, {.scale = Scale::std}).eigenvalues()[0], fit(z, phi).eigenvalues()[0],
              1e-9);
  const Matrix<float> floats = x.cast<float>();
  const auto single = fit(floats, expression_map<float>("x1^2, x1*x2, tanh(x2)", 2));
  const auto wide = fit(Matrix<double>(floats.cast<double>()), phi);
  EXPECT_NEAR(single.eigenvalues()[0], wide.eigenvalues()[0], 1e-9);
  EXPECT_LT((single.transform(floats).cast<double>() - wide.transform(floats.cast<double>()))
                .cwiseAbs()
                .maxCoeff(),
            1e-4);
  x(3, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(fit(x, phi, {.missing = Missing::mean}).outputs(), 3);
}

TEST(Expression, M_T4_plain_has_the_lectures_unweighted_maps) {
  const Matrix<double> x{{2, 3}};
  const auto row = [&](const std::string& text) {
    const auto phi = map_from_text<double>(text, 2);
    EXPECT_EQ(map_from_text<double>(phi->text(), 2)->text(), phi->text());
    EXPECT_EQ(phi->feature_names({"a", "b"}).size(), static_cast<std::size_t>(phi->features()));
    Matrix<double> out(1, phi->features());
    phi->apply(Rows<double>(x), out);
    return out;
  };
  EXPECT_EQ(row("plain(degree=2)"), (Matrix<double>{{2, 3, 4, 6, 9}}));
  EXPECT_EQ(row("plain(degree=2, exactly=yes)"), (Matrix<double>{{4, 6, 9}}));
  EXPECT_EQ(row("plain(degree=2, constant=yes)"), (Matrix<double>{{1, 2, 3, 4, 6, 9}}));
  EXPECT_EQ(row("plain(degree=3, exactly=yes, constant=yes)"),
            (Matrix<double>{{1, 8, 12, 18, 27}}));
  EXPECT_EQ(row("plain(degree=2, exactly=no)"), row("plain(degree=2)"));
  EXPECT_EQ(plain_map<double>(2, 2, {.exactly = true, .constant = true})->text(),
            "plain(degree=2, exactly=yes, constant=yes)");
  EXPECT_EQ(plain_map<double>(2, 2, {.exactly = true, .constant = true})->feature_names({"a", "b"}),
            (std::vector<std::string>{"1", "a^2", "a*b", "b^2"}));
}

TEST(Expression, M_T4_decodes_where_all_columns_are_features) {
  const Matrix<double> x = random_rows(5, 2, 1);
  Matrix<double> features(5, 3), back = Matrix<double>::Zero(5, 2);
  const auto phi = expression_map<double>("x2, x1*x2, x1", 2);
  phi->apply(x, features);
  EXPECT_TRUE(phi->decode(features, back));
  EXPECT_EQ(back, x);
  EXPECT_FALSE(expression_map<double>("x1, x2^2", 2)->decode(features, back));
}

}  // namespace mercer::expression_test
