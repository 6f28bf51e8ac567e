// Signals in the middle: exit code 129, 130 or 143, one line, nothing left behind.

#include "cli/support.hpp"

#include <signal.h>

namespace mercer::test::interrupt_test {

class CliInterrupt : public testing::Test {
 protected:
  void expect_stopped(const std::vector<std::string>& arguments, const RunOptions& options) {
    const auto before = dir.list();
    const auto run = mercer(arguments, options);
    EXPECT_EQ(run.exit_code, 128 + options.signal);
    EXPECT_EQ(run.err, "mercer: interrupted\n");
    EXPECT_EQ(dir.list(), before);
  }

  /// Many rows of iris.
  static std::string rows(int copies) {
    const std::string iris = slurp(data_file("iris.csv"));
    const std::string body = iris.substr(iris.find('\n') + 1);
    std::string out = iris.substr(0, iris.find('\n') + 1);
    for (int i = 0; i < copies; ++i) out += body;
    return out;
  }

  TempDir dir;
};

TEST_F(CliInterrupt, M_P6_while_fit_waits_for_its_first_row) {
  expect_stopped({"fit", "-", "-o", dir / "m.st", "--scores", dir / "s.csv"},
                 {.input = "a,b\n", .signal = SIGINT, .signal_after_ms = 50});
}

TEST_F(CliInterrupt, M_P6_while_fit_waits_for_more_rows) {
  dir.file("m.st", "old");
  expect_stopped({"fit", "-", "--label", "species", "-o", dir / "m.st", "--scores", dir / "s.csv"},
                 {.input = rows(2000), .signal = SIGINT, .signal_after_ms = 50});
  EXPECT_EQ(slurp(dir / "m.st"), "old");
}

TEST_F(CliInterrupt, M_P6_by_sigterm_too) {
  expect_stopped({"fit", "-", "--label", "species", "-o", dir / "m.st"},
                 {.input = rows(2000), .signal = SIGTERM, .signal_after_ms = 50});
}

TEST_F(CliInterrupt, M_P6_by_a_terminal_that_is_closed_too) {
  expect_stopped({"fit", "-", "--label", "species", "-o", dir / "m.st"},
                 {.input = rows(2000), .signal = SIGHUP, .signal_after_ms = 50});
}

TEST_F(CliInterrupt, M_P6_bytes_of_a_mapped_file_that_are_gone_are_an_error_in_words) {
  const auto run = mercer({"fit", "-", "-o", dir / "m.st"},
                          {.input = "a,b\n1,2\n", .signal = SIGBUS, .signal_after_ms = 50});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_EQ(run.err,
            "mercer: a file was truncated while it was read, or its disk failed; try again with a "
            "complete file\n");
}

TEST_F(CliInterrupt, M_P6_while_transform_streams) {
  ASSERT_EQ(
      mercer({"fit", data_file("iris.csv"), "--label", "species", "-q", "-o", dir / "iris.st"})
          .exit_code,
      0);
  expect_stopped({"transform", dir / "iris.st", "-", "-o", dir / "out.csv"},
                 {.input = rows(2000), .signal = SIGINT, .signal_after_ms = 50});
  expect_stopped({"inverse", dir / "iris.st", "-", "-o", dir / "out.npy"},
                 {.input = "pc1,pc2\n1,2\n", .signal = SIGINT, .signal_after_ms = 50});
}

TEST_F(CliInterrupt, M_P6_while_fit_computes) {
  // A file of holes: 25 GB that take no room on disk and far longer to read than the signal.
  const std::string big = dir.file("holes.npy", npy(0, 32, [](long, long) { return 0.0; }));
  std::string header = slurp(big);
  header.replace(header.find("(0, 32), }"), 19, "(100000000, 32), } ");
  dir.file("holes.npy", header);
  std::filesystem::resize_file(big, header.size() + std::uintmax_t{100'000'000} * 32 * 8);
  expect_stopped({"fit", big, "--memory", "64MiB", "-o", dir / "m.st", "--scores", dir / "s.npy"},
                 {.signal = SIGINT, .signal_after_ms = 300});
}

TEST_F(CliInterrupt, M_P6_while_probe_waits) {
  expect_stopped({"probe", "-", "--direction", "1,0,0,0", "--label", "species"},
                 {.input = rows(1), .signal = SIGINT, .signal_after_ms = 50});
}

}  // namespace mercer::test::interrupt_test
