// What the fuzz targets found, each as a test.

#include "data/formats.hpp"
#include "support/errors.hpp"
#include "support/memory_bytes.hpp"

#include <gtest/gtest.h>

namespace mercer::fuzz_finds_test {

using test::error_of;
using test::memory_bytes;

TEST(FuzzFinds, M_P8_csv_counts_as_missing_only_what_stands_in_the_rows) {
  const auto source = open_csv<double>(memory_bytes("a,b\n1,\n3,4\n"), {.missing = Missing::drop});
  while (source->next()) continue;
  EXPECT_EQ(source->dropped_rows(), 1);
  EXPECT_EQ(source->missing_cells(), 0);
}

TEST(FuzzFinds, M_P8_dropping_every_row_is_an_error_in_every_format) {
  const ReadOptions drop{.missing = Missing::drop};
  const std::string says = "`missing=drop` drops all rows";
  EXPECT_HAS(error_of([&] { open_svm<double>(memory_bytes("a 2:NA\n"), drop); }).what(), says);
  EXPECT_HAS(error_of([&] {
               open_mtx<double>(
                   memory_bytes("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 nan\n"),
                   drop);
             }).what(),
             says);
  EXPECT_HAS(error_of([&] {
               open_mtx<double>(
                   memory_bytes("%%MatrixMarket matrix array real general\n1 1\nnan\n"), drop);
             }).what(),
             says);
  const std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}";
  std::string npy("\x93NUMPY\x01\x00", 8);
  npy += static_cast<char>(header.size());
  npy += '\0';
  npy += header + std::string("\0\0\0\0\0\0\xf8\x7f", 8);
  const auto source = open_npy<double>(memory_bytes(npy), drop);
  EXPECT_HAS(error_of([&] { source->next(); }).what(), says);
}

TEST(FuzzFinds, M_P8_a_line_break_in_a_column_name_does_not_break_the_message) {
  const auto source = open_csv<double>(memory_bytes("a,\"b\nc\"\n1,2\n3,x\n"), {});
  error_of([&] { source->next(); });  // looks at the message
}

}  // namespace mercer::fuzz_finds_test
