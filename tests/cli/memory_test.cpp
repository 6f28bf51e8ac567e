// Data larger than its budget: the same answer, and the memory of the real process. The minima that
// refusals state are in memory_minimum_test.cpp.

#include "cli/memory_support.hpp"
#include "cli/support.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <mercer/data.hpp>
#include <mercer/model.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace mercer::test::memory_test {

using Json = nlohmann::json;

class CliMemory : public testing::Test {
 protected:
  static constexpr long rows = 200'000, cols = 64;  // 98 MiB

  static void SetUpTestSuite() {
    dir = new TempDir;
    // Uneven scales and a mean, from sums of sines: smooth, deterministic, of full rank.
    big = dir->file("big.npy", npy(rows, cols, [](long i, long j) {
                      const double t =
                          static_cast<double>(i % 9973) * 0.37 * static_cast<double>(j + 1);
                      return 3 + std::sin(t) / static_cast<double>(j + 1);
                    }));
  }
  static void TearDownTestSuite() { delete dir; }

  static inline TempDir* dir = nullptr;
  static inline std::string big;
};

TEST_F(CliMemory, M_P5_out_of_core_fit_keeps_to_its_budget_and_gives_the_same_answer) {
  const auto inside = mercer({"fit", big, "-k", "8", "--json"});
  const auto outside = mercer({"fit", big, "-k", "8", "--json", "--memory", "64MiB"});
  ASSERT_EQ(inside.exit_code, 0) << inside.err;
  ASSERT_EQ(outside.exit_code, 0) << outside.err;
  const Json a = Json::parse(inside.out), b = Json::parse(outside.out);
  for (std::size_t i = 0; i < 8; ++i)
    EXPECT_NEAR(a["eigenvalues"][i].get<double>(), b["eigenvalues"][i].get<double>(),
                1e-10 * a["eigenvalues"][0].get<double>());
  EXPECT_LE(outside.peak_kib, 64 * 1024);
}

TEST_F(CliMemory, M_P5_scores_and_picture_of_a_stream_keep_to_the_budget_too) {
  const auto run = mercer({"fit", big, "-k", "2", "--memory", "64MiB", "-o", *dir / "m.st",
                           "--scores", *dir / "s.npy"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_THAT(run.out, testing::HasSubstr("200000 rows x 64 columns"));
  EXPECT_LE(run.peak_kib, 64 * 1024);
  EXPECT_EQ(slurp(*dir / "s.npy").size(), 128u + rows * 2 * 8);
}

TEST_F(CliMemory, M_P5_approximate_kernel_pca_of_a_stream_keeps_to_its_budget) {
  for (const char* approx : {"cholesky(rank=100)", "nystrom(landmarks=300)",
                             "nystrom(landmarks=50, by=kmeans)", "fourier(features=200)"}) {
    const auto run = mercer({"fit", big, "--kernel", "rbf(gamma=0.2)", "-k", "5", "--approx",
                             approx, "--memory", "64MiB", "--json", "--threads", "2"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_LE(run.peak_kib, 64 * 1024) << approx;
    EXPECT_EQ(Json::parse(run.out)["n_samples"], rows);
  }
  const auto large = mercer({"fit", big, "--kernel", "rbf(gamma=0.2)", "--approx",
                             "cholesky(rank=5000)", "--memory", "64MiB", "--threads", "2"});
  expect_error(large, 1, {"rank=5000", "does not fit", "--memory"});
}

TEST_F(CliMemory, M_P5_M_D1_kernel_pca_keeps_to_its_budget_and_gives_the_same_answer) {
  const Index n = 6000;  // 144 MB of tiles
  const std::string file = *dir / "kernel.npy";
  Sink<double> sink(file, {"a", "b", "c"});
  sink.write(Matrix<double>::NullaryExpr(n, 3, [](Index i, Index j) {
    const auto t = static_cast<double>(i * 3 + j);
    return std::sin(t * t);
  }));
  sink.close();
  const auto report = [&](const std::string& memory) {
    const auto run = mercer({"fit", file, "--kernel", "rbf(gamma=0.5)", "-k", "4", "--json",
                             "--tolerance", "1e-8", "--memory", memory, "--threads", "2"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return std::pair(Json::parse(run.out), run.peak_kib);
  };
  const auto free = report("4GiB").first;
  for (const int budget : {64, 96, 128}) {
    const auto result = report(fmt::format("{}MiB", budget));
    const Json& tight = result.first;
    for (std::size_t i = 0; i < 4; ++i)
      EXPECT_NEAR(free["eigenvalues"][i].get<double>(), tight["eigenvalues"][i].get<double>(),
                  1e-7 * free["eigenvalues"][0].get<double>());
    // 144 MB in doubles, 72 in 32 bits: at 128 MiB all of them are kept.
    const std::string why = tight["solver"]["why"].get<std::string>();
    EXPECT_THAT(why, testing::HasSubstr("32 bits"));
    EXPECT_EQ(why.find("recomputed on every pass") != why.npos, budget < 128) << why;
    EXPECT_LE(result.second, budget * 1024);
  }
}

/// Resident pages of the input that is mapped are not the program's: the kernel takes them back.
TEST_F(CliMemory, M_P5_column_order_keeps_to_the_budget_as_row_order_does) {
  const std::string file = *dir / "columns.npy";
  {  // What this process holds would count as the child's until it is another program.
    std::string bytes = npy(cols, rows, [](long j, long i) {
      return std::sin(static_cast<double>(i % 9973) * 0.37 * static_cast<double>(j + 1));
    });
    // The transpose, row by row, is the matrix column by column.
    const std::string before = "'fortran_order': False, 'shape': (64, 200000)";
    const std::string after = "'fortran_order': True,  'shape': (200000, 64)";
    ASSERT_EQ(before.size(), after.size());
    bytes.replace(bytes.find(before), before.size(), after);
    dir->file("columns.npy", bytes);
  }
  for (const int budget : {16, 64}) {
    const auto run = mercer({"fit", file, "-k", "8", "-q", "--memory", fmt::format("{}MiB", budget),
                             "-o", *dir / "c.st"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_LE(run.peak_kib, (budget + 16) * 1024);
  }
  std::filesystem::remove(file);
}

TEST_F(CliMemory, M_P5_a_model_with_all_components_is_saved_without_a_second_copy) {
  const std::string file = *dir / "wide.npy";
  dir->file("wide.npy", npy(3000, 1000, [](long i, long j) {
              return std::sin(static_cast<double>((i + 1) * (j + 3) % 7919)) +
                     (i % 1000 == j ? 3.0 : 0.0);
            }));
  const auto refused =
      mercer({"fit", file, "-k", "all", "-q", "--threads", "2", "--memory", "40MiB"});
  expect_error(refused, 1, {"needs", "MiB", "--memory"});
  // Eight matrices of 1000 x 1000 (open sums of the tree, the eigenproblem) and the rows, 84 MiB.
  const auto run = mercer({"fit", file, "-k", "all", "-q", "--threads", "2", "--memory", "88MiB",
                           "-o", *dir / "wide.st"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LE(run.peak_kib, 88 * 1024);
  std::filesystem::remove(file);
}

TEST_F(CliMemory, M_P5_sparse_rows_are_counted_by_their_entries) {
  // 800 MB as dense rows, 2.4 MB as they are.
  std::string text = "%%MatrixMarket matrix coordinate real general\n20000 5000 200000\n";
  for (int i = 0; i < 20000; ++i)
    for (int j = 0; j < 10; ++j)
      text += fmt::format("{} {} {}\n", i + 1, (i * 7 + j * 499) % 5000 + 1, 1 + (i + j) % 5);
  const std::string file = dir->file("sparse.mtx", text);
  const auto run = mercer({"fit", file, "-k", "2", "--json", "--tolerance", "1e-3", "--threads",
                           "2", "--memory", "64MiB"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LE(run.peak_kib, (64 + 16) * 1024);
  expect_error(mercer({"fit", file, "-k", "2", "--memory", "4MiB"}), 1, {"MiB", "--memory"});
}

TEST_F(CliMemory, M_P5_filling_missing_cells_counts_the_copies_of_the_rows) {
  expect_error(mercer({"fit", big, "-k", "2", "--missing", "em", "--memory", "128MiB"}), 1,
               {"--missing em", "--memory"});
  const auto run = mercer({"fit", big, "-k", "2", "--missing", "em", "-q", "--memory", "320MiB"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LE(run.peak_kib, (320 + 16) * 1024);
}

TEST_F(CliMemory, M_P5_transform_streams_in_constant_memory) {
  ASSERT_EQ(mercer({"fit", big, "-k", "2", "-q", "-o", *dir / "t.st"}).exit_code, 0);
  const auto run = mercer({"transform", *dir / "t.st", big, "-o", *dir / "t.npy"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LE(run.peak_kib, 64 * 1024);
}

TEST_F(CliMemory, M_E9_ten_million_rows_are_learned_in_constant_memory) {
  const auto peak = [](long count) {
    const auto run = test::run(
        {"sh", "-c",
         fmt::format(
             "awk 'BEGIN {{ for (i = 0; i < {}; ++i) print i % 7 \",\" i % 3 }}' | '{}' learn - "
             "--rule oja -q --json -o '{}'",
             count, mercer_program(), *dir / "learned.st")});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(Model<double>::load(*dir / "learned.st").report().n_samples, count);
    return nlohmann::json::parse(run.out)["peak_memory_bytes"].get<std::int64_t>();
  };
  const auto few = peak(100'000), many = peak(10'000'000);
  EXPECT_LT(many, few + (4 << 20));
  EXPECT_LT(many, 64 << 20);
}

/// CSV is not mapped: everything that is resident is the program's.
TEST_F(CliMemory, M_P5_every_command_that_sends_rows_through_a_model_keeps_to_its_budget) {
  const std::string data = *dir / "rows.csv", model = *dir / "p5.st", kernel = *dir / "p5k.st";
  constexpr Index n = 60'000, d = 40;  // 18 MiB as rows, 45 as text
  {
    Sink<double> sink(data, numbered_columns(d));
    for (Index first = 0; first < n; first += 1000)
      sink.write(Matrix<double>::NullaryExpr(1000, d, [first](Index i, Index j) {
        return std::sin(static_cast<double>((first + i) % 9973) * 0.37 *
                        static_cast<double>(j + 1));
      }));
    sink.close();
  }
  ASSERT_EQ(mercer({"fit", data, "-k", "30", "-q", "-o", model, "--memory", "16MiB"}).exit_code, 0);
  ASSERT_EQ(mercer({"fit", big, "--kernel", "rbf(gamma=0.2)", "--approx", "nystrom(landmarks=50)",
                    "-k", "3", "-q", "-o", kernel})
                .exit_code,
            0);
  const auto at = [&](const char* name) { return *dir / name; };
  const std::vector<std::vector<std::string>> commands = {
      {"transform", model, data, "-o", at("p5.csv")},
      {"inverse", model, at("p5.csv"), "-o", at("p5i.csv")},
      {"denoise", model, data, "-o", at("p5d.csv")},
      {"compress", model, data, "-o", at("p5.mrc")},
      {"decompress", at("p5.mrc"), "-o", at("p5r.csv")},
      {"score", model, data, "-o", at("p5s.csv")},
      {"plot", model, data, "--kind", "scores", "-o", at("p5.svg")},
      {"plot", model, data, "--kind", "t2spe", "-o", at("p5.svg")},
      {"merge", model, model, "-o", at("p5m.st")},
      {"learn", data, "-k", "2", "--epochs", "1", "-o", at("p5l.st")},
      {"probe", data, "--direction", ones(d)},
  };
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--threads", "2", "--memory", "16MiB"});
    if (command[0] != "probe") command.emplace_back("-q");
    const auto run = mercer(command);
    ASSERT_EQ(run.exit_code, 0) << command[0] << ": " << run.err;
    EXPECT_LE(run.peak_kib, (16 + 16) * 1024) << command[0];
  }
  // More rows than the budget: a transform of it has the same bytes.
  ASSERT_EQ(mercer({"transform", model, data, "-o", at("free.csv")}).exit_code, 0);
  EXPECT_TRUE(slurp(at("free.csv")) == slurp(at("p5.csv")));  // too long to be shown
}

TEST_F(CliMemory, M_P5_standard_input_that_does_not_fit_says_what_to_do) {
  const auto before = dir->list();
  expect_error(run({"sh", "-c",
                    "'" + mercer_program() + "' fit - --format npy -q --memory 64MiB --scores '" +
                        (*dir / "x.csv") + "' < '" + big + "'"}),
               1, {"standard input", "--memory"});
  EXPECT_EQ(dir->list(), before);
}

/// 300 rows of 20,000 columns, 46 MiB as doubles. Six directions of falling variance and a
/// remainder, in multiples of 1/64, so that the text is short.
class CliMemoryWide : public testing::Test {
 protected:
  static constexpr Index rows = 300, cols = 20'000;

  static void SetUpTestSuite() {
    dir = new TempDir;
    csv = *dir / "wide.csv";
    Sink<double> sink(csv, numbered_columns(cols));
    for (Index first = 0; first < rows; first += 10) {
      const Matrix<double> block = Matrix<double>::NullaryExpr(10, cols, [first](Index i, Index j) {
        const auto x = static_cast<double>(first + i), y = static_cast<double>(j);
        double sum = 2;
        for (int r = 1; r <= 6; ++r)
          sum += 8.0 / r * std::sin(0.7 * r * x + r) * std::cos(0.31 * r * y);
        sum += std::sin(x * x * 0.37 + y * (1.9 + 0.01 * x));
        return std::round(64 * sum) / 64;
      });
      sink.write(block);
    }
    sink.close();
    ASSERT_EQ(mercer({"fit", csv, "-k", "5", "-q", "-o", *dir / "model.st", "--tolerance", "1e-6"})
                  .exit_code,
              0);
  }
  static void TearDownTestSuite() { delete dir; }

  /// Within the budget and the larger of 2 % and 16 MiB, whether it succeeds or not.
  static test::Run within(std::vector<std::string> command, int mib) {
    command.insert(command.end(), {"--memory", fmt::format("{}MiB", mib), "--threads", "2", "-q"});
    const test::Run run = mercer(command);
    EXPECT_LE(run.peak_kib, 1024 * std::max(mib + 16, mib + mib / 50))
        << fmt::format("{}", fmt::join(command, " "));
    return run;
  }
  static void expect_within(const std::vector<std::string>& command, int mib) {
    const test::Run run = within(command, mib);
    EXPECT_EQ(run.exit_code, 0) << fmt::format("{}: {}", fmt::join(command, " "), run.err);
  }
  static std::string at(const char* name) { return *dir / name; }

  static inline TempDir* dir = nullptr;
  static inline std::string csv;
};

TEST_F(CliMemoryWide, M_P5_a_fit_of_wide_rows_keeps_to_its_budget) {
  const auto fit = [](std::vector<std::string> options) {
    options.insert(options.begin(), {"fit", csv, "-o", at("fit.st"), "--tolerance", "1e-6"});
    return options;
  };
  expect_within(fit({"-k", "5"}), 52);  // streamed, in small blocks of vectors
  expect_within(fit({"-k", "5"}), 64);
  expect_within(fit({"-k", "5", "--scale", "std"}), 64);
  expect_within(fit({"-k", "5"}), 110);  // in memory
  expect_within(fit({"-k", "all"}), 150);
  expect_within(fit({"-k", "all", "--scores", at("scores.npy")}), 150);
  expect_within(fit({"-k", "5", "--precision", "float"}), 64);
  expect_within(fit({"-k", "5", "--kernel", "rbf(gamma=1e-6)"}), 200);
  expect_within(
      fit({"-k", "5", "--kernel", "rbf(gamma=1e-6)", "--approx", "nystrom(landmarks=30)"}), 200);
  expect_within(fit({"-k", "5", "--kernel", "rbf(gamma=1e-6)", "--approx", "fourier(features=50)"}),
                300);
}

TEST_F(CliMemoryWide, M_P5_the_streamed_fit_of_wide_rows_gives_the_same_answer) {
  const auto variances = [](const char* memory) {
    const auto run = mercer({"fit", csv, "-k", "5", "--json", "--tolerance", "1e-8", "--memory",
                             memory, "--threads", "2"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    return Json::parse(run.out)["eigenvalues"].get<std::vector<double>>();
  };
  const auto streamed = variances("52MiB"), held = variances("4GiB");
  ASSERT_EQ(streamed.size(), 5u);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(streamed[i], held[i], 1e-7 * held[0]);
}

TEST_F(CliMemoryWide, M_P5_commands_on_wide_rows_keep_to_their_budget) {
  const std::string model = at("model.st");
  expect_within({"transform", model, csv, "-o", at("t.csv")}, 32);
  expect_within({"inverse", model, at("t.csv"), "-o", at("i.csv")}, 32);
  expect_within({"denoise", model, csv, "-o", at("d.csv")}, 32);
  expect_within({"score", model, csv, "-o", at("s.csv")}, 128);
  expect_within({"compress", model, csv, "-o", at("c.mrc")}, 256);
  expect_within({"decompress", at("c.mrc"), "-o", at("r.csv")}, 256);
  expect_within({"plot", model, csv, "--kind", "scores", "-o", at("p.svg")}, 32);
  expect_within({"merge", model, model, "-o", at("m.st")}, 64);
  expect_within({"learn", csv, "-k", "3", "--epochs", "1", "-o", at("l.st")}, 48);
  expect_within({"learn", csv, "-k", "3", "--epochs", "1", "-o", at("l.st")}, 110);
}

/// With more memory the blocks that are read are longer: the minimum counts those.
TEST_F(CliMemoryWide, M_P5_the_stated_minimum_of_learning_wide_rows_is_enough_in_one_step) {
  std::string memory;
  const double bytes =
      stated_bytes(mercer({"learn", csv, "-k", "3", "--epochs", "1", "--memory", "1"}).err, memory);
  ASSERT_GT(bytes, 1 << 20);
  const auto run = mercer({"learn", csv, "-k", "3", "--epochs", "1", "-q", "--memory", memory});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_LE(static_cast<double>(run.peak_kib) * 1024, bytes + 16.0 * (1 << 20));
}

TEST_F(CliMemoryWide, M_P5_a_budget_that_is_too_small_for_wide_rows_is_refused_within_it) {
  for (const std::vector<std::string>& options :
       {std::vector<std::string>{"-k", "5"},
        {"-k", "all"},
        {"-k", "5", "--kernel", "rbf(gamma=1e-6)"},
        {"-k", "5", "--kernel", "rbf", "--approx", "nystrom(landmarks=200)"},
        {"-k", "5", "--kernel", "rbf", "--approx", "fourier(features=200)"}}) {
    std::vector<std::string> command = {"fit", csv};
    command.insert(command.end(), options.begin(), options.end());
    expect_error(within(command, 16), 1, {"--memory"});
  }
}

}  // namespace mercer::test::memory_test
