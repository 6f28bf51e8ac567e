// A file that somebody writes to while it is read is refused, and nothing is written.

#include "cli/support.hpp"

#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace mercer::test::changed_file_test {

using namespace std::chrono_literals;

class CliChangedFile : public testing::Test {
 protected:
  CliChangedFile() {
    rows = dir.file("rows.npy", npy(100'000, 8, [](long i, long j) {
                      return static_cast<double>((i * (2 * j + 3) + j * j) % 97);
                    }));
  }

  /// Runs `mercer` with an output that is a named pipe: it has opened its input, and cannot come to
  /// its end before the pipe is read, when the input gets another time of change.
  void expect_refused(std::vector<std::string> words, const std::string& option,
                      const std::string& pipe) {
    SCOPED_TRACE(words.front());
    ASSERT_EQ(mkfifo((dir / pipe).c_str(), 0600), 0);
    words.insert(words.end(), {option, dir / pipe, "-q"});
    const auto before = dir.list();
    std::thread reader([&] {
      std::ifstream in(dir / pipe, std::ios::binary);
      std::filesystem::last_write_time(rows, std::filesystem::last_write_time(rows) + 1s);
      const std::string all{std::istreambuf_iterator<char>(in), {}};
    });
    const auto run = mercer(words);
    reader.join();
    expect_error(run, 1, {"rows.npy", "changed while it was read"});
    EXPECT_EQ(dir.list(), before);
  }

  TempDir dir;
  std::string rows;
};

TEST_F(CliChangedFile, M_P6_learn_refuses_rows_that_changed) {
  expect_refused({"learn", rows, "--epochs", "1", "--trace-every", "1", "-o", dir / "m.st"},
                 "--trace", "trace.csv");
  expect_refused({"learn", rows, "--order", "as-it-comes", "--epochs", "1", "--trace-every", "1",
                  "-o", dir / "m.st"},
                 "--trace", "other.csv");
}

TEST_F(CliChangedFile, M_P6_fit_refuses_rows_that_change_before_their_scores_are_written) {
  expect_refused({"fit", rows, "-k", "2", "-o", dir / "m.st"}, "--scores", "scores.csv");
  expect_refused({"fit", rows, "-k", "2", "--kernel", "rbf(gamma=0.01)", "--approx",
                  "nystrom(landmarks=20)", "-o", dir / "m.st"},
                 "--scores", "nystrom.csv");
}

TEST_F(CliChangedFile, M_P6_transform_and_score_refuse_rows_that_changed) {
  ASSERT_EQ(mercer({"fit", rows, "-k", "2", "-q", "-o", dir / "model.st"}).exit_code, 0);
  expect_refused({"transform", dir / "model.st", rows}, "-o", "scores.csv");
  expect_refused({"score", dir / "model.st", rows}, "-o", "rows.csv");
}

TEST_F(CliChangedFile, M_P6_a_mapped_file_that_is_cut_off_is_named) {
  ASSERT_EQ(mkfifo((dir / "trace.csv").c_str(), 0600), 0);
  std::thread reader([&] {
    std::ifstream in(dir / "trace.csv", std::ios::binary);
    std::filesystem::resize_file(rows, 4096);
    const std::string all{std::istreambuf_iterator<char>(in), {}};
  });
  const auto run = mercer({"learn", rows, "--epochs", "1", "--order", "shuffled", "--trace-every",
                           "1", "--trace", dir / "trace.csv", "-q"});
  reader.join();
  expect_error(run, 1, {"rows.npy", "was truncated while it was read"});
}

}  // namespace mercer::test::changed_file_test
