#include "cli/support.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace mercer::test::tune_test {

std::vector<std::string> tune(std::vector<std::string> more) {
  std::vector<std::string> words = {"tune",     data_file("iris.csv"),
                                    "--label",  "species",
                                    "--kernel", "rbf(gamma={0.05,0.5,5})",
                                    "-k",       "1,2,4",
                                    "--rows",   "60"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(CliTune, shows_every_kernel_and_saves_the_best_model) {
  const TempDir dir;
  const auto run = mercer(tune({"-o", dir / "best.st", "--table", dir / "all.csv"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const char* kernel : {"rbf(gamma=0.05)", "rbf(gamma=0.5)", "rbf(gamma=5)"})
    EXPECT_THAT(run.out, testing::HasSubstr(kernel));
  EXPECT_THAT(run.out, testing::HasSubstr("held-out error"));
  const auto table = split(slurp(dir / "all.csv"), '\n');
  ASSERT_EQ(table.size(), 11);  // a header, nine cells, and what follows the last newline
  const auto inspected = mercer({"inspect", dir / "best.st", "--json"});
  EXPECT_THAT(inspected.out, testing::HasSubstr("\"n_samples\": 150,"));
  EXPECT_THAT(inspected.out, testing::HasSubstr("\"kernel\": \"rbf(gamma="));
  EXPECT_THAT(inspected.out, testing::HasSubstr("\"label\": \"species\""));
}

TEST(CliTune, marks_a_kernel_that_does_not_work) {
  const auto run = mercer({"tune", data_file("iris.csv"), "--label", "species", "--kernel",
                           "rbf(gamma={-1,0.5})", "-k", "2", "--rows", "50", "--json"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("\"kernel\": \"rbf(gamma=-1)\""));
  EXPECT_THAT(run.out, testing::HasSubstr("\"score\": null"));
  EXPECT_THAT(run.out, testing::HasSubstr("\"criterion\": \"preimage-cv\""));
}

TEST(CliTune, goes_on_from_a_checkpoint_that_was_cut_short) {
  const TempDir dir;
  const std::string checkpoint = dir / "tune.jsonl";
  const auto whole = mercer(tune({"--json", "--checkpoint", checkpoint}));
  ASSERT_EQ(whole.exit_code, 0) << whole.err;
  const std::string text = slurp(checkpoint);
  ASSERT_EQ(std::count(text.begin(), text.end(), '\n'), 4);
  // As a process leaves it that was killed while it wrote the last kernel.
  std::ofstream(checkpoint, std::ios::binary) << text.substr(0, text.size() - 20);
  const auto resumed = mercer(tune({"--json", "--checkpoint", checkpoint}));
  EXPECT_EQ(resumed.out, whole.out);
  EXPECT_EQ(slurp(checkpoint), text);
  expect_error(mercer(tune({"--folds", "3", "--checkpoint", checkpoint})), 1,
               {checkpoint, "other rows or options"});
  const std::string other = dir.file("other.txt", "hello\n");
  expect_error(mercer(tune({"--checkpoint", other})), 1, {other, "line 1"});
  EXPECT_EQ(slurp(other), "hello\n");
}

TEST(CliTune, weights_choose_and_fit_as_if_rows_were_repeated) {
  const TempDir dir;
  std::string rows = "a,b,w\n", some = "a,b\n";
  for (int i = 0; i < 60; ++i) {
    const std::string cells = fmt::format("{},{}", i % 7 - 0.1 * (i % 3), (i * i) % 11);
    rows += cells + (i < 40 ? ",1\n" : ",0\n");
    if (i < 40) some += cells + "\n";
  }
  const std::string all = dir.file("all.csv", rows), part = dir.file("part.csv", some);
  const auto search = [&](const std::string& data, std::vector<std::string> more) {
    std::vector<std::string> words = {"tune", data,  "--kernel", "rbf(gamma={0.01,0.1})",
                                      "-k",   "1,2", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return mercer(words);
  };
  const auto weighted = search(all, {"--weights", "w", "-o", dir / "best.st"});
  ASSERT_EQ(weighted.exit_code, 0) << weighted.err;
  const auto alone = search(part, {});
  const auto best = nlohmann::json::parse(weighted.out)["best"],
             same = nlohmann::json::parse(alone.out)["best"];
  EXPECT_EQ(best["kernel"], same["kernel"]);
  EXPECT_EQ(best["components"], same["components"]);
  // Pre-images are found to 1e-5 of a width; the score is the mean over 40 rows.
  EXPECT_NEAR(best["score"].get<double>(), same["score"].get<double>(), 1e-6);
  const auto inspected = mercer({"inspect", dir / "best.st", "--json"});
  EXPECT_THAT(inspected.out, testing::HasSubstr("\"weight\": 40,"));
  const std::string checkpoint = dir / "tune.jsonl";
  EXPECT_EQ(search(all, {"--weights", "w", "--checkpoint", checkpoint}).exit_code, 0);
  const std::string bad = dir.file("bad.csv", "a,b,w\n1,2,1\n3,4,-2\n");
  expect_error(search(bad, {"--weights", "w"}), 1, {"bad.csv", "line 3", "-2"});
  expect_error(search(all, {"--exclude", "w", "--checkpoint", checkpoint}), 1,
               {"other rows or options"});
}

TEST(CliTune, draws_the_scores) {
  const TempDir dir;
  const auto run = mercer(tune({"--plot", dir / "tune.svg", "-q"}));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string picture = slurp(dir / "tune.svg");
  for (const char* text : {"<svg", "gamma of rbf", "k = 4", "class=\"best\"", "held-out error"})
    EXPECT_THAT(picture, testing::HasSubstr(text));
}

TEST(CliTune, standard_output_holds_one_thing) {
  const TempDir dir;
  const auto drawn = mercer(tune({"--plot", "-"}));
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_THAT(drawn.out, testing::StartsWith("<svg"));
  EXPECT_THAT(drawn.out, testing::EndsWith("</svg>\n"));
  EXPECT_THAT(drawn.err, testing::HasSubstr("rbf(gamma=0.5)"));
  const auto listed = mercer(tune({"--table", "-"}));
  EXPECT_THAT(listed.out, testing::StartsWith("kernel,components,"));
  EXPECT_EQ(std::ranges::count(listed.out, '\n'), 10);
  expect_error(mercer(tune({"--json", "--plot", "-"})), 2, {"--json", "standard output"});
  expect_error(mercer(tune({"--table", "-", "--plot", "-"})), 2,
               {"--table and --plot are both '-'"});
  expect_error(mercer(tune({"-o", dir / "m.st", "--plot", dir / "m.st"})), 2, {"m.st"});
  EXPECT_TRUE(dir.list().empty());
}

TEST(CliTune, says_at_once_that_a_result_cannot_be_written) {
  const TempDir dir;
  expect_error(mercer(tune({"-o", dir / "no/best.st"})), 1, {"no/best.st"});
  expect_error(mercer(tune({"--table", dir / "no/all.csv"})), 1, {"no/all.csv"});
  expect_error(mercer(tune({"--plot", dir / "no/tune.svg"})), 1, {"no/tune.svg"});
}

TEST(CliTune, refuses_what_it_cannot_search) {
  expect_error(
      mercer({"tune", data_file("iris.csv"), "--label", "species", "--kernel", "rbf(gamma={1,2)"}),
      2, {"{ without"});
  expect_error(mercer(tune({"--criterion", "luck"})), 2, {"--criterion 'luck'", "preimage-cv"});
  expect_error(mercer({"tune", data_file("iris.csv"), "--label", "species"}), 2, {"--kernel"});
}

TEST(CliTune, a_search_that_fails_before_its_first_kernel_leaves_no_checkpoint) {
  const TempDir dir;
  const std::string rows = dir.file("x.csv", "a,b\n1,2\n2,1\n3,5\n4,4\n");
  EXPECT_NE(mercer({"tune", rows, "--kernel", "rbf(gamma=1)", "--folds", "50", "--checkpoint",
                    dir / "c.k", "-q"})
                .exit_code,
            0);
  EXPECT_EQ(dir.list(), std::vector<std::string>{"x.csv"});
}

TEST(CliTune, leaves_no_checkpoint_when_every_kernel_fails) {
  const TempDir dir;
  const auto run = mercer({"tune", data_file("iris.csv"), "--label", "species", "--kernel",
                           "sigmoid(gamma={3,5}, coef0=-9)", "-k", "2", "--rows", "50",
                           "--checkpoint", dir / "c.jsonl"});
  expect_error(run, 1, {"every kernel failed"});
  EXPECT_FALSE(std::filesystem::exists(dir / "c.jsonl"));
  // Those that fail are in it as soon as one does not.
  const auto some = mercer({"tune", data_file("iris.csv"), "--label", "species", "--kernel",
                            "rbf(gamma={-1,0.5})", "-k", "2", "--rows", "50", "-q", "--checkpoint",
                            dir / "c.jsonl"});
  ASSERT_EQ(some.exit_code, 0) << some.err;
  EXPECT_EQ(split(slurp(dir / "c.jsonl"), '\n').size(), 4u);  // a header, two kernels, the end
}

}  // namespace mercer::test::tune_test
