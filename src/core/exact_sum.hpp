#pragma once
// Sums of doubles without rounding: they do not depend on the order of the numbers, nor on how
// these are divided among blocks, threads and ranks.
//
//     ExactSums sums(2);
//     sums.add(0, trace);
//     double sum = sums.value(0);          // rounded once
//
// A sum is a fixed-point number with digits of 32 bits, from the least double to 2⁹⁶ times the
// largest (U. W. Kulisch, "Computer Arithmetic and Validity", 2013). It takes 568 bytes, and adding
// a number some nanoseconds.

#include <mercer/matrix.hpp>

#include <cstdint>
#include <utility>
#include <vector>

namespace mercer {

class ExactSums {
 public:
  explicit ExactSums(Index count) : digits_(static_cast<std::size_t>(count * each), 0) {}
  /// From `digits()` of some sums.
  explicit ExactSums(std::vector<std::int64_t> digits) : digits_(std::move(digits)) {}

  Index count() const { return static_cast<Index>(digits_.size()) / each; }
  void add(Index sum, double x);
  /// As many other sums.
  void add(const ExactSums& others);
  /// The nearest double; infinite or NaN where one of the numbers was.
  double value(Index sum) const;

  const std::vector<std::int64_t>& digits() const { return digits_; }

 private:
  static constexpr Index places = 69;
  static constexpr Index added = places;       ///< numbers since carries were last moved
  static constexpr Index special = added + 1;  ///< sum of the infinities and NaNs, as bits
  static constexpr Index each = special + 1;

  std::vector<std::int64_t> digits_;
};

}  // namespace mercer
