// Failures of one process of a job: one line, the exit code of `mercer`, no file, and no process
// that waits.
#include "support/mpi_run.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <mercer/data.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#ifdef MERCER_MPIRUN

namespace mercer::test::mpi_errors_test {

using Arguments = std::vector<std::string>;

/// A folder with a model and rows for it, and the commands that read these.
class Jobs {
 public:
  explicit Jobs(Index n, Index d = 4) {
    Random random(5);
    x = random.normal(n, d);
    std::vector<std::string> names;
    for (Index j = 0; j < d; ++j) names.push_back(fmt::format("x{}", j + 1));
    for (const char* name : {"rows.csv", "rows.npy"}) {
      Sink<double> file(dir / name, names);
      file.write(x);
      file.close();
    }
    const test::Run fitted = mercer({"fit", dir / "rows.csv", "--quiet", "-o", dir / "model.st"});
    EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
    files = dir.list();
  }

  /// Each command with `rows` as DATA and `output` as its result.
  std::vector<Arguments> commands(const std::string& rows, const std::string& output) const {
    return {{"fit", rows, "--quiet", "-o", output},
            {"transform", dir / "model.st", rows, "-o", output},
            {"score", dir / "model.st", rows, "-o", output}};
  }

  /// One line and no file, whichever process has the trouble.
  void refused(const Arguments& arguments, int code, const std::string& line, int rank = -1,
               const std::string& setup = {}, int processes = 3) const {
    const test::Run r = mercer_mpi(processes, arguments, rank, setup);
    EXPECT_EQ(r.exit_code, code) << arguments[0] << r.err;
    const std::vector<std::string> lines = complaints(r);
    ASSERT_EQ(lines.size(), 1U) << arguments[0] << r.err;
    EXPECT_EQ(lines[0].substr(0, line.size()), line) << arguments[0];
    EXPECT_EQ(dir.list(), files) << arguments[0];
  }

  TempDir dir;
  Matrix<double> x;
  std::vector<std::string> files;
};

TEST(Mpi, M_G6_an_error_of_one_process_is_one_line_and_no_file) {
  const TempDir dir;
  const auto refused = [&](std::vector<std::string> arguments, int code, const std::string& line) {
    arguments.insert(arguments.begin(), "fit");
    if (std::ranges::find(arguments, "-o") == arguments.end())
      arguments.insert(arguments.end(), {"-o", dir / "model.st"});
    for (const int processes : {2, 3}) {
      const test::Run r = mercer_mpi(processes, arguments);
      EXPECT_EQ(r.exit_code, code) << r.err;
      ASSERT_EQ(complaints(r).size(), 1U) << r.err;
      EXPECT_EQ(complaints(r)[0], line);
    }
  };
  const std::string bad = dir.file("bad.csv", "a,b\n1,2\n3,4\n\"5\",x\n7,8\n");
  refused({bad}, 1,
          "mercer: '" + bad +
              "', line 4, column 2 ('b'): 'x' is not a number; correct it, or exclude the column "
              "with --exclude b");
  // In a piece of a later process, behind quoted newlines.
  std::string text = "name,a,b\n";
  for (int i = 0; i < 40; ++i) text += fmt::format("\"row\n{}\",{},{}\n", i, i * i, i);
  text.replace(text.find(",1156,34"), 8, ",1156,x");
  const std::string later = dir.file("later.csv", text);
  refused({dir.file("good.csv", "name,a,b\nx,1,2\n"), later, "--exclude", "name"}, 1,
          "mercer: '" + later +
              "', line 71, column 3 ('b'): 'x' is not a number; correct it, or exclude the column "
              "with --exclude b");
  refused({dir / "absent.csv"}, 1,
          "mercer: cannot open '" + dir / "absent.csv" + "': No such file or directory");
  const std::string wine = data_file("wine.csv");
  refused({wine, "--label", "cultivar", "--solver", "svd"}, 2,
          "mercer: --solver svd is not distributed over several processes; use --solver "
          "covariance, or one process");
  refused({wine, "--label", "cultivar", "--kernel", "rbf", "--clip"}, 2,
          "mercer: --clip is not distributed over several processes; use one process");
  refused({wine, "--label", "cultivar", "--scores", "-"}, 2,
          "mercer: --scores - is for one process: mercer fit (see mercer-mpi fit --help)");
  refused({wine, "--label", "cultivar", "--explain"}, 2,
          "mercer: --explain is for one process: mercer fit (see mercer-mpi fit --help)");
  refused({"-"}, 2,
          "mercer: standard input cannot be shared by several processes; save it to a file first");
  refused({wine, "--label", "cultivar", "-o", dir / "absent/model.st"}, 1,
          "mercer: cannot write '" + dir / "absent/model.st" + "': No such file or directory");
  EXPECT_EQ(dir.list(), (std::vector<std::string>{"bad.csv", "good.csv", "later.csv"}));
}

TEST(Mpi, M_G6_a_killed_process_ends_the_job_without_a_file) {
  const TempDir dir;
  const test::Run r =
      mercer_mpi(3, {"fit", data_file("wine.csv"), "--label", "cultivar", "-o", dir / "model.st"},
                 1, "kill -9 $$");
  EXPECT_NE(r.exit_code, 0);
  EXPECT_TRUE(dir.list().empty());
}

TEST(Mpi, M_G6_a_bad_cell_is_named_by_every_command) {
  Jobs jobs(40);
  std::string text = slurp(jobs.dir / "rows.csv");
  text += "1,2,oops,4\n";
  const std::string bad = jobs.dir.file("bad.csv", text);
  jobs.x(35, 1) = std::numeric_limits<double>::quiet_NaN();
  Sink<double> file(jobs.dir / "nan.npy", {"a", "b", "c", "d"});
  file.write(jobs.x);
  file.close();
  jobs.files = jobs.dir.list();
  for (const Arguments& command : jobs.commands(bad, jobs.dir / "out.csv"))
    jobs.refused(command[0] == "fit" ? Arguments{"fit", bad, "-o", jobs.dir / "out.st"} : command,
                 1, "mercer: '" + bad + "', line 42, column 3 ('x3'): 'oops' is not a number");
  const std::string nan = jobs.dir / "nan.npy";
  for (const int processes : {2, 8})
    jobs.refused({"transform", jobs.dir / "model.st", nan, "-o", jobs.dir / "out.csv"}, 1,
                 "mercer: '" + nan + "', row 36, column 2", -1, {}, processes);
}

TEST(Mpi, M_G6_files_that_one_process_lacks_or_has_otherwise) {
  Jobs jobs(40);
  const std::string other = jobs.dir / "other";
  std::filesystem::create_directory(other);
  jobs.files = jobs.dir.list();
  const auto on_all = [&](const Arguments& arguments) {
    const std::string script = "cd '" + jobs.dir.path() + "'; if [ $" + launcher().rank_variable +
                               " = 2 ]; then cd other; fi; exec \"$@\"";
    Arguments shell = {"sh", "-c", script, "sh", launcher().program};
    shell.insert(shell.end(), arguments.begin(), arguments.end());
    return run(job_of(3, shell), mpi_options());
  };
  const auto line_of = [&](const Arguments& arguments) {
    const test::Run r = on_all(arguments);
    EXPECT_EQ(r.exit_code, 1) << r.err;
    const std::vector<std::string> lines = complaints(r);
    EXPECT_EQ(lines.size(), 1U) << r.err;
    EXPECT_EQ(jobs.dir.list(), jobs.files);
    return lines.empty() ? "" : lines[0];
  };
  const std::string out = jobs.dir / "out.csv", model = jobs.dir / "model.st";
  const std::string absent = "mercer: cannot open 'rows.csv': No such file or directory";
  EXPECT_EQ(line_of({"fit", "rows.csv", "-o", jobs.dir / "out.st"}), absent);
  EXPECT_EQ(line_of({"transform", model, "rows.csv", "-o", out}), absent);
  EXPECT_EQ(line_of({"score", model, "rows.csv", "-o", out}), absent);
  EXPECT_EQ(line_of({"transform", "model.st", jobs.dir / "rows.csv", "-o", out}),
            "mercer: cannot open 'model.st': No such file or directory");
  std::string text = slurp(jobs.dir / "rows.csv");
  text[text.size() - 3] = text[text.size() - 3] == '1' ? '2' : '1';
  jobs.dir.file("other/rows.csv", text);
  const std::string differs =
      "mercer: 'rows.csv' has other contents on rank 2 than on rank 0; all ranks need the same "
      "files";
  EXPECT_EQ(line_of({"transform", model, "rows.csv", "-o", out}), differs);
  EXPECT_EQ(line_of({"score", model, "rows.csv", "-o", out}), differs);
}

TEST(Mpi, M_G6_a_full_disk_ends_the_job_without_a_file) {
  const Jobs jobs(60000, 20);
  for (Arguments command : jobs.commands(jobs.dir / "rows.npy", "/dev/full")) {
    command.insert(command.end(), {"--threads", "1"});
    jobs.refused(command, 1, "mercer: cannot write '/dev/full': No space left on device");
  }
  // Of the first process while it collects, beyond what the MPI library writes itself; and of
  // another one, which holds its rows until they are collected.
  const std::string out = jobs.dir / "out.csv", rows = jobs.dir / "rows.npy";
  jobs.refused({"transform", jobs.dir / "model.st", rows, "-o", out}, 1,
               "mercer: cannot write '" + out + "': File too large", 0, "ulimit -f 24576");
  jobs.refused({"transform", jobs.dir / "model.st", rows, "-o", out}, 1,
               "mercer: cannot write a temporary file in '/absent/': No such file or directory", 1,
               "export TMPDIR=/absent");
}

TEST(Mpi, M_G6_an_interrupt_of_one_process_ends_all) {
  const Jobs jobs(100000, 20);
  // Mercer, and not yet the MPI library, catches all three: SIGHUP, SIGINT and SIGTERM.
  const std::string when_it_listens =
      "( until [ $(( 0x$(sed -n 's/^SigCgt:[[:space:]]*//p' /proc/$$/status) & 0x4003 )) = 16387 "
      "]; "
      "do sleep 0.01; done; kill -INT $$ ) &";
  for (const Arguments& command : jobs.commands(jobs.dir / "rows.csv", jobs.dir / "out.csv"))
    jobs.refused(command[0] == "fit" ? Arguments{"fit", command[1], "-o", jobs.dir / "out.st",
                                                 "--kernel", "rbf", "-k", "2", "--memory", "2GiB"}
                                     : command,
                 130, "mercer: interrupted", 1, when_it_listens + " true", 2);
}

TEST(Mpi, M_G6_processes_with_other_options_are_refused) {
  const Jobs jobs(40);
  for (const Arguments& command : jobs.commands(jobs.dir / "rows.csv", jobs.dir / "out.st")) {
    if (command[0] != "fit") continue;
    jobs.refused(command, 2,
                 "mercer: rank 1 was started with '--scale std' and rank 0 was not; start all with "
                 "the same options",
                 1, "set -- \"$@\" --scale std");
    jobs.refused(command, 2, "mercer: rank 0 was started with '--scale std' and rank 1 was not", 0,
                 "set -- \"$@\" --scale std");
    jobs.refused(command, 2, "mercer: unknown option '--nonsense' (see mercer-mpi fit --help)", 2,
                 "set -- \"$@\" --nonsense");
  }
}

TEST(Mpi, M_G6_memory_that_is_too_small_on_one_process) {
  const Jobs jobs(40);
  for (const Arguments& command : jobs.commands(jobs.dir / "rows.csv", jobs.dir / "out.csv")) {
    if (command[0] == "fit") continue;
    jobs.refused(command, 1, "mercer: --memory 1.0 MiB is too small", 1,
                 "set -- \"$@\" --memory 1MiB");
  }
}

}  // namespace mercer::test::mpi_errors_test

#endif
