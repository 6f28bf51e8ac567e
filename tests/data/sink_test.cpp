#include "data/formats.hpp"
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

#include <mercer/data.hpp>

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace mercer::sink_test {

using test::error_of;
using test::slurp;
using test::TempDir;

TEST(Sink, csv_has_a_header_and_shortest_numbers) {
  const TempDir folder;
  Matrix<double> x(2, 3);
  x << 0.1, -2, 1e300, 1.0 / 3, 123456789, 5e-324;
  Sink<double> out(folder / "x.csv", {"a", "b", "c"});
  out.write(x);
  out.close();
  EXPECT_EQ(slurp(folder / "x.csv"), "a,b,c\n0.1,-2,1e+300\n0.3333333333333333,123456789,5e-324\n");
}

TEST(Sink, float_numbers_are_short_too) {
  const TempDir folder;
  Matrix<float> x(1, 2);
  x << 0.1f, 1.0f / 3;
  Sink<float> out(folder / "x.tsv", {"a", "b"});
  out.write(x);
  out.close();
  EXPECT_EQ(slurp(folder / "x.tsv"), "a\tb\n0.1\t0.33333334\n");
}

TEST(Sink, cells_are_quoted_when_they_must_be) {
  const TempDir folder;
  TextColumn ids, labels;
  for (const auto* text : {"skipped", "plain", "with,comma", "say \"hi\"", "two\nlines", ""})
    ids.push_back(text);
  for (const auto* text : {"skipped", " blank", "b", "c\r", "d", "e"}) labels.push_back(text);
  Sink<double> out(folder / "x.csv", {"pc \"1\""}, {.id = "id", .label = "a,b"});
  out.write(Matrix<double>::Zero(5, 1), &ids, &labels, 1);
  out.close();
  EXPECT_EQ(slurp(folder / "x.csv"),
            "id,\"a,b\",\"pc \"\"1\"\"\"\nplain,\" blank\",0\n\"with,comma\",b,0\n"
            "\"say \"\"hi\"\"\",\"c\r\",0\n\"two\nlines\",d,0\n,e,0\n");
}

TEST(Sink, csv_does_not_depend_on_threads_or_blocks_and_reads_back_exactly) {
  const TempDir folder;
  std::mt19937_64 random(5);
  Matrix<double> x(9001, 17);
  for (Index i = 0; i < x.size(); ++i) {
    do {
      const std::uint64_t bits = random();
      std::memcpy(x.data() + i, &bits, sizeof bits);
    } while (!std::isfinite(x.data()[i]));
  }
  const std::vector<std::string> names(17, "n");
  std::string first;
  for (const int threads : {1, 2, 5}) {
    Sink<double> out(folder / "x.csv", names, {.threads = threads});
    out.write(x.topRows(1000));
    out.write(x.bottomRows(8001));
    out.close();
    if (first.empty()) first = slurp(folder / "x.csv");
    EXPECT_EQ(slurp(folder / "x.csv"), first);
  }
  const char* at = first.data() + first.find('\n') + 1;
  for (Index i = 0; i < x.size(); ++i) {
    char* end = nullptr;
    ASSERT_EQ(std::strtod(at, &end), x.data()[i]);
    at = end + 1;
  }
  EXPECT_EQ(at, first.data() + first.size());
}

TEST(Sink, npy_reads_back_bit_by_bit) {
  const TempDir folder;
  const Matrix<double> x = Matrix<double>::Random(100, 7);
  {
    Sink<double> out(folder / "x.npy", std::vector<std::string>(5, "c"));
    out.write(x.leftCols(5).topRows(40));  // rows further apart than their length
    out.write(Matrix<double>(x.leftCols(5).bottomRows(60)));
    out.close();
  }
  const auto source = open_npy<double>(open_bytes(folder / "x.npy", {}), {});
  EXPECT_EQ(Matrix<double>(source->whole()->rows.dense()), x.leftCols(5));
  const Matrix<float> y = Matrix<float>::Random(3, 2);
  Sink<float> out(folder / "y.npy", {"a", "b"});
  out.write(y);
  out.close();
  EXPECT_HAS(slurp(folder / "y.npy"), "'descr': '<f4', 'fortran_order': False, 'shape': (3, 2)");
  EXPECT_EQ(slurp(folder / "y.npy").size(), 128 + 6 * sizeof(float));
}

TEST(Sink, gzip_holds_the_same_text) {
  const TempDir folder;
  const Matrix<double> x = Matrix<double>::Random(5000, 9);
  const std::vector<std::string> names(9, "n");
  for (const std::string name : {"x.csv", "x.csv.gz"}) {
    Sink<double> out(folder / name, names);
    out.write(x.topRows(10));
    out.write(x.bottomRows(4990));
    out.close();
  }
  const auto bytes = open_bytes(folder / "x.csv.gz", {});
  const std::string plain = slurp(folder / "x.csv");
  EXPECT_LT(slurp(folder / "x.csv.gz").size(), plain.size());
  std::string unpacked(plain.size() + 1, '\0');
  unpacked.resize(bytes->read(unpacked.data(), unpacked.size()));
  EXPECT_EQ(unpacked, plain);
}

TEST(Sink, nothing_is_visible_before_close) {
  const TempDir folder;
  folder.file("old.csv", "old\n");
  {
    Sink<double> out(folder / "new.csv", {"a"});
    out.write(Matrix<double>::Zero(1, 1));
    out.finish();
    EXPECT_EQ(slurp(folder / "new.csv"), "");
  }
  {
    Sink<double> out(folder / "old.csv", {"a"});
    out.write(Matrix<double>::Zero(1, 1));
  }
  EXPECT_EQ(slurp(folder / "old.csv"), "old\n");
  EXPECT_EQ(folder.list(), (std::vector<std::string>{"old.csv"}));
}

TEST(Sink, no_rows_leave_the_header_and_no_names_leave_the_rows) {
  const TempDir folder;
  Sink<double> empty(folder / "empty.csv", {"a", "b"});
  empty.close();
  EXPECT_EQ(slurp(folder / "empty.csv"), "a,b\n");
  Sink<double> bare(folder / "bare.csv", {});
  bare.write(Matrix<double>::Ones(2, 2));
  bare.close();
  EXPECT_EQ(slurp(folder / "bare.csv"), "1,1\n1,1\n");
}

TEST(Sink, a_moved_sink_goes_on) {
  const TempDir folder;
  Sink<double> first(folder / "x.csv", {"a"});
  first.write(Matrix<double>::Zero(1, 1));
  Sink<double> second = std::move(first);
  second.write(Matrix<double>::Ones(1, 1));
  second.close();
  EXPECT_EQ(slurp(folder / "x.csv"), "a\n0\n1\n");
}

TEST(Sink, what_cannot_be_written_is_refused_before_a_file_appears) {
  const TempDir folder;
  for (const std::string name : {"x.txt", "x", "x.mtx", "x.svm", "x.xlsx", "x.gz"}) {
    const Error error = error_of([&] { Sink<double>(folder / name, {"a"}); });
    EXPECT_EQ(error.code(), Errc::bad_option);
    EXPECT_HAS(error.what(), ".csv, .tsv");
  }
  EXPECT_HAS(error_of([&] { Sink<double>(folder / "x.npy.gz", {"a"}); }).what(), "NPY");
  EXPECT_HAS(error_of([] { Sink<double>("-", {"a"}, {.format = Format::npy}); }).what(),
             "standard output");
  EXPECT_HAS(
      error_of([&] { Sink<double>(folder / "x.csv", {"a"}, {.format = Format::mtx}); }).what(),
      "MatrixMarket");
  EXPECT_EQ(error_of([&] { Sink<double>(folder / "no/such/x.csv", {"a"}); }).code(), Errc::io);
  EXPECT_TRUE(folder.list().empty());
}

TEST(Sink, rows_that_do_not_fit_are_refused) {
  const TempDir folder;
  for (const std::string name : {"x.csv", "x.npy"}) {
    Sink<double> out(folder / name, {"a", "b"});
    EXPECT_EQ(error_of([&] { out.write(Matrix<double>::Zero(1, 3)); }).code(), Errc::bad_option);
    out.finish();
    EXPECT_EQ(error_of([&] { out.write(Matrix<double>::Zero(1, 2)); }).code(), Errc::bad_option);
  }
  Sink<double> out(folder / "y.csv", {"a"}, {.id = "", .label = "kind"});
  EXPECT_HAS(error_of([&] { out.write(Matrix<double>::Zero(1, 1)); }).what(), "'kind'");
  TextColumn one;
  one.push_back("x");
  EXPECT_THROW(out.write(Matrix<double>::Zero(1, 1), nullptr, &one, 1), Error);
}

TEST(Sink, the_format_can_be_told) {
  const TempDir folder;
  Sink<double> out(folder / "x.txt", {"a", "b"}, {.format = Format::tsv});
  out.write(Matrix<double>::Zero(1, 2));
  out.close();
  EXPECT_EQ(slurp(folder / "x.txt"), "a\tb\n0\t0\n");
}

}  // namespace mercer::sink_test
