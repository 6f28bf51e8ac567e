#include "data/formats.hpp"
#include "support/errors.hpp"
#include "support/memory_bytes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace mercer::svm_test {

using test::error_of;
using test::memory_bytes;

struct Read {
  std::vector<std::vector<std::pair<int, double>>> rows;
  std::vector<std::string> labels, ids;
  std::vector<double> weights;
};

template <class T = double>
Read read(const std::string& text, const ReadOptions& options = {}) {
  const auto source = open_svm<T>(memory_bytes(text), options);
  EXPECT_EQ(source->schema().label, "label");
  EXPECT_TRUE(source->schema().sparse);
  Read all;
  while (const auto block = source->next()) {
    EXPECT_EQ(block->rows.cols(), source->schema().features);
    const CsrView<T>& csr = block->rows.csr();
    for (Index r = 0; r < block->rows.rows(); ++r) {
      auto& row = all.rows.emplace_back();
      for (std::int64_t i = csr.offsets[r]; i < csr.offsets[r + 1]; ++i)
        row.emplace_back(csr.columns[i], static_cast<double>(csr.values[i]));
      const auto text_row = static_cast<std::size_t>(block->first_label + r);
      all.labels.emplace_back((*block->labels)[text_row]);
      if (block->ids) all.ids.emplace_back((*block->ids)[text_row]);
      if (!block->weights.empty())
        all.weights.push_back(block->weights[static_cast<std::size_t>(r)]);
    }
  }
  return all;
}

using Entries = std::vector<std::vector<std::pair<int, double>>>;

TEST(Svm, labels_pairs_comments_and_query_ids) {
  const Read all = read(
      "# made by hand\n+1 1:0.5 3:-2e1 # a row\r\n\n-1\tqid:7  2:7\t5:+1  \r\n  3.5 # empty row\n"
      "a,b 4:1");
  EXPECT_EQ(all.labels, (std::vector<std::string>{"+1", "-1", "3.5", "a,b"}));
  EXPECT_EQ(all.rows, (Entries{{{0, 0.5}, {2, -20}}, {{1, 7}, {4, 1}}, {}, {{3, 1}}}));
}

TEST(Svm, the_largest_index_is_the_number_of_features) {
  EXPECT_EQ(open_svm<double>(memory_bytes("1 3:1\n1 9:1\n1 2:1\n"), {})->schema().features, 9);
  const auto wide = open_svm<float>(memory_bytes("1 2147483646:1\n"), {});
  EXPECT_EQ(wide->schema().features, 2147483646);
  EXPECT_EQ(wide->whole()->rows.csr().columns[0], 2147483645);
}

TEST(Svm, blocks_are_the_rows_in_order) {
  std::string text;
  for (int i = 1; i <= 100; ++i) text += fmt::format("l{} {}:{}\n", i, i, i * 0.5);
  const Read one = read(text);
  ReadOptions options;
  options.block_bytes = 100;
  const Read many = read(text, options);
  EXPECT_EQ(many.rows, one.rows);
  EXPECT_EQ(many.labels, one.labels);
  EXPECT_EQ(one.rows[41], (std::vector<std::pair<int, double>>{{41, 21.0}}));
}

TEST(Svm, columns_are_chosen_by_number) {
  const std::string text = "1 1:1 2:2 3:3\n2 2:5\n";
  EXPECT_EQ(read(text, {.columns = "2-3"}).rows, (Entries{{{0, 2}, {1, 3}}, {{0, 5}}}));
  EXPECT_EQ(read(text, {.exclude = "2"}).rows, (Entries{{{0, 1}, {1, 3}}, {}}));
  const Read all = read(text, {.id = "1", .weights = "2"});
  EXPECT_EQ(all.rows, (Entries{{{0, 3}}, {}}));
  EXPECT_EQ(all.ids, (std::vector<std::string>{"1", "0"}));
  EXPECT_EQ(all.weights, (std::vector<double>{2, 5}));
  EXPECT_EQ(all.labels, (std::vector<std::string>{"1", "2"}));
  EXPECT_EQ(read(text, {.label = "label"}).labels.size(), 2u);
  EXPECT_EQ(error_of([&] { read(text, {.label = "3"}); }).code(), Errc::bad_option);
  EXPECT_EQ(error_of([&] { read(text, {.columns = "4"}); }).code(), Errc::bad_option);
}

TEST(Svm, missing_values_follow_the_policy) {
  const std::string text = "a 1:1 2:nan\nb 1:2\nc 2:NA 3:?\n";
  const Error error = error_of([&] { read(text); });
  EXPECT_EQ(error.code(), Errc::bad_data);
  EXPECT_HAS(error.what(), "row 1, column 2");
  EXPECT_HAS(error.what(), "3 in total");
  const Read dropped = read(text, {.missing = Missing::drop});
  EXPECT_EQ(dropped.labels, (std::vector<std::string>{"b"}));
  EXPECT_EQ(dropped.rows, (Entries{{{0, 2}}}));
  const Read kept = read(text, {.missing = Missing::mean});
  EXPECT_TRUE(std::isnan(kept.rows[2][1].second));
  EXPECT_EQ(open_svm<double>(memory_bytes(text), {.missing = Missing::mean})->missing_cells(), 3);
}

TEST(Svm, errors_name_the_line) {
  struct Case {
    std::string text;
    std::string says;
  };
  const std::vector<Case> cases{{"", "no rows"},
                                {"# nothing\n\n", "no rows"},
                                {"1\n2\n", "no index:value pair"},
                                {"1 1:1\n2:3 4:5\n", "line 2: '2:3' is not a label"},
                                {"1 0:1\n", "line 1: '0:1' has index 0, but indices start at 1"},
                                {"1 2147483647:1\n", "outside 1 to 2147483646"},
                                {"1 99999999999999999999:1\n", "outside 1 to 2147483646"},
                                {"1 -3:1\n", "outside 1 to"},
                                {"\n1 3:1 2:1\n", "line 2: '2:1' has an index that is not larger"},
                                {"1 3:1 3:1\n", "not larger"},
                                {"1 3\n", "'3' is not an index:value pair"},
                                {"1 a:1\n", "'a:1' is not an index:value pair"},
                                {"1 1:\n", "'1:' has a value that is not a number"},
                                {"1 1:x\n", "'1:x' has a value that is not a number"},
                                {"1 1:1:1\n", "'1:1:1' has a value that is not a number"},
                                {"1 1:inf\n", "'1:inf' is infinite"},
                                {"1 1:-1e400\n", "is infinite or too large"}};
  for (const Case& c : cases) EXPECT_HAS(error_of([&] { read(c.text); }).what(), c.says) << c.text;
  EXPECT_HAS(error_of([] { read<float>("1 1:1e300\n"); }).what(), "too large");
}

TEST(Svm, garbage_in_a_message_is_short_and_printable) {
  const std::string text = error_of([] { read("1 " + std::string(500, '\x01') + "\n"); }).what();
  EXPECT_LT(text.size(), 200u);
  EXPECT_EQ(text.find('\x01'), text.npos);
}

}  // namespace mercer::svm_test
