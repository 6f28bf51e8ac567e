#pragma once
// An operator or a function of map expressions, as a row: its values and the error of them, over
// arrays, and what it does not take.
//
// Running error analysis (Higham 2002, section 3.3): operands a and b that are off by at most ea
// and eb give a value that is off by at most `error`, the rounding of the operation itself
// included.

#include <mercer/matrix.hpp>

#include <span>
#include <string>
#include <string_view>

namespace mercer {

/// Arrays of n numbers; one operand: b is a.
struct Operands {
  const double *a, *b;
};

struct ExpressionRow {
  std::string_view name;
  int operands = 1;
  bool function = false;  ///< written name(…); two operands: or more
  bool partial = false;   ///< finite operands may be outside its domain
  /// out = f(a, b), NaN where that is not finite.
  void (*values)(Operands x, double* out, Index n);
  /// Bounds for values `out`; infinity where there is none.
  void (*errors)(Operands x, Operands error, const double* out, double* bound, Index n);
  /// "divides by 0": what was wrong where the value is not finite; null: it overflows.
  std::string (*problem)(double a, double b) = nullptr;
};

/// Operators by their text: + - * / ^, `neg` and `square`, which are written -x and x^2.
const ExpressionRow& expression_operator(std::string_view name);
std::span<const ExpressionRow> expression_functions();

}  // namespace mercer
