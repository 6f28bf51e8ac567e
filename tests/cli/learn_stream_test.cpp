// Real processes: pipes, signals, a kill in the middle, and memory.

#include "cli/support.hpp"

#include <fmt/format.h>
#include <mercer/model.hpp>
#include <nlohmann/json.hpp>

#include <signal.h>

namespace mercer::test::learn_stream_test {

using testing::HasSubstr;

class CliLearnStream : public testing::Test {
 protected:
  static std::string rows(int count) {
    std::string out = "a,b,c\n";
    for (int i = 0; i < count; ++i)
      out += fmt::format("{},{},{}\n", (i * 37) % 101, (i * 73) % 11, (i * 13) % 7);
    return out;
  }
  TempDir dir;
};

TEST_F(CliLearnStream, the_end_of_input_gives_a_model) {
  const auto run =
      mercer({"learn", "-", "--rule", "gha", "-k", "2", "-o", dir / "m.st"}, {.input = rows(2000)});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, HasSubstr("1 epoch, in order; all rows learned"));
  EXPECT_EQ(Model<double>::load(dir / "m.st").report().n_samples, 2000);
}

TEST_F(CliLearnStream, signals_give_the_model_of_the_rows_so_far) {
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) {
    // Input stays open: only the signal ends the run. Rows that came before it are learned.
    const auto run = mercer({"learn", "-", "--rule", "gha", "-k", "2", "-q", "-o", dir / "m.st",
                             "--trace", dir / "t.csv", "--trace-every", "10"},
                            {.input = rows(50), .signal = signal, .signal_after_ms = 500});
    EXPECT_EQ(run.exit_code, 128 + signal);
    EXPECT_EQ(run.out, "");
    EXPECT_EQ(run.err, fmt::format("mercer: interrupted after 50 rows; the model of these is in "
                                   "'{}'\n",
                                   dir / "m.st"));
    EXPECT_EQ(Model<double>::load(dir / "m.st").report().n_samples, 50);
    EXPECT_EQ(cells(slurp(dir / "t.csv")).size(), 1u + 5);
  }
}

TEST_F(CliLearnStream, a_signal_before_the_first_row_leaves_nothing) {
  const auto run = mercer({"learn", "-", "-o", dir / "m.st"},
                          {.input = "a,b\n", .signal = SIGTERM, .signal_after_ms = 50});
  EXPECT_EQ(run.exit_code, 143);
  EXPECT_EQ(run.err, "mercer: interrupted\n");
  EXPECT_TRUE(dir.list().empty());
}

TEST_F(CliLearnStream, M_E9_a_stream_goes_on_from_the_rows_it_has_seen) {
  const std::vector<std::string> base = {"learn", "-", "--rule", "gha", "-k", "2", "-q"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  ASSERT_EQ(mercer(with({"-o", dir / "whole.st"}), {.input = rows(3000)}).exit_code, 0);
  const auto first = mercer(with({"--checkpoint", dir / "c"}),
                            {.input = rows(1234), .signal = SIGTERM, .signal_after_ms = 500});
  EXPECT_EQ(first.exit_code, 143);
  const auto second = mercer(with({"--checkpoint", dir / "c", "--resume", "-o", dir / "parts.st"}),
                             {.input = rows(3000)});
  EXPECT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(slurp(dir / "parts.st"), slurp(dir / "whole.st"));
  expect_error(mercer(with({"--checkpoint", dir / "c", "--resume"}), {.input = rows(10)}), 1,
               {"standard input has only 10 rows", "3000"});
}

TEST_F(CliLearnStream, M_E9_killed_again_and_again_it_ends_with_the_same_bits) {
  const std::vector<std::string> base = {"learn",
                                         data_file("wine.csv"),
                                         "--label",
                                         "cultivar",
                                         "--scale",
                                         "std",
                                         "--rule",
                                         "gha",
                                         "-k",
                                         "3",
                                         "--epochs",
                                         "300",
                                         "--theory",
                                         "-q",
                                         "--trace-every",
                                         "20"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  ASSERT_EQ(mercer(with({"-o", dir / "whole.st", "--trace", dir / "whole.csv"})).exit_code, 0);
  const auto parts = with({"-o", dir / "parts.st", "--trace", dir / "parts.csv", "--checkpoint",
                           dir / "c", "--checkpoint-every", "200", "--resume"});
  int kills = 0;
  for (int wait = 30;; wait += 15) {
    const auto run = mercer(parts, {.signal = SIGKILL, .signal_after_ms = wait});
    if (run.exit_code == 0) break;
    ASSERT_EQ(run.exit_code, 128 + SIGKILL) << run.err;
    ASSERT_LT(++kills, 1000);
  }
  EXPECT_EQ(slurp(dir / "parts.st"), slurp(dir / "whole.st"));
  EXPECT_EQ(slurp(dir / "parts.csv"), slurp(dir / "whole.csv"));
}

TEST_F(CliLearnStream, M_E9_a_start_without_resume_leaves_checkpoint_and_trace_of_one_run) {
  const std::vector<std::string> base = {"learn",       data_file("wine.csv"),
                                         "--label",     "cultivar",
                                         "--scale",     "std",
                                         "-k",          "2",
                                         "--epochs",    "300",
                                         "-q",          "--trace",
                                         dir / "r.csv", "--trace-every",
                                         "5",           "-o",
                                         dir / "r.st"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  ASSERT_EQ(mercer(with({})).exit_code, 0);
  const std::string model = slurp(dir / "r.st"), trace = slurp(dir / "r.csv");
  const auto starts = with({"--checkpoint", dir / "c"});
  const auto often = with({"--checkpoint", dir / "c", "--checkpoint-every", "200"});
  const auto expect_resumed = [&](const std::string& what) {
    const auto run = mercer(with({"--checkpoint", dir / "c", "--resume"}));
    EXPECT_EQ(run.exit_code, 0) << what << ": " << run.err;
    EXPECT_EQ(slurp(dir / "r.st"), model) << what;
    EXPECT_EQ(slurp(dir / "r.csv"), trace) << what;
  };
  // A full disk: before the first checkpoint of the new run, and in its trace.
  for (const unsigned long limit : {1000ul, 200'000ul}) {
    ASSERT_EQ(mercer(often).exit_code, 0);
    ASSERT_GT(trace.size(), limit);
    EXPECT_EQ(mercer(starts, {.file_size_limit = limit}).exit_code, 1);
    expect_resumed(fmt::format("{} bytes", limit));
  }
  // Killed at any moment, after a run that was killed too.
  for (const int wait : {20, 40, 80, 160}) {
    for (const auto& words : {often, starts})
      mercer(words, {.signal = SIGKILL, .signal_after_ms = wait});
    expect_resumed(fmt::format("{} ms", wait));
  }
}

TEST_F(CliLearnStream, a_terminal_sees_how_it_goes) {
  const auto run = mercer({"learn", "-", "--rule", "gha", "-k", "2", "-o", dir / "m.st"},
                          {.input = rows(30000),
                           .environment = {"TERM=xterm-256color"},
                           .signal = SIGINT,
                           .signal_after_ms = 1500,
                           .terminal = true});
  EXPECT_EQ(run.exit_code, 130);
  EXPECT_THAT(run.err, HasSubstr("interrupted after 30000 rows"));
}

TEST_F(CliLearnStream, a_terminal_has_a_status_line) {
  // More rows after more than a second: what takes shorter has no line.
  const std::string half = dir.file("rows.csv", rows(2000));
  const auto run =
      test::run({"sh", "-c",
                 fmt::format("(cat '{0}'; sleep 1.3; tail -n +2 '{0}') | '{1}' learn - "
                             "-k 2 -o '{2}' > /dev/null",
                             half, mercer_program(), dir / "m.st")},
                {.environment = {"TERM=xterm-256color"}, .terminal = true});
  EXPECT_EQ(run.exit_code, 0);
  for (const char* part : {"learning", "rows/s", "rotation", "% explained"})
    EXPECT_THAT(run.err, HasSubstr(part));
}

TEST_F(CliLearnStream, M_E9_a_run_that_is_over_is_resumed_with_the_same_plot) {
  // 5,340 rows of the trace, of which a plot keeps some: the last one among them.
  const std::vector<std::string> base = {"learn",         data_file("wine.csv"),
                                         "--label",       "cultivar",
                                         "--scale",       "std",
                                         "--epochs",      "30",
                                         "--trace-every", "1",
                                         "--theory",      "--json",
                                         "--checkpoint",  dir / "over.ckpt"};
  const auto plotted = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    const auto run = mercer(more);
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return nlohmann::json::parse(run.out);
  };
  const auto first = plotted({"--plot", dir / "first.svg"});
  const auto again = plotted({"--resume", "--plot", dir / "again.svg"});
  EXPECT_TRUE(slurp(dir / "first.svg") == slurp(dir / "again.svg"));
  EXPECT_EQ(first.at("learning"), again.at("learning"));
}

}  // namespace mercer::test::learn_stream_test
