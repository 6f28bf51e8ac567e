#include "read_text.hpp"

#include "support/run.hpp"

namespace mercer::test::open_test {

TEST(Open, the_extension_tells_the_format) {
  const auto expected = matrix({{1, 2}, {3, 4}});
  for (const char* name : {"a.csv", "a.CSV", "a.txt", "a.data"})
    EXPECT_EQ(read_text("1,2\n3,4\n", {}, name).x, expected) << name;
  for (const char* name : {"a.tsv", "a.tab", "b.csv.tsv"})
    EXPECT_EQ(read_text("1\t2\n3\t4\n", {}, name).x, expected) << name;
}

TEST(Open, a_packed_file_is_looked_through) {
  const TempDir folder;
  const std::string plain = folder.file("a.tsv", "a\tb\n1\t2\n3\t4\n");
  ASSERT_EQ(run({"gzip", "-k", plain}).exit_code, 0);
  EXPECT_EQ(read<double>(plain + ".gz").x, matrix({{1, 2}, {3, 4}}));
}

TEST(Open, the_format_can_be_said) {
  EXPECT_EQ(read_text("1,2\n3,4\n", {.format = Format::csv}, "a.bin").x, matrix({{1, 2}, {3, 4}}));
  EXPECT_EQ(read_text("1,2\n3,4\n", {.format = Format::csv}, "a.tsv").x, matrix({{1, 2}, {3, 4}}));
}

TEST(Open, an_unknown_extension_is_an_error_that_names_the_option) {
  for (const char* name : {"a.xlsx", "a", "a.gz", "csv"}) {
    const Refusal r = refusal("1,2\n", {}, name);
    EXPECT_EQ(r.code, Errc::bad_option);
    EXPECT_EQ(r.message,
              "the extension of '" + std::string(name) +
                  "' is unknown; set the format with `format=csv`, tsv, npy, mtx or svm");
  }
}

TEST(Open, a_missing_file_is_missing_whatever_it_is_called) {
  try {
    open<double>("no-such-folder/no-such-file");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::io);
  }
}

TEST(Open, columns_come_in_the_order_a_model_knows) {
  const ReadOptions options{.like = {.features = {"c", "a"}, .label = "k", .id = ""}};
  const auto table = read_text("a,k,b,c\n1,x,2,3\n4,y,5,6\n", options);
  EXPECT_EQ(table.x, matrix({{3, 1}, {6, 4}}));
  EXPECT_EQ(table.schema.feature_names, (std::vector<std::string>{"c", "a"}));
  EXPECT_EQ(strings(table.labels), (std::vector<std::string>{"x", "y"}));
}

}  // namespace mercer::test::open_test
