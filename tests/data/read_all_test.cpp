#include "data/memory.hpp"
#include "support/errors.hpp"

#include <mercer/data.hpp>

#include <gtest/gtest.h>

namespace mercer::read_all_test {

using test::error_of;

/// Random rows in blocks of uneven size, with a guess at their number.
class Uneven final : public Source<double> {
 public:
  Uneven(Index rows, Index cols, Index guess)
      : x_(Matrix<double>::Random(rows, cols)), guess_(guess) {
    schema_.features = cols;
    schema_.label = "kind";
    schema_.id = "name";
    schema_.weighted = true;
    for (Index r = 0; r < rows; ++r) {
      labels_.push_back(std::to_string(r % 7));
      ids_.push_back("row" + std::to_string(r));
      weights_.push_back(static_cast<double>(r) / 8);
    }
  }
  const Schema& schema() const override { return schema_; }
  std::string name() const override { return "uneven"; }
  void rewind() override { begin_ = 0; }
  Index expected_rows() const override { return guess_; }
  Index dropped_rows() const override { return 3; }
  Index missing_cells() const override { return 5; }
  std::optional<Block<double>> next() override {
    const Index count = std::min<Index>(1 + (begin_ * 7) % 1013, x_.rows() - begin_);
    if (count == 0) return std::nullopt;
    Block<double> block;
    block.rows = Rows<double>(x_).middle(begin_, count);
    block.weights = {weights_.data() + begin_, static_cast<std::size_t>(count)};
    block.labels = &labels_;
    block.ids = &ids_;
    block.first_label = begin_;
    begin_ += count;
    return block;
  }
  const Matrix<double>& x() const { return x_; }

 private:
  Matrix<double> x_;
  Schema schema_;
  TextColumn labels_, ids_;
  std::vector<double> weights_;
  Index guess_;
  Index begin_ = 0;
};

TEST(ReadAll, everything_arrives_whatever_the_guess) {
  for (const Index guess : {0, 10, 19'999, 20'000, 31'000}) {
    Uneven source(20'000, 13, guess);
    const Table<double> table = read_all(source);
    ASSERT_EQ(table.x.rows(), 20'000);
    EXPECT_EQ(table.x, source.x());
    EXPECT_EQ(table.weights.size(), 20'000u);
    EXPECT_EQ(table.weights[777], 777.0 / 8);
    EXPECT_EQ(table.labels[9'999], std::to_string(9'999 % 7));
    EXPECT_EQ(table.ids[19'999], "row19999");
    EXPECT_EQ(table.ids.size(), 20'000u);
    EXPECT_EQ(table.dropped_rows, 3);
    EXPECT_EQ(table.missing_cells, 5);
    EXPECT_EQ(table.schema.label, "kind");
    EXPECT_EQ(table.rows().rows(), 20'000);
  }
}

TEST(ReadAll, only_what_is_left_is_read) {
  Uneven source(5'000, 2, 5'000);
  Index taken = 0;
  for (int i = 0; i < 3; ++i) taken += source.next()->rows.rows();
  const Table<double> table = read_all(source);
  EXPECT_EQ(table.x, source.x().bottomRows(5'000 - taken));
}

TEST(ReadAll, no_rows_make_an_empty_table) {
  Uneven source(0, 4, 0);
  const Table<double> table = read_all(source);
  EXPECT_EQ(table.x.rows(), 0);
  EXPECT_EQ(table.x.cols(), 4);
}

Table<float> sparse_table(int rows) {
  Table<float> table;
  table.schema.features = 50;
  table.schema.sparse = true;
  table.sparse.cols = 50;
  for (int r = 0; r < rows; ++r) {
    for (int c = r % 5; c < 50; c += 11) {
      table.sparse.columns.push_back(c);
      table.sparse.values.push_back(static_cast<float>(r * 50 + c));
    }
    table.sparse.offsets.push_back(static_cast<std::int64_t>(table.sparse.values.size()));
  }
  return table;
}

TEST(ReadAll, sparse_blocks_are_joined) {
  const Table<float> original = sparse_table(500);
  const auto source = from_table(Table<float>(original), "s", 300);
  const Table<float> table = read_all(*source);
  EXPECT_TRUE(table.schema.sparse);
  EXPECT_EQ(table.sparse.cols, 50);
  EXPECT_EQ(table.sparse.offsets, original.sparse.offsets);
  EXPECT_EQ(table.sparse.columns, original.sparse.columns);
  EXPECT_EQ(table.sparse.values, original.sparse.values);
  EXPECT_EQ(table.x.size(), 0);
}

TEST(ReadAll, sparse_rows_that_are_left_begin_at_zero) {
  const Table<float> original = sparse_table(500);
  const auto source = from_table(Table<float>(original), "s", 300);
  const Index taken = source->next()->rows.rows();
  const Table<float> rest = read_all(*source);
  ASSERT_EQ(rest.sparse.rows(), 500 - taken);
  EXPECT_EQ(rest.sparse.offsets.front(), 0);
  EXPECT_EQ(static_cast<std::size_t>(rest.sparse.offsets.back()), rest.sparse.values.size());
  const auto skipped =
      static_cast<std::size_t>(original.sparse.offsets[static_cast<std::size_t>(taken)]);
  EXPECT_EQ(rest.sparse.values.front(), original.sparse.values[skipped]);
}

TEST(ReadAll, a_budget_is_kept_and_named) {
  constexpr std::size_t numbers = 20'000 * 13 * sizeof(double);
  for (const std::size_t limit : {std::size_t{1}, numbers / 2, numbers}) {
    Uneven source(20'000, 13, 20'000);
    const Error error = error_of([&] { read_all(source, limit); });
    EXPECT_EQ(error.code(), Errc::out_of_memory);
    EXPECT_HAS(error.what(), "budget");
  }
  Uneven source(20'000, 13, 20'000);
  EXPECT_HAS(error_of([&] { read_all(source, 1 << 20); }).what(), "1.0 MiB");
  Uneven again(20'000, 13, 1'000'000);  // a wild guess does not matter
  EXPECT_EQ(read_all(again, 2 * numbers).x.rows(), 20'000);
  const auto sparse = from_table(sparse_table(500), "s", 300);
  EXPECT_EQ(error_of([&] { read_all(*sparse, 1000); }).code(), Errc::out_of_memory);
}

}  // namespace mercer::read_all_test
