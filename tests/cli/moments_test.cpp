// Moment files of parts, merged by the program.
#include "cli/support.hpp"

#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>

namespace mercer::test::moments_test {

using Json = nlohmann::json;

struct Parts {
  TempDir dir;
  std::string one, two, all = data_file("wine.csv");
  Parts() {
    const std::string text = slurp(all);
    const std::size_t header = text.find('\n') + 1;
    const std::size_t middle = text.find('\n', text.size() / 2) + 1;
    one = dir.file("one.csv", text.substr(0, middle));
    two = dir.file("two.csv", text.substr(0, header) + text.substr(middle));
  }
  /// Sums both parts with these flags.
  std::vector<std::string> summed(const std::vector<std::string>& flags) const {
    std::vector<std::string> files;
    for (const std::string& part : {one, two}) {
      files.push_back(part + ".mom");
      std::vector<std::string> command = {"moments",  part, "--label",
                                          "cultivar", "-o", files.back()};
      command.insert(command.end(), flags.begin(), flags.end());
      const auto run = mercer(command);
      EXPECT_EQ(run.exit_code, 0) << run.err;
    }
    return files;
  }
};

Json json_of(const std::vector<std::string>& arguments) {
  const auto run = mercer(arguments);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  return Json::parse(run.out);
}

TEST(CliMoments, M_G1_merged_moments_are_the_fit_of_all_rows) {
  const Parts parts;
  for (const std::vector<std::string>& flags :
       {std::vector<std::string>{},
        {"--scale", "std"},
        {"--no-center", "--ddof", "0"},
        {"--weights", "ash"},
        {"--columns", "alcohol,ash", "--map", "polynomial(degree=2)"}}) {
    const auto files = parts.summed(flags);
    std::vector<std::string> whole = {"fit", parts.all, "--label", "cultivar", "-k", "2", "--json"};
    whole.insert(whole.end(), flags.begin(), flags.end());
    const Json merged = json_of({"merge", files[1], files[0], "-k", "2", "--json"});
    const Json fitted = json_of(whole);
    EXPECT_EQ(merged["n_samples"], 178);
    EXPECT_EQ(merged["feature_names"], fitted["feature_names"]);
    EXPECT_EQ(merged["label"], "cultivar");
    const double first = fitted["eigenvalues"][0];
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(merged["eigenvalues"][j].get<double>(), fitted["eigenvalues"][j].get<double>(),
                  1e-12 * first);
      EXPECT_LE(merged["eigenvalue_intervals"][j][0], merged["eigenvalues"][j]);
    }
    EXPECT_NEAR(merged["total_variance"].get<double>(), fitted["total_variance"].get<double>(),
                1e-12 * fitted["total_variance"].get<double>());
  }
}

TEST(CliMoments, a_merged_model_scores_rows_as_one_of_fit) {
  const Parts parts;
  const auto files = parts.summed({"--scale", "std"});
  const std::string model = parts.dir / "m.st", a = parts.dir / "a.csv", b = parts.dir / "b.csv";
  const auto run = mercer({"merge", files[0], files[1], "-k", "3", "-o", model});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("2 moment files"));
  EXPECT_THAT(mercer({"inspect", model}).out, testing::HasSubstr("moments of 2 parts"));
  ASSERT_EQ(mercer({"transform", model, parts.all, "-o", a, "-q"}).exit_code, 0);
  ASSERT_EQ(mercer({"fit", parts.all, "--label", "cultivar", "--scale", "std", "-k", "3",
                    "--scores", b, "-q"})
                .exit_code,
            0);
  expect_near(slurp(a), slurp(b), 1e-9);
}

TEST(CliMoments, M_P4_the_same_bytes_for_threads_streams_and_several_files) {
  const Parts parts;
  const std::string out = parts.dir / "x.mom";
  const auto bytes = [&](std::vector<std::string> data, const RunOptions& options = {}) {
    data.insert(data.begin(), "moments");
    data.insert(data.end(), {"--label", "cultivar", "-q", "-o", out});
    const auto run = mercer(data, options);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return slurp(out);
  };
  const std::string whole = bytes({parts.all, "--threads", "1"});
  EXPECT_EQ(bytes({parts.all, "--threads", "3"}), whole);
  EXPECT_EQ(bytes({parts.one, parts.two}), whole);
  EXPECT_EQ(bytes({"-"}, {.input = slurp(parts.all)}), whole);
}

TEST(CliMoments, M_P8_what_cannot_be_merged_is_one_line_and_writes_nothing) {
  const Parts parts;
  const auto files = parts.summed({});
  const std::string model = parts.dir / "m.st", out = parts.dir / "out.st";
  ASSERT_EQ(mercer({"fit", parts.all, "--label", "cultivar", "-o", model, "-q"}).exit_code, 0);
  const std::string scaled = parts.dir / "s.mom", few = parts.dir / "f.mom";
  ASSERT_EQ(
      mercer({"moments", parts.one, "--label", "cultivar", "--scale", "std", "-q", "-o", scaled})
          .exit_code,
      0);
  ASSERT_EQ(mercer({"moments", parts.one, "--columns", "ash", "-q", "-o", few}).exit_code, 0);
  expect_error(mercer({"merge", files[0], model, "-o", out}), 2,
               {"one.csv.mom", "m.st", "moments"});
  expect_error(mercer({"merge", files[0], scaled, "-o", out}), 2,
               {"s.mom", "only the second is of z-scores"});
  expect_error(mercer({"merge", files[0], few, "-o", out}), 1, {"f.mom", "'alcohol'"});
  expect_error(mercer({"merge", files[0], parts.dir / "none.mom", "-o", out}), 1, {"none.mom"});
  expect_error(mercer({"merge", files[0], "-k", "auto", "-o", out}), 2, {"fraction"});
  expect_error(mercer({"merge", files[0], "-k", "20", "-o", out}), 2, {"20"});
  const std::string cut = parts.dir.file("cut.mom", slurp(files[0]).substr(0, 900));
  expect_error(mercer({"merge", cut, "-o", out}), 1, {"cut.mom", "truncated"});
  EXPECT_FALSE(std::filesystem::exists(out));
  const std::string sums = parts.dir / "out.mom";
  expect_error(
      mercer({"moments", parts.one, "--label", "cultivar", "--missing", "mean", "-o", sums}), 2,
      {"--missing drop"});
  expect_error(mercer({"moments", parts.one, "--label", "cultivar", "--scale", "std", "--map",
                       "squares", "-o", sums}),
               2, {"z-scores", "without scaling"});
  expect_error(mercer({"moments", parts.one, "-o", sums}), 1, {"cultivar"});
  expect_error(mercer({"moments", parts.one, "--label", "cultivar", "-o", model}), 2, {".mom"});
  expect_error(mercer({"moments", parts.one, "--label", "cultivar", "-o", parts.one}), 2,
               {"overwrite"});
  EXPECT_FALSE(std::filesystem::exists(sums));
}

TEST(CliMoments, json_says_what_was_summed) {
  const Parts parts;
  const Json json = json_of({"moments", parts.one, "--label", "cultivar", "--weights", "ash",
                             "--json", "-o", parts.dir / "j.mom"});
  EXPECT_EQ(json["columns"], 12);
  EXPECT_GT(json["weight"].get<double>(), json["rows"].get<double>());
  EXPECT_EQ(json["feature_names"][0], "alcohol");
}

}  // namespace mercer::test::moments_test
