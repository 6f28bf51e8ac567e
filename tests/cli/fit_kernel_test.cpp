#include "cli/support.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <csignal>

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
               2, {"exclude each other"});
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
