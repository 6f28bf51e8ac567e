#pragma once
// One learning rule, a row of the table in rule_table.cpp.

#include <mercer/matrix.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// What a rule changes.
struct Neurons {
  Matrix<double> w;             ///< k×D; in mini-batches spare ones below
  std::vector<double> memory;   ///< what the rule keeps besides
  std::vector<double> scratch;  ///< for simd/hebbian_step.hpp
};

/// A step by one row.
struct RowStep {
  const double* x = nullptr;  ///< centred
  const double* y = nullptr;  ///< Wx
  double eta = 0;             ///< times the weight
  double weight = 1;
  double gain = 1;  ///< weight of this row in an average that fades: rules without a rate
  const double* next = nullptr;  ///< the row after, or null
  double* next_y = nullptr;      ///< its outputs after the step
  double* rest = nullptr;        ///< for ‖x − Wᵀy‖², W before the step: rules that have it
};

/// A step by the averages over a mini-batch.
struct BatchStep {
  const Matrix<double>& yx;     ///< neurons×D
  const Matrix<double>& yy;     ///< neurons×neurons
  double eta = 0;               ///< times the weight
  double weight = 1;            ///< of a row, in the mean
  double gain = 1;              ///< weight of these rows among all so far: rules without a rate
  const Vector<double>& shift;  ///< by which these rows have moved the mean
};

/// The differential equation that a rule follows for small rates (learn/theory/theory.hpp).
enum class Flow { hebb, oja, gha, orthonormal, none };

struct RuleRow {
  std::string_view name, formula, notes;
  std::string_view also{};  ///< another name that is accepted; reports have the first
  bool one_component = false;
  bool has_rate = true;
  bool normalises = false;  ///< a step ends with orthonormal weights
  bool has_rest = false;    ///< `by_row` fills in `RowStep::rest`
  Flow flow = Flow::none;
  double largest = 1e3;  ///< ‖w‖ beyond this: the weights explode
  std::size_t (*memory)(Index neurons) = [](Index) { return std::size_t{0}; };
  void (*by_row)(Neurons&, const RowStep&) = nullptr;
  void (*by_batch)(Neurons&, const BatchStep&) = nullptr;
  /// Neurons that the mini-batch form learns beyond the k, where there is room.
  Index (*spare)(Index k) = [](Index) { return Index{0}; };
  /// Why the weights explode, as a clause; null: the rate is too large.
  std::string (*explain)(const Neurons&) = nullptr;
};

std::span<const RuleRow* const> rule_rows();
/// Throws `Errc::bad_option` with the names there are.
const RuleRow& rule_named(std::string_view name);

/// The end of a step whose rule does not look ahead itself.
void look_ahead(Neurons& neurons, const RowStep& step);

/// Makes rows orthonormal, the first j spanning what they did for every j. A row that is a
/// combination of those before it becomes 0.
void orthonormal_rows(Matrix<double>& w);

}  // namespace mercer
