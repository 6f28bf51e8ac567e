#pragma once
// A named kernel as a row of the table: everything that the parser, the printer, the list and the
// laws know of it. Leaves of an expression are such a row with numbers.

#include "core/random.hpp"
#include "core/text_form.hpp"
#include "kernels/node.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

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
  TextForm text;
  std::string_view formula, notes;
  std::string_view sklearn{}, mlpack{}, kernlab{};  ///< their names for it
  Form (*form)(std::span<const double> values);
  bool (*valid)(std::span<const double> values);
  /// The open parameter, from the data.
  double (*choose)(MedianDistances&) = nullptr;
  bool nonnegative = false;
  /// Of k(x, y) = E cos ω·(x − y), for random Fourier features.
  FrequencyRow frequency{};
  std::string_view also{};  ///< another name that expressions may use; texts have the first
};

std::span<const KernelRow* const> kernel_rows();

/// A leaf; refuses values outside their domain.
KernelNode::Pointer make_leaf(const KernelRow& row, std::vector<double> values);

/// "rbf, matern": the named kernels that fall with |x − y| alone, and those with Fourier features.
std::string radial_kernels();
std::string kernels_with_frequencies();

inline bool valid_always(std::span<const double>) { return true; }

}  // namespace mercer
