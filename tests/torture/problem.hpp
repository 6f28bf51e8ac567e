#pragma once
// A small PCA problem, drawn at random and hostile on purpose.

#include <mercer/fit.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mercer::torture {

/// A kernel that the oracle knows too: factor·shape(γ, degree, c) + linear_part·x·y.
struct KernelSpec {
  enum class Shape { linear, rbf, laplacian, poly, cosine, rational_quadratic };
  Shape shape = Shape::rbf;
  double gamma = 1;   ///< rbf, laplacian
  double length = 1;  ///< rational_quadratic, with α = 1
  int degree = 2;     ///< poly
  double coef0 = 1;   ///< poly
  double factor = 1;
  double linear_part = 0;
  std::string text() const;
};

struct Problem {
  std::uint64_t seed = 0;
  std::string recipe;           ///< what was done to the rows, for people
  Matrix<double> x;             ///< float problems: numbers that float holds
  std::vector<double> weights;  ///< empty: none
  bool single = false;          ///< fitted in float
  bool center = true;
  std::optional<KernelSpec> kernel;
  Components components;
  double tolerance() const { return single ? 1e-5 : 1e-10; }
  mercer::Weights weight_data() const { return weights; }
};

Problem make_problem(std::uint64_t seed);

/// The rows as CSV and the options of `mercer fit` that say the same.
std::string csv_of(const Problem& problem);
std::string command_of(const Problem& problem, const std::string& file);

}  // namespace mercer::torture
