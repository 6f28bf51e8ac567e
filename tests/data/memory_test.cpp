#include "data/memory.hpp"

#include <gtest/gtest.h>

namespace mercer::memory_test {

TEST(Memory, rows_are_borrowed_not_copied) {
  Matrix<double> x = Matrix<double>::Random(5, 3);
  const auto source = from_memory<double>(x);
  EXPECT_EQ(source->schema().features, 3);
  EXPECT_FALSE(source->schema().sparse);
  EXPECT_FALSE(source->schema().weighted);
  EXPECT_EQ(source->expected_rows(), 5);
  EXPECT_EQ(source->name(), "memory");
  EXPECT_EQ(source->whole()->rows.row(0), x.data());
  const auto block = source->next();
  EXPECT_EQ(block->rows.row(0), x.data());
  EXPECT_EQ(block->rows.rows(), 5);
  EXPECT_FALSE(source->next());
  source->rewind();
  EXPECT_TRUE(source->next());
}

TEST(Memory, names_and_weights_come_along_and_texts_do_not) {
  const Matrix<float> x = Matrix<float>::Random(4, 2);
  const std::vector<double> weights{1, 2, 3, 4};
  Schema schema;
  schema.feature_names = {"a", "b"};
  schema.label = "kind";
  const auto source = from_memory<float>(x, weights, schema);
  EXPECT_TRUE(source->schema().weighted);
  EXPECT_EQ(source->schema().feature_names, schema.feature_names);
  EXPECT_TRUE(source->schema().label.empty());
  EXPECT_EQ(source->next()->weights.data(), weights.data());
}

TEST(Memory, large_rows_come_in_blocks_that_cover_them) {
  const Matrix<double> x = Matrix<double>::Random(300'000, 11);
  std::vector<double> weights(300'000);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<double>(i);
  const auto source = from_memory<double>(x, weights);
  Index rows = 0;
  int blocks = 0;
  while (const auto block = source->next()) {
    EXPECT_EQ(block->rows.row(0), x.row(rows).data());
    EXPECT_EQ(block->weights[0], static_cast<double>(rows));
    rows += block->rows.rows();
    ++blocks;
  }
  EXPECT_EQ(rows, x.rows());
  EXPECT_GT(blocks, 1);
}

TEST(Memory, rows_with_gaps_and_no_rows_at_all) {
  const Matrix<double> x = Matrix<double>::Random(6, 4);
  const auto source = from_memory<double>(Rows<double>(x.data(), 6, 2, 4));
  EXPECT_EQ(source->next()->rows.row(3)[1], x(3, 1));
  const auto none = from_memory<double>(Rows<double>(x.data(), 0, 4, 4));
  EXPECT_FALSE(none->next());
}

TEST(Memory, a_table_is_kept_alive_and_cut_into_blocks) {
  Table<double> table;
  table.schema = {.features = 3, .feature_names = {}, .label = "label", .id = "", .sparse = true};
  table.sparse.cols = 3;
  for (int r = 0; r < 100; ++r) {
    table.sparse.columns.push_back(r % 3);
    table.sparse.values.push_back(r);
    table.sparse.offsets.push_back(r + 1);
    table.labels.push_back(std::to_string(r));
  }
  table.dropped_rows = 4;
  table.missing_cells = 2;
  const auto source = from_table(std::move(table), "there.svm", 120);
  EXPECT_EQ(source->name(), "there.svm");
  EXPECT_EQ(source->dropped_rows(), 4);
  EXPECT_EQ(source->missing_cells(), 2);
  Index row = 0;
  int blocks = 0;
  while (const auto block = source->next()) {
    for (Index r = 0; r < block->rows.rows(); ++r, ++row) {
      EXPECT_EQ(block->rows.csr().values[block->rows.csr().offsets[r]], static_cast<double>(row));
      EXPECT_EQ((*block->labels)[static_cast<std::size_t>(block->first_label + r)],
                std::to_string(row));
    }
    ++blocks;
  }
  EXPECT_EQ(row, 100);
  EXPECT_EQ(blocks, 10);
}

}  // namespace mercer::memory_test
