#include "cli/support.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace mercer::test::score_test {

using Json = nlohmann::json;

/// Wine, scaled, two components; and the same rows with one that is spoilt.
struct Wine {
  explicit Wine(const TempDir& dir)
      : model(dir / "wine.st"), data(data_file("wine.csv")), spoilt(dir / "spoilt.csv") {
    const auto run = mercer(
        {"fit", data, "--label", "cultivar", "--scale", "std", "-k", "2", "-q", "-o", model});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    std::string text = slurp(data);
    const std::size_t line = text.find('\n') + 1, comma = text.find(',', text.find(',', line) + 1);
    text.insert(comma, "e2");  // a comma too late in the first wine's second cell
    dir.file("spoilt.csv", text);
  }
  std::string model, data, spoilt;
};

TEST(CliScore, contributions_of_weighted_rows_add_up_to_one) {
  const TempDir dir;
  std::string text = "a,b,w\n";
  for (int i = 0; i < 20; ++i)
    text += fmt::format("{},{},{}\n", std::sin(i), std::cos(3 * i), 1 + i % 4);
  const std::string data = dir.file("w.csv", text), model = dir / "w.st", out = dir / "ctr.csv";
  ASSERT_EQ(mercer({"fit", data, "--weights", "w", "-k", "2", "-q", "-o", model}).exit_code, 0);
  const auto run =
      mercer({"score", model, data, "--weights", "w", "--contributions", "-o", out, "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto rows = cells(slurp(out));
  for (std::size_t column = 0; column < rows[0].size(); ++column) {
    if (!rows[0][column].starts_with("ctr_")) continue;
    double sum = 0;
    for (std::size_t i = 1; i < rows.size(); ++i) sum += number(rows[i][column]);
    EXPECT_NEAR(sum, 1, 1e-12) << rows[0][column];
  }
}

TEST(CliScore, says_how_well_the_model_fits) {
  const TempDir dir;
  const Wine wine(dir);
  const auto run = mercer({"score", wine.model, wine.data});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* text :
       {"178 rows, 2 components", "explained variance 55.41 % of these rows", "55.41 % in the fit",
        "T2", "99 % limit", "simulated for 178 Gaussian rows", "SPE"})
    EXPECT_THAT(run.out, testing::HasSubstr(text));
  const auto json = mercer({"score", wine.model, wine.data, "--json"});
  const Json found = Json::parse(json.out);
  EXPECT_EQ(found["rows"], 178);
  EXPECT_NEAR(found["explained_variance"].get<double>(),
              found["fit_explained_variance"].get<double>(), 1e-12);
  // Thirteen z-scores have a variance of 13, over N - 1.
  EXPECT_NEAR(found["mean_spe"].get<double>(),
              13 * 177.0 / 178 * (1 - found["explained_variance"].get<double>()), 1e-9);
  EXPECT_EQ(found["explained_variance_ratio"].size(), 2u);
}

TEST(CliScore, flags_the_row_that_is_unlike_the_others) {
  const TempDir dir;
  const Wine wine(dir);
  const auto run =
      mercer({"score", wine.model, wine.spoilt, "--flag", "0.999", "-o", dir / "r.csv"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("outside"));
  const auto rows = cells(slurp(dir / "r.csv"));
  ASSERT_EQ(rows.size(), 179u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"cultivar", "t2", "spe", "flag"}));
  EXPECT_NE(rows[1][3], "0");
  int flagged = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) flagged += rows[i][3] != "0";
  EXPECT_LE(flagged, 10);  // wine is not quite Gaussian
  const Json found =
      Json::parse(mercer({"score", wine.model, wine.spoilt, "--flag", "0.999", "--json"}).out);
  EXPECT_EQ(found["beyond"]["any"], flagged);
  EXPECT_EQ(found["flagged"][0]["row"], 1);
  EXPECT_EQ(found["flagged"].size(), static_cast<std::size_t>(flagged));
}

TEST(CliScore, limits_may_come_from_good_rows) {
  const TempDir dir;
  const Wine wine(dir);
  const auto run = mercer(
      {"score", wine.model, wine.spoilt, "--flag", "0.9", "--reference", wine.data, "--json"});
  const Json found = Json::parse(run.out);
  EXPECT_THAT(found["spe_limit_from"].get<std::string>(),
              testing::HasSubstr("quantile of 178 rows"));
  // ceil(0.9 * 179) = 162 of the 178 good rows are within each limit.
  const Json good = Json::parse(
      mercer({"score", wine.model, wine.data, "--flag", "0.9", "--reference", wine.data, "--json"})
          .out);
  EXPECT_EQ(good["beyond"]["t2"], 16);
  EXPECT_EQ(good["beyond"]["spe"], 16);
}

TEST(CliScore, M_P7_a_level_that_the_rows_cannot_carry_is_refused_with_their_number) {
  const TempDir dir;
  const Wine wine(dir);
  std::string text = slurp(wine.data);
  std::size_t end = 0;
  for (int line = 0; line < 11; ++line) end = text.find('\n', end) + 1;
  const std::string ten = dir.file("ten.csv", text.substr(0, end));
  expect_error(mercer({"score", wine.model, wine.data, "--flag", "0.99", "--reference", ten}), 1,
               {"no control limits", "99 % needs 99 good rows, there are 10"});
  const auto shown = mercer({"score", wine.model, wine.data, "--reference", ten});
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out,
              testing::HasSubstr("T2    no limit: 99 % needs 99 good rows, there are 10\n"));
  ASSERT_EQ(
      mercer({"fit", ten, "--label", "cultivar", "-k", "1", "-q", "-o", dir / "ten.st"}).exit_code,
      0);
  expect_error(mercer({"score", dir / "ten.st", wine.data, "--flag", "0.99", "-o", dir / "r.csv"}),
               1, {"99 % needs 40 rows in the fit, there are 10", "--reference"});
  EXPECT_EQ(slurp(dir / "r.csv"), "");
}

TEST(CliScore, M_P7_refusals_name_a_level_that_works_and_the_other_remedies) {
  const TempDir dir;
  const Wine wine(dir);
  std::string text = slurp(wine.data);
  std::size_t end = 0;
  for (int line = 0; line < 31; ++line) end = text.find('\n', end) + 1;
  const std::string thirty = dir.file("thirty.csv", text.substr(0, end)), model = dir / "m.st";
  ASSERT_EQ(mercer({"fit", thirty, "--label", "cultivar", "-k", "1", "-q", "-o", model}).exit_code,
            0);
  expect_error(mercer({"score", model, wine.data, "--flag", "0.99"}), 1,
               {"use --flag 0.968, or give 99 or more rows known to be good (--reference)"});
  EXPECT_EQ(mercer({"score", model, wine.data, "--flag", "0.968"}).exit_code, 0);
  EXPECT_EQ(
      mercer({"score", model, wine.data, "--flag", "0.99", "--reference", wine.data}).exit_code, 0);
  // 30 good rows carry 30/31.
  expect_error(mercer({"score", model, wine.data, "--flag", "0.99", "--reference", thirty}), 1,
               {"use --flag 0.967, or give 99 or more"});
  EXPECT_EQ(mercer({"score", model, wine.data, "--flag", "0.967", "--reference", thirty}).exit_code,
            0);
  const auto shown = mercer({"score", model, wine.data});
  EXPECT_THAT(shown.out, testing::HasSubstr("\nfor a limit, use --flag 0.968, or give 99 or more"));
}

TEST(CliScore, M_P7_a_model_without_its_rows_is_told_to_keep_some) {
  const TempDir dir;
  const std::string model = dir / "m.st", rings = data_file("rings.csv");
  const auto fit = [&](const std::string& kept) {
    return mercer({"fit", rings, "--label", "class", "--kernel", "rbf(gamma=0.5)", "-k", "4",
                   "--approx", "nystrom(landmarks=60)", "--keep-rows", kept, "-q", "-o", model})
        .exit_code;
  };
  ASSERT_EQ(fit("0"), 0);
  expect_error(mercer({"score", model, rings, "--flag", "0.99"}), 1,
               {"or fit with --keep-rows 200"});
  ASSERT_EQ(fit("200"), 0);
  EXPECT_EQ(mercer({"score", model, rings, "--flag", "0.99"}).exit_code, 0);
}

TEST(CliScore, weights_and_holes_are_those_of_fit_and_transform) {
  const TempDir dir;
  std::string rows = "a,b,c,w\n", repeated = "a,b,c\n";
  for (int i = 0; i < 40; ++i) {
    const std::string cells = fmt::format("{},{},{}", i, 2 * i + i % 3, i % 5);
    rows += cells + (i % 2 == 0 ? ",2\n" : ",1\n");
    for (int c = 0; c < (i % 2 == 0 ? 2 : 1); ++c) repeated += cells + "\n";
  }
  const std::string data = dir.file("rows.csv", rows), many = dir.file("many.csv", repeated);
  const std::string model = dir / "m.st";
  ASSERT_EQ(mercer({"fit", many, "-k", "1", "-q", "-o", model}).exit_code, 0);
  const auto weighted = mercer({"score", model, data, "--weights", "w", "--json"});
  ASSERT_EQ(weighted.exit_code, 0) << weighted.err;
  const Json a = Json::parse(weighted.out),
             b = Json::parse(mercer({"score", model, many, "--json"}).out);
  EXPECT_EQ(a["rows"], 40);
  for (const char* key : {"mean_spe", "explained_variance"})
    EXPECT_NEAR(a[key].get<double>(), b[key].get<double>(), 1e-10 * b[key].get<double>()) << key;
  const std::string holes = dir.file("holes.csv", "a,b,c\n3,6,1\n4,,2\n");
  expect_error(mercer({"score", model, holes}), 1, {"line 3"});
  const auto em = mercer({"score", model, holes, "--missing", "em", "-o", dir / "s.csv", "-q"});
  ASSERT_EQ(em.exit_code, 0) << em.err;
  EXPECT_EQ(cells(slurp(dir / "s.csv")).size(), 3u);
}

TEST(CliScore, contributions_add_up_over_the_training_rows) {
  const TempDir dir;
  const Wine wine(dir);
  const auto run = mercer({"score", wine.model, wine.data, "--contributions", "-o", "-"});
  EXPECT_EQ(run.exit_code, 0);
  const auto rows = cells(run.out);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"cultivar", "t2", "spe", "ctr_pc1", "ctr_pc2",
                                               "cos2_pc1", "cos2_pc2"}));
  double sum = 0;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    sum += number(rows[i][4]);
    EXPECT_LE(number(rows[i][5]) + number(rows[i][6]), 1 + 1e-12);
  }
  EXPECT_NEAR(sum, 1, 1e-12);
  EXPECT_THAT(run.err, testing::HasSubstr("explained variance"));
}

TEST(CliScore, kernel_models_have_an_spe_too) {
  const TempDir dir;
  for (const std::string approx : {"none", "nystrom(landmarks=60)"}) {
    ASSERT_EQ(mercer({"fit", data_file("rings.csv"), "--label", "class", "--kernel",
                      "rbf(gamma=0.5)", "-k", "4", "--approx", approx, "-q", "-o", dir / "m.st"})
                  .exit_code,
              0);
    const auto run = mercer({"score", dir / "m.st", data_file("rings.csv"), "--json"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Json found = Json::parse(run.out);
    EXPECT_NEAR(found["explained_variance"].get<double>(),
                found["fit_explained_variance"].get<double>(), 1e-3);
    EXPECT_EQ(found["spe_limit"].is_null(), approx != "none");
  }
}

TEST(CliScore, errors_are_one_line_and_leave_nothing_behind) {
  const TempDir dir;
  const Wine wine(dir);
  const auto before = dir.list();
  const std::string out = dir / "x.csv", iris = data_file("iris.csv");
  expect_error(mercer({"score", wine.model, iris, "-o", out}), 1, {"iris.csv", "alcohol"});
  expect_error(
      mercer({"score", wine.model, data_file("digits.csv"), "--columns", "1-4", "-o", out}), 1,
      {"4 feature columns", "has 13"});
  expect_error(mercer({"score", wine.model, wine.data, "--flag", "2"}), 2, {"--flag '2'", "0.99"});
  expect_error(mercer({"score", wine.model, wine.data, "--flag", "x"}), 2, {"--flag 'x'"});
  expect_error(mercer({"score", wine.model, wine.data, "--reference", dir / "none.csv"}), 1,
               {"none.csv"});
  const std::string header = slurp(wine.data).substr(0, slurp(wine.data).find('\n') + 1);
  dir.file("empty.csv", header);
  expect_error(mercer({"score", wine.model, dir / "empty.csv", "-o", out}), 1, {"empty.csv"});
  dir.file("holes.csv", header + ",,,,,,,,,,,,,barolo\n");
  expect_error(mercer({"score", wine.model, dir / "holes.csv", "-o", out}), 1, {"holes.csv"});
  for (const char* extra : {"empty.csv", "holes.csv"}) std::filesystem::remove(dir / extra);
  EXPECT_EQ(dir.list(), before);
}

TEST(CliInspect, loadings_of_scaled_columns_are_correlations) {
  const TempDir dir;
  const Wine wine(dir);
  const auto run = mercer({"inspect", wine.model, "--loadings"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  for (const char* text : {"correlation", "share, %", "cos2", "flavanoids", "PC2"})
    EXPECT_THAT(run.out, testing::HasSubstr(text));
  const Json json = Json::parse(mercer({"inspect", wine.model, "--loadings", "--json"}).out);
  EXPECT_EQ(json["columns"].size(), 13u);
  for (std::size_t j = 0; j < 13; ++j)
    for (std::size_t c = 0; c < 2; ++c) {
      const double r = json["correlations"][j][c];
      EXPECT_NEAR(json["loadings"][j][c].get<double>(), r, 1e-12);
      EXPECT_NEAR(json["cos2"][j][c].get<double>(), r * r, 1e-12);
    }
  ASSERT_EQ(mercer({"inspect", wine.model, "--loadings", "-o", dir / "l.csv"}).exit_code, 0);
  const auto rows = cells(slurp(dir / "l.csv"));
  EXPECT_EQ(rows[0][0], "column");
  EXPECT_EQ(rows[0].size(), 9u);
  EXPECT_EQ(rows.size(), 14u);
}

TEST(CliInspect, gradients_of_a_linear_model_are_its_components) {
  const TempDir dir;
  const std::string model = dir / "iris.st";
  ASSERT_EQ(
      mercer({"fit", data_file("iris.csv"), "--label", "species", "-q", "-o", model}).exit_code, 0);
  const auto run =
      mercer({"inspect", model, "--gradient", data_file("iris.csv"), "--component", "2"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const auto rows = cells(run.out);
  ASSERT_EQ(rows.size(), 151u);
  double square = 0;
  for (std::size_t j = 1; j < 5; ++j) square += std::pow(number(rows[7][j]), 2);
  EXPECT_NEAR(square, 1, 1e-12);
  EXPECT_EQ(std::vector<std::string>(rows[7].begin() + 1, rows[7].end()),
            std::vector<std::string>(rows[9].begin() + 1, rows[9].end()));
}

TEST(CliInspect, a_kernel_model_has_gradients_and_no_loadings) {
  const TempDir dir;
  const std::string model = dir / "m.st", rings = data_file("rings.csv");
  ASSERT_EQ(mercer({"fit", rings, "--label", "class", "--kernel", "rbf(gamma=0.5)", "-k", "2", "-q",
                    "-o", model})
                .exit_code,
            0);
  expect_error(mercer({"inspect", model, "--loadings"}), 2, {"m.st", "no loadings", "--gradient"});
  ASSERT_EQ(mercer({"inspect", model, "--gradient", rings, "-o", dir / "g.csv"}).exit_code, 0);
  EXPECT_EQ(cells(slurp(dir / "g.csv"))[0], (std::vector<std::string>{"class", "x", "y"}));
  expect_error(mercer({"inspect", model, "--gradient", rings, "--component", "3"}), 2,
               {"--component '3'", "1 to 2"});
  expect_error(mercer({"inspect", model, "--gradient", data_file("wine.csv")}), 1, {"wine.csv"});
}

TEST(CliScore, a_level_is_told_with_all_its_digits) {
  const TempDir dir;
  const std::string iris = data_file("iris.csv"), model = dir / "m.st";
  ASSERT_EQ(mercer({"fit", iris, "--label", "species", "-k", "2", "-q", "-o", model}).exit_code, 0);
  const auto run = mercer({"score", model, iris, "--label", "species", "--flag", "0.99999"});
  EXPECT_THAT(run.out, testing::HasSubstr("99.999 % limit"));
  EXPECT_THAT(mercer({"score", model, iris, "--label", "species", "--flag", "0.9999999"}).out,
              testing::Not(testing::HasSubstr(" 100 % limit")));
}

}  // namespace mercer::test::score_test
