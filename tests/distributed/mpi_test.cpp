// mercer-mpi as users start it: processes of an MPI job.
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/temp_dir.hpp"

#include <mercer/data.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <string>
#include <vector>

#ifdef MERCER_MPIRUN

namespace mercer::test::mpi_test {

const std::vector<int> process_counts = {1, 2, 3, 4, 5};

/// Of the same build as `mercer`: another compiler gives other last digits.
std::string mpi_program() { return mercer_program() + "-mpi"; }

/// Open MPI itself leaves memory behind.
const RunOptions without_leak_check{.environment = {"ASAN_OPTIONS=detect_leaks=0"}};

std::vector<std::string> on(int processes, const std::vector<std::string>& arguments) {
  std::vector<std::string> command = {
      MERCER_MPIRUN, "--allow-run-as-root",    "--oversubscribe", "--bind-to", "none", "--quiet",
      "-n",          std::to_string(processes)};
  command.push_back(mpi_program());
  command.insert(command.end(), arguments.begin(), arguments.end());
  return command;
}

Run mercer_mpi(int processes, const std::vector<std::string>& arguments) {
  return run(on(processes, arguments), without_leak_check);
}

/// The lines of Mercer, wherever mpirun puts them.
std::vector<std::string> complaints(const Run& r) {
  std::vector<std::string> out;
  const std::string all = r.err + r.out;
  for (auto at = all.find("mercer: "); at != all.npos; at = all.find("mercer: ", at + 1))
    out.push_back(all.substr(at, all.find_first_of("\r\n", at) - at));
  return out;
}

/// Fits `data` on one process and on several: the files have the same bytes.
void expect_same_files(const TempDir& dir, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "fit");
  arguments.insert(arguments.end(), {"--quiet", "-o", dir / "one.st"});
  const test::Run one = mercer(arguments);
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const std::string expected = slurp(dir / "one.st");
  arguments.back() = dir / "several.st";
  for (const int processes : process_counts) {
    const test::Run several = mercer_mpi(processes, arguments);
    ASSERT_EQ(several.exit_code, 0) << several.err;
    EXPECT_TRUE(slurp(dir / "several.st") == expected) << processes;
  }
}

TEST(Mpi, M_G2_models_of_several_processes_are_the_file_of_one) {
  const TempDir dir;
  expect_same_files(dir, {data_file("wine.csv"), "--label", "cultivar", "--scale", "std"});
  expect_same_files(dir,
                    {data_file("wine.csv"), "--label", "cultivar", "--map", "polynomial(degree=2)",
                     "--scale", "std", "-k", "3", "--solver", "covariance"});
}

TEST(Mpi, M_G3_exact_kernel_models_of_several_processes_are_the_file_of_one) {
  const TempDir dir;
  expect_same_files(dir, {data_file("rings.csv"), "--label", "class", "--kernel", "rbf(gamma=0.5)",
                          "-k", "3", "--memory", "512MiB"});
  expect_same_files(dir,
                    {data_file("wine.csv"), "--label", "cultivar", "--scale", "std", "--kernel",
                     "poly(degree=2)", "-k", "2", "--solver", "krylov", "--memory", "512MiB"});
}

TEST(Mpi, M_G2_parts_weights_missing_cells_and_gzip) {
  const TempDir dir;
  Random random(1);
  const Matrix<double> x = random.normal(700, 5);
  std::string first = "a,b,w,c\n", second = first;
  for (Index i = 0; i < 700; ++i) {
    const std::string cell = i % 11 == 4 ? "" : fmt::format("{}", x(i, 1));
    (i < 90 ? first : second) +=
        fmt::format("{},{},{},\"{}\"\n", x(i, 0), cell, i % 5 == 0 ? 0 : 1 + i % 3, x(i, 2));
  }
  const std::string one = dir.file("one.csv", first), two = dir.file("two.csv", second);
  expect_same_files(dir, {one, two, "--weights", "w", "--missing", "mean"});
  expect_same_files(dir, {one, two, "--weights", "w", "--missing", "drop"});
  ASSERT_EQ(run({"gzip", two}).exit_code, 0);
  expect_same_files(dir, {one, two + ".gz", "--exclude", "w", "--missing", "drop"});
}

TEST(Mpi, M_G2_matrices_from_a_map_in_both_precisions) {
  const TempDir dir;
  Random random(2);
  Sink<double> file(dir / "x.npy", {"a", "b", "c", "d"});
  file.write(random.normal(5000, 4));
  file.close();
  expect_same_files(dir, {dir / "x.npy"});
  expect_same_files(dir, {dir / "x.npy", "--precision", "float"});
  // More processes than rows.
  dir.file("few.csv", "a,b\n1,2\n3,5\n4,1\n");
  expect_same_files(dir, {dir / "few.csv", "--solver", "covariance"});
}

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
  refused({wine, "--label", "cultivar", "--solver", "gram"}, 2,
          "mercer: --solver gram is not distributed over several processes; use --solver "
          "covariance, or one process");
  refused({wine, "--label", "cultivar", "--kernel", "rbf", "--clip"}, 2,
          "mercer: --clip is not distributed over several processes; use one process");
  refused({wine, "--label", "cultivar", "--explain"}, 2,
          "mercer: --explain is for one process: mercer fit (see mercer-mpi fit --help)");
  refused({"-"}, 2,
          "mercer: standard input cannot be shared by several processes; save it to a file first");
  refused({wine, "--label", "cultivar", "-o", dir / "absent/model.st"}, 1,
          "mercer: cannot write '" + dir / "absent/model.st" + "': No such file or directory");
  EXPECT_EQ(dir.list(), (std::vector<std::string>{"bad.csv", "good.csv", "later.csv"}));
}

TEST(Mpi, M_G8_processes_send_and_receive_what_the_plan_says) {
  const TempDir dir;
  Sink<double> file(dir / "x.npy", {"a", "b", "c"});
  file.write(Random(3).normal(3200, 3));
  file.close();
  const auto check = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"fit", dir / "x.npy", "--memory", "512MiB", "--json"});
    for (const int processes : {2, 4}) {  // which share these rows evenly
      std::vector<std::string> explain = arguments;
      explain.insert(explain.end(), {"--explain", "--ranks", std::to_string(processes)});
      const auto plan = nlohmann::json::parse(mercer(explain).out)["team"]["per_rank"];
      const auto report = nlohmann::json::parse(mercer_mpi(processes, arguments).out);
      const double passes = report["solver"]["passes"];
      ASSERT_EQ(report["processes"].size(), plan.size());
      for (std::size_t rank = 0; rank < plan.size(); ++rank) {
        const auto &said = plan[rank], &counted = report["processes"][rank];
        const auto expect_same = [&](const char* in_plan, const char* in_report) {
          const double all = said["first_pass"][in_plan].get<double>() +
                             (passes - 1) * said["further_pass"][in_plan].get<double>();
          EXPECT_EQ(
              counted["rows"][in_report].get<double>() + counted["passes"][in_report].get<double>(),
              all)
              << in_plan << " of " << rank << " of " << processes;
        };
        expect_same("sent", "sent_bytes");
        expect_same("received", "received_bytes");
        expect_same("messages", "messages");
        EXPECT_GT(counted["peak_memory_bytes"].get<double>(), 0);
      }
    }
  };
  check({"-k", "2"});
  check({"-k", "2", "--kernel", "rbf(gamma=0.3)", "--solver", "krylov"});
}

TEST(Mpi, M_G6_a_killed_process_ends_the_job_without_a_file) {
  const TempDir dir;
  std::vector<std::string> command = on(3, {});
  command.back() = "sh";
  command.insert(
      command.end(),
      {"-c", "if [ \"$OMPI_COMM_WORLD_RANK\" = 1 ]; then kill -9 $$; fi; exec \"$@\"", "sh",
       mpi_program(), "fit", data_file("wine.csv"), "--label", "cultivar", "-o", dir / "model.st"});
  EXPECT_NE(run(command, without_leak_check).exit_code, 0);
  EXPECT_TRUE(dir.list().empty());
}

}  // namespace mercer::test::mpi_test

#endif
