// Kernel expressions:
//
//     sum     = product { "+" product }
//     product = power { "*" power }
//     power   = primary [ "^" whole ]
//     primary = number | name [ "(" [ name "=" number { "," … } ] ")" ] | "x.y" | "(" sum ")"
//
// A number in a product is its factor, a number alone the constant kernel. x.y is linear(), and a
// power of its sum with a number is one kernel: (1 + x.y)^2 is poly(degree=2, coef0=1).
#include "kernels/row.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr int most_depth = 64;

bool digit(char c) { return c >= '0' && c <= '9'; }

/// A part of an expression: a kernel, or a number until it meets one.
struct Part {
  KernelNode::Pointer kernel;
  double factor = 1;
  bool affine = false;  // slope·x.y + offset, which is factor·kernel
  double slope = 0, offset = 0;

  KernelNode::Pointer whole() const {
    return kernel ? scaled(factor, kernel) : kernels::constant(factor).node();
  }
};

class Parser {
 public:
  Parser(std::string_view text, std::span<const Kernel> functions)
      : text_("kernel expression", text), functions_(functions) {}

  KernelNode::Pointer all() {
    const Part part = sum();
    if (!text_.at_end()) unexpected("'+', '*', '^' or the end");
    return part.whole();
  }

 private:
  [[noreturn]] void unexpected(const char* wanted) {
    if (text_.peek() == '-')
      text_.refuse(
          text_.place(),
          "a minus sign; a Mercer kernel stays one only under sums, products and positive factors");
    text_.unexpected(wanted);
  }

  Part sum() {
    Part left = product();
    while (text_.take('+')) {
      const Part right = product();
      const auto offset = [](const Part& p) { return p.kernel ? p.offset : p.factor; };
      const bool affine = (left.affine || !left.kernel) && (right.affine || !right.kernel) &&
                          (left.affine || right.affine);
      left = {sum_of(left.whole(), right.whole()), 1, affine, left.slope + right.slope,
              offset(left) + offset(right)};
    }
    return left;
  }

  Part product() {
    const std::size_t begin = text_.place();
    Part left = power();
    while (text_.take('*')) {
      const Part right = power();
      const double factor = left.factor * right.factor;
      if (left.kernel && right.kernel) left = {product_of(left.kernel, right.kernel)};
      else if (right.kernel) left = right;
      left.slope *= factor / left.factor;
      left.offset *= factor / left.factor;
      left.factor = factor;
    }
    if (!(left.factor > 0 && std::isfinite(left.factor)))
      text_.refuse(begin,
                   fmt::format("the factor {} must be greater than 0 and finite", left.factor));
    return left;
  }

  Part power() {
    Part base = primary();
    if (!text_.take('^')) return base;
    const std::size_t begin = text_.place();
    const double n = digit(text_.peek()) ? text_.number() : 0;
    if (!(n >= 1 && n <= 1000 && n == std::floor(n)))
      text_.refuse(begin, "the exponent must be an integer from 1 to 1000");
    if (!base.kernel) text_.refuse(begin, "only a kernel is raised to a power, not a number");
    if (text_.peek() == '^') text_.refuse(text_.place(), "a power of a power; put parentheses");
    if (base.affine) return {make_leaf(row_named("poly", begin), {n, base.offset, base.slope})};
    return {power_of(base.whole(), static_cast<int>(n))};
  }

  Part primary() {
    const char c = text_.peek();
    if (digit(c) || c == '.') return {nullptr, text_.number()};
    const std::size_t begin = text_.place();
    if (const std::string_view name = text_.identifier(); !name.empty()) {
      if (name == "function") return {function(begin)};
      if (name == "x" && text_.take('.')) {
        if (text_.identifier() != "y") text_.refuse(begin, "the inner product is x.y");
        return {make_leaf(row_named("linear", begin), {}), 1, true, 1};
      }
      const KernelRow& row = row_named(name, begin);
      return {make_leaf(row, text_.values(row.text))};
    }
    if (c != '(') unexpected("a kernel or a number");
    if (++depth_ > most_depth)
      text_.refuse(begin, fmt::format("more than {} nested parentheses", most_depth));
    text_.take('(');
    Part inside = sum();
    if (!text_.take(')')) unexpected("')'");
    --depth_;
    return inside;
  }

  /// `function(name)`, when it is among those of the program.
  KernelNode::Pointer function(std::size_t at) {
    const std::string_view name = text_.in_parentheses();
    const std::string text = fmt::format("function({})", name);
    for (const Kernel& k : functions_)
      if (k.text() == text) return k.node();
    text_.refuse(at, fmt::format("the kernel '{}' is a user-defined function; pass the function "
                                 "under that name",
                                 name));
  }

  const KernelRow& row_named(std::string_view wanted, std::size_t at) const {
    std::vector<std::string_view> names;
    for (const KernelRow* row : kernel_rows()) {
      if (row->text.name == wanted || (!row->also.empty() && row->also == wanted)) return *row;
      names.push_back(row->text.name);
    }
    text_.refuse(at, no_such("kernel", wanted, names));
  }

  TextReader text_;
  std::span<const Kernel> functions_;
  int depth_ = 0;
};

}  // namespace

Kernel Kernel::parse(std::string_view text, std::span<const Kernel> functions) {
  return Kernel(Parser(text, functions).all());
}

}  // namespace mercer
