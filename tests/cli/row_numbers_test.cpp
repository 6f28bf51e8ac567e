// Rows are named by their numbers in the file, also where rows before them are left out.

#include "cli/support.hpp"
#include "pictures/texts.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>

namespace mercer::test::row_numbers_test {

using Json = nlohmann::json;

/// 400 rows of three columns; every tenth has a hole, and rows 57 and 312 (from 1) are far out.
class CliRowNumbers : public testing::Test {
 protected:
  static double cell(long i, long j) {
    const double t = static_cast<double>(3 * i + j);
    return std::sin(t * t) + (i + 1 == 57 || i + 1 == 312 ? 40.0 * static_cast<double>(j + 1) : 0);
  }
  static bool hole(long i, long j) { return i % 10 == 0 && j == i / 10 % 3; }

  CliRowNumbers() {
    std::string good = "a,b,c\n", text = good;
    for (long i = 0; i < 400; ++i)
      for (long j = 0; j < 3; ++j) {
        const char* end = j < 2 ? "," : "\n";
        good += fmt::format("{}{}", std::sin(static_cast<double>((3 * i + j) * (3 * i + j))), end);
        text += hole(i, j) ? end : fmt::format("{}{}", cell(i, j), end);
      }
    dir.file("good.csv", good);
    csv = dir.file("rows.csv", text);
    array = dir.file("rows.npy",
                     npy(400, 3, [](long i, long j) { return hole(i, j) ? NAN : cell(i, j); }));
    std::string entries = "%%MatrixMarket matrix coordinate real general\n400 3 1200\n";
    for (long i = 0; i < 400; ++i)
      for (long j = 0; j < 3; ++j)
        entries += fmt::format("{} {} {}\n", i + 1, j + 1,
                               hole(i, j) ? "nan" : fmt::format("{}", cell(i, j)));
    sparse = dir.file("rows.mtx", entries);
    model = dir / "m.st";
    EXPECT_EQ(mercer({"fit", dir / "good.csv", "-k", "2", "-q", "-o", model}).exit_code, 0);
  }

  const TempDir dir;
  std::string csv, array, sparse, model;
};

TEST_F(CliRowNumbers, flagged_rows_have_the_numbers_of_the_file_after_missing_drop) {
  for (const std::string& file : {csv, array, sparse}) {
    const auto run = mercer({"score", model, file, "--missing", "drop", "--flag", "0.999", "--json",
                             "-o", dir / "s.csv"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_THAT(run.err, testing::HasSubstr("40 rows with missing values dropped"));
    const Json found = Json::parse(run.out);
    EXPECT_EQ(found["rows"], 360);
    std::vector<int> rows;
    for (const Json& row : found["flagged"])
      if (row["t2"].get<double>() > 100) rows.push_back(row["row"].get<int>());
    EXPECT_EQ(rows, (std::vector<int>{57, 312})) << file;
    EXPECT_EQ(split(slurp(dir / "s.csv"), '\n').size(), 362u);  // a header, and the end
    const auto words = mercer({"score", model, file, "--missing", "drop", "--flag", "0.999"});
    EXPECT_THAT(words.out, testing::HasSubstr("\n        57"));
    EXPECT_THAT(words.out, testing::HasSubstr("\n       312"));
  }
}

/// In small blocks, and with labels, ids and weights that belong to the rows that are left.
TEST_F(CliRowNumbers, what_belongs_to_a_row_stays_with_it) {
  std::string text = "id,a,b,c,kind,w\n";
  for (long i = 0; i < 400; ++i) {
    text += fmt::format("r{}", i + 1);
    for (long j = 0; j < 3; ++j) text += hole(i, j) ? "," : fmt::format(",{}", cell(i, j));
    text += fmt::format(",k{},{}\n", (i + 1) % 7, i + 1);
  }
  const std::string file = dir.file("named.csv", text);
  const auto run = mercer({"score", model, file, "--id", "id", "--label", "kind", "--weights", "w",
                           "--missing", "drop", "--flag", "0.999", "--json", "--memory", "8MiB"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  for (const Json& row : Json::parse(run.out)["flagged"]) {
    const int number = row["row"].get<int>();
    EXPECT_EQ(row["id"], fmt::format("r{}", number));
    EXPECT_EQ(row["label"], fmt::format("k{}", number % 7));
  }
}

TEST_F(CliRowNumbers, a_plot_names_rows_by_their_numbers_in_the_file) {
  for (const std::string& file : {csv, array}) {
    const auto run = mercer(
        {"plot", model, file, "--kind", "t2spe", "--missing", "drop", "-q", "-o", dir / "p.svg"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    const Xml xml = expect_clean(slurp(dir / "p.svg"));
    EXPECT_TRUE(says(xml, "57")) << file;
    EXPECT_TRUE(says(xml, "312")) << file;
  }
}

TEST_F(CliRowNumbers, the_witness_against_a_kernel_has_the_numbers_of_the_file) {
  std::vector<int> complete;
  for (int i = 0; i < 400; ++i)
    if (i % 10 != 0) complete.push_back(i + 1);
  for (const std::string& file : {csv, array, sparse}) {
    const std::string kernel = "sigmoid(gamma=0.1, coef0=-5)";
    const auto run = mercer({"kernel", "check", kernel, file, "--missing", "drop", "--json"});
    EXPECT_THAT(run.err, testing::HasSubstr("40 rows with missing values dropped"));
    const Json witness = Json::parse(run.out)["witness"];
    EXPECT_EQ(witness["rows"].get<std::vector<int>>(), complete) << file;
    const auto z = witness["z"].get<std::vector<double>>();
    ASSERT_EQ(z.size(), complete.size());
    std::size_t heaviest = 0;
    for (std::size_t i = 0; i < z.size(); ++i)
      if (std::abs(z[i]) > std::abs(z[heaviest])) heaviest = i;
    const auto words = mercer({"kernel", "check", kernel, file, "--missing", "drop"});
    EXPECT_THAT(words.out, testing::HasSubstr(fmt::format(" row {}", complete[heaviest]))) << file;
  }
}

TEST_F(CliRowNumbers, no_row_left_is_an_error) {
  const std::string none = dir.file("none.csv", "a,b,c\n1,,2\n,1,2\n");
  expect_error(mercer({"score", model, none, "--missing", "drop"}), 1,
               {"none.csv", "every row has a missing value", "--missing mean"});
}

}  // namespace mercer::test::row_numbers_test
