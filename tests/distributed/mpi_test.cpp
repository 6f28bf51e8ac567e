// mercer-mpi as users start it: processes of an MPI job.
#include "support/mpi_run.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/temp_dir.hpp"

#include <mercer/data.hpp>
#include <mercer/model.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <string>
#include <vector>

#ifdef MERCER_MPIRUN

namespace mercer::test::mpi_test {

const std::vector<int> process_counts = {1, 2, 3, 4, 5};

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

TEST(Mpi, M_G4_approximate_kernel_models_of_several_processes_are_the_file_of_one) {
  const TempDir dir;
  for (const char* approx : {"nystrom(landmarks=40)", "nystrom(landmarks=20, by=leverage)",
                             "cholesky(rank=30)", "fourier(features=100)"})
    expect_same_files(dir, {data_file("wine.csv"), "--label", "cultivar", "--scale", "std",
                            "--kernel", "rbf", "--approx", approx, "-k", "3"});
  // The plan in the model counts what other methods would take with this memory.
  Random random(3);
  Sink<double> file(dir / "x.npy", {"a", "b", "c"});
  file.write(random.normal(60000, 3));
  file.close();
  expect_same_files(dir, {dir / "x.npy", "--kernel", "laplacian", "--approx", "cholesky(rank=10)",
                          "-k", "2", "--memory", "512MiB"});
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
  expect_same_files(dir, {one, two, "--weights", "w", "--missing", "drop", "--kernel", "rbf",
                          "--approx", "nystrom(landmarks=30)", "-k", "2"});
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
  // More columns than rows.
  Sink<double> wide(dir / "wide.npy", std::vector<std::string>(3000, "c"));
  wide.write(random.normal(40, 3000));
  wide.close();
  expect_same_files(dir, {dir / "wide.npy", "--memory", "512MiB"});
  expect_same_files(dir, {dir / "wide.npy", "-k", "2", "--solver", "gram"});
  // More processes than rows.
  dir.file("few.csv", "a,b\n1,2\n3,5\n4,1\n");
  expect_same_files(dir, {dir / "few.csv", "--solver", "covariance"});
}

/// Processors that add in another order: the small problems of one of them hold for all.
TEST(Mpi, M_G3_two_types_of_processor_in_one_job) {
  const TempDir dir;
  const std::vector<std::string> arguments = {"fit",
                                              data_file("rings.csv"),
                                              "--label",
                                              "class",
                                              "--kernel",
                                              "rbf(gamma=0.5)",
                                              "-k",
                                              "3",
                                              "--solver",
                                              "krylov",
                                              "--memory",
                                              "512MiB",
                                              "--quiet",
                                              "-o",
                                              dir / "model.st"};
  ASSERT_EQ(mercer(arguments).exit_code, 0);
  const auto one = Model<double>::load(dir / "model.st");
  for (const int other : {0, 1}) {
    const test::Run r = mercer_mpi(2, arguments, other, "export OPENBLAS_CORETYPE=Prescott");
    ASSERT_EQ(r.exit_code, 0) << r.err;
    const auto several = Model<double>::load(dir / "model.st");
    EXPECT_LE(std::abs(several.report().solver.passes - one.report().solver.passes), 1);
    ASSERT_EQ(several.outputs(), one.outputs());
    for (Index c = 0; c < one.outputs(); ++c)
      EXPECT_NEAR(several.eigenvalues()[c], one.eigenvalues()[c], 1e-10 * one.eigenvalues()[0]);
  }
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

}  // namespace mercer::test::mpi_test

#endif
