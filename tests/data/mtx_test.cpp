#include "data/formats.hpp"
#include "support/errors.hpp"
#include "support/memory_bytes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>

namespace mercer::mtx_test {

using test::error_of;
using test::memory_bytes;
using As = test::MemoryBytes::As;

const std::string coordinate = "%%MatrixMarket matrix coordinate real general\n";

/// All rows of a source, made dense one entry at a time.
template <class T = double>
Matrix<T> dense(const std::string& text, const ReadOptions& options = {}, As as = As::file) {
  const auto source = open_mtx<T>(memory_bytes(text, as), options);
  const auto whole = source->whole();
  EXPECT_TRUE(whole.has_value());
  const Rows<T>& rows = whole->rows;
  EXPECT_EQ(rows.sparse(), source->schema().sparse);
  if (!rows.sparse()) return rows.dense();
  Matrix<T> out = Matrix<T>::Zero(rows.rows(), rows.cols());
  for (Index r = 0; r < rows.rows(); ++r) {
    std::int32_t last = -1;
    for (std::int64_t i = rows.csr().offsets[r]; i < rows.csr().offsets[r + 1]; ++i) {
      EXPECT_GT(rows.csr().columns[i], last);
      last = rows.csr().columns[i];
      out(r, last) = rows.csr().values[i];
    }
  }
  return out;
}

Matrix<double> matrix(std::initializer_list<std::initializer_list<double>> rows) {
  Matrix<double> out(static_cast<Index>(rows.size()), static_cast<Index>(rows.begin()->size()));
  Index r = 0;
  for (const auto& row : rows) {
    Index c = 0;
    for (const double value : row) out(r, c++) = value;
    ++r;
  }
  return out;
}

TEST(Mtx, entries_in_any_order_with_comments_blank_lines_and_crlf) {
  const std::string text =
      "%%matrixMARKET Matrix Coordinate REAL General\r\n% a comment\r\n\r\n  3 \t4 5\r\n"
      "3 1 1.5\r\n% inside\r\n1 4 -2e1\r\n\r\n1 2 +3\r\n3 4 0.25\r\n1 1 7";
  EXPECT_EQ(dense(text), matrix({{7, 3, 0, -20}, {0, 0, 0, 0}, {1.5, 0, 0, 0.25}}));
  EXPECT_EQ(dense(text, {}, As::pipe), dense(text));
  EXPECT_EQ(dense<float>(text).cast<double>(), dense(text));
}

TEST(Mtx, duplicates_are_summed) {
  EXPECT_EQ(dense(coordinate + "1 3 4\n1 2 1\n1 1 5\n1 2 2\n1 2 4\n"), matrix({{5, 7, 0}}));
  const Error error = error_of([] { dense(coordinate + "1 1 2\n1 1 1e308\n1 1 1e308\n"); });
  EXPECT_HAS(error.what(), "infinity");
}

TEST(Mtx, random_entries_match_a_map) {
  std::mt19937 random(7);
  std::map<std::pair<int, int>, double> reference;
  std::string text;
  constexpr int count = 3000;
  for (int i = 0; i < count; ++i) {
    const int r = static_cast<int>(random() % 50), c = static_cast<int>(random() % 40);
    const double value = static_cast<double>(random() % 1000);  // sums are exact in any order
    reference[{r, c}] += value;
    text += fmt::format("{} {} {}\n", r + 1, c + 1, value);
  }
  const auto x = dense(coordinate + fmt::format("50 40 {}\n", count) + text);
  for (int r = 0; r < 50; ++r)
    for (int c = 0; c < 40; ++c) EXPECT_EQ(x(r, c), (reference[{r, c}]));
}

TEST(Mtx, pattern_and_integer_fields) {
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 2\n2 1\n"),
            matrix({{0, 1}, {1, 0}}));
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate integer general\n1 2 1\n1 2 -9\n"),
            matrix({{0, -9}}));
}

TEST(Mtx, symmetric_and_skew_symmetric_are_completed) {
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 5\n2 1 3\n"),
            matrix({{5, 3}, {3, 0}}));
  EXPECT_EQ(dense("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n2 1 3\n"),
            matrix({{0, -3}, {3, 0}}));
}

TEST(Mtx, arrays_are_dense_and_listed_by_columns) {
  EXPECT_EQ(dense("%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n"),
            matrix({{1, 3, 5}, {2, 4, 6}}));
  EXPECT_EQ(dense("%%MatrixMarket matrix array real symmetric\n3 3\n1\n2\n3\n4\n5\n6\n"),
            matrix({{1, 2, 3}, {2, 4, 5}, {3, 5, 6}}));
  EXPECT_EQ(dense("%%MatrixMarket matrix array real skew-symmetric\n3 3\n1\n2\n3\n"),
            matrix({{0, -1, -2}, {1, 0, -3}, {2, 3, 0}}));
}

TEST(Mtx, columns_are_chosen_by_number) {
  const std::string text =
      coordinate + "2 5 7\n1 1 1\n1 2 2\n1 4 4\n1 5 5.5\n2 2 6\n2 3 7\n2 4 8\n";
  const ReadOptions options{.exclude = "3", .label = "5", .id = "1", .weights = "4"};
  const auto source = open_mtx<double>(memory_bytes(text), options);
  const auto whole = source->whole();
  EXPECT_EQ(whole->rows.cols(), 1);
  EXPECT_EQ(whole->rows.csr().values[1], 6);
  EXPECT_EQ((*whole->labels)[0], "5.5");
  EXPECT_EQ((*whole->labels)[1], "0");
  EXPECT_EQ((*whole->ids)[0], "1");
  EXPECT_EQ(whole->weights[1], 8);
  EXPECT_EQ(dense(text, {.columns = "3-4"}), matrix({{0, 4}, {7, 8}}));

  const std::string array = "%%MatrixMarket matrix array real general\n2 3\n1\n2\n3\n4\n5\n6\n";
  const auto chosen = open_mtx<double>(memory_bytes(array), {.label = "2", .weights = "3"});
  EXPECT_EQ(Matrix<double>(chosen->whole()->rows.dense()), matrix({{1}, {2}}));
  EXPECT_EQ((*chosen->whole()->labels)[1], "4");
  EXPECT_EQ(chosen->whole()->weights[0], 5);
}

TEST(Mtx, missing_values_follow_the_policy) {
  for (const std::string& text :
       {coordinate + "3 2 4\n1 1 1\n2 2 nan\n3 1 3\n3 2 NA\n",
        std::string("%%MatrixMarket matrix array real general\n3 2\n1\n2\n3\n4\nnan\n?\n")}) {
    const Error error = error_of([&] { dense(text); });
    EXPECT_HAS(error.what(), "row 2, column 2");
    EXPECT_HAS(error.what(), "2 in total");
    const auto dropped = open_mtx<double>(memory_bytes(text), {.missing = Missing::drop});
    EXPECT_EQ(dropped->whole()->rows.rows(), 1);
    EXPECT_EQ(dropped->dropped_rows(), 2);
    EXPECT_EQ(dense(text, {.missing = Missing::drop})(0, 0), 1);
    const auto kept = open_mtx<double>(memory_bytes(text), {.missing = Missing::mean});
    EXPECT_EQ(kept->missing_cells(), 2);
    EXPECT_TRUE(std::isnan(dense(text, {.missing = Missing::mean})(2, 1)));
    EXPECT_EQ(dense(text, {.exclude = "2"}).cols(), 1);  // what is left out may be missing
  }
}

TEST(Mtx, errors_name_the_line) {
  struct Case {
    std::string text;
    std::string says;
  };
  const std::vector<Case> cases{
      {"", "empty"},
      {"hello\n1 1 1\n", "not a MatrixMarket file"},
      {"%%MatrixMarket vector coordinate real general\n", "not a MatrixMarket file"},
      {"%%MatrixMarket matrix coordinate complex general\n", "line 1: 'complex'"},
      {"%%MatrixMarket matrix array pattern general\n", "line 1: 'pattern'"},
      {"%%MatrixMarket matrix coordinate real hermitian\n", "line 1: 'hermitian'"},
      {"%%MatrixMarket matrix heap real general\n", "line 1: 'heap'"},
      {coordinate, "ends before"},
      {coordinate + "x 1 1\n", "line 2: 'x'"},
      {coordinate + "1 1\n", "line 2: '' is not a number of entries"},
      {coordinate + "1 1 1 1\n", "line 2: '1' is one number too many"},
      {coordinate + "0 1 0\n", "0 rows"},
      {coordinate + "-1 1 0\n", "line 2: '-1'"},
      {coordinate + "1 99999999999 1\n", "line 2: 99999999999 is too large"},
      {coordinate + "99999999999999999999 1 1\n", "too large"},
      {coordinate + "1 1 1\n% here\n2 1 5\n", "line 4: 2 is too large; at most 1"},
      {coordinate + "1 1 1\n0 1 5\n", "line 3: '0' is not a row number"},
      {coordinate + "1 1 1\n1 0 5\n", "line 3: '0' is not a column number"},
      {coordinate + "1 1 1\n1 1\n", "line 3: '' is not a number"},
      {coordinate + "1 1 1\n1 1 x\n", "line 3: 'x' is not a number"},
      {coordinate + "1 1 1\n1 1 inf\n", "line 3: 'inf' is infinite"},
      {coordinate + "1 1 1\n1 1 1e999\n", "line 3: '1e999' is infinite"},
      {coordinate + "1 1 1\n1 1 2 3\n", "line 3: '3' is one number too many"},
      {coordinate + "1 1 1\n1 1 2\n1 1 2\n", "line 4: more than the 1 entries"},
      {coordinate + "1 1 3\n1 1 2\n", "3 entries declared, 1 found"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 3 1\n1 1 1\n", "square"},
      {"%%MatrixMarket matrix coordinate real symmetric\n2 2 1\n1 2 1\n", "above the diagonal"},
      {"%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 1\n1 1 1\n", "on the diagonal"},
      {"%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n", "need 4 numbers, 3 found"},
      {"%%MatrixMarket matrix array real general\n1 1\n1\n2\n", "line 4: more than the 1 numbers"}};
  for (const Case& c : cases) EXPECT_HAS(error_of([&] { dense(c.text); }).what(), c.says) << c.text;
}

TEST(Mtx, huge_claims_are_refused_without_their_memory) {
  for (const std::string size :
       {"1000000000000 5 1", "1000000000 5 1", "1099511627776 2147483647 1125899906842624"})
    EXPECT_THROW(dense(coordinate + size + "\n1 1 1\n"), Error) << size;
  EXPECT_HAS(error_of([] { dense(coordinate + "1000000000000 5 1\n1 1 1\n"); }).what(),
             "1000000000000 rows for 1 entries");
  EXPECT_THROW(dense("%%MatrixMarket matrix array real general\n1000000000 2000000000\n1\n2\n"),
               Error);
  // Columns cost nothing by themselves.
  const auto wide =
      open_mtx<double>(memory_bytes(coordinate + "1 2147483647 1\n1 2147483647 3\n"), {});
  EXPECT_EQ(wide->schema().features, 2147483647);
  EXPECT_EQ(wide->whole()->rows.csr().columns[0], 2147483646);
  EXPECT_HAS(error_of([] {
               dense(coordinate + "1 2147483647 1\n1 2147483647 3\n", {.exclude = "1"});
             }).what(),
             "2147483647 columns");
}

TEST(Mtx, many_empty_rows_are_fine) {
  const auto source = open_mtx<double>(memory_bytes(coordinate + "1000000 2 1\n1000000 1 3\n"), {});
  EXPECT_EQ(source->whole()->rows.rows(), 1000000);
  EXPECT_EQ(source->whole()->rows.entries(), 1);
}

}  // namespace mercer::mtx_test
