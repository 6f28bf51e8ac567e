#include "cli/support.hpp"

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

TEST(CliTune, says_at_once_that_a_result_cannot_be_written) {
  const TempDir dir;
  expect_error(mercer(tune({"-o", dir / "no/best.st"})), 1, {"no/best.st"});
  expect_error(mercer(tune({"--table", dir / "no/all.csv"})), 1, {"no/all.csv"});
}

TEST(CliTune, refuses_what_it_cannot_search) {
  expect_error(
      mercer({"tune", data_file("iris.csv"), "--label", "species", "--kernel", "rbf(gamma={1,2)"}),
      2, {"{ without"});
  expect_error(mercer(tune({"--criterion", "luck"})), 2, {"--criterion 'luck'", "preimage-cv"});
  expect_error(mercer({"tune", data_file("iris.csv"), "--label", "species"}), 2, {"--kernel"});
}

}  // namespace mercer::test::tune_test
