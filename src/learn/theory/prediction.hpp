#pragma once
// When the ODE of a rule comes within an angle of the components, and after how many steps of a
// rate that is.
//
// Of one neuron tan² of the angle to ±q₁ is Σ_{k≥2} θ_k(0)² e^{−2(λ₁−λ_k)t} / θ₁(0)², for any
// length. Of several that are normalised it is the QR factor of e^{Rt}W₀; Sanger's ODE is
// integrated (sanger_path.hpp), because w_j leaves q_i, i < j, only as e^{−λ_j t}: its spans are
// there long before its weights.

#include "learn/theory/theory.hpp"

#include <mercer/rate.hpp>
#include <mercer/theorem.hpp>

#include <limits>
#include <string>

namespace mercer {

/// Eigenvalues that agree to this share of the largest are equal.
constexpr double equal_eigenvalues = 1e-10;

/// λ_j − λ_{j+1} of the first k, the smallest of them; `dimension`: eigenvalues beyond those given
/// are 0. 0 where two are equal up to rounding.
double smallest_gap(const Vector<double>& lambda, Index k, Index dimension);
/// How many eigenvalues equal the first.
Index multiplicity_of_first(const Vector<double>& lambda);

/// What a prediction starts from.
struct PredictionInput {
  const RuleRow& rule;
  const Vector<double>& lambda;   ///< descending
  const Matrix<double>& vectors;  ///< rows
  const Matrix<double>& start;    ///< W₀, k×D
  const Matrix<double>& sample;   ///< some rows about their mean, for rates that follow them
  Rate rate;
  Index batch = 1;
  double forgetting = 0;
  double weight = 1;                                       ///< mean of a step
  double limit = std::numeric_limits<double>::infinity();  ///< of every weight
  double angle = 1;                                        ///< degrees
};

/// The first component of which a weight is beyond the limit, which no run reaches then.
struct BeyondLimit {
  Index component = -1;  ///< −1: none of the first k
  double weight = 0;     ///< its largest magnitude
};
BeyondLimit beyond_limit(const Matrix<double>& vectors, Index k, double limit);

/// "q₁", "q₁₂".
std::string component_name(Index number);

StepPrediction predict_steps(const PredictionInput& in);

}  // namespace mercer
