// Fits of real processes that are killed, or interrupted, and continue from their checkpoint.
#include "support/errors.hpp"
#include "support/mpi_run.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/temp_dir.hpp"

#include <mercer/data.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#ifdef MERCER_MPIRUN

namespace mercer::test::checkpoint_mpi_test {

/// Starts a job, sends a signal to one of its processes when so many passes are saved, and ends
/// like the job. Processes leave their numbers in PIDS.
constexpr const char* signal_at_pass =
    "set -m; folder=$1 passes=$2 signal=$3 pid=$4; shift 4\n"
    "\"$@\" & job=$!\n"
    "saved() { [ -e \"$folder/run\" ] && [ \"$(cat \"$folder/passes\" | wc -l)\" -ge $passes ]; }\n"
    "while ! saved 2>/dev/null; do\n"
    "  kill -0 $job 2>/dev/null || break\n"
    "  sleep 0.003\n"
    "done\n"
    "kill -s $signal \"$(cat \"$pid\")\" 2>/dev/null\n"
    "wait $job\n";

/// A program that leaves its number in FOLDER/RANK, 0 where there is no job.
std::vector<std::string> numbered(const std::string& folder, std::vector<std::string> command) {
  const std::string script =
      "echo $$ > \"$1/${" + launcher().rank_variable + ":-0}\"; shift; exec \"$@\"";
  command.insert(command.begin(), {"sh", "-c", script, "sh", folder});
  return command;
}

class Checkpointed {
 public:
  Checkpointed() {
    Matrix<double> x = Random(1).normal(3000, 120);
    for (Index j = 0; j < x.cols(); ++j) x.col(j) *= std::pow(0.98, static_cast<double>(j));
    Sink<double> file(dir_ / "x.npy", {});
    file.write(x);
    file.close();
    std::filesystem::create_directory(dir_ / "pids");
  }

  /// The arguments of a fit of these rows into `model`.
  std::vector<std::string> fit(const std::vector<std::string>& how,
                               const std::string& model) const {
    std::vector<std::string> out = {"fit",       dir_ / "x.npy", "--memory",  "512MiB",
                                    "--no-plot", "-o",           dir_ / model};
    out.insert(out.end(), how.begin(), how.end());
    return out;
  }

  /// 0: plain `mercer`.
  std::vector<std::string> on(int processes, std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), processes > 0 ? launcher().program : mercer_program());
    const auto command = numbered(dir_ / "pids", arguments);
    return processes > 0 ? job_of(processes, command) : command;
  }

  Run stopped(int processes, const std::vector<std::string>& how, int passes,
              const std::string& signal, int rank) const {
    for (const auto& old : std::filesystem::directory_iterator(dir_ / "pids"))
      std::filesystem::remove(old.path());
    std::vector<std::string> arguments = fit(how, "model.st");
    arguments.insert(arguments.end(), {"--checkpoint", dir_ / "c", "--quiet"});
    std::vector<std::string> command = {"bash",         "-c",
                                        signal_at_pass, "bash",
                                        dir_ / "c",     std::to_string(passes),
                                        signal,         dir_ / ("pids/" + std::to_string(rank))};
    const auto job = on(processes, arguments);
    command.insert(command.end(), job.begin(), job.end());
    return run(command, mpi_options());
  }

  Run resumed(int processes, const std::vector<std::string>& how) const {
    std::vector<std::string> arguments = fit(how, "model.st");
    arguments.insert(arguments.end(), {"--checkpoint", dir_ / "c", "--resume"});
    return run(on(processes, arguments), mpi_options());
  }

  std::string bytes_at_once(const std::vector<std::string>& how) const {
    const test::Run r = mercer(fit(how, "once.st"));
    EXPECT_EQ(r.exit_code, 0) << r.err;
    return slurp(dir_ / "once.st");
  }

  const TempDir& dir() const { return dir_; }
  std::size_t lines() const {
    const std::string list = slurp(dir_ / "c/passes");
    return static_cast<std::size_t>(std::ranges::count(list, '\n'));
  }

 private:
  TempDir dir_;
};

const std::vector<std::string> kernel = {"--kernel", "rbf(gamma=0.002)", "-k",          "3",
                                         "--solver", "krylov",           "--tolerance", "1e-6"};
const std::vector<std::string> randomized = {"--solver", "randomized", "-k", "3", "--scale", "std"};

/// After the job has been stopped: the rest on other processes.
void expect_continued(const Checkpointed& fits, int processes, const std::vector<std::string>& how,
                      const std::string& expected) {
  EXPECT_FALSE(std::filesystem::exists(fits.dir() / "model.st"));
  const auto saved = fits.lines();
  const test::Run r = fits.resumed(processes, how);
  ASSERT_EQ(r.exit_code, 0) << r.err;
  EXPECT_HAS(r.err + r.out, "mercer: " + std::to_string(saved) + " of ");
  EXPECT_HAS(r.err + r.out, " passes taken from the checkpoint");
  EXPECT_TRUE(slurp(fits.dir() / "model.st") == expected) << processes << " processes";
  EXPECT_TRUE(std::filesystem::is_empty(fits.dir() / "c"));
}

/// A process is killed after so many passes, twice as many …, as long as that is before the end.
void expect_survives_kills(const std::vector<std::string>& how, int step) {
  const Checkpointed fits;
  const std::string expected = fits.bytes_at_once(how);
  int killed = 0;
  for (int passes = 0; passes < 100; passes += step) {
    const test::Run r = fits.stopped(2 + passes % 2, how, passes, "KILL", passes % 2);
    // No part of a model: a file that is there is the whole of it.
    if (std::filesystem::exists(fits.dir() / "model.st")) {
      EXPECT_TRUE(slurp(fits.dir() / "model.st") == expected);
      break;
    }
    ASSERT_NE(r.exit_code, 0);
    ++killed;
    ASSERT_NO_FATAL_FAILURE(expect_continued(fits, passes * 3 % 5, how, expected)) << passes;
    std::filesystem::remove(fits.dir() / "model.st");
  }
  EXPECT_GT(killed, 2);
}

TEST(CheckpointMpi, M_G6_a_kernel_fit_killed_at_every_pass_continues_on_other_processes) {
  expect_survives_kills(kernel, 1);
}

TEST(CheckpointMpi, M_G6_a_linear_fit_that_was_killed_continues_on_other_processes) {
  expect_survives_kills(randomized, 3);
}

TEST(CheckpointMpi, M_G6_interrupted_fits_say_how_to_continue) {
  const Checkpointed fits;
  const std::string expected = fits.bytes_at_once(kernel);
  for (const int processes : {0, 3}) {
    const test::Run r = fits.stopped(processes, kernel, 3, "INT", processes > 1 ? 1 : 0);
    ASSERT_EQ(r.exit_code, 130) << r.err;
    ASSERT_EQ(complaints(r).size(), 1U) << r.err;
    EXPECT_EQ(complaints(r)[0], "mercer: interrupted; --resume continues with what was saved");
    ASSERT_NO_FATAL_FAILURE(expect_continued(fits, 2 - processes / 2, kernel, expected));
    std::filesystem::remove(fits.dir() / "model.st");
  }
}

TEST(CheckpointMpi, M_G6_a_full_disk_is_one_line_and_keeps_what_was_saved) {
  const Checkpointed fits;
  const std::string expected = fits.bytes_at_once(kernel);
  for (const int processes : {0, 2}) {
    fits.stopped(2, kernel, 2, "KILL", 1);
    const std::string next = fits.dir() / ("c/pass-000" + std::to_string(fits.lines() + 1));
    std::filesystem::remove(next);
    std::filesystem::create_symlink("/dev/full", next);
    const test::Run r = fits.resumed(processes, kernel);
    EXPECT_EQ(r.exit_code, 1) << r.err;
    ASSERT_EQ(complaints(r).size(), 1U) << r.err;
    EXPECT_EQ(complaints(r)[0], "mercer: cannot write '" + next +
                                    "': No space left on device; passes that were saved before "
                                    "are kept for --resume");
    std::filesystem::remove(next);
    ASSERT_NO_FATAL_FAILURE(expect_continued(fits, 1, kernel, expected));
    std::filesystem::remove(fits.dir() / "model.st");
  }
}

TEST(CheckpointMpi, M_G6_wrong_usage) {
  const Checkpointed fits;
  const auto message = [&](std::vector<std::string> more, int code) {
    more.insert(more.begin(), kernel.begin(), kernel.end());
    const test::Run r = mercer(fits.fit(more, "model.st"));
    EXPECT_EQ(r.exit_code, code) << r.err;
    return r.err;
  };
  EXPECT_HAS(message({"--resume"}, 2), "--resume requires --checkpoint DIR");
  EXPECT_HAS(message({"--checkpoint", fits.dir() / "model.st"}, 2), "--output and --checkpoint");
  EXPECT_HAS(message({"--checkpoint", fits.dir() / "c", "--keep-rows", "5"}, 2),
             "mercer: --keep-rows cannot be combined with --checkpoint");
  EXPECT_HAS(message({"--checkpoint", fits.dir().path()}, 1), "has files and no checkpoint");
  fits.stopped(0, kernel, 2, "KILL", 0);
  EXPECT_HAS(message({"--checkpoint", fits.dir() / "c"}, 1), "continue that with --resume");
  EXPECT_HAS(message({"--checkpoint", fits.dir() / "c", "--resume", "--no-center"}, 1),
             "of another run, which differs in the centring");
}

}  // namespace mercer::test::checkpoint_mpi_test

#endif
