// What is wrong with a file is said with its line and column, and what to do.

#include "read_text.hpp"

#include <fmt/format.h>

namespace mercer::test::csv_errors_test {

std::string message(std::string_view text, const ReadOptions& options = {}) {
  const Refusal r = refusal(text, options);
  EXPECT_EQ(r.code, Errc::bad_data) << r.message;
  return r.message;
}

TEST(CsvErrors, a_file_without_rows) {
  for (const char* text : {"", "\n", "\r\n \n\n", "\xef\xbb\xbf", "\xef\xbb\xbf\n"})
    EXPECT_EQ(message(text), "'t.csv' is empty");
  EXPECT_EQ(message("a,b\n"), "'t.csv' has a header but no rows");
  EXPECT_EQ(message("a,b"), "'t.csv' has a header but no rows");
  EXPECT_EQ(message("\n a,b\r\n\r\n  \n"), "'t.csv' has a header but no rows");
  EXPECT_EQ(message("1,2\n", {.header = Header::yes}), "'t.csv' has a header but no rows");
}

TEST(CsvErrors, text_in_the_first_row_is_most_likely_a_column_of_text) {
  EXPECT_EQ(message("sepal,species\n5.1,setosa\n4.9,setosa\n"),
            "'t.csv', line 2, column 2 ('species'): 'setosa' is not a number; for a column of text "
            "use `label=species`, `id=species` or `exclude=species`");
  EXPECT_EQ(message("5.1,setosa\n4.9,setosa\n"),
            "'t.csv', line 1, column 2: 'setosa' is not a number; for a column of text use "
            "`label=2`, `id=2` or `exclude=2`");
  EXPECT_NE(message("x,the kind\n5.1,setosa\n").find("`label='the kind'`"), std::string::npos);
  EXPECT_NE(message("x,a,a\n5.1,1,setosa\n").find("`label=3`"), std::string::npos);
}

TEST(CsvErrors, text_further_down_is_most_likely_a_mistake) {
  EXPECT_EQ(message("a,b\n1,2\n\n3,4 5\n"),
            "'t.csv', line 4, column 2 ('b'): '4 5' is not a number; correct it, or exclude the "
            "column with `exclude=b`");
  EXPECT_EQ(message("a,b\n1,2\n\"3\n\",\"x\"\"y\"\n"),
            "'t.csv', line 3, column 1 ('a'): '3 ' is not a number; correct it, or exclude the "
            "column with `exclude=a`");
}

TEST(CsvErrors, long_text_is_shortened) {
  const std::string text = message(fmt::format("a,b\n1,2\n1,{:y<5000}\n", ""));
  EXPECT_NE(text.find(fmt::format("'{:y<40}…' is not a number", "")), text.npos) << text;
}

TEST(CsvErrors, a_single_column_of_several_numbers_needs_a_delimiter) {
  EXPECT_EQ(message("x\n1 2\n3 4\n"),
            "'t.csv', line 2, column 1 ('x'): '1 2' is not a number; if it is several cells, set "
            "`delimiter`");
}

TEST(CsvErrors, ragged_rows) {
  EXPECT_EQ(message("a,b,c\n1,2,3\n4,5\n"), "'t.csv', line 3: 2 cells where the first row has 3");
  EXPECT_EQ(message("a,b\n1,2\n\n3,4,5,\n"), "'t.csv', line 4: 4 cells where the first row has 2");
  EXPECT_EQ(message("1,2\n3,\"4\n,\",5\n"), "'t.csv', line 2: 3 cells where the first row has 2");
  EXPECT_EQ(message("1,2\n3\n"), "'t.csv', line 2: 1 cell where the first row has 2");
  EXPECT_EQ(message("a\n1\n2,3\n"), "'t.csv', line 3: 2 cells where the first row has 1");
}

TEST(CsvErrors, missing_cells_are_placed_and_counted) {
  EXPECT_EQ(message("a,b\n1,2\n3,\nNA,?\n5,nan\n"),
            "'t.csv', line 3, column 2 ('b'): missing value (4 in total); drop such rows with "
            "`missing=drop` or use the column mean with `missing=mean`");
  EXPECT_NE(message("a,b\n1,2\n3,\nNA,?\n5,x\n")
                .find("line 3, column 2 ('b'): missing value (at "
                      "least 3 in total)"),
            std::string::npos);
}

TEST(CsvErrors, a_mistake_before_the_first_missing_cell_comes_first) {
  EXPECT_NE(message("a,b\n1,x\n3,\n").find("line 2, column 2 ('b'): 'x'"), std::string::npos);
}

TEST(CsvErrors, when_every_row_is_dropped) {
  EXPECT_EQ(message("a,b\n1,\n,3\n", {.missing = Missing::drop}),
            "'t.csv': every row has a missing value, so `missing=drop` drops all rows; use "
            "`missing=mean`");
}

TEST(CsvErrors, infinities_are_always_refused) {
  for (const char* infinite :
       {"inf", "-inf", "Infinity", "+inf", "INF", "1e999", "-1e999", "\"inf\""})
    for (const Missing missing : {Missing::error, Missing::drop, Missing::mean})
      EXPECT_EQ(message(fmt::format("a,b\n1,2\n3,{}\n", infinite), {.missing = missing}),
                "'t.csv', line 3, column 2 ('b'): infinite value; replace it or drop the row");
  const Refusal narrow = refusal<float>("a,b\n1,1e39\n");
  EXPECT_NE(narrow.message.find("line 2, column 2 ('b'): 1e+39 is too large for float"),
            std::string::npos);
  EXPECT_EQ(refusal<double>("a,b\n1,1e39\n").message, "");
}

TEST(CsvErrors, weights_are_finite_not_negative_and_never_missing) {
  const auto with = [](const char* weight, Missing missing = Missing::error) {
    return message(fmt::format("w,x\n1,2\n{},3\n", weight), {.weights = "w", .missing = missing});
  };
  for (const Missing missing : {Missing::error, Missing::drop, Missing::mean})
    for (const char* none : {"", "NA", "nan"})
      EXPECT_EQ(
          with(none, missing),
          "'t.csv', line 3, column 1 ('w'): the row's weight is missing; every row needs one");
  for (const char* bad : {"-1", "inf", "1e999", "heavy"})
    EXPECT_EQ(with(bad), fmt::format("'t.csv', line 3, column 1 ('w'): '{}' cannot be a row's "
                                     "weight; weights are finite and not negative",
                                     bad));
}

TEST(CsvErrors, quotes_out_of_place) {
  EXPECT_EQ(message("a,b\n1,2\n3,\"4\n5,6\n"),
            "'t.csv', line 3, column 2 ('b'): a quote is opened here and never closed");
  EXPECT_EQ(
      message("a,k\n1,5\" disk\n", {.label = "k"}),
      "'t.csv', line 2, column 2 ('k'): a quote inside a cell without quotes; put the cell in "
      "quotes and write the inner quote twice");
  EXPECT_EQ(message("a,k\n1,\"5\" disk\n", {.label = "k"}),
            "'t.csv', line 2, column 2 ('k'): something follows the closing quote; write a quote "
            "inside a quoted cell twice");
  EXPECT_EQ(message("\"a,b\n1,2\n"),
            "'t.csv', line 1, column 1: a quote is opened here and never closed");
  EXPECT_NE(message("a,b\n1,2\n3,4,\"\n").find("line 3"), std::string::npos);
}

TEST(CsvErrors, a_stray_quote_far_from_the_end_is_found_where_it_is) {
  std::string text = "k,x\n";
  for (int i = 0; i < 3000; ++i) text += "a,1\n";
  text += "a\"b,1\n";
  for (int i = 0; i < 3000; ++i) text += "\"c\nd\",1\n";
  for (const std::size_t block : {100ul, 5000ul, 1ul << 20})
    EXPECT_NE(message(text, {.label = "k", .block_bytes = block})
                  .find("line 3002, column 1 ('k'): a "
                        "quote inside"),
              std::string::npos);
}

TEST(CsvErrors, bytes_that_no_text_has) {
  using namespace std::string_literals;
  EXPECT_EQ(message("1,2\n3,\0\n"s), "'t.csv', line 2: byte 0x00 found; this is not a text file");
  EXPECT_EQ(message("\x93NUMPY\1\0v\0"s),
            "'t.csv' is not text; it looks like NPY: use `format=npy`");
  EXPECT_EQ(message("PK\3\4\0\0"s),
            "'t.csv' is not text; it looks like a zip or Excel file: export it as CSV");
  EXPECT_EQ(message("\xff\xfe"
                    "1\0,\0"
                    "2\0\n\0"s),
            "'t.csv' is not text; it looks like UTF-16: save it as UTF-8");
}

TEST(CsvErrors, bytes_that_no_text_has_far_into_the_file) {
  std::string text = "k,x\n";
  for (int i = 0; i < 60000; ++i) text += "label,1.25\n";
  std::string in_label = text;
  in_label[in_label.size() - 9] = '\1';
  EXPECT_EQ(message(in_label, {.label = "k"}),
            "'t.csv', line 60001: byte 0x01 found; this is not a text file");
  text[text.size() - 2] = '\0';
  EXPECT_EQ(message(text, {.label = "k"}),
            "'t.csv', line 60001: byte 0x00 found; this is not a text file");
}

TEST(CsvErrors, a_line_without_end) {
  std::string text = "a,k\n1,x\n2,";
  text.append((64 << 20) + 100, 'z');
  text += "\n3,y\n";
  EXPECT_EQ(message(text, {.label = "k"}),
            "'t.csv', line 3: longer than 64 MiB; is a quote unclosed, or are line ends missing?");
}

TEST(CsvErrors, more_columns_than_anyone_has) {
  std::string commas(3 << 20, ',');
  commas.back() = '\n';
  EXPECT_EQ(message(commas), "'t.csv', line 1: more than 2097152 columns");
}

TEST(CsvErrors, a_delimiter_that_could_be_part_of_a_number) {
  for (const char bad : {'"', '\n', '.', '-', '3', 'e', '\1'}) {
    const Refusal r = refusal("1,2\n", {.delimiter = bad});
    EXPECT_EQ(r.code, Errc::bad_option);
    EXPECT_NE(r.message.find("`delimiter="), std::string::npos);
  }
}

TEST(CsvErrors, standard_input_and_unknown_columns_are_named) {
  const Refusal r = refusal("a,b\n1,2\n", {.label = "c"});
  EXPECT_EQ(r.code, Errc::bad_option);
  EXPECT_EQ(r.message, "`label` 'c': 't.csv' has no such column; did you mean 'a'?");
}

}  // namespace mercer::test::csv_errors_test
