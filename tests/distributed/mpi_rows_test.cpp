// transform and score of mercer-mpi: the files and the words of one process.
#include "support/mpi_run.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <mercer/data.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#ifdef MERCER_MPIRUN

namespace mercer::test::mpi_rows_test {

using Arguments = std::vector<std::string>;

/// The output file, standard output and standard error are those of `mercer`, whose output
/// `arguments` name as OUT.
void expect_same(const TempDir& dir, const Arguments& arguments, const std::string& output,
                 const std::vector<int>& process_counts = {3}) {
  const auto with = [&](const std::string& file) {
    Arguments out = arguments;
    for (std::string& word : out)
      if (word == "OUT") word = file;
    return out;
  };
  const test::Run one = mercer(with(dir / ("one" + output)));
  ASSERT_EQ(one.exit_code, 0) << one.err;
  const bool writes = with("") != arguments;
  const std::string expected = writes ? slurp(dir / ("one" + output)) : "";
  for (const int processes : process_counts) {
    const std::string file = dir / ("several" + output);
    const test::Run several = mercer_mpi(processes, with(file));
    ASSERT_EQ(several.exit_code, 0) << several.err;
    EXPECT_EQ(several.out, one.out) << processes;
    EXPECT_EQ(several.err, one.err) << processes;
    if (writes) EXPECT_TRUE(slurp(file) == expected) << processes << " " << arguments[0];
  }
}

/// A table with names, quoted newlines in ids, labels, weights and some cells missing.
struct Tables {
  std::string whole, first, second, model;
};
Tables tables(const TempDir& dir, Index n) {
  Random random(3);
  const Matrix<double> x = random.normal(n, 4);
  const std::string header = "name,kind,a,b,c,d,w\n";
  std::string fit = header, rows[2] = {header, header};
  for (Index i = 0; i < n; ++i) {
    const std::string gap = i % 13 == 5 ? "" : fmt::format("{}", x(i, 1));
    const auto line = [&](const std::string& b) {
      return fmt::format("\"n\n{}\",{},{},{},{},{},{}\n", i, i % 3 == 0 ? "\"x, y\"" : "z", x(i, 0),
                         b, x(i, 2), x(i, 3) + (i % 50 == 7 ? 9 : 0), 1 + i % 4);
    };
    fit += line(fmt::format("{}", x(i, 1)));
    rows[i < n / 3 ? 0 : 1] += line(gap);
  }
  Tables t{dir.file("fit.csv", fit), dir.file("1.csv", rows[0]), dir.file("2.csv", rows[1]),
           dir / "model.st"};
  const test::Run r = mercer({"fit", t.whole, "--id", "name", "--label", "kind", "--exclude", "w",
                              "--scale", "std", "-k", "2", "--quiet", "-o", t.model});
  EXPECT_EQ(r.exit_code, 0) << r.err;
  return t;
}

TEST(Mpi, M_G5_transform_of_several_processes_writes_the_file_of_one) {
  const TempDir dir;
  const Tables t = tables(dir, 500);
  expect_same(dir, {"transform", t.model, t.whole, "-o", "OUT"}, ".csv", {1, 2, 3, 8});
  expect_same(dir, {"transform", t.model, t.whole, "-o", "OUT"}, ".npy");
  expect_same(dir, {"transform", t.model, t.whole, "-o", "OUT", "--precision", "float"}, ".npy");
  expect_same(dir, {"transform", t.model, t.whole, "-o", "OUT"}, ".tsv.gz");
  expect_same(dir, {"transform", t.model, t.whole}, "");
  expect_same(dir, {"transform", t.model, t.first, t.second, "--missing", "drop", "-o", "OUT"},
              ".csv");
  expect_same(dir, {"transform", t.model, t.first, t.second, "--missing", "mean", "-o", "OUT"},
              ".csv");
  // More processes than rows.
  const std::string few = dir.file("few.csv", "d,c,b,a\n1,2,3,4\n3,5,1,1\n");
  expect_same(dir, {"transform", t.model, few, "-o", "OUT"}, ".csv", {5});
}

TEST(Mpi, M_G5_files_larger_than_what_is_kept_in_memory_are_collected_in_order) {
  const TempDir dir;
  Random random(4);
  const Matrix<double> x = random.normal(60000, 6);
  Sink<double> file(dir / "x.npy", {"a", "b", "c", "d", "e", "f"});
  file.write(x);
  file.close();
  ASSERT_EQ(mercer({"fit", dir / "x.npy", "--quiet", "-o", dir / "m.st"}).exit_code, 0);
  expect_same(dir, {"transform", dir / "m.st", dir / "x.npy", "-o", "OUT"}, ".csv", {3});
  expect_same(dir, {"transform", dir / "m.st", dir / "x.npy", "-o", "OUT"}, ".npy", {3});
}

TEST(Mpi, M_G5_score_of_several_processes_writes_and_says_what_one_does) {
  const TempDir dir;
  const Tables t = tables(dir, 700);
  expect_same(dir, {"score", t.model, t.whole}, "", {1, 2, 3, 5});
  expect_same(dir, {"score", t.model, t.whole, "--json", "--flag", "0.99"}, "", {1, 2, 3, 8});
  expect_same(dir, {"score", t.model, t.whole, "--flag", "0.95", "--contributions", "-o", "OUT"},
              ".csv");
  expect_same(dir, {"score", t.model, t.whole, "-o", "-", "--weights", "w", "--quiet"}, "");
  expect_same(dir,
              {"score", t.model, t.first, t.second, "--missing", "drop", "--weights", "w", "--flag",
               "0.9", "--json", "-o", "OUT"},
              ".npy");
  expect_same(dir, {"score", t.model, t.first, t.second, "--missing", "mean", "--flag", "0.99"},
              "");
  expect_same(
      dir,
      {"score", t.model, t.first, "--reference", t.whole, "--missing", "drop", "--flag", "0.98"},
      "", {3});
}

TEST(Mpi, M_G5_scores_of_a_fit_on_several_processes) {
  const TempDir dir;
  const std::string wine = data_file("wine.csv"), rings = data_file("rings.csv");
  expect_same(dir,
              {"fit", wine, "--label", "cultivar", "--scale", "std", "--scores", "OUT", "--quiet"},
              ".csv");
  expect_same(dir,
              {"fit", rings, "--label", "class", "--kernel", "rbf(gamma=0.5)", "-k", "3",
               "--memory", "512MiB", "--scores", "OUT", "--quiet"},
              ".csv");
}

}  // namespace mercer::test::mpi_rows_test

#endif
