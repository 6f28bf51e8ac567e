#pragma once
// Random numbers that are the same on every machine: the sequences of standard distributions are
// not fixed by the standard.

#include <cmath>
#include <cstdint>

namespace mercer {

/// SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  /// The seed of the rest of the sequence.
  std::uint64_t state() const { return state_; }
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  }
  /// Below `n`, with a bias of n/2⁶⁴.
  std::uint64_t below(std::uint64_t n) { return bits() % n; }
  /// Between 0 and 1, never either.
  double uniform() { return (static_cast<double>(bits() >> 12) + 0.5) * 0x1p-52; }
  /// Standard normal, by Box and Muller.
  double normal() {
    const double radius = std::sqrt(-2 * std::log(uniform()));
    return radius * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::uint64_t state_;
};

}  // namespace mercer
