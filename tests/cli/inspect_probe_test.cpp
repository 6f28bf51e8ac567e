#include "cli/support.hpp"

#include <fmt/format.h>
#include <Eigen/Dense>
#include <nlohmann/json.hpp>

namespace mercer::test::inspect_probe_test {

using Json = nlohmann::json;

TEST(CliInspect, tells_the_same_as_fit) {
  const TempDir dir;
  const auto fit = mercer({"fit", data_file("wine.csv"), "--label", "cultivar", "--scale", "std",
                           "-k", "3", "--json", "-o", dir / "w.st"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const auto inspect = mercer({"inspect", dir / "w.st", "--json"});
  // A file does not have what differs from run to run.
  Json fitted = Json::parse(fit.out);
  for (const char* key : {"seconds", "peak_memory_bytes"}) {
    EXPECT_GT(fitted[key].get<double>(), 0) << key;
    fitted[key] = nullptr;
  }
  EXPECT_EQ(Json::parse(inspect.out), fitted);

  const auto words = mercer({"inspect", dir / "w.st"});
  EXPECT_EQ(words.err, "");
  for (const char* text :
       {"w.st", "3 components", "178 rows x 13 columns", "z-scores", "label cultivar", "36.20 %",
        "+0.42 flavanoids", "covariance", "total variance 13"})
    EXPECT_THAT(words.out, testing::HasSubstr(text));
}

TEST(CliInspect, intervals_are_told_relative_to_the_first_eigenvalue) {
  const TempDir dir;
  const auto fit =
      mercer({"fit", data_file("wine.csv"), "--label", "cultivar", "-k", "2", "-o", dir / "w.st"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  const auto json = Json::parse(mercer({"inspect", dir / "w.st", "--json"}).out);
  double most = 0;
  for (std::size_t j = 0; j < 2; ++j)
    for (const Json& end : json["eigenvalue_intervals"][j])
      most = std::max(most, std::abs(end.get<double>() - json["eigenvalues"][j].get<double>()));
  const std::string line = fmt::format("eigenvalues are within {:.2g} of the first (proven)",
                                       most / json["eigenvalues"][0].get<double>());
  EXPECT_THAT(fit.out, testing::HasSubstr(line));
  EXPECT_THAT(mercer({"inspect", dir / "w.st"}).out, testing::HasSubstr(line));
}

TEST(CliInspect, intervals_of_unequal_sides_leave_out_a_side_of_0) {
  const TempDir dir;
  ASSERT_EQ(mercer({"learn", data_file("iris.csv"), "--label", "species", "--rule", "oja", "--rate",
                    "constant(0.002)", "--epochs", "10", "-q", "-o", dir / "m.st"})
                .exit_code,
            0);
  const auto json = Json::parse(mercer({"inspect", dir / "m.st", "--json"}).out);
  const double value = json["eigenvalues"][0].get<double>();
  const Json& ends = json["eigenvalue_intervals"][0];
  ASSERT_EQ(ends[0].get<double>(), value);
  const std::string line = fmt::format(
      "\nexact eigenvalues are larger by at most {:.2g} % of the first (95 % confidence)",
      100 * (ends[1].get<double>() / value - 1));
  EXPECT_THAT(mercer({"inspect", dir / "m.st"}).out, testing::HasSubstr(line));

  ASSERT_EQ(
      mercer({"fit", data_file("iris.csv"), "--label", "species", "--kernel", "rbf(gamma=0.5)",
              "--approx", "nystrom(landmarks=20)", "-k", "2", "-q", "-o", dir / "n.st"})
          .exit_code,
      0);
  EXPECT_THAT(mercer({"inspect", dir / "n.st"}).out,
              testing::ContainsRegex("exact eigenvalues are smaller by at most [^ ]+ of the first, "
                                     "or larger by at most [^ ]+ % of the first \\(proven"));
}

TEST(CliInspect, a_model_from_standard_input_has_no_size_to_tell) {
  const TempDir dir;
  ASSERT_EQ(mercer({"fit", data_file("iris.csv"), "--label", "species", "-q", "-o", dir / "m.st"})
                .exit_code,
            0);
  const auto piped = mercer({"inspect", "-"}, {.input = slurp(dir / "m.st")});
  ASSERT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_THAT(piped.out, testing::HasSubstr("-  4 components of 150 rows x 4 columns\n"));
  EXPECT_THAT(mercer({"inspect", dir / "m.st"}).out, testing::HasSubstr("4 columns, "));
}

TEST(CliInspect, reads_float_models) {
  const TempDir dir;
  ASSERT_EQ(mercer({"fit", data_file("iris.csv"), "--label", "species", "-q", "--precision",
                    "float", "-o", dir / "f.st"})
                .exit_code,
            0);
  EXPECT_EQ(Json::parse(mercer({"inspect", dir / "f.st", "--json"}).out)["precision"], "float");
}

/// ψ(q) straight from its definition, over the rows of iris.
double psi(Eigen::Vector4d q, bool z_scores) {
  const auto rows = cells(slurp(data_file("iris.csv")));
  Eigen::MatrixXd x(150, 4);
  for (int i = 0; i < 150; ++i)
    for (int j = 0; j < 4; ++j)
      x(i, j) = number(rows[static_cast<std::size_t>(i) + 1][static_cast<std::size_t>(j)]);
  x.rowwise() -= x.colwise().mean().eval();
  if (z_scores) x.array().rowwise() /= (x.colwise().norm() / std::sqrt(149.0)).array();
  return (x * q.normalized()).squaredNorm() / 149;
}

TEST(CliProbe, M_A2_variance_along_any_direction) {
  const auto run = mercer({"probe", data_file("iris.csv"), "--label", "species", "--direction",
                           "1,1,0,-2.5", "--direction", "0,0,10,0", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const Json json = Json::parse(run.out);
  ASSERT_EQ(json["directions"].size(), 2u);
  const double first = json["directions"][0]["variance"];
  EXPECT_NEAR(first, psi({1, 1, 0, -2.5}, false), 1e-12);
  EXPECT_NEAR(json["directions"][1]["variance"].get<double>(), psi({0, 0, 1, 0}, false), 1e-12);
  EXPECT_EQ(json["directions"][0]["direction"], Json({1.0, 1.0, 0.0, -2.5}));
  EXPECT_NEAR(json["directions"][0]["ratio"].get<double>(),
              first / json["total_variance"].get<double>(), 1e-15);
  EXPECT_LT(first, json["largest_variance"].get<double>());
  EXPECT_GT(first, json["smallest_variance"].get<double>());
  EXPECT_EQ(json["n_samples"], 150);
}

TEST(CliProbe, an_eigenvector_has_its_eigenvalue) {
  const auto run = mercer({"probe", data_file("iris.csv"), "--label", "species", "--json",
                           "--scale", "std", "--direction", "1,2,3,4"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NEAR(Json::parse(run.out)["directions"][0]["variance"].get<double>(),
              psi({1, 2, 3, 4}, true), 1e-12);
}

TEST(CliProbe, missing_cells_count_as_their_means) {
  const auto variance = [](const std::string& csv, std::vector<std::string> flags) {
    flags.insert(flags.begin(), {"probe", "-", "--json", "--direction", "1,-2"});
    const auto run = mercer(flags, {.input = csv});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out)["directions"][0]["variance"].get<double>();
  };
  const std::string holes = "a,b\n1,2\n3,\n5,7\n2,3\n", filled = "a,b\n1,2\n3,4\n5,7\n2,3\n";
  for (const std::string scale : {"none", "std"})
    EXPECT_NEAR(variance(holes, {"--missing", "mean", "--scale", scale}),
                variance(filled, {"--scale", scale}), 1e-12);
}

TEST(CliProbe, words) {
  const auto run = mercer({"probe", "-", "--direction", "1,0", "--direction=-1,1"},
                          {.input = "a,b\n1,2\n3,2\n5,2\n"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("1,0                   4  100.00 %"));
  EXPECT_THAT(run.out, testing::HasSubstr("-1,1                  2   50.00 %"));
  EXPECT_THAT(run.out, testing::HasSubstr("largest 4, smallest 0; total 4"));
}

TEST(CliProbe, directions_are_checked) {
  const std::string iris = data_file("iris.csv");
  const auto probe = [&](const std::string& direction) {
    return mercer({"probe", iris, "--label", "species", "--direction", direction});
  };
  expect_error(probe("1,1"), 2, {"--direction '1,1'", "2 numbers", "4 feature columns"});
  expect_error(probe("0,0,0,0"), 2, {"zero"});
  expect_error(probe("1,two,0,0"), 2, {"'two'"});
  expect_error(probe("1,,0,0"), 2, {"''"});
  expect_error(probe("inf,1,0,0"), 2, {"'inf'"});
  expect_error(mercer({"probe", iris, "--label", "species"}), 2, {"--direction"});
  expect_error(mercer({"probe", iris, "--direction", "1,0,0,0", "--direction", "1,0"}), 2,
               {"'1,0'"});
}

TEST(CliProbe, M_P1_directions_of_any_length_are_normalised) {
  const auto along = [](const std::string& direction) {
    return mercer(
        {"probe", data_file("iris.csv"), "--label", "species", "--direction", direction, "--json"});
  };
  const auto variance = [&](const std::string& direction) {
    const auto run = along(direction);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return nlohmann::json::parse(run.out).at("directions").at(0).at("variance").get<double>();
  };
  const double expected = variance("1,1,0,0");
  for (const char* direction : {"1e160,1e160,0,0", "1e-170,1e-170,0,0", "1e308,1e308,0,0"})
    EXPECT_NEAR(variance(direction), expected, 1e-12 * expected) << direction;
}

}  // namespace mercer::test::inspect_probe_test
