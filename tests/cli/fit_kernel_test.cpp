#include "cli/support.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <utility>

namespace mercer::test::fit_kernel_test {

using Json = nlohmann::json;

const std::string wine = data_file("wine.csv");

TEST(CliFitKernel, M_D3_scores_of_the_training_rows_come_back_from_the_saved_model) {
  const TempDir dir;
  const auto run =
      mercer({"fit", wine, "--label", "cultivar", "--scale", "std", "--kernel", "rbf(gamma=0.05)",
              "-k", "4", "-q", "-o", dir / "m.st", "--scores", dir / "s.csv"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const auto again = mercer({"transform", dir / "m.st", wine});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  // Those of the fit are read off its eigenvectors; both are within its residuals.
  expect_near(again.out, slurp(dir / "s.csv"), 1e-9);
  const Json json = Json::parse(mercer({"inspect", dir / "m.st", "--json"}).out);
  EXPECT_EQ(json["space"], "kernel");
  EXPECT_EQ(json["kernel"], "rbf(gamma=0.05)");
  EXPECT_EQ(json["method"], "kernel-pca");
  EXPECT_EQ(json["n_components"], 4);
  EXPECT_TRUE(json["solver"]["converged"].get<bool>());
  EXPECT_EQ(json["solver"]["residuals"].size(), 4u);
}

/// Whole numbers beside `far`, of which one cell may be missing.
std::string far_file(const TempDir& dir, double far, bool hole) {
  std::string text = "a,b\n";
  const std::vector<std::pair<int, int>> rows{{0, 5}, {1, 3}, {3, 2}, {4, 0}, {8, 1}, {9, 4}};
  for (std::size_t i = 0; i < rows.size(); ++i)
    text +=
        fmt::format("{},{:.0f}\n", hole && i == 5 ? "" : fmt::format("{:.0f}", far + rows[i].first),
                    far + rows[i].second);
  const std::string path = dir / "far.csv";
  std::ofstream(path) << text;
  return path;
}

TEST(CliFitKernel, M_P1_z_scores_of_rows_far_from_0_are_about_their_exact_mean) {
  const TempDir dir;
  const std::string far = far_file(dir, 1e14, false);
  // Means 25/6 and 5/2, sums of squares 401/6 and 35/2. k(x, x) = x·x of z-scores.
  const auto z = [](double a, double b) {
    return std::pair((a - 25.0 / 6) / std::sqrt(401.0 / 30), (b - 2.5) / std::sqrt(3.5));
  };
  for (const char* flag : {"--map", "--kernel"}) {
    const bool map = std::string(flag) == "--map";
    ASSERT_EQ(mercer({"fit", far, "--scale", "std", flag, map ? "squares" : "linear", "-k", "2",
                      "-q", "-o", dir / "m.st"})
                  .exit_code,
              0);
    const auto scores = mercer({"transform", dir / "m.st", far});
    ASSERT_EQ(scores.exit_code, 0) << scores.err;
    // Both components: squared distances of scores are those of features.
    std::istringstream lines(scores.out);
    std::string line;
    std::getline(lines, line);
    std::vector<std::pair<double, double>> y;
    while (std::getline(lines, line)) {
      y.emplace_back();
      ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf", &y.back().first, &y.back().second), 2);
    }
    ASSERT_EQ(y.size(), 6u);
    // From the mean: with squares, that of z² is (n − 1)/n = 5/6 in each column.
    const auto [a, b] = z(0, 5);
    const double exact =
        map ? std::pow(a * a - 5.0 / 6, 2) + std::pow(b * b - 5.0 / 6, 2) : a * a + b * b;
    EXPECT_NEAR(y[0].first * y[0].first + y[0].second * y[0].second, exact, 1e-13) << flag;
  }
}

TEST(CliFitKernel, M_P1_missing_cells_far_from_0_lie_on_the_exact_mean) {
  const TempDir dir;
  const std::string far = far_file(dir, 1e14, true);
  const auto run = mercer({"fit", far, "--missing", "mean", "-k", "2", "--json", "-q"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  // Five cells of mean 16/5, squares 194/5; 35/2; products (x − 16/5)(y − 5/2) of the five −91/5.
  const double trace = 38.8 + 17.5, det = 38.8 * 17.5 - 18.2 * 18.2;
  const double root = std::sqrt(trace * trace / 4 - det);
  const auto values = Json::parse(run.out)["eigenvalues"].get<std::vector<double>>();
  EXPECT_NEAR(values[0], trace / 2 + root, 1e-12);
  EXPECT_NEAR(values[1], trace / 2 - root, 1e-12);
}

TEST(CliFitKernel, M_D2_a_map_and_its_kernel_have_the_same_eigenvalues) {
  const auto eigenvalues = [&](const std::string& flag, const std::string& text) {
    const auto run = mercer(
        {"fit", wine, "--label", "cultivar", "--scale", "std", flag, text, "-k", "5", "--json"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out)["eigenvalues"].get<std::vector<double>>();
  };
  const auto a = eigenvalues("--map", "polynomial(degree=2)");
  const auto b = eigenvalues("--kernel", "poly(degree=2, coef0=1)");
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(a[i], b[i], 1e-10 * a[0]);
}

TEST(CliFitKernel, M_C4_a_kernel_matrix_in_place_of_the_data) {
  const TempDir dir;
  const std::string text = "laplacian(gamma=0.1)";
  ASSERT_EQ(mercer({"kernel", "matrix", text, wine, "--label", "cultivar", "-o", dir / "k.npy"})
                .exit_code,
            0);
  const auto of = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"-k", "3", "--json"});
    const auto run = mercer(words);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out);
  };
  const Json data = of({"fit", wine, "--label", "cultivar", "--kernel", text});
  const Json matrix = of({"fit", dir / "k.npy", "--precomputed", "-o", dir / "m.st"});
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_NEAR(data["eigenvalues"][i].get<double>(), matrix["eigenvalues"][i].get<double>(),
                1e-9 * data["eigenvalues"][0].get<double>());
  EXPECT_EQ(matrix["space"], "precomputed");
  expect_error(mercer({"transform", dir / "m.st", wine, "--label", "cultivar"}), 1,
               {"13 feature columns", "178"});
}

TEST(CliFitKernel, a_fraction_of_the_trace) {
  const auto run = mercer({"fit", wine, "--label", "cultivar", "--scale", "std", "--kernel", "rbf",
                           "-k", "0.5", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  const auto ratios = json["cumulative_variance_ratio"].get<std::vector<double>>();
  EXPECT_GE(ratios.back(), 0.5);
  EXPECT_LT(ratios[ratios.size() - 2], 0.5);
  EXPECT_THAT(json["kernel"].get<std::string>(), testing::HasSubstr("rbf(gamma="));
}

TEST(CliFitKernel, a_first_look_shows_up_to_ten_components) {
  const auto run =
      mercer({"fit", wine, "--label", "cultivar", "--scale", "std", "--kernel", "rbf", "--json"});
  EXPECT_EQ(Json::parse(run.out)["n_components"], 10);
  const auto few = mercer(
      {"fit", wine, "--label", "cultivar", "--columns", "2-4", "--kernel", "linear", "--json"});
  EXPECT_EQ(Json::parse(few.out)["n_components"], 3) << few.err;
}

TEST(CliFitKernel, wrong_expressions_are_answered_with_their_place) {
  const auto kernel = [&](const std::string& text) {
    return mercer({"fit", wine, "--label", "cultivar", "--kernel", text});
  };
  expect_error(kernel("rbf(gamma=0.1"), 2, {"column 14"});
  expect_error(kernel("rfb"), 2, {"rfb", "rbf"});
  expect_error(kernel("rbf(gamma=0)"), 2, {"gamma"});
  expect_error(kernel("rbf(gamma=-1)"), 2, {"gamma"});
  expect_error(kernel("rbf(gamma=nan)"), 2, {"nan"});
  expect_error(mercer({"fit", wine, "--label", "cultivar", "--kernel=-1*rbf"}), 2, {"positive"});
  expect_error(mercer({"fit", wine, "--label", "cultivar", "--map", "cubes"}), 2,
               {"cubes", "squares"});
  expect_error(mercer({"fit", wine, "--label", "cultivar", "--map", "monomials(degree=x)"}), 2,
               {"column 18"});
  expect_error(mercer({"fit", wine, "--label", "cultivar", "--kernel", "rbf", "--map", "squares"}),
               2, {"mutually exclusive"});
  expect_error(mercer({"fit", wine, "--label", "cultivar", "--clip"}), 2, {"--clip", "--kernel"});
  expect_error(mercer({"fit", wine, "--label", "cultivar", "--scale", "std", "--kernel",
                       "sigmoid(gamma=5, coef0=-3)"}),
               1, {"not positive semi-definite", "--clip"});
  expect_error(mercer({"fit", wine, "--label", "cultivar", "--kernel", "poly(degree=200)"}), 1,
               {"overflow"});
}

TEST(CliFitKernel, nothing_is_left_when_it_is_stopped) {
  const TempDir dir;
  std::string rows = "a,b\n";
  for (int i = 0; i < 20000; ++i) rows += fmt::format("{},{}\n", std::sin(i), std::cos(3.0 * i));
  const auto before = dir.list();
  const auto run = mercer(
      {"fit", "-", "--kernel", "matern(nu=2.5, length=0.01)", "-k", "10", "-o", dir / "m.st", "-q"},
      {.input = rows, .signal = SIGINT, .signal_after_ms = 600});
  EXPECT_EQ(run.exit_code, 130) << run.err;
  EXPECT_EQ(dir.list(), before);
}

}  // namespace mercer::test::fit_kernel_test
