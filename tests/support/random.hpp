#pragma once
// Data with known structure, the same on every machine: no standard distribution is used, as
// their sequences are not fixed by the standard.

#include <mercer/matrix.hpp>

#include <cmath>
#include <cstdint>

namespace mercer::test {

/// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// In (0, 1).
  double uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  /// Standard normal, by Box and Muller.
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
  }
  Matrix<double> normal(Index rows, Index cols);
  /// An orthogonal matrix.
  Matrix<double> rotation(Index n);

 private:
  std::uint64_t state_;
};

/// Rows with exactly these standard deviations (N−1) along rotated axes, and this mean.
Matrix<double> rows_with_deviations(Random& random, Index rows, const Vector<double>& deviations,
                                    double mean);

}  // namespace mercer::test
