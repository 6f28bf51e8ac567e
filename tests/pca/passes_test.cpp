// Passes over rows in memory: every row once, in pieces of some work.
#include "pca/passes.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace mercer::passes_test {

/// Rows a visit, of one pass.
std::vector<Index> pieces(const Rows<float>& rows) {
  const Monitor silent;
  Passes<float> passes(rows, nullptr, silent);
  std::vector<Index> out;
  passes.run("pass", [&](const Rows<float>& part, const double*) {
    EXPECT_EQ(part.cols(), rows.cols());
    out.push_back(part.rows());
  });
  EXPECT_EQ(passes.rows(), rows.rows());
  return out;
}

TEST(Passes, few_entries_in_many_columns_are_one_piece) {
  Csr<float> x;
  x.cols = 1 << 20;  // dense, every 32 rows would be a piece
  for (std::int32_t i = 0; i < 1000; ++i) {
    x.columns.push_back(i * 1000);
    x.values.push_back(1);
    x.offsets.push_back(i + 1);
  }
  EXPECT_EQ(pieces(x), std::vector<Index>{1000});
}

TEST(Passes, many_entries_are_several_pieces_that_a_monitor_may_come_between) {
  const Matrix<float> x = Matrix<float>::Zero((Index{1} << 19) + 7, 128);  // twice 2²⁵ and a bit
  EXPECT_EQ(pieces(x), (std::vector<Index>{1 << 18, 1 << 18, 7}));
}

TEST(Passes, rows_without_entries_are_visited_too) {
  Csr<float> x;
  x.cols = 3;
  x.offsets.assign(51, 0);
  EXPECT_EQ(pieces(x), std::vector<Index>{50});
}

}  // namespace mercer::passes_test
