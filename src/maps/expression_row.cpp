#include "maps/expression_row.hpp"

#include "core/require.hpp"

#include <mercer/expression.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace mercer {

namespace {

constexpr double no_bound = std::numeric_limits<double>::infinity();
constexpr double half_unit = 0x1p-53;            // of operators and sqrt
constexpr double library_error = 4 * half_unit;  // of the C library: 2 units in the last place
constexpr double underflow_error = 0x1p-1074;

/// v − (v − v) is v, and NaN where v is not finite.
template <auto f>
void loop_of_values(Operands x, double* out, Index n) {
  for (Index i = 0; i < n; ++i) {
    const double v = f(x.a[i], x.b[i]);
    out[i] = v - (v - v);
  }
}

/// Operands, their errors, and the value.
struct At {
  double a, b, ea, eb, v;
};

template <auto f>
void loop_of_errors(Operands x, Operands error, const double* out, double* bound, Index n) {
  for (Index i = 0; i < n; ++i) bound[i] = f(At{x.a[i], x.b[i], error.a[i], error.b[i], out[i]});
}

/// −log(1 − e/|a|): by how much log |a| may be off.
double error_of_log(double a, double e) {
  if (e == 0) return 0;
  return e < std::abs(a) ? -std::log1p(-e / std::abs(a)) : no_bound;
}

double power(double a, double b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<double>::quiet_NaN() : std::pow(a, b);
}

/// a^b = exp(b·log a); of a = 0 there is no logarithm, but e^b for a positive b.
double error_of_power(const At& x) {
  if (x.ea == 0 && x.eb == 0) return library_error * std::abs(x.v) + underflow_error;
  if (x.eb > 0 && !(x.a > 0)) return no_bound;
  if (x.a == 0) return x.b > 0 ? std::pow(x.ea, x.b) : no_bound;
  const bool whole = x.eb == 0 && x.b > 0 && x.b == std::floor(x.b);
  // Powers of a positive whole degree are bounded by those of |a| + ea.
  const double log = whole ? std::log1p(x.ea / std::abs(x.a)) : error_of_log(x.a, x.ea);
  const double exponent =
      (std::abs(x.b) + x.eb) * log + (x.eb > 0 ? x.eb * std::abs(std::log(x.a)) : 0.0);
  return std::abs(x.v) * std::expm1(exponent) * (1 + library_error) +
         library_error * std::abs(x.v) + underflow_error;
}

double error_of_root(const At& x) {
  // The lower end of an interval: roots are of numbers that are not negative.
  const double least = std::sqrt(std::max(0.0, x.a - x.ea));
  const double from_a = x.ea == 0 ? 0 : x.v > 0 ? x.ea / (x.v + least) : std::sqrt(x.ea);
  return from_a + half_unit * x.v;
}

double error_of_quotient(const At& x) {
  const double least = std::abs(x.b) - x.eb;
  return least > 0
             ? (x.ea + std::abs(x.v) * x.eb) / least + half_unit * std::abs(x.v) + underflow_error
             : no_bound;
}

double error_of_product(const At& x) {
  return std::abs(x.a) * x.eb + std::abs(x.b) * x.ea + x.ea * x.eb + half_unit * std::abs(x.v) +
         underflow_error;
}

double error_of_sum(const At& x) { return x.ea + x.eb + half_unit * std::abs(x.v); }

/// Of sin, cos and tanh, whose slope is at most 1.
double error_of_bounded(const At& x) {
  return std::min(x.ea, 2.0) + library_error * std::abs(x.v) + underflow_error;
}

std::string wrong_quotient(double, double b) { return b == 0 ? "divides by 0" : ""; }
std::string wrong_power(double a, double b) {
  return a > 0 || (a != 0 && b == std::floor(b)) ? ""
                                                 : fmt::format("raises {} to the power {}", a, b);
}
std::string wrong_root(double a, double) { return fmt::format("takes the square root of {}", a); }
std::string wrong_logarithm(double a, double) {
  return fmt::format("takes the logarithm of {}", a);
}

constexpr ExpressionRow operator_rows[] = {
    {"+", 2, false, false, loop_of_values<[](double a, double b) { return a + b; }>,
     loop_of_errors<error_of_sum>},
    {"-", 2, false, false, loop_of_values<[](double a, double b) { return a - b; }>,
     loop_of_errors<error_of_sum>},
    {"*", 2, false, false, loop_of_values<[](double a, double b) { return a * b; }>,
     loop_of_errors<error_of_product>},
    {"/", 2, false, true, loop_of_values<[](double a, double b) { return a / b; }>,
     loop_of_errors<error_of_quotient>, wrong_quotient},
    {"^", 2, false, true, loop_of_values<power>, loop_of_errors<error_of_power>, wrong_power},
    {"neg", 1, false, false, loop_of_values<[](double a, double) { return -a; }>,
     loop_of_errors<[](const At& x) { return x.ea; }>},
    {"square", 1, false, false, loop_of_values<[](double a, double) { return a * a; }>,
     loop_of_errors<error_of_product>},
};

// A new function adds its row here.
constexpr ExpressionRow function_rows[] = {
    {"sqrt", 1, true, true, loop_of_values<[](double a, double) { return std::sqrt(a); }>,
     loop_of_errors<error_of_root>, wrong_root},
    {"exp", 1, true, true, loop_of_values<[](double a, double) { return std::exp(a); }>,
     loop_of_errors<[](const At& x) {
       return x.v * std::expm1(x.ea) * (1 + library_error) + library_error * x.v + underflow_error;
     }>},
    {"log", 1, true, true, loop_of_values<[](double a, double) { return std::log(a); }>,
     loop_of_errors<[](const At& x) {
       return error_of_log(x.a, x.ea) * (1 + library_error) + library_error * std::abs(x.v);
     }>,
     wrong_logarithm},
    {"sin", 1, true, false, loop_of_values<[](double a, double) { return std::sin(a); }>,
     loop_of_errors<error_of_bounded>},
    {"cos", 1, true, false, loop_of_values<[](double a, double) { return std::cos(a); }>,
     loop_of_errors<error_of_bounded>},
    {"abs", 1, true, false, loop_of_values<[](double a, double) { return std::abs(a); }>,
     loop_of_errors<[](const At& x) { return x.ea; }>},
    {"tanh", 1, true, false, loop_of_values<[](double a, double) { return std::tanh(a); }>,
     loop_of_errors<error_of_bounded>},
    {"min", 2, true, false,
     loop_of_values<[](double a, double b) { return a < b   ? a
                                                    : b < a ? b
                                                            : a + (b - a); }>,
     loop_of_errors<[](const At& x) { return std::max(x.ea, x.eb); }>},
    {"max", 2, true, false,
     loop_of_values<[](double a, double b) { return b < a   ? a
                                                    : a < b ? b
                                                            : a + (b - a); }>,
     loop_of_errors<[](const At& x) { return std::max(x.ea, x.eb); }>},
};

}  // namespace

const ExpressionRow& expression_operator(std::string_view name) {
  return *std::ranges::find(operator_rows, name, &ExpressionRow::name);
}

std::span<const ExpressionRow> expression_functions() { return function_rows; }

std::span<const ExpressionEntry> expression_table() {
  static const std::vector<ExpressionEntry> entries = [] {
    std::vector<ExpressionEntry> all;
    for (const ExpressionRow& row : function_rows)
      all.push_back({std::string(row.name), row.operands});
    return all;
  }();
  return entries;
}

}  // namespace mercer
