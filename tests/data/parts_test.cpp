// Several sources as one table.
#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/run.hpp"
#include "support/temp_dir.hpp"

#include <mercer/data.hpp>

#include <gtest/gtest.h>

namespace mercer::test::parts_test {

std::vector<std::string> texts(const TextColumn& column) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < column.size(); ++i) out.emplace_back(column[i]);
  return out;
}

Table<double> read_parts(const std::vector<std::string>& paths, const ReadOptions& options = {}) {
  return read_all(*open_parts<double>(paths, options));
}

Matrix<double> matrix(std::initializer_list<std::initializer_list<double>> rows) {
  return Matrix<double>(rows);
}

TEST(Parts, are_read_one_after_the_other_with_labels_ids_and_weights) {
  const TempDir dir;
  const std::vector<std::string> paths = {
      dir.file("1.csv", "who,a,kind,b,w\nu,1,x,2,1\nv,3,y,4,0.5\n"),
      dir.file("2.csv", "who,a,kind,b,w\nt,5,x,6,2\n")};
  const auto table = read_parts(paths, {.label = "kind", .id = "who", .weights = "w"});
  EXPECT_EQ(table.x, matrix({{1, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(texts(table.labels), (std::vector<std::string>{"x", "y", "x"}));
  EXPECT_EQ(texts(table.ids), (std::vector<std::string>{"u", "v", "t"}));
  EXPECT_EQ(table.weights, (std::vector<double>{1, 0.5, 2}));
}

TEST(Parts, columns_in_another_order_are_put_in_order) {
  const TempDir dir;
  const auto table =
      read_parts({dir.file("1.csv", "a,b,c\n1,2,3\n"), dir.file("2.csv", "c,a,b\n6,4,5\n")});
  EXPECT_EQ(table.x, matrix({{1, 2, 3}, {4, 5, 6}}));
  EXPECT_EQ(table.schema.feature_names, (std::vector<std::string>{"a", "b", "c"}));
}

TEST(Parts, names_may_come_with_any_of_them) {
  const TempDir dir;
  const auto table = read_parts({dir.file("1.csv", "1,2\n"), dir.file("2.csv", "a,b\n3,4\n")});
  EXPECT_EQ(table.x, matrix({{1, 2}, {3, 4}}));
  EXPECT_EQ(table.schema.feature_names, (std::vector<std::string>{"a", "b"}));
}

TEST(Parts, other_columns_are_refused_with_both_files_and_the_column) {
  const TempDir dir;
  const std::string first = dir.file("1.csv", "a,hue\n1,2\n");
  const auto message = [&](const std::string& name, const std::string& text) {
    return refusal([&] { read_parts({first, dir.file(name, text)}); }, Errc::bad_data);
  };
  for (const char* file : {"1.csv", "2.csv", "'hue'"})
    EXPECT_HAS(message("2.csv", "a,color\n1,2\n"), file);
  for (const char* file : {"1.csv", "3.csv", "'more'"})
    EXPECT_HAS(message("3.csv", "hue,more,a\n1,2,3\n"), file);
  for (const char* word : {"1.csv", "4.csv", "2 columns", "column 3"})
    EXPECT_HAS(message("4.csv", "1,2,3\n"), word);
}

TEST(Parts, sparse_ones_stay_sparse_and_take_the_width_of_the_widest) {
  const TempDir dir;
  const auto table = read_parts({dir.file("1.svm", "1 1:2 2:3\n"), dir.file("2.svm", "-1 4:5\n")});
  ASSERT_TRUE(table.schema.sparse);
  EXPECT_EQ(table.sparse.cols, 4);
  EXPECT_EQ(table.sparse.values, (std::vector<double>{2, 3, 5}));
  EXPECT_EQ(table.sparse.columns, (std::vector<std::int32_t>{0, 1, 3}));
  EXPECT_EQ(texts(table.labels), (std::vector<std::string>{"1", "-1"}));
}

TEST(Parts, sparse_rows_among_dense_ones_are_made_dense) {
  const TempDir dir;
  const std::string sparse = dir.file(
      "1.mtx", "%%MatrixMarket matrix coordinate real general\n3 2 3\n1 1 7\n3 1 8\n3 2 9\n");
  const auto table = read_parts({sparse, dir.file("2.csv", "1,2\n")});
  EXPECT_FALSE(table.schema.sparse);
  EXPECT_EQ(table.x, matrix({{7, 0}, {0, 0}, {8, 9}, {1, 2}}));
}

TEST(Parts, a_few_bytes_of_room_give_the_rows_in_pieces) {
  // 1,100,000 columns: more than a piece holds in one row of double.
  const Index d = 1100000;
  Csr<double> wide;
  wide.cols = d;
  wide.columns = {5, 7};
  wide.values = {1, 2};
  wide.offsets = {0, 1, 2};
  Matrix<double> dense = Matrix<double>::Zero(1, d);
  std::vector<std::unique_ptr<Source<double>>> parts;
  parts.push_back(from_memory(Rows<double>(wide)));
  parts.push_back(from_memory(Rows<double>(dense)));
  const auto source = concatenated(std::move(parts));
  for (int pass = 0; pass < 2; ++pass) {
    std::vector<double> sums;
    while (const auto block = source->next()) {
      EXPECT_EQ(block->rows.rows(), 1);
      sums.push_back(block->rows.dense().sum());
    }
    EXPECT_EQ(sums, (std::vector<double>{1, 2, 0}));
    source->rewind();
  }
}

TEST(Parts, can_be_read_again_from_any_place_and_know_how_many_rows_they_are) {
  const Matrix<double> x = Random(1).normal(50, 3);
  std::vector<std::unique_ptr<Source<double>>> parts;
  parts.push_back(std::make_unique<ChunkedSource<double>>(Rows<double>(x).middle(0, 20), 7));
  parts.push_back(std::make_unique<ChunkedSource<double>>(Rows<double>(x).middle(20, 30), 8));
  const auto source = concatenated(std::move(parts));
  EXPECT_EQ(source->expected_rows(), 50);
  EXPECT_TRUE(source->can_rewind());
  for (const int blocks : {1, 4, 5, 100}) {
    for (int i = 0; i < blocks && source->next(); ++i) continue;
    source->rewind();
    EXPECT_EQ(read_all(*source).x, x);
    source->rewind();
  }
}

TEST(Parts, of_different_weights_or_none_are_refused) {
  const Matrix<double> x = Random(2).normal(4, 2);
  const double weights[] = {1, 2, 3, 4};
  expect_error(Errc::bad_data, {"weights"}, [&] {
    std::vector<std::unique_ptr<Source<double>>> parts;
    parts.push_back(from_memory(Rows<double>(x), weights));
    parts.push_back(from_memory(Rows<double>(x)));
    concatenated(std::move(parts));
  });
  expect_error(Errc::bad_option, {"no parts"}, [] { concatenated<double>({}); });
  expect_error(Errc::bad_option, {"standard input"}, [] { open_parts<double>({"-", "-"}); });
}

}  // namespace mercer::test::parts_test
