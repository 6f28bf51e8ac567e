// A budget that is too small is refused once, with a minimum that works. The memory of the process
// stays within it and the larger of 2 % and 16 MiB. CSV is not mapped: everything that is resident
// is the program's.

#include "cli/memory_support.hpp"
#include "cli/support.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <mercer/data.hpp>

#include <algorithm>
#include <cmath>
#include <filesystem>

namespace mercer::test::memory_minimum_test {

class CliMemoryMinimum : public testing::Test {
 protected:
  std::string at(const char* name) const { return dir / name; }

  /// Smooth rows of full rank.
  std::string rows_file(const char* name, Index n, Index d) const {
    return written(name, Matrix<double>::NullaryExpr(n, d, [](Index i, Index j) {
                     const double t = static_cast<double>(i) * 0.37 * static_cast<double>(j + 1);
                     return std::sin(t + 0.01 * t * t) * (1 + 1 / static_cast<double>(j + 1));
                   }));
  }
  /// Two factors and a tenth of noise, in which a permutation test sees two components.
  static Matrix<double> factors(Index n, Index d) {
    return Matrix<double>::NullaryExpr(n, d, [](Index i, Index j) {
      const auto x = static_cast<double>(i), y = static_cast<double>(j);
      return 3 * std::sin(1.3 * x) * std::cos(0.9 * y) + std::sin(0.7 * x * x) * std::sin(1.7 * y) +
             0.1 * std::sin(x * x * 0.11 + y * (1.9 + 0.01 * x));
    });
  }
  std::string written(const char* name, const Matrix<double>& x) const {
    Sink<double> sink(at(name), numbered_columns(x.cols()));
    sink.write(x);
    sink.close();
    return at(name);
  }

  /// Refused at 1 MiB, accepted with what that refusal states; or accepted at once.
  static void expect_one_step(const std::vector<std::string>& command) {
    SCOPED_TRACE(fmt::format("{}", fmt::join(command, " ")));
    const auto with = [&](const std::string& memory) {
      std::vector<std::string> all_words = command;
      all_words.insert(all_words.end(), {"--memory", memory});
      if (command[0] != "inspect") all_words.insert(all_words.end(), {"--threads", "2"});
      return mercer(all_words);
    };
    std::string memory = "1MiB";
    double bytes = 1 << 20;
    auto run = with(memory);
    if (command[0] == "learn") EXPECT_NE(run.exit_code, 0);
    if (run.exit_code != 0) {
      bytes = stated_bytes(run.err, memory);
      ASSERT_GT(bytes, 1 << 20) << run.err;
      EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
      run = with(memory);
      EXPECT_EQ(run.exit_code, 0) << run.err;
    }
    EXPECT_LE(static_cast<double>(run.peak_kib) * 1024,
              bytes + std::max(0.02 * bytes, 16.0 * (1 << 20)))
        << memory;
  }

  const TempDir dir;
};

TEST_F(CliMemoryMinimum, M_P5_a_budget_that_is_too_small_is_refused_with_the_least_that_would_do) {
  const std::string rows = dir / "few.csv", model = dir / "few.st", file = dir / "few.mrc";
  {
    Sink<double> sink(rows, {"a", "b"});
    sink.write(Matrix<double>::NullaryExpr(600, 2, [](Index i, Index j) {
      const auto t = static_cast<double>(2 * i + j);
      return std::sin(t * t);
    }));
    sink.close();
  }
  ASSERT_EQ(
      mercer({"fit", rows, "--kernel", "rbf(gamma=1)", "-k", "20", "-q", "-o", model}).exit_code,
      0);
  ASSERT_EQ(mercer({"compress", model, rows, "-q", "-o", file}).exit_code, 0);
  const std::string out = dir / "few-out.csv";
  const std::vector<std::vector<std::string>> commands = {
      {"transform", model, rows, "-o", out},
      {"denoise", model, rows, "-o", out},
      {"compress", model, rows, "-o", dir / "few-out.mrc"},
      {"decompress", file, "-o", out},
      {"score", model, rows, "-o", out},
      {"merge", model, model, "-o", dir / "few-out.st"},
      {"moments", rows, "-o", dir / "few-out.mom"},
      {"plot", model, rows, "--kind", "scores", "-o", dir / "few-out.svg"},
      {"kernel", "check", "rbf(gamma=1)", rows},
      {"kernel", "matrix", "rbf(gamma=1)", rows, "-o", out},
      {"tune", rows, "--kernel", "rbf(gamma={1,2})"}};
  for (std::vector<std::string> command : commands) {
    command.insert(command.end(), {"--memory", "1MiB", "--threads", "2", "-q"});
    expect_error(mercer(command), 1, {"MiB", "--memory"});
    for (const char* extension : {"csv", "mom", "mrc", "st", "svg"})
      EXPECT_FALSE(std::filesystem::exists(dir / ("few-out." + std::string(extension))))
          << command[0];
  }
}

/// CSV is not mapped: everything that is resident is the program's.
TEST_F(CliMemoryMinimum, M_P5_the_stated_minimum_is_enough_in_one_step_for_every_command) {
  const std::string tall = rows_file("min-tall.csv", 12000, 20),
                    wide = rows_file("min-wide.csv", 60, 3000),
                    small = rows_file("min-small.csv", 700, 2),
                    square = rows_file("min-square.csv", 700, 800);
  const std::string model = at("min.st"), all = at("min-all.st"), kernel = at("min-kernel.st"),
                    map = at("min-map.st"), scores = at("min-scores.csv"), packed = at("min.mrc"),
                    some = at("min-some.st"), sums = at("min.mom");
  const std::vector<std::vector<std::string>> before = {
      {"fit", tall, "-k", "8", "-o", model},
      {"fit", wide, "-o", all},
      {"fit", wide, "-k", "5", "-o", some},
      {"fit", small, "--kernel", "rbf(gamma=1)", "-k", "25", "-o", kernel},
      {"fit", small, "--map", "polynomial(degree=3)", "-k", "3", "--keep-rows", "300", "-o", map},
      {"transform", all, wide, "-o", scores},
      {"moments", square, "-o", sums},
      {"compress", kernel, small, "-o", packed}};
  for (std::vector<std::string> command : before) {
    command.emplace_back("-q");
    const auto run = mercer(command);
    ASSERT_EQ(run.exit_code, 0) << run.err;
  }
  const std::string out = at("min-out.csv"), picture = at("min-out.svg"), saved = at("min-out.st");
  const std::vector<std::vector<std::string>> commands = {
      {"fit", tall, "-o", saved},
      {"fit", tall, "-k", "3", "--scale", "std", "--scores", out},
      {"fit", wide, "-k", "all", "-o", saved},
      {"fit", wide, "-k", "3", "--solver", "svd"},
      {"fit", wide, "-k", "3", "--solver", "gram", "--precision", "float"},
      {"fit", small, "--kernel", "rbf(gamma=1)", "-k", "10", "-o", saved},
      {"fit", small, "--kernel", "rbf(gamma=1)", "--solver", "krylov", "-k", "5"},
      {"fit", small, "--kernel", "rbf(gamma=1)", "--solver", "dense", "-k", "all"},
      {"fit", wide, "--kernel", "rbf", "-k", "3", "--scale", "std", "-o", saved},
      {"fit", tall, "--kernel", "rbf(gamma=1)", "--approx", "nystrom(landmarks=100)", "-k", "3"},
      {"fit", tall, "--kernel", "rbf(gamma=1)", "--approx", "fourier(features=100)", "-k", "3"},
      {"transform", all, wide, "-o", out},
      {"transform", kernel, small, "-o", out},
      {"inverse", all, scores, "-o", out},
      {"denoise", all, wide, "-o", out},
      {"denoise", kernel, small, "-o", out},
      {"compress", model, tall, "-o", at("min-out.mrc")},
      {"decompress", packed, "-o", out},
      {"score", model, tall, "-o", out},
      {"score", kernel, small, "-o", out},
      {"score", some, wide, "-o", out},  // its limits simulate 37 samples of 60 rows
      {"merge", model, model, model, "-o", saved},
      {"merge", all, all, "-o", saved},
      {"moments", tall, "-o", at("min-out.mom")},
      {"moments", square, "--scale", "std", "-o", at("min-out.mom")},
      {"moments", small, "--map", "polynomial(degree=12)", "-o", at("min-out.mom")},
      {"merge", sums, sums, "-o", saved},
      {"plot", model, tall, "--kind", "scores", "-o", picture},
      {"plot", kernel, small, "--kind", "t2spe", "-o", picture},
      {"plot", some, wide, "--kind", "t2spe", "-o", picture},
      {"plot", kernel, small, "--kind", "contour", "-o", picture},
      {"plot", all, "--kind", "loadings", "-o", picture},
      {"contour", kernel, "--data", small, "-o", picture},
      {"learn", tall, "-k", "3", "--epochs", "1", "-o", saved},
      {"learn", wide, "-k", "3", "--epochs", "1", "--order", "shuffled", "-o", saved},
      {"learn", square, "--kernel", "rbf", "--epochs", "1", "-o", saved},
      {"learn", tall, "--kernel", "rbf", "--landmarks", "100", "--epochs", "1", "-o", saved},
      {"learn", tall, "--map", "polynomial(degree=2)", "--epochs", "1", "-o", saved},
      {"kernel", "check", "rbf(gamma=1)", small},
      {"kernel", "matrix", "rbf(gamma=1)", small, "-o", out},
      {"tune", small, "--kernel", "rbf(gamma={1,2})"},
      {"inspect", kernel, "--gradient", small, "-o", out},
      {"inspect", map, "--gradient", small, "-o", out},
      {"inspect", all, "--loadings", "-o", out},
      {"probe", tall, "--direction", ones(20)}};
  for (const std::vector<std::string>& command : commands) expect_one_step(command);
}
TEST_F(CliMemoryMinimum, M_P5_the_stated_minimum_includes_the_steps_before_a_fit) {
  const std::string few = written("few.csv", factors(500, 8)),
                    wide = written("wide.csv", factors(60, 1500));
  Matrix<double> holes = factors(1500, 24);
  std::string text = fmt::format("{}\n", fmt::join(numbered_columns(24), ","));
  for (Index i = 0; i < holes.rows(); ++i)
    for (Index j = 0; j < holes.cols(); ++j)
      text += ((7 * i + 3 * j) % 50 == 0 ? std::string() : fmt::format("{:.6g}", holes(i, j))) +
              (j + 1 < holes.cols() ? "," : "\n");
  const std::string missing = dir.file("holes.csv", text), out = at("out.csv"),
                    model = at("out.st");
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {few, "-k", "auto"},
           {wide, "-k", "auto"},
           {few, "-k", "auto", "--kernel", "rbf"},
           {few, "-k", "auto", "--map", "polynomial(degree=2)"},
           {few, "-k", "minka"},
           {wide, "-k", "gavish-donoho"},
           {missing, "-k", "2", "--missing", "em", "-o", model},
           {missing, "-k", "2", "--missing", "em", "--imputed", out},
           {missing, "-k", "2", "--missing", "mean"},
           {missing, "-k", "2", "--missing", "drop"}}) {
    std::vector<std::string> command = {"fit"};
    command.insert(command.end(), options.begin(), options.end());
    expect_one_step(command);
  }
}

TEST_F(CliMemoryMinimum, M_P5_the_stated_minimum_of_maps_times_and_parts_is_enough) {
  const std::string tall = rows_file("tall.csv", 6000, 20),
                    square = rows_file("square.csv", 400, 500),
                    wide = rows_file("wide.csv", 60, 3000), small = rows_file("small.csv", 700, 2);
  const std::string parts[] = {rows_file("a.csv", 30, 6000), rows_file("b.csv", 30, 6000),
                               rows_file("c.csv", 30, 6000)};
  for (const std::vector<std::string>& options : std::vector<std::vector<std::string>>{
           {tall, "--map", "polynomial(degree=2)", "-k", "3", "--scale", "std"},
           {square, "--map", "squares", "-k", "3"},
           {wide, "--map", "squares", "-k", "all"},
           {wide, "--map", "squares", "-k", "2", "--precision", "float"},
           {tall, "--kernel", "rbf", "-k", "3", "--time", "1s"},
           {tall, "--kernel", "rbf", "-k", "3", "--time", "1ms"},
           {small, "--kernel", "rbf(gamma=1)", "-k", "3", "--time", "100s"},
           {parts[0], parts[1], parts[2], "-k", "3"},
           {parts[0], parts[1], parts[2], "-k", "all", "-o", at("p.st")},
           {parts[0], parts[1], parts[2], "-k", "3", "--kernel", "rbf"}}) {
    std::vector<std::string> command = {"fit"};
    command.insert(command.end(), options.begin(), options.end());
    expect_one_step(command);
  }
}

TEST_F(CliMemoryMinimum, M_P5_the_stated_minimum_of_learning_includes_its_theory) {
  const std::string tall = rows_file("tall.csv", 6000, 20),
                    square = rows_file("square.csv", 300, 400);
  expect_one_step({"learn", tall, "-k", "3", "--epochs", "1", "--theory"});
  expect_one_step({"learn", tall, "--epochs", "1", "--theory", "--scale", "std"});
  expect_one_step(
      {"learn", tall, "--kernel", "rbf", "--landmarks", "50", "--epochs", "1", "--theory"});
  expect_one_step({"learn", tall, "--map", "polynomial(degree=2)", "--epochs", "1", "--theory"});
  expect_one_step({"learn", square, "--epochs", "1", "--theory"});
}

TEST_F(CliMemoryMinimum, M_P5_the_stated_minimum_of_eigs_is_enough) {
  constexpr long n = 400;
  const auto entry = [](long i, long j) { return 1.0 / static_cast<double>(1 + i + j); };
  std::string sparse =
      fmt::format("%%MatrixMarket matrix coordinate real symmetric\n{0} {0} {0}\n", 9000);
  for (int i = 1; i <= 9000; ++i) sparse += fmt::format("{0} {0} {1}\n", i, 1.0 / i);
  expect_one_step({"eigs", dir.file("h.npy", npy(n, n, entry)), "-k", "3"});
  expect_one_step({"eigs",
                   written("h.csv", Matrix<double>::NullaryExpr(
                                        n, n, [&](Index i, Index j) { return entry(i, j); })),
                   "-k", "3", "--json"});
  expect_one_step({"eigs", dir.file("d.mtx", sparse), "-k", "2", "--tolerance", "1e-6"});
}

}  // namespace mercer::test::memory_minimum_test
