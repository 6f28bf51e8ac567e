// Files appear whole or not at all.

#include "cli/support.hpp"

#include <signal.h>
#include <sys/stat.h>

namespace mercer::test::output_test {

class CliOutput : public testing::Test {
 protected:
  std::vector<std::string> fit(const std::string& model, const std::string& scores) const {
    return {"fit", data_file("digits.csv"), "--label", "digit", "-q", "-o", model, "--scores",
            scores};
  }

  TempDir dir;
};

TEST_F(CliOutput, model_and_scores_replace_old_ones) {
  dir.file("m.st", "old");
  dir.file("s.csv", "old");
  const auto run = mercer(fit(dir / "m.st", dir / "s.csv"));
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(dir.list(), (std::vector<std::string>{"m.st", "s.csv"}));
  EXPECT_EQ(mercer({"inspect", dir / "m.st"}).exit_code, 0);
  EXPECT_EQ(cells(slurp(dir / "s.csv")).size(), 1798u);
}

TEST_F(CliOutput, folder_that_does_not_exist) {
  expect_error(mercer(fit(dir / "no/m.st", dir / "s.csv")), 1, {"no/m.st", "No such file"});
  expect_error(mercer(fit(dir / "m.st", dir / "no/s.csv")), 1, {"no/s.csv", "No such file"});
  EXPECT_TRUE(dir.list().empty());
}

TEST_F(CliOutput, output_that_is_a_folder) {
  std::filesystem::create_directory(dir / "folder");
  std::filesystem::create_directory(dir / "folder.csv");
  expect_error(mercer(fit(dir / "folder", dir / "s.csv")), 1, {"folder", "Is a directory"});
  expect_error(mercer(fit(dir / "m.st", dir / "folder.csv")), 1, {"folder.csv", "Is a directory"});
  EXPECT_EQ(dir.list(), (std::vector<std::string>{"folder", "folder.csv"}));
}

TEST_F(CliOutput, extension_that_cannot_be_written) {
  for (const std::string name : {"s.xls", "s.mtx", "s.svm", "s"})
    expect_error(mercer(fit(dir / "m.st", dir / name)), 2, {name, ".csv"});
  EXPECT_TRUE(dir.list().empty());
}

TEST_F(CliOutput, the_same_file_twice) {
  expect_error(mercer(fit(dir / "x.csv", dir / "x.csv")), 2, {"--output and --scores", "x.csv"});
  EXPECT_TRUE(dir.list().empty());
}

TEST_F(CliOutput, M_P6_full_disk_leaves_everything_as_it_was) {
  dir.file("m.st", "old model");
  dir.file("s.csv", "old scores");
  // The model fits under the first limit, the scores do not; under the second nothing does.
  for (const unsigned long limit : {100'000ul, 1'000ul}) {
    expect_error(mercer(fit(dir / "m.st", dir / "s.csv"), {.file_size_limit = limit}), 1,
                 {"cannot write", "File too large"});
    EXPECT_EQ(dir.list(), (std::vector<std::string>{"m.st", "s.csv"}));
    EXPECT_EQ(slurp(dir / "m.st"), "old model");
    EXPECT_EQ(slurp(dir / "s.csv"), "old scores");
  }
}

TEST_F(CliOutput, M_P6_full_disk_at_transform_and_inverse) {
  ASSERT_EQ(mercer(fit(dir / "m.st", dir / "s.csv")).exit_code, 0);
  const auto before = dir.list();
  expect_error(mercer({"transform", dir / "m.st", data_file("digits.csv"), "-o", dir / "out.csv"},
                      {.file_size_limit = 10'000}),
               1, {"out.csv", "File too large"});
  expect_error(mercer({"inverse", dir / "m.st", dir / "s.csv", "-o", dir / "out.npy"},
                      {.file_size_limit = 10'000}),
               1, {"out.npy", "File too large"});
  EXPECT_EQ(dir.list(), before);
}

TEST_F(CliOutput, M_P6_full_device) {
  expect_error(mercer(fit(dir / "m.st", "/dev/full")), 1, {"/dev/full", "No space left"});
  expect_error(mercer(fit("/dev/full", dir / "s.csv")), 1, {"/dev/full", "No space left"});
  EXPECT_TRUE(dir.list().empty());
}

TEST_F(CliOutput, M_P6_full_standard_output) {
  for (const std::string call :
       {"fit '" + data_file("iris.csv") + "' --label species",
        "fit '" + data_file("iris.csv") + "' --label species --json",
        "fit '" + data_file("iris.csv") + "' --label species -q --scores -", std::string("--help")})
    expect_error(run({"sh", "-c", "'" + mercer_program() + "' " + call + " > /dev/full"}), 1,
                 {"standard output", "No space left"});
}

TEST_F(CliOutput, M_P6_a_closed_pipe_ends_quietly) {
  const std::string script = "'" + mercer_program() + "' fit '" + data_file("digits.csv") +
                             "' --label digit -q --scores - -o '" + (dir / "m.st") +
                             "' | head -n 1; echo ${PIPESTATUS[0]}";
  const auto run = mercer::test::run({"bash", "-c", script});
  EXPECT_EQ(run.err, "");
  EXPECT_TRUE(run.out.starts_with("digit,pc1,")) << run.out;
  EXPECT_TRUE(run.out.ends_with("\n" + std::to_string(128 + SIGPIPE) + "\n")) << run.out;
}

TEST_F(CliOutput, M_P6_a_closed_pipe_costs_no_other_file) {
  const std::string wine = data_file("wine.csv"), digits = data_file("digits.csv");
  ASSERT_EQ(
      mercer({"fit", digits, "--label", "digit", "-k", "20", "-q", "-o", dir / "d.st"}).exit_code,
      0);
  ASSERT_EQ(mercer({"transform", dir / "d.st", digits, "--label", "digit", "-o", dir / "s.csv"})
                .exit_code,
            0);
  const std::string holes = dir.file("holes.csv", "a,b\n1,2\n2,\n3,5\n4,9\n");
  // The words of each call with -o - or the like, and a file that it writes besides.
  const std::vector<std::pair<std::vector<std::string>, std::string>> calls = {
      {{"fit", wine, "--label", "cultivar", "-k", "2", "-q", "--scores", "-", "-o"}, "f.st"},
      {{"fit", digits, "--label", "digit", "-q", "-o", "-", "--scores"}, "f.csv"},
      {{"fit", holes, "-k", "1", "--missing", "em", "-q", "--imputed", "-", "-o"}, "i.st"},
      {{"fit", wine, "--label", "cultivar", "-o"}, "summary.st"},
      {{"denoise", dir / "d.st", digits, "--label", "digit", "-q", "--distances"}, "q.csv"},
      {{"denoise", dir / "d.st", digits, "--label", "digit", "-q", "--distances", "-", "-o"},
       "r.csv"},
      {{"inverse", dir / "d.st", dir / "s.csv", "--label", "digit", "-q", "--distances"}, "p.csv"},
      {{"learn", wine, "--label", "cultivar", "-q", "--trace", "-", "-o"}, "l.st"},
      {{"learn", wine, "--label", "cultivar", "-q", "-o", "-", "--trace"}, "t.csv"},
      {{"tune", wine, "--label", "cultivar", "--kernel", "rbf(gamma={0.01,0.1})", "-k", "2", "-q",
        "--table", "-", "-o"},
       "best.st"},
      {{"tune", wine, "--label", "cultivar", "--kernel", "rbf(gamma={0.01,0.1})", "-k", "2", "-q",
        "--plot", "-", "--table"},
       "table.csv"},
      {{"merge", dir / "d.st", dir / "d.st", "-o"}, "merged.st"},
      {{"score", dir / "d.st", digits, "--label", "digit", "-o"}, "scored.csv"},
  };
  for (const auto& [words, file] : calls) {
    SCOPED_TRACE(words[0] + " " + file);
    // The reader has gone before the first byte is written.
    std::string call = "exec 3> >(exit 0); wait $!; '" + mercer_program() + "'";
    for (const std::string& word : words) call += " '" + word + "'";
    const auto piped = run({"bash", "-c", call + " '" + (dir / file) + "' >&3"});
    EXPECT_EQ(piped.exit_code, 128 + SIGPIPE);
    EXPECT_EQ(piped.err, "");
    // The same file as with a reader.
    std::vector<std::string> again = words;
    again.push_back(dir / ("again-" + file));
    ASSERT_EQ(mercer(again).exit_code, 0);
    EXPECT_EQ(slurp(dir / file), slurp(dir / ("again-" + file)));
  }
}

TEST_F(CliOutput, a_symbolic_link_stays_one) {
  dir.file("real.csv", "old");
  std::filesystem::create_symlink("real.csv", dir / "link.csv");
  ASSERT_EQ(mercer(fit(dir / "m.st", dir / "link.csv")).exit_code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(dir / "link.csv"));
  EXPECT_EQ(cells(slurp(dir / "real.csv")).size(), 1798u);
}

TEST_F(CliOutput, M_P6_a_name_with_the_extension_of_another_format_is_refused) {
  const std::string iris = data_file("iris.csv"), model = dir / "m.st";
  ASSERT_EQ(mercer({"fit", iris, "--label", "species", "-q", "-o", model}).exit_code, 0);
  const auto before = dir.list();
  const auto refused = [&](std::vector<std::string> words, const std::string& option,
                           const std::string& path, const std::string& right) {
    words.insert(words.end(), {option, dir / path});
    expect_error(mercer(words), 2, {path, "written as " + right});
  };
  for (const char* picture : {"p.png", "p.PDF", "p.jpg", "p.csv"}) {
    refused({"plot", model, "--kind", "scree"}, "-o", picture, ".svg");
    refused({"learn", iris, "--label", "species"}, "--plot", picture, ".svg");
    refused({"tune", iris, "--label", "species", "--kernel", "rbf"}, "--plot", picture, ".svg");
  }
  for (const char* path : {"m.csv", "m.npy", "m.st.gz"}) {
    refused({"fit", iris, "--label", "species"}, "-o", path, ".st");
    refused({"learn", iris, "--label", "species"}, "-o", path, ".st");
    refused({"merge", model, model}, "-o", path, ".st");
  }
  for (const char* path : {"x.npy", "x.csv.gz"})
    refused({"compress", model, iris}, "-o", path, ".mrc");
  refused({"tune", iris, "--label", "species", "--kernel", "rbf"}, "--table", "t.npy", ".csv");
  EXPECT_EQ(dir.list(), before);
}

TEST_F(CliOutput, M_P6_wrong_usage_is_refused_before_rows_are_waited_for) {
  const std::string iris = data_file("iris.csv");
  ASSERT_EQ(mercer({"fit", iris, "--label", "species", "-q", "-o", dir / "m.st"}).exit_code, 0);
  ASSERT_EQ(mercer({"fit", iris, "--label", "species", "--kernel", "rbf(gamma=1)", "-k", "2", "-q",
                    "-o", dir / "k.st"})
                .exit_code,
            0);
  const auto before = dir.list();
  const auto refused = [&](const std::vector<std::string>& words, int code,
                           const std::vector<std::string>& parts) {
    SCOPED_TRACE(words[0] + " " + words[1]);
    // Input stays open: only the signal would end a program that waits for rows.
    expect_error(mercer(words, {.input = "a,b\n", .signal = SIGTERM, .signal_after_ms = 300}), code,
                 parts);
  };
  refused({"transform", dir / "m.st", "-", "-o", dir / "s.foo"}, 2, {"s.foo", ".csv"});
  refused({"score", dir / "m.st", "-", "-o", dir / "s.foo"}, 2, {"s.foo", ".csv"});
  refused({"kernel", "matrix", "rbf", "-", "-o", dir / "s.foo"}, 2, {"s.foo", ".csv"});
  refused({"denoise", dir / "k.st", "-", "--distances", dir / "d.foo"}, 2, {"d.foo"});
  refused({"inverse", dir / "k.st", "-", "--distances", dir / "d.foo"}, 2, {"d.foo"});
  refused({"inspect", dir / "k.st", "--gradient", "-", "-o", dir / "g.foo"}, 2, {"g.foo"});
  refused({"fit", "-", "--map", "bad(degree=2)"}, 2, {"no map 'bad'"});
  refused({"learn", "-", "--map", "bad(degree=2)"}, 2, {"no map 'bad'"});
  refused({"tune", "-", "--kernel", "rbf(gamma={1,)"}, 2, {"{"});
  refused({"tune", "-", "--kernel", "rbf(gamma="}, 2, {"rbf(gamma="});
  refused({"compress", dir / "m.st", "-", "-o", dir / "none/x.mrc"}, 1, {"none/x.mrc"});
  EXPECT_EQ(dir.list(), before);
}

TEST_F(CliOutput, a_reader_of_the_trace_that_goes_away_does_not_cost_the_model) {
  const auto rows = dir.file("rows.npy", npy(50'000, 3, [](long i, long j) {
                               return static_cast<double>((i * (j + 2)) % 31);
                             }));
  const auto head = [&](const std::string& words) {
    return run({"sh", "-c",
                "cd '" + dir.path() + "' && '" + mercer_program() + "' " + words + " | head -n 1"});
  };
  EXPECT_EQ(head("learn rows.npy --epochs 1 -q --trace-every 1 --trace - -o m.st").err, "");
  EXPECT_EQ(mercer({"inspect", dir / "m.st", "--json"}).exit_code, 0);
}

}  // namespace mercer::test::output_test
