#pragma once
// A named kernel as a row of the table: everything that the parser, the printer, the list and the
// laws know of it. Leaves of an expression are such a row with numbers.

#include "core/random.hpp"
#include "kernels/node.hpp"

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The value of a parameter that is left to the data.
constexpr double open_value = std::numeric_limits<double>::quiet_NaN();

enum class Domain { positive, any, degree, nu };

struct Parameter {
  std::string_view name;
  double standard;  ///< the default, or `open_value`
  Domain domain = Domain::positive;
  bool neutral = false;  ///< the default changes nothing, so text leaves it out
  /// Another spelling, and how it becomes this one.
  std::string_view other{};
  double (*convert)(double) = nullptr;
};

/// What a leaf computes: a function of an ingredient.
struct Form {
  Ingredient ingredient;
  Formula<double> formula;
};

/// How frequencies are drawn: the scale of `Frequencies`; none for most kernels.
struct FrequencyRow {
  double (*scale)(std::span<const double> values, Random&) = nullptr;
  bool each_entry = false;
};

struct KernelRow {
  std::string_view name, formula, notes;
  std::string_view sklearn, mlpack, kernlab;
  std::vector<Parameter> (*parameters)();
  Form (*form)(std::span<const double> values);
  bool (*valid)(std::span<const double> values);
  /// The open parameter, from the data.
  double (*choose)(MedianDistances&) = nullptr;
  bool nonnegative = false;
  /// Of k(x, y) = E cos ω·(x − y), for random Fourier features.
  FrequencyRow frequency{};
};

std::span<const KernelRow* const> kernel_rows();

/// What is wrong with a value: "must be greater than 0"; empty when nothing is.
std::string domain_problem(const Parameter& parameter, double value);

/// A leaf; refuses values outside their domain.
KernelNode::Pointer make_leaf(const KernelRow& row, std::vector<double> values);

inline bool valid_always(std::span<const double>) { return true; }
inline std::vector<Parameter> no_parameters() { return {}; }

}  // namespace mercer
