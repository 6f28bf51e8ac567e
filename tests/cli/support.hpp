#pragma once
// What the tests of the command line share.

#include "support/run.hpp"
#include "support/temp_dir.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <vector>

namespace mercer::test {

/// It failed with `code` and said so in one line that holds all of `words`; no result was written.
inline void expect_error(const Run& run, int code, const std::vector<std::string>& words) {
  EXPECT_EQ(run.exit_code, code) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(run.err.starts_with("mercer: ")) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_TRUE(run.err.ends_with('\n')) << run.err;
  for (const std::string& word : words) EXPECT_THAT(run.err, testing::HasSubstr(word));
}

inline std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

/// A CSV without quoting: cells by row, the header first.
inline std::vector<std::vector<std::string>> cells(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  for (const std::string& line : split(csv, '\n'))
    if (!line.empty()) rows.push_back(split(line, ','));
  return rows;
}

inline double number(const std::string& text) {
  double value = std::numeric_limits<double>::quiet_NaN();
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The same texts, and numbers equal to a tolerance.
inline void expect_near(const std::string& left, const std::string& right, double tolerance) {
  const auto a = cells(left), b = cells(right);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size()) << "row " << i;
    for (std::size_t j = 0; j < a[i].size(); ++j) {
      if (a[i][j] == b[i][j]) continue;
      ASSERT_NEAR(number(a[i][j]), number(b[i][j]), tolerance) << "row " << i << ", cell " << j;
    }
  }
}

/// Little-endian NPY of doubles, filled by value(row, column).
template <class Value>
std::string npy(long rows, long cols, Value value) {
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" +
                       std::to_string(rows) + ", " + std::to_string(cols) + "), }";
  header.resize(117, ' ');
  header += '\n';
  std::string out("\x93NUMPY\x01\x00", 8);
  out += static_cast<char>(header.size());
  out += '\0';
  out += header;
  const std::size_t at = out.size();
  out.resize(at + static_cast<std::size_t>(rows * cols) * sizeof(double));
  auto* const numbers = out.data() + at;
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < cols; ++j) {
      const double v = value(i, j);
      std::copy_n(reinterpret_cast<const char*>(&v), sizeof v, numbers + (i * cols + j) * 8);
    }
  return out;
}

}  // namespace mercer::test
