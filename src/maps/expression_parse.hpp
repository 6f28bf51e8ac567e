#pragma once
// Expressions of columns, as programs of a stack machine.

#include "maps/expression_row.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// Pushes a column or a number, or replaces the operands of `row` by its value.
struct ExpressionStep {
  const ExpressionRow* row = nullptr;
  Index column = -1;  ///< without a row; −1: the number
  double number = 0;
};

struct Expression {
  std::string text;  ///< in canonical form, which gives the same steps
  std::vector<ExpressionStep> steps;
  std::size_t stack = 0;  ///< numbers on the stack at once
};

/// What the columns are called; empty: x1 … xd only.
struct ExpressionColumns {
  Index count = 0;
  const std::vector<std::string>& names;
  bool known = true;  ///< false: names are not looked up, every name is a column
};

/// Whether a name by itself is a column, one of x1 … xd, pi or e.
bool names_a_value(std::string_view name, const ExpressionColumns& columns);

/// Whether `text` is a list of expressions rather than the name of a map, perhaps one that does not
/// exist: a single word that is neither, or one before a parenthesis that does not name a function.
bool is_expression_list(std::string_view text, const ExpressionColumns& columns);

/// Throws `Errc::bad_option` with the place of what is wrong.
std::vector<Expression> parse_expressions(std::string_view text, const ExpressionColumns& columns);

}  // namespace mercer
