// Maps as expressions, the lectures' names, and relations, on the command line.
#include "cli/support.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace mercer::test::expression_test {

using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// Points of 0.7x² − 0.4xy + 1.9y² = 1, as a CSV with these names.
std::string ellipse(const std::string& header, double noise = 0) {
  std::string csv = header + "\n";
  for (int i = 0; i < 240; ++i) {
    const double angle = 0.1 + 0.3 * i, u = std::cos(angle), v = std::sin(angle);
    const double r = 1 / std::sqrt(0.7 * u * u - 0.4 * u * v + 1.9 * v * v);
    csv += fmt::format("{},{}\n", r * u + noise * std::sin(7.0 * i),
                       r * v + noise * std::cos(5.0 * i));
  }
  return csv;
}

TEST(CliExpression, M_T4_equals_the_map_that_it_spells) {
  const std::vector<std::string> rings{"fit", data_file("rings.csv"), "--label", "class", "--json"};
  auto ours = rings, theirs = rings;
  ours.insert(ours.end(), {"--map", "x1^2, sqrt(2)*x1*x2, x2^2"});
  theirs.insert(theirs.end(), {"--map", "monomials(degree=2)"});
  const auto a = mercer(ours), b = mercer(theirs);
  ASSERT_EQ(a.exit_code, 0) << a.err;
  const Json x = Json::parse(a.out), y = Json::parse(b.out);
  EXPECT_EQ(x["map"], "x1^2, sqrt(2)*x1*x2, x2^2");
  for (std::size_t j = 0; j < 3; ++j)
    EXPECT_NEAR(x["eigenvalues"][j].get<double>(), y["eigenvalues"][j].get<double>(), 1e-10);
}

TEST(CliExpression, M_T4_an_expression_may_begin_with_a_minus) {
  const RunOptions rows{.input = "x1,o\n1,2\n3,4\n"};
  const std::string expected = "-x1^2,x1\n-1,1\n-9,3\n";
  EXPECT_EQ(mercer({"map", "-x1^2, x1", "-"}, rows).out, expected);
  EXPECT_EQ(
      mercer({"map", "-q", "--memory", "1GiB", "-x1^2, x1", "-", "--columns", "x1,o"}, rows).out,
      expected);
  EXPECT_EQ(mercer({"map", "--", "-x1^2, x1", "-"}, rows).out, expected);
  EXPECT_EQ(mercer({"map", "--", "-o", "-"}, rows).out, "-o\n-2\n-4\n");
  EXPECT_EQ(mercer({"map", "-q*x1", "-"}, {.input = "q,x1\n2,3\n"}).out, "-q*x1\n-6\n");
  EXPECT_EQ(mercer({"fit", "-", "--map", "-x1^2", "-q"}, rows).exit_code, 0);
  // Its place is that of the text as it was given.
  expect_error(mercer({"map", "-x1^2 +", "-"}, rows), 2, {"column 8: unexpected end"});
  expect_error(mercer({"map", "-y^2", "-"}, rows), 2, {"column 2: no column 'y'", "(in '-y^2')"});
  // Options are still options.
  expect_error(mercer({"map", "squares", "-", "-z"}, rows), 2, {"unknown option '-z'"});
  expect_error(mercer({"map", "--squares", "-"}, rows), 2, {"unknown option '--squares'"});
  EXPECT_THAT(mercer({"map", "--help"}).out, HasSubstr("mercer map --label class -- '-o^2' DATA"));
}

TEST(CliExpression, M_T4_an_overflow_names_row_feature_and_reason) {
  const RunOptions rows{.input = "a,b\n1,2\n1e200,3\n4,5\n"};
  for (const char* command : {"map", "fit", "learn"}) {
    SCOPED_TRACE(command);
    const auto run = [&](const std::string& map) {
      return std::string(command) == "map" ? mercer({"map", map, "-"}, rows)
                                           : mercer({command, "-", "--map", map, "-q"}, rows);
    };
    expect_error(run("b, a*a*b"), 1,
                 {"row 2: the feature 'a*a*b' overflows, where a = 1e+200, b = 3"});
    expect_error(run("monomials(degree=2)"), 1,
                 {"row 2: the feature '", "^2' of monomials(degree=2) overflows", "lower degree"});
  }
}

TEST(CliExpression, M_T4_rows_from_a_pipe_give_the_model_of_a_file) {
  const TempDir dir;
  const std::string csv = ellipse("x1,x2", 0.1);
  dir.file("x.csv", csv);
  for (const char* map : {"x1^2, x2", "-x1*x2", "monomials(degree=2)", "squares"}) {
    ASSERT_EQ(mercer({"fit", dir / "x.csv", "--map", map, "-q", "-o", dir / "file.st"}).exit_code,
              0);
    const auto pipe =
        mercer({"fit", "-", "--map", map, "-q", "-o", dir / "pipe.st"}, {.input = csv});
    ASSERT_EQ(pipe.exit_code, 0) << pipe.err;
    const auto scores = [&](const char* model) {
      return mercer({"transform", dir / model, dir / "x.csv"}).out;
    };
    expect_near(scores("pipe.st"), scores("file.st"), 1e-12);
    // Missing cells take the means of the columns, which the model of the pipe has too.
    const auto filled = [&](const char* model) {
      return mercer({"transform", dir / model, "-", "--missing", "mean"}, {.input = "x1,x2\n,1\n"})
          .out;
    };
    expect_near(filled("pipe.st"), filled("file.st"), 1e-12);
  }
}

TEST(CliExpression, M_T4_a_line_end_in_an_expression_is_space) {
  const RunOptions rows{.input = "a,b\n1,2\n"};
  EXPECT_EQ(mercer({"map", "a,\n  b^2", "-"}, rows).out, "a,b^2\n1,4\n");
  expect_error(mercer({"map", "a,\n  b^^2", "-"}, rows), 2,
               {"line 2, column 5: unexpected '^'", "(in '  b^^2')"});
}

TEST(CliExpression, M_T4_is_in_the_model_file_for_every_other_command) {
  const TempDir dir;
  dir.file("x.csv", ellipse("sepal length,e"));
  const auto fit = mercer({"fit", dir / "x.csv", "--map", "`sepal length`, e, e*exp(x1)", "-o",
                           dir / "m.st", "--scores", dir / "a.csv", "--scale", "std"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_THAT(fit.out, HasSubstr("`sepal length`, e, e*exp(x1)"));
  ASSERT_EQ(mercer({"transform", dir / "m.st", dir / "x.csv", "-o", dir / "b.csv"}).exit_code, 0);
  EXPECT_EQ(slurp(dir / "a.csv"), slurp(dir / "b.csv"));
  const auto inspect = mercer({"inspect", dir / "m.st", "--json"});
  EXPECT_EQ(Json::parse(inspect.out)["map"], "`sepal length`, e, e*exp(x1)");
  const auto back = mercer({"inverse", dir / "m.st", dir / "a.csv", "-o", dir / "c.csv"});
  ASSERT_EQ(back.exit_code, 0) << back.err;
  expect_near(slurp(dir / "c.csv"), slurp(dir / "x.csv"), 1e-9);
  const auto score = mercer({"score", dir / "m.st", dir / "x.csv", "-o", dir / "d.csv"});
  EXPECT_EQ(score.exit_code, 0) << score.err;
  const auto learn = mercer({"learn", dir / "x.csv", "--map", "e^2, `sepal length`*e", "--epochs",
                             "2", "-o", dir / "l.st"});
  EXPECT_EQ(learn.exit_code, 0) << learn.err;
}

TEST(CliExpression, M_T4_bad_expressions_and_rows_are_named) {
  const TempDir dir;
  dir.file("x.csv", "height,width\n1,2\n2,0\n3,5\n4,1\n");
  const auto fit = [&](const char* map) { return mercer({"fit", dir / "x.csv", "--map", map}); };
  expect_error(fit("height/width"), 1,
               {"x.csv", "row 2", "'height/width' divides by 0", "height = 2, width = 0"});
  expect_error(fit("log(width - 1)"), 1, {"row 2", "takes the logarithm of -1"});
  expect_error(fit("heigth^2"), 2, {"no column 'heigth'; did you mean height?"});
  expect_error(fit("(height"), 2, {"column 8", "')'"});
  expect_error(fit(std::string(1000, '(').c_str()), 2, {"levels of nesting"});
}

TEST(CliExpression, M_T3_fit_prints_the_relation_and_inspect_all_its_digits) {
  const TempDir dir;
  dir.file("x.csv", ellipse("x,y"));
  const auto fit = mercer(
      {"fit", dir / "x.csv", "--map", "monomials(degree=2)", "--keep-null", "-o", dir / "m.st"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_THAT(fit.out, HasSubstr("rank 2 of 3; the rows satisfy 0.700*x^2 - 0.400*x*y + 1.90*y^2 = "
                                 "1.00 (residual "));
  const Json json = Json::parse(mercer({"inspect", dir / "m.st", "--json"}).out);
  EXPECT_EQ(json["rank"], 2);
  EXPECT_EQ(json["n_components"], 3);
  const Json relation = json["relations"][0];
  EXPECT_NEAR(relation["coefficients"][1].get<double>(), -0.4, 1e-10);
  const auto inspect = mercer({"inspect", dir / "m.st", "--relations"});
  EXPECT_THAT(inspect.out, HasSubstr("rank 2 of 3; all rows satisfy\n0.70000000000"));
  expect_error(mercer({"score", dir / "m.st", dir / "x.csv", "-o", dir / "s.csv"}), 2,
               {"1 component of zero variance (--keep-null)"});
}

TEST(CliExpression, M_T3_noisy_rows_have_a_relation_with_standard_errors) {
  const TempDir dir;
  dir.file("x.csv", ellipse("x,y", 1e-3));
  const auto fit =
      mercer({"fit", dir / "x.csv", "--map", "plain(degree=2, exactly=yes)", "-o", dir / "m.st"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_THAT(fit.out, Not(HasSubstr("rank")));
  const Json json = Json::parse(mercer({"inspect", dir / "m.st", "--relations", "--json"}).out);
  EXPECT_EQ(json["exact"], false);
  const double truth[] = {0.7, -0.4, 1.9};
  for (std::size_t j = 0; j < 3; ++j) {
    const Json term = json["relations"][0]["terms"][j];
    EXPECT_NEAR(term["coefficient"].get<double>(), truth[j],
                5 * term["standard_error"].get<double>());
    EXPECT_LT(term["standard_error"].get<double>(), 2e-3);
  }
  const auto text = mercer({"inspect", dir / "m.st", "--relations"});
  EXPECT_THAT(text.out, HasSubstr("no exact relation"));
  EXPECT_THAT(text.out, HasSubstr("standard deviation"));
}

TEST(CliExpression, M_T3_relations_of_few_rows_ask_for_rows) {
  const TempDir dir;
  dir.file("x.csv", "a,b,c\n1,2,4\n2,5,1\n");
  ASSERT_EQ(mercer({"fit", dir / "x.csv", "-o", dir / "m.st"}).exit_code, 0);
  expect_error(mercer({"inspect", dir / "m.st", "--relations"}), 2, {"fit at least 4 rows"});
  dir.file("y.csv", "a,b\n1,2e-17\n2,5e-17\n5,1e-17\n4,4e-17\n");
  const auto fit = mercer({"fit", dir / "y.csv", "-o", dir / "n.st"});
  EXPECT_THAT(fit.out, Not(HasSubstr("satisfy")));
  expect_error(mercer({"inspect", dir / "n.st", "--relations"}), 2, {"--scale std"});
}

TEST(CliExpression, M_T4_the_lectures_names_of_kernels_and_rules_are_accepted) {
  const auto kernel = [](const char* text) {
    const auto run = mercer(
        {"fit", data_file("rings.csv"), "--label", "class", "--kernel", text, "-k", "2", "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out)["kernel"].get<std::string>();
  };
  EXPECT_EQ(kernel("(1+x.y)^2"), "poly(degree=2, coef0=1)");
  EXPECT_EQ(kernel("(x.y)^3"), "poly(degree=3, coef0=0)");
  EXPECT_EQ(kernel("(2*x.y + 1)^2"), "poly(degree=2, coef0=1, gamma=2)");
  EXPECT_EQ(kernel("gaussian(sigma=2)"), "rbf(gamma=0.125)");
  EXPECT_EQ(kernel("polynomial(degree=2)"), "poly(degree=2, coef0=1)");
  const auto run = mercer({"learn", data_file("rings.csv"), "--label", "class", "--rule", "sanger",
                           "-k", "2", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(Json::parse(run.out)["learning"]["rule"], "gha");
  EXPECT_EQ(Json::parse(run.out)["method"], "gha");
}

}  // namespace mercer::test::expression_test
