#pragma once
// What Mercer says of chance, one case after the other, each as a function of a seed.

#include <mercer/matrix.hpp>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace calibrate {

using mercer::Index;
using mercer::Matrix;
using mercer::Vector;

/// How an outcome is judged.
enum class Judge {
  rate,     ///< the share of its trials that count is `stated`
  at_most,  ///< it is at most that
  uniform,  ///< it is a p-value
};

struct Outcome {
  std::string name;
  Judge judge = Judge::rate;
  double stated = 0;
};

/// NaN: refused, or nothing was said.
constexpr double refused = std::numeric_limits<double>::quiet_NaN();

/// One replicate gives one number for each outcome.
struct Case {
  std::string statement, name;
  std::vector<Outcome> outcomes;
  std::function<std::vector<double>(std::uint64_t seed)> draw;
};

std::vector<Case> limits_cases();
std::vector<Case> significance_cases();
std::vector<Case> interval_cases();
std::vector<Case> converged_cases();

/// Random rows, independent of Mercer's own generator.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : engine_(seed) {}
  double normal() { return normal_(engine_); }
  double uniform() { return uniform_(engine_); }
  int below(int n) { return static_cast<int>(uniform() * n); }
  Matrix<double> normal(Index n, Index d) {
    Matrix<double> x(n, d);
    for (Index i = 0; i < x.size(); ++i) x.data()[i] = normal();
    return x;
  }

 private:
  std::mt19937_64 engine_;
  std::normal_distribution<double> normal_;
  std::uniform_real_distribution<double> uniform_;
};

}  // namespace calibrate
