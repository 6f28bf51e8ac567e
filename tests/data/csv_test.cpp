// What CSV text means.

#include "read_text.hpp"

#include <cmath>
#include <limits>

namespace mercer::test::csv_test {

template <class T>
class Csv : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(Csv, Precisions);

using Names = std::vector<std::string>;

TYPED_TEST(Csv, a_header_and_numbers) {
  const auto table = read_text<TypeParam>("a,b\n1,2\n-3.5,4e-2\n");
  EXPECT_EQ(table.x, matrix<TypeParam>({{1, 2}, {TypeParam(-3.5), TypeParam(0.04)}}));
  EXPECT_EQ(table.schema.feature_names, (Names{"a", "b"}));
  EXPECT_EQ(table.schema.features, 2);
  EXPECT_TRUE(table.labels.empty());
  EXPECT_TRUE(table.weights.empty());
}

TYPED_TEST(Csv, line_ends_may_be_lf_or_crlf_or_missing_at_the_end) {
  const auto expected = matrix<TypeParam>({{1, 2}, {3, 4}});
  for (const char* text :
       {"1,2\n3,4\n", "1,2\n3,4", "1,2\r\n3,4\r\n", "1,2\r\n3,4", "1,2\r\n3,4\r", "1,2\n3,4\r\n"})
    EXPECT_EQ(read_text<TypeParam>(text).x, expected) << text;
}

TYPED_TEST(Csv, blank_lines_are_passed_over_wherever_they_are) {
  const auto expected = matrix<TypeParam>({{1, 2}, {3, 4}});
  for (const char* text : {"\n\n1,2\n\n3,4\n\n\n", "\r\n1,2\r\n\r\n3,4\r\n\r\n",
                           "1,2\n   \n3,4\n \t\n", "  \n1,2\n3,4\n\r"})
    EXPECT_EQ(read_text<TypeParam>(text).x, expected) << text;
  EXPECT_EQ(read_text<TypeParam>("x\n1\n\n2\n  \n3\n").x, matrix<TypeParam>({{1}, {2}, {3}}));
  EXPECT_EQ(read_text<TypeParam>("\n a,b\n\n1,2\n").schema.feature_names, (Names{"a", "b"}));
}

TYPED_TEST(Csv, blanks_around_numbers_do_no_harm) {
  EXPECT_EQ(read_text<TypeParam>("a,b,c\n 1,2 ,\t3\t\n  -4  , +5,6\n").x,
            matrix<TypeParam>({{1, 2, 3}, {-4, 5, 6}}));
}

TYPED_TEST(Csv, quoted_cells_hold_delimiters_newlines_and_quotes) {
  const auto table = read_text<TypeParam>(
      "\"the \"\"x\"\"\",\"a,b\",\"la\nbel\"\n"
      "\"1.5\",2,\"one, two\"\n"
      "3,\"4\",\"li\r\nne \"\"q\"\"\"\n"
      "5, \"6\" ,plain text \n",
      {.label = "la\nbel"});
  EXPECT_EQ(table.x, matrix<TypeParam>({{TypeParam(1.5), 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(table.schema.feature_names, (Names{"the \"x\"", "a,b"}));
  EXPECT_EQ(table.schema.label, "la\nbel");
  EXPECT_EQ(strings(table.labels), (Names{"one, two", "li\r\nne \"q\"", "plain text "}));
}

TYPED_TEST(Csv, labels_ids_and_weights_travel_beside_the_numbers) {
  const auto table = read_text<TypeParam>(
      "name,x,kind,w,skipped\nr1,1,A,2,foo\n,2,,0.5,bar\nr3,3,\"\",1e1,\"b,z\"\n",
      {.exclude = "skipped", .label = "kind", .id = "name", .weights = "w"});
  EXPECT_EQ(table.x, matrix<TypeParam>({{1}, {2}, {3}}));
  EXPECT_EQ(strings(table.labels), (Names{"A", "", ""}));
  EXPECT_EQ(strings(table.ids), (Names{"r1", "", "r3"}));
  EXPECT_EQ(table.weights, (std::vector<double>{2, 0.5, 10}));
  EXPECT_TRUE(table.schema.weighted);
}

TYPED_TEST(Csv, a_utf8_mark_is_no_part_of_the_first_name) {
  const auto table = read_text<TypeParam>("\xef\xbb\xbfgröße,b\n1,2\n");
  EXPECT_EQ(table.schema.feature_names, (Names{"größe", "b"}));
  EXPECT_EQ(read_text<TypeParam>("\xef\xbb\xbf\"a\",b\n1,2\n").schema.feature_names,
            (Names{"a", "b"}));
}

TYPED_TEST(Csv, missing_cells_with_mean_are_nan_and_counted) {
  const auto table = read_text<TypeParam>("a,b,c\n1,,3\nNA,nan,NaN\n?, ,\"\"\n4,5,-nan\n",
                                          {.missing = Missing::mean});
  ASSERT_EQ(table.x.rows(), 4);
  EXPECT_EQ(table.missing_cells, 8);
  EXPECT_EQ(table.dropped_rows, 0);
  EXPECT_EQ(table.x(0, 0), 1);
  EXPECT_TRUE(std::isnan(table.x(0, 1)));
  EXPECT_EQ(table.x(0, 2), 3);
  for (Index j = 0; j < 3; ++j) EXPECT_TRUE(std::isnan(table.x(1, j)) && std::isnan(table.x(2, j)));
  EXPECT_EQ(table.x(3, 1), 5);
  EXPECT_TRUE(std::isnan(table.x(3, 2)));
}

TYPED_TEST(Csv, missing_cells_with_drop_take_their_row_along) {
  const auto table = read_text<TypeParam>("a,b,k,w\n1,,x,1\n2,3,y,2\n?,NA,z,3\n4,5,,4\n",
                                          {.label = "k", .weights = "w", .missing = Missing::drop});
  EXPECT_EQ(table.x, matrix<TypeParam>({{2, 3}, {4, 5}}));
  EXPECT_EQ(table.dropped_rows, 2);
  EXPECT_EQ(strings(table.labels), (Names{"y", ""}));
  EXPECT_EQ(table.weights, (std::vector<double>{2, 4}));
}

TYPED_TEST(Csv, numbers_come_in_every_notation) {
  const auto x = read_text<TypeParam>("0,-0,.5,5.,1e3,1E-3,+7,007,-1.25e+2,1e-999\n").x;
  EXPECT_EQ(
      x, (matrix<TypeParam>({{0, 0, TypeParam(0.5), 5, 1000, TypeParam(0.001), 7, 7, -125, 0}})));
  EXPECT_TRUE(std::signbit(x(0, 1)));
}

TYPED_TEST(Csv, a_given_delimiter_is_used) {
  const auto expected = matrix<TypeParam>({{1, 2}, {3, 4}});
  EXPECT_EQ(read_text<TypeParam>("1;2\n3;4\n", {.delimiter = ';'}).x, expected);
  EXPECT_EQ(read_text<TypeParam>("1|2\n3|4\n", {.delimiter = '|'}).x, expected);
  EXPECT_EQ(read_text<TypeParam>("1 2\n3 4\n", {.delimiter = ' '}).x, expected);
  EXPECT_EQ(read_text<TypeParam>("1\t2\n3\t4\n", {.delimiter = '\t'}).x, expected);
}

TYPED_TEST(Csv, semicolons_tabs_and_bars_are_noticed_when_there_is_no_comma) {
  const auto expected = matrix<TypeParam>({{1, 2}, {3, 4}});
  EXPECT_EQ(read_text<TypeParam>("1;2\n3;4\n").x, expected);
  EXPECT_EQ(read_text<TypeParam>("a\tb\n1\t2\n3\t4\n").x, expected);
  EXPECT_EQ(read_text<TypeParam>("a|\"b|\nc\"\n1|2\n3|4\n").x, expected);
  // Not equally many cells in both rows: one column with an odd name.
  EXPECT_EQ(read_text<TypeParam>("x;y\n1\n2\n").schema.feature_names, (Names{"x;y"}));
}

TYPED_TEST(Csv, tabs_separate_by_extension_or_format) {
  const auto table = read_text<TypeParam>("a\tb, c\n1\t2\n", {}, "t.tsv");
  EXPECT_EQ(table.schema.feature_names, (Names{"a", "b, c"}));
  EXPECT_EQ(read_text<TypeParam>("1\t2\n", {.format = Format::tsv}, "t.txt").x,
            matrix<TypeParam>({{1, 2}}));
  EXPECT_EQ(read_text<TypeParam>("1\t\n", {.format = Format::tsv, .missing = Missing::mean})
                .missing_cells,
            1);
}

TYPED_TEST(Csv, columns_are_chosen_before_their_cells_are_read) {
  const std::string text = "id,x,note,y\na,1,what,2\nb,3,\"ev,er\",4\n";
  EXPECT_EQ(read_text<TypeParam>(text, {.columns = "y,x"}).x, matrix<TypeParam>({{1, 2}, {3, 4}}));
  EXPECT_EQ(read_text<TypeParam>(text, {.exclude = "1,note"}).x,
            matrix<TypeParam>({{1, 2}, {3, 4}}));
  EXPECT_EQ(read_text<TypeParam>(text, {.columns = "4"}).x, matrix<TypeParam>({{2}, {4}}));
}

TEST(CsvHeader, text_above_numbers_is_a_header) {
  EXPECT_EQ(read_text("1,b\n2,3\n").schema.feature_names, (Names{"1", "b"}));
  EXPECT_EQ(read_text(",x\n0,1.5\n").schema.feature_names, (Names{"1", "x"}));
  EXPECT_EQ(read_text("a,a\n1,2\n").schema.feature_names, (Names{"a", "a"}));
}

TEST(CsvHeader, a_row_without_numbers_is_a_header) {
  const auto table =
      read_text("x,kind\nNA,big\n2,small\n", {.label = "2", .missing = Missing::drop});
  EXPECT_EQ(table.schema.label, "kind");
  EXPECT_EQ(table.x, matrix({{2}}));
}

TEST(CsvHeader, text_in_a_column_of_text_is_no_header) {
  const auto table = read_text("5.1,3.5,setosa\n4.9,3.0,setosa\n", {.label = "3"});
  EXPECT_TRUE(table.schema.feature_names.empty());
  EXPECT_EQ(table.schema.label, "3");
  EXPECT_EQ(table.x.rows(), 2);
  EXPECT_EQ(read_text("1,2\n3,4\n").x.rows(), 2);
  EXPECT_EQ(read_text("NA,NA\n3,4\n", {.missing = Missing::mean}).x.rows(), 2);
  EXPECT_EQ(read_text("1,2,only\n", {.label = "3"}).x.rows(), 1);
}

TEST(CsvHeader, a_name_that_is_asked_for_makes_a_header) {
  const auto table = read_text("1,2,kind\n5,6,big\n7,8,small\n", {.label = "kind"});
  EXPECT_EQ(table.schema.feature_names, (Names{"1", "2"}));
  EXPECT_EQ(strings(table.labels), (Names{"big", "small"}));
}

TEST(CsvHeader, what_is_said_about_the_header_counts) {
  EXPECT_EQ(read_text("1,2\n3,4\n", {.header = Header::yes}).schema.feature_names,
            (Names{"1", "2"}));
  EXPECT_EQ(read_text("a,2\nb,4\n", {.header = Header::no, .label = "1"}).x, matrix({{2}, {4}}));
}

TEST(CsvHeader, names_lose_the_blanks_around_them_but_not_inside_quotes) {
  EXPECT_EQ(read_text("sepal length , petal width,\" c \"\n1,2,3\n").schema.feature_names,
            (Names{"sepal length", "petal width", " c "}));
}

TEST(CsvSource, says_how_many_rows_to_expect_and_can_start_again) {
  const TempDir folder;
  std::string text = "a,b\n";
  for (int i = 0; i < 30000; ++i) text += std::to_string(i % 1000) + ",2.25\n";
  const auto source = open<double>(folder.file("t.csv", text), {.block_bytes = 1 << 14});
  EXPECT_NEAR(static_cast<double>(source->expected_rows()), 30000, 1500);
  for (int pass = 0; pass < 2; ++pass) {
    Index rows = 0;
    while (const auto block = source->next()) {
      EXPECT_EQ(block->rows.row(0)[0], static_cast<double>(rows % 1000));
      rows += block->rows.rows();
    }
    EXPECT_EQ(rows, 30000);
    EXPECT_EQ(source->expected_rows(), 30000);
    EXPECT_FALSE(source->next());
    ASSERT_TRUE(source->can_rewind());
    source->rewind();
  }
}

TEST(CsvSource, blocks_keep_to_the_memory_they_are_given) {
  const TempDir folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "1,2,3,4,5,6,7,8\n";
  const auto source = open<double>(folder.file("t.csv", text), {.block_bytes = 1 << 16});
  while (const auto block = source->next()) EXPECT_LE(block->rows.entries() * 8, 2 << 16);
}

TEST(CsvSource, counts_start_again_with_a_rewind) {
  const TempDir folder;
  const auto source =
      open<double>(folder.file("t.csv", "1,2\n,3\n4,NA\n5,6\n"), {.missing = Missing::drop});
  for (int pass = 0; pass < 2; ++pass) {
    while (source->next()) {
    }
    EXPECT_EQ(source->dropped_rows(), 2);
    EXPECT_EQ(source->missing_cells(), 0);  // none stands in the rows
    source->rewind();
  }
}

TEST(CsvSource, the_monitor_sees_bytes_and_can_stop) {
  const TempDir folder;
  std::string text;
  for (int i = 0; i < 20000; ++i) text += "1.5,2.5\n";
  const std::string path = folder.file("t.csv", text);
  std::string what, unit;
  double total = 0;
  ReadOptions options{.block_bytes = 4096};
  options.monitor = [&](const Progress& p) {
    what = p.what, unit = p.unit, total = p.total;
    return true;
  };
  EXPECT_EQ(read<double>(path, options).x.rows(), 20000);
  EXPECT_EQ(what, "reading");
  EXPECT_EQ(unit, "bytes");
  EXPECT_EQ(total, static_cast<double>(text.size()));
  options.monitor = [](const Progress&) { return false; };
  try {
    read<double>(path, options);
    ADD_FAILURE() << "was not stopped";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::interrupted);
  }
}

}  // namespace mercer::test::csv_test
