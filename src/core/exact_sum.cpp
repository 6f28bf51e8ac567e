#include "core/exact_sum.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace mercer {

namespace {

constexpr int bits = 32;
constexpr std::int64_t base = std::int64_t{1} << bits;

/// Leaves digits 0 … base − 1, and the sign in the last one.
void move_carries(std::int64_t* digits, Index count) {
  for (Index i = 0; i + 1 < count; ++i) {
    const std::int64_t carry = digits[i] >> bits;
    digits[i] -= carry * base;
    digits[i + 1] += carry;
  }
}

}  // namespace

void ExactSums::add(Index sum, double x) {
  std::int64_t* const digits = digits_.data() + sum * each;
  if (!std::isfinite(x)) {
    digits[special] = std::bit_cast<std::int64_t>(std::bit_cast<double>(digits[special]) + x);
    return;
  }
  const auto word = std::bit_cast<std::uint64_t>(x);
  const auto exponent = static_cast<int>(word >> 52 & 0x7ff);
  const std::uint64_t fraction = word & ((std::uint64_t{1} << 52) - 1);
  const std::uint64_t mantissa = exponent > 0 ? fraction | std::uint64_t{1} << 52 : fraction;
  // Subnormal numbers have exponent 0 and the same last digit as exponent 1.
  const int shift = std::max(exponent - 1, 0), within = shift % bits;
  const std::uint64_t low = mantissa << within, high = within > 0 ? mantissa >> (64 - within) : 0;
  const std::int64_t sign = x < 0 ? -1 : 1;
  std::int64_t* const at = digits + shift / bits;
  at[0] += sign * static_cast<std::int64_t>(low % static_cast<std::uint64_t>(base));
  at[1] += sign * static_cast<std::int64_t>(low >> bits);
  at[2] += sign * static_cast<std::int64_t>(high);
  constexpr std::int64_t most_added = std::int64_t{1} << 29;  // each less than 2³²
  if (++digits[added] < most_added) return;
  move_carries(digits, places);
  digits[added] = 0;
}

void ExactSums::add(const ExactSums& others) {
  assert(others.count() == count());
  for (Index sum = 0; sum < count(); ++sum) {
    std::int64_t* const digits = digits_.data() + sum * each;
    const std::int64_t* const other = others.digits_.data() + sum * each;
    for (Index i = 0; i < places; ++i) digits[i] += other[i];
    move_carries(digits, places);
    digits[added] = 0;
    digits[special] = std::bit_cast<std::int64_t>(std::bit_cast<double>(digits[special]) +
                                                  std::bit_cast<double>(other[special]));
  }
}

double ExactSums::value(Index sum) const {
  const auto from = digits_.begin() + sum * each;
  const auto not_finite = std::bit_cast<double>(from[special]);
  if (not_finite != 0) return not_finite;
  std::vector<std::int64_t> digits(from, from + places);
  move_carries(digits.data(), places);
  const bool negative = digits.back() < 0;
  if (negative) {
    for (std::int64_t& digit : digits) digit = -digit;
    move_carries(digits.data(), places);
  }
  Index top = places - 1;
  while (top > 1 && digits[static_cast<std::size_t>(top)] == 0) --top;
  const auto digit = [&](Index i) {
    return i < 0 ? std::uint64_t{0}
                 : static_cast<std::uint64_t>(digits[static_cast<std::size_t>(i)]);
  };
  // The first 64 bits, the last of which says whether others follow: conversion rounds once.
  std::uint64_t first = digit(top) << bits | digit(top - 1);
  if (first == 0) return 0;
  const int zeros = std::countl_zero(first);
  first = zeros > 0 ? first << zeros | digit(top - 2) << bits >> (64 - zeros) : first;
  bool more = top > 1 && (digit(top - 2) << (bits + zeros)) != 0;
  for (Index i = 0; i < top - 2; ++i) more = more || digit(i) != 0;
  const double value = std::ldexp(static_cast<double>(first | (more ? 1 : 0)),
                                  static_cast<int>(bits * (top - 1)) - zeros - 1074);
  return negative ? -value : value;
}

}  // namespace mercer
