#pragma once
// A number for rows in their order, the same however they are cut into shares:
//
//     Σ h(row i)·aⁱ mod 2^64         with an odd a
//
// Shares are hashed each by itself, and the numbers after so many rows of others are added up. It
// recognises other rows and damage, not forgery. Rows that are held dense and sparse have different
// numbers.

#include <mercer/matrix.hpp>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace mercer {

class RowHash {
 public:
  void cell(std::uint64_t bits) {
    row_ = (row_ ^ bits) * 0x9E3779B97F4A7C15U;
    row_ ^= row_ >> 32;
  }
  /// All NaN are one number.
  void cell(double x) {
    constexpr std::uint64_t missing = 0x7FF8000000000000U;
    cell(std::isnan(x) ? missing : std::bit_cast<std::uint64_t>(x));
  }
  void end_row() {
    sum_ += row_ * power_;
    power_ *= step;
    row_ = first;
  }
  void add(const Matrix<double>& rows) {
    for (Index i = 0; i < rows.rows(); ++i) {
      for (Index j = 0; j < rows.cols(); ++j) cell(rows(i, j));
      end_row();
    }
  }

  /// Of these rows, after so many of others.
  std::uint64_t after(std::int64_t rows) const {
    std::uint64_t out = sum_;
    for (std::uint64_t square = step; rows > 0; rows >>= 1, square *= square)
      if ((rows & 1) != 0) out *= square;
    return out;
  }

 private:
  static constexpr std::uint64_t first = 0xCBF29CE484222325U;
  static constexpr std::uint64_t step = 0xD1342543DE82EF95U;
  std::uint64_t row_ = first, sum_ = 0, power_ = 1;
};

/// Of bytes.
inline std::uint64_t hash_of(std::string_view bytes) {
  RowHash hash;
  hash.cell(static_cast<std::uint64_t>(bytes.size()));
  while (!bytes.empty()) {
    std::uint64_t some = 0;
    const std::size_t count = bytes.size() < sizeof some ? bytes.size() : sizeof some;
    std::memcpy(&some, bytes.data(), count);
    hash.cell(some);
    bytes.remove_prefix(count);
  }
  hash.end_row();
  return hash.after(0);
}

}  // namespace mercer
