// Files that change between two passes.
#include "support/errors.hpp"
#include "support/temp_dir.hpp"

#include <mercer/data.hpp>

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <utility>

namespace mercer::test::changed_test {

using namespace std::chrono_literals;

/// Reads all rows, changes the file, and goes back to the first.
template <class Change>
std::string changed(const std::string& path, Change change) {
  const auto source = open<double>(path);
  while (source->next()) continue;
  change();
  return refusal([&] { source->rewind(); }, Errc::bad_data);
}

void append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app | std::ios::binary) << text;
}

TEST(Changed, a_file_that_grows_or_shrinks_is_noticed) {
  const TempDir dir;
  const std::string csv = dir.file("x.csv", "1,2\n3,4\n");
  std::string message = changed(csv, [&] { append(csv, "5,6\n"); });
  for (const char* word : {"x.csv", "changed while it was read", "8 bytes", "12"})
    EXPECT_HAS(message, word);
  message = changed(csv, [&] { std::filesystem::resize_file(csv, 4); });
  EXPECT_HAS(message, "12 bytes");
}

TEST(Changed, a_file_that_is_written_to_is_noticed_even_when_its_size_stays) {
  const TempDir dir;
  const std::string csv = dir.file("x.csv", "1,2\n3,4\n");
  const std::string message = changed(csv, [&] {
    std::filesystem::last_write_time(csv, std::filesystem::last_write_time(csv) + 1s);
  });
  EXPECT_HAS(message, "modified");
}

TEST(Changed, a_mapped_file_that_shrinks_ends_in_an_error_and_not_in_a_signal) {
  const TempDir dir;
  const std::string npy = dir / "x.npy";
  {
    Sink<double> sink(npy, std::vector<std::string>(64, "x"));
    sink.write(Matrix<double>(Matrix<double>::Ones(2000, 64)));
    sink.close();
  }
  ReadOptions options;
  options.block_bytes = 1 << 14;
  const auto source = open<double>(npy, options);
  ASSERT_TRUE(source->next());
  std::filesystem::resize_file(npy, 4096);
  EXPECT_HAS(refusal(
                 [&] {
                   while (source->next()) continue;
                 },
                 Errc::bad_data),
             "changed");
  EXPECT_HAS(refusal([&] { source->rewind(); }, Errc::bad_data), "changed");
}

/// Reads `path` block by block; its time of change is another one before the end.
std::string changed_in_a_pass(const std::string& path) {
  ReadOptions options;
  options.block_bytes = 1 << 12;
  const auto source = open<double>(path, options);
  return refusal(
      [&] {
        bool changed = false;
        while (source->next()) {
          if (!std::exchange(changed, true))
            std::filesystem::last_write_time(path, std::filesystem::last_write_time(path) + 1s);
        }
      },
      Errc::bad_data);
}

TEST(Changed, M_P6_a_pass_ends_with_an_error_when_the_file_was_written_to_meanwhile) {
  const TempDir dir;
  const Matrix<double> rows = Matrix<double>::Random(20'000, 16);
  for (const char* name : {"x.npy", "x.csv", "x.tsv", "x.csv.gz"}) {
    Sink<double> sink(dir / name, std::vector<std::string>(16, "x"));
    sink.write(rows);
    sink.close();
    const std::string message = changed_in_a_pass(dir / name);
    EXPECT_HAS(message, name);
    EXPECT_HAS(message, "modified");
  }
}

TEST(Changed, M_P6_borrowed_rows_can_be_asked_whether_they_are_still_those_of_the_file) {
  const TempDir dir;
  const std::string npy = dir / "x.npy";
  Sink<double> sink(npy, {"a", "b"});
  sink.write(Matrix<double>(Matrix<double>::Random(10, 2)));
  sink.close();
  const auto source = open<double>(npy);
  ASSERT_TRUE(source->whole());
  source->require_unchanged();
  std::filesystem::last_write_time(npy, std::filesystem::last_write_time(npy) + 1s);
  EXPECT_HAS(refusal([&] { source->require_unchanged(); }, Errc::bad_data), "modified");
}

TEST(Changed, a_file_that_is_replaced_is_the_old_one_to_those_who_read_it) {
  const TempDir dir;
  const std::string csv = dir.file("x.csv", "1,2\n3,4\n");
  const auto source = open<double>(csv);
  const Matrix<double> before = read_all(*source).x;
  std::filesystem::rename(dir.file("y.csv", "7,8\n"), csv);
  source->rewind();
  EXPECT_EQ(read_all(*source).x, before);
}

}  // namespace mercer::test::changed_test
