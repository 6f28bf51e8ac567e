// What mercer learn refuses: the exit code and one line.

#include "cli/support.hpp"
#include "learn/run/checkpoint.hpp"

#include <fmt/format.h>

#include <signal.h>

namespace mercer::test::learn_bad_input_test {

class CliLearnBadInput : public testing::Test {
 protected:
  auto learn(std::vector<std::string> more, const RunOptions& options = {}) const {
    more.insert(more.begin(), {"learn", data_file("iris.csv"), "--label", "species"});
    return mercer(more, options);
  }
  auto stream(const std::string& input, std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"learn", "-"});
    return mercer(more, {.input = input});
  }
  TempDir dir;
};

TEST_F(CliLearnBadInput, M_P8_rates) {
  expect_error(learn({"--rate", "constant(0)"}), 2, {"rate", "must be greater than 0"});
  expect_error(learn({"--rate", "constant(-1)"}), 2, {"rate", "greater than 0"});
  expect_error(learn({"--rate", "constant(nan)"}), 2, {"rate", "nan"});
  expect_error(learn({"--rate", "konstant(1)"}), 2, {"konstant"});
  expect_error(learn({"--rate", "power(c=0)"}), 2, {"rate"});
}

TEST_F(CliLearnBadInput, M_P8_a_rate_that_diverges_is_stopped_with_the_step_and_what_to_try) {
  for (const char* rate : {"constant(1)", "constant(1e300)"}) {
    const auto run = learn({"--rule", "oja", "--rate", rate, "-o", dir / "m.st"});
    expect_error(run, 1, {"step", "diverge", "--rate auto"});
    EXPECT_TRUE(dir.list().empty());
  }
}

TEST_F(CliLearnBadInput, M_P8_a_failed_run_leaves_no_partial_trace) {
  const std::string checkpoint = dir / "c.ckpt", trace = dir / "t.csv";
  // At once, after some rows, and when the first checkpoint cannot be written.
  const std::string first = dir.file("first.csv", "a,b\n1,x\n2,3\n");
  std::string rows = "a,b\n";
  for (int i = 0; i < 2000; ++i) rows += fmt::format("{},{}\n", i % 7, i % 5);
  const std::string whole = dir.file("whole.csv", rows),
                    late = dir.file("late.csv", rows + "1,x\n");
  const auto before = dir.list();
  const auto fails = [&](const std::string& data, std::vector<std::string> more,
                         const RunOptions& options = {}) {
    more.insert(more.begin(),
                {"learn", data, "--trace", trace, "--checkpoint", checkpoint, "--epochs", "1"});
    const auto run = mercer(more, options);
    EXPECT_EQ(run.exit_code, 1) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_EQ(dir.list(), before) << data;
  };
  fails(first, {});
  fails(late, {"--checkpoint-every", "100000"});
  fails(whole, {"--memory", "1KiB"});
  fails(whole, {"--checkpoint-every", "100"}, {.file_size_limit = 1000});
}

TEST_F(CliLearnBadInput, M_P8_rules_and_components) {
  expect_error(learn({"--rule", "ojja"}), 2, {"'ojja'", "did you mean oja?"});
  expect_error(learn({"--rule", "xyzzy"}), 2, {"'xyzzy'", "hebb-normalized"});
  expect_error(learn({"-k", "5"}), 2, {"-k 5 is too large: 4 columns have at most 4 components"});
  expect_error(learn({"-k", "0"}), 2, {"--components '0'"});
  expect_error(learn({"-k", "2", "--rule", "oja"}), 2, {"oja learns one component"});
}

TEST_F(CliLearnBadInput, M_P8_flags) {
  expect_error(mercer({"learn"}), 2, {"DATA is missing"});
  expect_error(learn({"--until", "100deg"}), 2, {"--until '100deg'"});
  expect_error(learn({"--until", "soon"}), 2, {"--until 'soon'"});
  expect_error(learn({"--order", "random"}), 2, {"--order 'random'", "shuffled"});
  expect_error(learn({"--epochs", "0"}), 2, {"--epochs '0'"});
  expect_error(learn({"--forget", "2"}), 2, {"--forget 2"});
  expect_error(learn({"--limit", "-1"}), 2, {"--limit '-1'"});
  expect_error(learn({"--mean", "nowhere.csv"}), 2, {"--mean 'nowhere.csv'"});
  expect_error(learn({"--mean", data_file("iris.csv")}), 1, {"iris.csv"});
  expect_error(learn({"--missing", "mean"}), 2, {"--missing mean"});
  expect_error(learn({"--resume"}), 2, {"--resume requires --checkpoint"});
  expect_error(learn({"--checkpoint-every", "5"}), 2, {"needs --checkpoint"});
  expect_error(learn({"--model-every", "5"}), 2, {"--model-every needs -o"});
  expect_error(learn({"--landmarks", "5"}), 2, {"--landmarks requires --kernel"});
  expect_error(learn({"--kernel", "rbf", "--map", "squares"}), 2, {"mutually exclusive"});
  expect_error(learn({"-o", dir / "x", "--plot", dir / "x"}), 2, {"--output and --plot are both"});
  expect_error(learn({"--checkpoint", dir / "c", "--trace", dir / "t.npy"}), 2, {"t.npy", ".csv"});
  expect_error(learn({"-o", dir / "missing/m.st"}), 1, {"missing/m.st"});
  EXPECT_TRUE(dir.list().empty());
}

TEST_F(CliLearnBadInput, M_P8_streams) {
  expect_error(stream(""), 1, {"standard input", "is empty"});
  expect_error(stream("a,b\n"), 1, {"standard input", "no rows"});
  expect_error(stream("1,2\n3,4\n", {"--scale", "std"}), 2, {"standard input", "only once"});
  expect_error(stream("1,2\n3,4\n", {"--theory"}), 2, {"theory", "standard input", "only once"});
  expect_error(stream("1,2\n3,4\n", {"--epochs", "2"}), 2, {"--epochs 2", "standard input"});
  expect_error(stream("a,b\n1,2\n3,\n"), 1, {"standard input", "line 3", "missing"});
  expect_error(stream("1,2\n1,2\n1,2\n"), 1, {"no variance"});
}

TEST_F(CliLearnBadInput, M_P8_missing_rows_can_be_dropped) {
  const auto run = stream("a,b\n1,2\n3,\n5,1\n2,2\n", {"--missing", "drop"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("1 row with missing values dropped"));
}

TEST_F(CliLearnBadInput, M_P8_a_width_that_changes_at_row_1000000) {
  std::string rows = "x,y\n";
  for (int i = 1; i < 1'000'000; ++i) rows += i % 2 == 0 ? "1,2\n" : "3,1\n";
  rows += "1,2,3\n1,2\n";
  const auto run = stream(rows, {"-o", dir / "m.st"});
  expect_error(run, 1,
               {"standard input", "line 1000001", "the model of the 999999 rows before it is in '",
                "/m.st'"});
  EXPECT_EQ(dir.list(), std::vector<std::string>{"m.st"});
}

TEST_F(CliLearnBadInput, a_bad_line_in_a_stream_keeps_what_was_learned_before_it) {
  const std::vector<std::string> lines = split(slurp(data_file("iris.csv")), '\n');
  const auto text = [&](std::size_t rows) {
    std::string out;
    for (std::size_t i = 0; i <= rows; ++i) out += lines[i] + "\n";
    return out;
  };
  const std::vector<std::string> base = {"--label", "species", "-k", "2", "-q"};
  const auto learned = [&](const std::string& rows, std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return stream(rows, more);
  };
  ASSERT_EQ(learned(text(100), {"-o", dir / "first.st"}).exit_code, 0);
  ASSERT_EQ(learned(text(150), {"-o", dir / "all.st", "--trace", dir / "all.csv"}).exit_code, 0);
  for (const std::string bad : {"5.1,3.5\n", "5.1,,1.4,0.2,setosa\n", "5.1,x,1.4,0.2,setosa\n",
                                "5.1,inf,1.4,0.2,setosa\n"}) {
    SCOPED_TRACE(bad);
    const std::string rows = text(100) + bad + text(150).substr(text(100).size());
    const auto to = [&](const char* name) { return dir / name; };
    expect_error(learned(rows, {"-o", to("m.st")}), 1,
                 {"standard input", "line 102", "the model of the 100 rows before it is in '"});
    EXPECT_EQ(slurp(to("m.st")), slurp(to("first.st")));
    // A checkpoint goes on with the corrected rows as if nothing had happened.
    expect_error(learned(rows, {"-o", to("c.st"), "--trace", to("c.csv"), "--checkpoint", to("c")}),
                 1,
                 {"line 102", "the checkpoint '", "/c' holds the first 100 rows", "--resume",
                  "the model of the 100 rows before it is in '"});
    EXPECT_EQ(slurp(to("c.st")), slurp(to("first.st")));
    const auto resumed = learned(
        text(150), {"-o", to("c.st"), "--trace", to("c.csv"), "--checkpoint", to("c"), "--resume"});
    ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(slurp(to("c.st")), slurp(to("all.st")));
    EXPECT_EQ(slurp(to("c.csv")), slurp(to("all.csv")));
    for (const char* name : {"m.st", "c", "c.previous", "c.st", "c.csv"})
      std::filesystem::remove(to(name));
  }
  // Nothing was asked for, or nothing was learned: the line alone.
  expect_error(learned(text(100) + "5.1,3.5\n", {}), 1, {"line 102"});
  expect_error(learned(text(0) + "5.1,3.5\n", {"-o", dir / "m.st", "--checkpoint", dir / "c"}), 1,
               {"line 2"});
  EXPECT_FALSE(std::filesystem::exists(dir / "m.st"));
  EXPECT_FALSE(std::filesystem::exists(dir / "c"));
}

TEST_F(CliLearnBadInput, an_endless_stream_is_refused_at_its_first_missing_cell) {
  std::string rows = "a,b\n";
  for (int i = 0; i < 50; ++i) rows += i % 2 == 0 ? "1,2\n" : "3,1\n";
  // Input stays open: only the signal would end a program that waits for the end.
  const auto run =
      mercer({"learn", "-", "-q"},
             {.input = rows + "3,\n" + rows.substr(4), .signal = SIGTERM, .signal_after_ms = 3000});
  expect_error(run, 1, {"standard input", "line 52", "missing"});
}

TEST_F(CliLearnBadInput, M_P8_checkpoints_of_other_runs) {
  const std::vector<std::string> base = {"--epochs", "2", "-q", "--checkpoint", dir / "c"};
  ASSERT_EQ(learn(base).exit_code, 0);
  const auto resumed = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    more.emplace_back("--resume");
    return learn(more);
  };
  EXPECT_EQ(resumed({}).exit_code, 0);
  expect_error(resumed({"--rule", "oja"}), 1, {"checkpoint", "its rule is gha, not oja"});
  expect_error(resumed({"--rate", "1/n"}), 1, {"its rate is auto, not 1/n"});
  expect_error(resumed({"-k", "2"}), 1, {"its number of components is 1, not 2"});
  expect_error(resumed({"--seed", "9"}), 1, {"its seed is 1, not 9"});
  const std::string other =
      dir.file("other.csv", slurp(data_file("iris.csv")) + "1,2,3,4,setosa\n");
  expect_error(mercer({"learn", other, "--label", "species", "--epochs", "2", "-q", "--checkpoint",
                       dir / "c", "--resume"}),
               1, {"its input is", "bytes with hash"});
  const std::string weighted = dir.file("w.csv", "a,b,v,w\n1,2,1,2\n2,1,2,1\n3,5,1,1\n4,4,1,2\n");
  const auto by = [&](const char* column, const std::string& resume) {
    return mercer({"learn", weighted, "--columns", "a,b", "--weights", column, "--epochs", "2",
                   "--order", "as-it-comes", "-q", "--checkpoint", dir / "d", resume});
  };
  ASSERT_EQ(by("v", "-q").exit_code, 0);
  EXPECT_EQ(by("v", "--resume").exit_code, 0);
  expect_error(by("w", "--resume"), 1, {"its weights", "'v'", "'w'"});
  Checkpoint future = *load_checkpoint(dir / "c");
  for (auto& part : future.run)
    if (part.first == "version of Mercer") part.second = "99.1.0";
  save_checkpoint(future, dir / "c");
  expect_error(resumed({}), 1, {"its version of Mercer is 99.1.0, not", "--resume"});
}

TEST_F(CliLearnBadInput, M_P8_a_damaged_checkpoint_names_the_one_before_it) {
  const std::vector<std::string> base = {"--epochs",     "2",      "-q", "--checkpoint-every", "50",
                                         "--checkpoint", dir / "c"};
  ASSERT_EQ(learn(base).exit_code, 0);
  EXPECT_EQ(dir.list(), (std::vector<std::string>{"c", "c.previous"}));
  std::string bytes = slurp(dir / "c");
  bytes[bytes.size() / 2] = static_cast<char>(bytes[bytes.size() / 2] ^ 4);
  dir.file("c", bytes);
  std::vector<std::string> again = base;
  again.emplace_back("--resume");
  expect_error(learn(again), 1, {"is damaged", "c.previous"});
  // And the one before it works.
  std::filesystem::rename(dir / "c.previous", dir / "c");
  EXPECT_EQ(learn(again).exit_code, 0);
}

TEST_F(CliLearnBadInput, M_P8_a_disk_that_fills_up_while_checkpointing) {
  const std::vector<std::string> base = {"--epochs", "1", "-q", "--checkpoint", dir / "c"};
  ASSERT_EQ(learn(base).exit_code, 0);
  const std::string before = slurp(dir / "c");
  expect_error(
      learn({"--epochs", "2", "-q", "--checkpoint", dir / "c", "--resume", "-o", dir / "m.st"},
            {.file_size_limit = 1000}),
      1, {"cannot write", "/c'", "File too large"});
  EXPECT_EQ(slurp(dir / "c"), before);
  EXPECT_EQ(dir.list(), std::vector<std::string>{"c"});
}

TEST_F(CliLearnBadInput, M_P6_a_checkpoint_replaces_nothing_but_checkpoints) {
  const std::string thesis = "three years of work\n";
  for (const std::string name : {"c", "c.previous", "c.previous.new"}) {
    dir.file(name, thesis);
    for (const char* more : {"-q", "--resume"}) {
      if (name == "c" && std::string(more) == "--resume") continue;
      expect_error(learn({"--epochs", "1", "-q", "--checkpoint", dir / "c", more}), 1,
                   {name, "not a checkpoint", "choose another file"});
    }
    EXPECT_EQ(slurp(dir / name), thesis);
    EXPECT_EQ(dir.list(), std::vector<std::string>{name});
    std::filesystem::remove(dir / name);
  }
  dir.file("t.csv.partial", thesis);
  expect_error(learn({"--epochs", "1", "-q", "--checkpoint", dir / "c", "--trace", dir / "t.csv"}),
               1, {"t.csv.partial", "not a trace"});
  EXPECT_EQ(slurp(dir / "t.csv.partial"), thesis);
}

TEST_F(CliLearnBadInput, M_P1_rows_whose_squares_no_double_holds_are_refused) {
  for (const char* power : {"e100", "e-100", "e200", "e-200"}) {
    std::string text = "a,b,c\n";
    for (int i = 0; i < 300; ++i)
      text += fmt::format("{0}{3},{1}{3},{2}{3}\n", i % 7, (i * i) % 11, (3 * i) % 5, power);
    const std::string file = dir.file("x.csv", text);
    for (const char* rule : {"hebb", "hebb-normalized", "oja", "gha", "block-oja", "ccipca"})
      for (const char* batch : {"1", "8"}) {
        SCOPED_TRACE(fmt::format("{} {} {}", power, rule, batch));
        for (const char* order : {"shuffled", "as-it-comes"})
          expect_error(mercer({"learn", file, "--rule", rule, "--batch", batch, "--order", order,
                               "-q", "-o", dir / "m.st"}),
                       1, {"x.csv", "scale the data"});
      }
    // Z-scores help as long as variances are numbers.
    const auto scaled = mercer({"learn", file, "--scale", "std", "-q", "-o", dir / "m.st"});
    if (std::string(power).ends_with("200")) expect_error(scaled, 1, {"x.csv", "scale the data"});
    else EXPECT_EQ(scaled.exit_code, 0) << scaled.err;
    std::filesystem::remove(dir / "m.st");
  }
}

}  // namespace mercer::test::learn_bad_input_test
