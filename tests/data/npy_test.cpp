#include "data/formats.hpp"
#include "support/errors.hpp"
#include "support/memory_bytes.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <fstream>
#include <limits>

namespace mercer::npy_test {

using test::error_of;
using test::memory_bytes;
using test::TempDir;
using As = test::MemoryBytes::As;

const double nan_value = std::numeric_limits<double>::quiet_NaN();
const double infinity = std::numeric_limits<double>::infinity();

/// The bytes of a NPY file around `data`; the header is padded so that the numbers are aligned.
std::string npy(const std::string& dict, const std::string& data, int version = 1) {
  const std::size_t before = version == 1 ? 10 : 12;
  std::string header = dict;
  while ((before + header.size() + 1) % 64 != 0) header += ' ';
  header += '\n';
  std::string out = "\x93NUMPY";
  out += static_cast<char>(version);
  out += '\0';
  for (std::size_t i = 0; i < before - 8; ++i)
    out += static_cast<char>(header.size() >> (8 * i) & 0xff);
  return out + header + data;
}

std::string dict(const std::string& descr, bool fortran, const std::string& shape) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (fortran ? "True" : "False") +
         ", 'shape': " + shape + ", }";
}

template <class S>
std::string stored(const std::vector<double>& numbers, bool swapped = false) {
  std::string out;
  for (const double number : numbers) {
    const S value = static_cast<S>(number);
    char bytes[sizeof(S)];
    std::memcpy(bytes, &value, sizeof(S));
    if (swapped) std::reverse(bytes, bytes + sizeof(S));
    out.append(bytes, sizeof(S));
  }
  return out;
}

std::string doubles(Index rows, Index cols, const std::vector<double>& numbers) {
  return npy(dict("<f8", false, "(" + std::to_string(rows) + ", " + std::to_string(cols) + ")"),
             stored<double>(numbers));
}

template <class T>
struct All {
  std::vector<std::vector<T>> rows;
  std::vector<double> weights;
  std::vector<std::string> labels, ids;
  int blocks = 0;
};

template <class T>
All<T> all_rows(Source<T>& source) {
  All<T> all;
  while (const auto block = source.next()) {
    EXPECT_GT(block->rows.rows(), 0);
    EXPECT_EQ(block->rows.cols(), source.schema().features);
    for (Index r = 0; r < block->rows.rows(); ++r) {
      all.rows.emplace_back(block->rows.row(r), block->rows.row(r) + block->rows.cols());
      const auto text = static_cast<std::size_t>(block->first_label + r);
      if (!block->weights.empty())
        all.weights.push_back(block->weights[static_cast<std::size_t>(r)]);
      if (block->labels) all.labels.emplace_back((*block->labels)[text]);
      if (block->ids) all.ids.emplace_back((*block->ids)[text]);
    }
    ++all.blocks;
  }
  return all;
}

template <class T = double>
All<T> read(const std::string& bytes, const ReadOptions& options = {}, As as = As::file) {
  return all_rows(*open_npy<T>(memory_bytes(bytes, as), options));
}

TEST(Npy, every_number_type_reads_as_its_values) {
  struct Type {
    std::string name;
    std::string bytes;
  };
  const std::vector<double> numbers{0, 1, 2, 100, 7, 127};
  const std::vector<Type> types{{"<f4", stored<float>(numbers)},
                                {">f4", stored<float>(numbers, true)},
                                {"<f8", stored<double>(numbers)},
                                {">f8", stored<double>(numbers, true)},
                                {"|i1", stored<std::int8_t>(numbers)},
                                {"|u1", stored<std::uint8_t>(numbers)},
                                {"<i2", stored<std::int16_t>(numbers)},
                                {">u2", stored<std::uint16_t>(numbers, true)},
                                {">i4", stored<std::int32_t>(numbers, true)},
                                {"<u4", stored<std::uint32_t>(numbers)},
                                {"<i8", stored<std::int64_t>(numbers)},
                                {">u8", stored<std::uint64_t>(numbers, true)}};
  for (const Type& type : types) {
    const std::string file = npy(dict(type.name, false, "(2, 3)"), type.bytes);
    for (const As as : {As::file, As::gzip, As::pipe}) {
      EXPECT_EQ(read<double>(file, {}, as).rows,
                (std::vector<std::vector<double>>{{0, 1, 2}, {100, 7, 127}}))
          << type.name;
      EXPECT_EQ(read<float>(file, {}, as).rows,
                (std::vector<std::vector<float>>{{0, 1, 2}, {100, 7, 127}}))
          << type.name;
    }
  }
}

TEST(Npy, signed_and_unsigned_extremes_keep_their_value) {
  EXPECT_EQ(read(npy(dict("|i1", false, "(1, 2)"), "\x80\x7f")).rows[0],
            (std::vector<double>{-128, 127}));
  EXPECT_EQ(read(npy(dict("|u1", false, "(1, 2)"), "\xff\x80")).rows[0],
            (std::vector<double>{255, 128}));
  EXPECT_EQ(read(npy(dict("|b1", false, "(2,)"), std::string("\x01\x00", 2))).rows,
            (std::vector<std::vector<double>>{{1}, {0}}));
}

TEST(Npy, fortran_order_is_the_transpose_of_c_order) {
  std::vector<double> by_rows, by_columns;
  constexpr int rows = 37, cols = 5;
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < cols; ++c) by_rows.push_back(r + 0.01 * c);
  for (int c = 0; c < cols; ++c)
    for (int r = 0; r < rows; ++r) by_columns.push_back(r + 0.01 * c);
  const auto expected = read(doubles(rows, cols, by_rows)).rows;
  const std::string file = npy(dict("<f8", true, "(37, 5)"), stored<double>(by_columns));
  for (const As as : {As::file, As::gzip, As::pipe})
    for (const std::size_t block : {1u, 200u, 1u << 20}) {
      ReadOptions options;
      options.block_bytes = block;
      EXPECT_EQ(read(file, options, as).rows, expected);
    }
}

TEST(Npy, header_versions_and_spellings) {
  const std::string data = stored<double>({1, 2});
  for (const int version : {1, 2, 3})
    EXPECT_EQ(read(npy(dict("<f8", false, "(1, 2)"), data, version)).rows[0],
              (std::vector<double>{1, 2}));
  for (const std::string text :
       {"{\"shape\":(1,2),\"fortran_order\":False,\"descr\":\"<f8\"}",
        "{ 'descr' : '<f8' , 'fortran_order' : False , 'shape' : ( 1L , 2L , ) }",
        "{'descr': 'f8', 'fortran_order': False, 'shape': (1, 2)}",
        "{'descr': '=f8', 'fortran_order': False, 'shape': (1, 2), }"})
    EXPECT_EQ(read(npy(text, data)).rows[0], (std::vector<double>{1, 2})) << text;
  EXPECT_EQ(read(npy(dict("<f8", false, "(2,)"), data)).rows,
            (std::vector<std::vector<double>>{{1}, {2}}));
}

TEST(Npy, a_matching_file_is_borrowed_whole) {
  const TempDir folder;
  const std::string path = folder.file("x.npy", doubles(2, 3, {1, 2, 3, 4, 5, 6}));
  const auto source = open_npy<double>(open_bytes(path, {}), {});
  const auto whole = source->whole();
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->rows.rows(), 2);
  EXPECT_EQ(whole->rows.dense()(1, 2), 6);
  const auto block = source->next();
  EXPECT_EQ(block->rows.row(0), whole->rows.row(0));  // the same memory
  EXPECT_EQ(source->expected_rows(), 2);
  EXPECT_EQ(source->name(), path);
}

TEST(Npy, what_needs_converting_is_not_borrowed) {
  const std::string file = doubles(1, 2, {1, 2});
  EXPECT_TRUE(open_npy<double>(memory_bytes(file, As::file), {})->whole());
  EXPECT_FALSE(open_npy<double>(memory_bytes(file, As::pipe), {})->whole());
  EXPECT_FALSE(open_npy<float>(memory_bytes(file, As::file), {})->whole());
  EXPECT_FALSE(open_npy<double>(memory_bytes(file, As::file), {.columns = "2"})->whole());
}

TEST(Npy, numbers_at_an_odd_place_in_the_file_are_read_too) {
  std::string text = dict("<f8", false, "(1, 2)");
  std::string file = "\x93NUMPY\x01";
  file += '\0';
  text.resize(71, ' ');
  file += static_cast<char>(text.size());
  file += '\0';
  file += text + stored<double>({3, 4});
  const auto source = open_npy<double>(memory_bytes(file, As::file), {});
  EXPECT_FALSE(source->whole());
  EXPECT_EQ(all_rows(*source).rows[0], (std::vector<double>{3, 4}));
}

TEST(Npy, small_blocks_give_the_rows_of_one_block) {
  std::vector<double> numbers;
  for (int i = 0; i < 300; ++i) numbers.push_back(i * 0.5);
  const std::string file = doubles(100, 3, numbers);
  const auto one = read(file);
  EXPECT_EQ(one.blocks, 1);
  ReadOptions options;
  options.block_bytes = 7 * 3 * sizeof(double);
  for (const As as : {As::file, As::gzip, As::pipe}) {
    const auto many = read(file, options, as);
    EXPECT_EQ(many.rows, one.rows);
    EXPECT_EQ(many.blocks, as == As::file ? 4 : 15);  // mapped blocks are four times as long
  }
}

TEST(Npy, a_second_pass_gives_the_same_rows) {
  const std::string file = doubles(4, 1, {1, 2, 3, 4});
  ReadOptions options;
  options.block_bytes = sizeof(double);
  for (const As as : {As::file, As::gzip}) {
    const auto source = open_npy<double>(memory_bytes(file, as), options);
    EXPECT_TRUE(source->can_rewind());
    const auto first = all_rows(*source);
    source->rewind();
    EXPECT_EQ(all_rows(*source).rows, first.rows);
    source->rewind();
    source->next();
    source->rewind();
    EXPECT_EQ(all_rows(*source).rows, first.rows);
  }
}

TEST(Npy, a_pipe_can_be_read_once) {
  const auto source = open_npy<double>(memory_bytes(doubles(1, 1, {1})), {});
  EXPECT_FALSE(source->can_rewind());
  source->rewind();  // nothing has been taken yet
  EXPECT_EQ(all_rows(*source).rows.size(), 1u);
  EXPECT_EQ(error_of([&] { source->rewind(); }).code(), Errc::io);
}

TEST(Npy, columns_are_chosen_by_number) {
  const std::string file = doubles(2, 5, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10.25});
  for (const As as : {As::file, As::pipe}) {
    const ReadOptions options{.exclude = "2", .label = "5", .id = "1", .weights = "4"};
    const auto source = open_npy<double>(memory_bytes(file, as), options);
    EXPECT_EQ(source->schema().features, 1);
    EXPECT_TRUE(source->schema().weighted);
    EXPECT_EQ(source->schema().label, "5");
    const auto all = all_rows(*source);
    EXPECT_EQ(all.rows, (std::vector<std::vector<double>>{{3}, {8}}));
    EXPECT_EQ(all.labels, (std::vector<std::string>{"5", "10.25"}));
    EXPECT_EQ(all.ids, (std::vector<std::string>{"1", "6"}));
    EXPECT_EQ(all.weights, (std::vector<double>{4, 9}));
  }
  EXPECT_EQ(read(file, {.columns = "2-3,5"}).rows[1], (std::vector<double>{7, 8, 10.25}));
  EXPECT_EQ(error_of([&] { read(file, {.columns = "6"}); }).code(), Errc::bad_option);
}

TEST(Npy, labels_of_whole_numbers_are_printed_as_whole_numbers) {
  const std::string file =
      npy(dict("<i8", false, "(1, 2)"),
          stored<std::int64_t>({0, 1}).replace(0, 8, "\xff\xff\xff\xff\xff\xff\xff\x7f"));
  EXPECT_EQ(read(file, {.label = "1"}).labels[0], "9223372036854775807");
}

TEST(Npy, a_bad_weight_is_refused) {
  for (const double weight : {-1.0, nan_value, infinity}) {
    const std::string file = doubles(2, 2, {1, 1, 2, weight});
    const Error error = error_of([&] { read(file, {.weights = "2", .missing = Missing::drop}); });
    EXPECT_EQ(error.code(), Errc::bad_data);
    EXPECT_HAS(error.what(), "row 2, column 2");
  }
}

TEST(Npy, missing_is_an_error_with_place_and_count) {
  const std::string file = doubles(4, 2, {1, 2, 3, nan_value, nan_value, 6, nan_value, nan_value});
  ReadOptions options;
  for (const std::size_t block : {1u, 1u << 20}) {
    options.block_bytes = block;
    for (const As as : {As::file, As::pipe}) {
      const auto source = open_npy<double>(memory_bytes(file, as), options);
      const Error error = error_of([&] { all_rows(*source); });
      EXPECT_EQ(error.code(), Errc::bad_data);
      EXPECT_HAS(error.what(), "row 2, column 2");
      EXPECT_HAS(error.what(), "4 in total");
      EXPECT_HAS(error.what(), "`missing=drop`");
    }
  }
  const auto source = open_npy<double>(memory_bytes(file, As::file), {});
  EXPECT_HAS(error_of([&] { source->whole(); }).what(), "4 in total");
  EXPECT_HAS(error_of([&] { source->whole(); }).what(), "4 in total");  // not forgotten
}

TEST(Npy, missing_rows_are_dropped_with_what_travels_along) {
  const std::string file = doubles(4, 3, {1, 2, 10, 3, nan_value, 20, 5, 6, 30, nan_value, 8, 40});
  ReadOptions options{.label = "3", .missing = Missing::drop};
  for (const std::size_t block : {1u, 1u << 20})
    for (const As as : {As::file, As::pipe}) {
      options.block_bytes = block;
      const auto source = open_npy<double>(memory_bytes(file, as), options);
      const auto all = all_rows(*source);
      EXPECT_EQ(all.rows, (std::vector<std::vector<double>>{{1, 2}, {5, 6}}));
      EXPECT_EQ(all.labels, (std::vector<std::string>{"10", "30"}));
      EXPECT_EQ(source->dropped_rows(), 2);
    }
  options.label.clear();
  const auto source = open_npy<double>(memory_bytes(file, As::file), options);
  EXPECT_FALSE(source->whole());  // rows have to go, so they cannot be borrowed
  EXPECT_EQ(all_rows(*source).rows.size(), 2u);
}

TEST(Npy, missing_cells_stay_nan_when_means_are_to_be_filled_in) {
  const std::string file = doubles(2, 2, {1, nan_value, 3, 4});
  const auto source = open_npy<double>(memory_bytes(file, As::file), {.missing = Missing::mean});
  const auto whole = source->whole();
  ASSERT_TRUE(whole);
  EXPECT_TRUE(std::isnan(whole->rows.dense()(0, 1)));
  EXPECT_EQ(source->missing_cells(), 1);
  EXPECT_EQ(all_rows(*source).rows.size(), 2u);
  EXPECT_EQ(source->missing_cells(), 1);
}

TEST(Npy, infinity_is_an_error_under_every_policy) {
  const std::string file = doubles(2, 2, {1, 2, 3, -infinity});
  for (const Missing missing : {Missing::error, Missing::drop, Missing::mean}) {
    const Error error = error_of([&] { read(file, {.missing = missing}); });
    EXPECT_EQ(error.code(), Errc::bad_data);
    EXPECT_HAS(error.what(), "row 2, column 2: infinite");
  }
  const auto source = open_npy<double>(memory_bytes(file, As::file), {});
  EXPECT_HAS(error_of([&] { source->whole(); }).what(), "row 2, column 2: infinite");
}

TEST(Npy, a_double_too_large_for_float_says_so) {
  const Error error = error_of([] { read<float>(doubles(1, 1, {1e300})); });
  EXPECT_HAS(error.what(), "too large for float");
  EXPECT_HAS(error.what(), "`double`");
}

TEST(Npy, a_truncated_file_names_the_bytes) {
  const std::string good = doubles(3, 2, {1, 2, 3, 4, 5, 6});
  const std::string cut = good.substr(0, good.size() - 5);
  for (const As as : {As::file, As::gzip, As::pipe}) {
    const Error error = error_of([&] { read(cut, {}, as); });
    EXPECT_EQ(error.code(), Errc::bad_file);
    EXPECT_HAS(error.what(), "48 bytes");
    EXPECT_HAS(error.what(), "43 found");
  }
  for (const std::size_t size : {0u, 1u, 6u, 9u, 11u, 60u})
    for (const As as : {As::file, As::pipe})
      EXPECT_EQ(error_of([&] { read(good.substr(0, size), {}, as); }).code(), Errc::bad_file);
}

TEST(Npy, a_stream_that_claims_too_much_is_refused_when_it_ends) {
  for (const bool fortran : {false, true}) {
    const std::string file = npy(dict("<f8", fortran, "(1000000000, 1000000)"), "12345678");
    const Error error = error_of([&] { read(file, {}, As::pipe); });
    EXPECT_EQ(error.code(), Errc::bad_file);
    EXPECT_HAS(error.what(), "8000000000000000 bytes");
  }
}

TEST(Npy, headers_that_are_not_are_refused) {
  const std::string data(64, '\0');
  const std::vector<std::string> bad{
      "",
      "{",
      "}",
      "{}",
      "{'descr'",
      "{'descr': ",
      "{'descr': '<f8",
      "{'descr': '<f8'}",
      "{'descr': '<f8', 'fortran_order': Maybe, 'shape': (1, 2)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1 2)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999, 2)}",
      "{'descr': '<f8', 'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2), 'more': 1}",
      "{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)} x"};
  for (const std::string& text : bad)
    EXPECT_EQ(error_of([&] { read(npy(text, data)); }).code(), Errc::bad_file) << text;
  EXPECT_EQ(error_of([] { read("PK\x03\x04 something else entirely"); }).code(), Errc::bad_file);
  std::string long_header = "\x93NUMPY\x02";
  long_header += std::string("\x00\xff\xff\xff\xff", 5);
  EXPECT_HAS(error_of([&] { read(long_header + data); }).what(), "header");
  std::string future = npy(dict("<f8", false, "(1, 2)"), data);
  future[6] = 9;
  EXPECT_HAS(error_of([&] { read(future); }).what(), "version 9");
}

TEST(Npy, types_and_shapes_that_are_not_rows_of_numbers_are_named) {
  const std::string data(64, '\0');
  for (const std::string type : {"<c16", "|S5", "<f2", "<f16", "|O", "<U3", "<M8[ns]", ""}) {
    const Error error = error_of([&] { read(npy(dict(type, false, "(1, 2)"), data)); });
    EXPECT_EQ(error.code(), Errc::bad_data);
    EXPECT_HAS(error.what(), "'" + type + "'");
  }
  EXPECT_HAS(error_of([&] {
               read(npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2,)}", data));
             }).what(),
             "structured");
  for (const std::string shape : {"()", "(1, 2, 3)", "(0, 3)", "(3, 0)"})
    EXPECT_HAS(error_of([&] { read(npy(dict("<f8", false, shape), data)); }).what(), shape);
}

TEST(Npy, a_shape_whose_size_overflows_is_refused) {
  for (const std::string shape :
       {"(2305843009213693952, 1)", "(4611686018427387904, 4)", "(4611686018427387904, 2)",
        "(2, 4611686018427387904)", "(9223372036854775807, 2147483647)"})
    for (const As as : {As::file, As::pipe})
      EXPECT_EQ(error_of([&] { read(npy(dict("<f8", false, shape), "x"), {}, as); }).code(),
                Errc::bad_file);
}

/// Resident pages of mapped files.
std::size_t mapped_bytes() {
  std::ifstream in("/proc/self/statm");
  std::size_t size = 0, resident = 0, shared = 0;
  in >> size >> resident >> shared;
  return shared * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

TEST(Npy, a_pass_over_a_large_file_stays_small) {
  const TempDir folder;
  constexpr Index rows = 1 << 22, cols = 2;
  const std::vector<double> numbers(static_cast<std::size_t>(rows * cols), 1.5);
  for (const bool fortran : {false, true}) {
    const std::string path = folder.file(
        "large.npy", npy(dict("<f8", fortran, "(4194304, 2)"), stored<double>(numbers)));
    ReadOptions options;
    options.block_bytes = 1 << 20;
    const auto source = open_npy<double>(open_bytes(path, {}), options);
    const std::size_t before = mapped_bytes();
    std::size_t most = 0;
    double sum = 0;
    while (const auto block = source->next()) {
      sum += block->rows.dense().sum();
      most = std::max(most, mapped_bytes());
    }
    EXPECT_EQ(sum, 1.5 * rows * cols);
    EXPECT_LT(most, before + (std::size_t{16} << 20));  // of 64 MiB; the kernel may take some back
  }
}

}  // namespace mercer::npy_test
