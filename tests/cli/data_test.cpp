// mercer data: the data sets of the lectures as files.

#include "cli/support.hpp"

#include <mercer/datasets.hpp>

#include <fmt/format.h>

#include <cmath>

namespace mercer::test::data_command_test {

class CliData : public testing::Test {
 protected:
  const TempDir dir;
};

TEST_F(CliData, M_T10_every_data_set_is_written_in_every_format_and_reads_back) {
  for (const datasets::Entry& entry : datasets::table())
    for (const char* extension : {".csv", ".tsv", ".npy"}) {
      SCOPED_TRACE(entry.name + extension);
      const std::string file = dir / (entry.name + extension);
      const auto run = mercer(
          {"data", entry.name, "--rows", "40", "--noise", "0.25", "--seed", "7", "-o", file});
      ASSERT_EQ(run.exit_code, 0) << run.err;
      EXPECT_EQ(run.out + run.err, "");
      const Table<double> made = datasets::make(entry.name, {.rows = 40, .noise = 0.25, .seed = 7});
      const bool labels = !made.schema.label.empty() && std::string(extension) != ".npy";
      const Table<double> back = read<double>(file, {.label = labels ? "class" : ""});
      EXPECT_EQ(back.x, made.x);
      for (std::size_t i = 0; labels && i < 40; ++i) EXPECT_EQ(back.labels[i], made.labels[i]);
    }
}

TEST_F(CliData, M_A6_the_clouds_of_the_lecture_have_its_variances) {
  const auto made = mercer({"data", "clouds"});
  ASSERT_EQ(made.exit_code, 0) << made.err;
  const auto rows = cells(made.out);
  ASSERT_EQ(rows.size(), 1801u);
  EXPECT_EQ(rows[0], (std::vector<std::string>{"class", "x1", "x2"}));
  double mean[2] = {}, xx[3] = {};
  for (std::size_t i = 1; i < rows.size(); ++i)
    for (std::size_t j : {0, 1}) mean[j] += number(rows[i][1 + j]) / 1800;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const double a = number(rows[i][1]) - mean[0], b = number(rows[i][2]) - mean[1];
    xx[0] += a * a / 1799, xx[1] += b * b / 1799, xx[2] += a * b / 1799;
  }
  const double middle = (xx[0] + xx[1]) / 2, half = std::hypot((xx[0] - xx[1]) / 2, xx[2]);
  EXPECT_NEAR(middle + half, 0.1444, 4 * 0.0028);
  EXPECT_NEAR(middle - half, 0.0209, 4 * 0.0008);
  EXPECT_EQ(mercer({"data", "clouds", "--seed", "1", "-o", "-"}).out, made.out);
  EXPECT_NE(mercer({"data", "clouds", "--seed", "2"}).out, made.out);
}

TEST_F(CliData, rows_can_be_piped_into_a_fit) {
  const auto made = mercer({"data", "rings", "--rows", "60"});
  const auto fitted =
      mercer({"fit", "-", "--label", "class", "-k", "2", "-q", "--json"}, {.input = made.out});
  EXPECT_EQ(fitted.exit_code, 0) << fitted.err;
}

TEST_F(CliData, mistakes_are_one_line) {
  expect_error(mercer({"data", "cloud"}), 2, {"NAME 'cloud'", "did you mean clouds?", "moons"});
  expect_error(mercer({"data"}), 2, {"NAME"});
  expect_error(mercer({"data", "clouds", "--rows", "0"}), 2, {"--rows", "0"});
  expect_error(mercer({"data", "clouds", "--rows", "1e3"}), 2, {"--rows", "1e3"});
  expect_error(mercer({"data", "clouds", "--rows", "10000001"}), 2, {"--rows", "10000000"});
  expect_error(mercer({"data", "clouds", "--noise", "-1"}), 2, {"--noise", "-1"});
  expect_error(mercer({"data", "clouds", "--noise", "x"}), 2, {"--noise", "'x'"});
  expect_error(mercer({"data", "clouds", "--noise", "inf"}), 2, {"--noise", "inf"});
  expect_error(mercer({"data", "clouds", "--noise", "1e200"}), 2, {"--noise", "1e+200"});
  expect_error(mercer({"data", "clouds", "--seed", "-1"}), 2, {"--seed", "-1"});
  expect_error(mercer({"data", "clouds", "-o", dir / "a.st"}), 2, {"a.st", ".npy"});
  expect_error(mercer({"data", "clouds", "-o", dir / "none/a.csv"}), 1, {"none"});
}

}  // namespace mercer::test::data_command_test
