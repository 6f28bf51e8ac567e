#include "cli/support.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace mercer::test::fit_approx_test {

using Json = nlohmann::json;

Json fit_digits(const std::string& approx, const std::string& seed = "0") {
  const auto run =
      mercer({"fit", data_file("digits.csv"), "--label", "digit", "--kernel", "rbf(gamma=0.0004)",
              "-k", "5", "--approx", approx, "--seed", seed, "--json"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return Json::parse(run.out);
}

TEST(CliApprox, the_report_holds_the_error_bar) {
  const Json exact = fit_digits("none");
  EXPECT_TRUE(exact["approximation"].is_null());
  for (const char* approx : {"cholesky(rank=200)", "nystrom(landmarks=200, by=kmeans)",
                             "cholesky(tolerance=0.2)", "fourier(features=512)"}) {
    const Json json = fit_digits(approx);
    const Json& bar = json["approximation"];
    EXPECT_EQ(bar["name"], std::string(approx).substr(0, std::string(approx).find('(')));
    for (std::size_t i = 0; i < 5; ++i) {
      const double true_value = exact["eigenvalues"][i];
      EXPECT_GE(true_value, json["eigenvalue_intervals"][i][0].get<double>());
      EXPECT_LE(true_value, json["eigenvalue_intervals"][i][1].get<double>());
    }
    const bool landmarks = bar.contains("trace_error_ratio");
    EXPECT_EQ(landmarks, bar["name"] != "fourier");
    EXPECT_LE(bar[landmarks ? "trace_error_ratio" : "frobenius_error_ratio"].get<double>(), 0.25);
  }
}

TEST(CliApprox, words_and_inspect_show_it) {
  const TempDir dir;
  const auto run = mercer({"fit", data_file("digits.csv"), "--label", "digit", "--kernel", "rbf",
                           "-k", "3", "--approx", "cholesky(rank=100)", "-o", dir / "m.st"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto shown = mercer({"inspect", dir / "m.st"});
  for (const std::string& text : {run.out, shown.out}) {
    EXPECT_THAT(text,
                testing::HasSubstr("approximate: cholesky(rank=100), 100 features; trace error"));
    EXPECT_THAT(text, testing::ContainsRegex("each ratio up to [0-9.]+ percentage points larger"));
  }
  const auto scores = mercer({"transform", dir / "m.st", data_file("digits.csv")});
  EXPECT_EQ(scores.exit_code, 0) << scores.err;
  EXPECT_EQ(cells(scores.out).size(), 1798u);
}

TEST(CliApprox, time_says_what_was_done_and_why) {
  const auto fit = [](const char* time) {
    const auto run = mercer({"fit", data_file("digits.csv"), "--label", "digit", "--kernel", "rbf",
                             "-k", "3", "--time", time, "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out);
  };
  const Json enough = fit("10h");
  EXPECT_TRUE(enough["approximation"].is_null());
  EXPECT_THAT(enough["solver"]["why"].get<std::string>(), testing::HasSubstr("exact: expected"));
  const Json little = fit("0.000001ms");  // less than any machine takes
  EXPECT_EQ(little["approximation"]["name"], "cholesky");
  EXPECT_THAT(little["solver"]["why"].get<std::string>(), testing::HasSubstr("time is exceeded"));
}

TEST(CliApprox, a_pipe_chooses_its_features_from_the_first_rows) {
  std::string rows;
  for (int i = 0; i < 12'000; ++i)
    rows += std::to_string(std::sin(i)) + "," + std::to_string(std::cos(0.7 * i)) + "\n";
  const auto run = mercer({"fit", "-", "--kernel", "rbf(gamma=1)", "-k", "3", "--approx",
                           "cholesky(rank=40)", "--json"},
                          {.input = rows});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["n_samples"], 12'000);
  EXPECT_THAT(json["solver"]["why"].get<std::string>(), testing::HasSubstr("first 10000 rows"));
}

TEST(CliApprox, bad_input_is_one_line) {
  const std::string iris = data_file("iris.csv");
  const auto with = [&](std::vector<std::string> more) {
    std::vector<std::string> words = {"fit", iris, "--label", "species"};
    words.insert(words.end(), more.begin(), more.end());
    return mercer(words);
  };
  expect_error(with({"--kernel", "rbf", "--approx", "nystrom(landmarks=0)"}), 2,
               {"landmarks = 0 must be"});
  expect_error(with({"--kernel", "rbf", "--approx", "nystrom(landmarks=151)"}), 2,
               {"landmarks=151", "150 rows"});
  expect_error(with({"--kernel", "rbf", "--approx", "cholesky(rang=5)"}), 2,
               {"'rang'", "did you mean rank?"});
  expect_error(with({"--approx", "cholesky"}), 2, {"--kernel"});
  expect_error(with({"--kernel", "rbf", "--time", "soon"}), 2, {"--time 'soon'", "30s"});
  expect_error(with({"--kernel", "rbf", "--time", "5s", "--approx", "cholesky"}), 2,
               {"--approx and --time"});
}

}  // namespace mercer::test::fit_approx_test
