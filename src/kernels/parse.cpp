// Kernel expressions:
//
//     sum     = product { "+" product }
//     product = power { "*" power }
//     power   = primary [ "^" whole ]
//     primary = number | name [ "(" [ name "=" number { "," … } ] ")" ] | "(" sum ")"
//
// A number in a product is its factor, a number alone the constant kernel.
#include "core/closest_name.hpp"
#include "core/require.hpp"
#include "kernels/row.hpp"

#include <charconv>
#include <cmath>

namespace mercer {

namespace {

constexpr std::size_t most_characters = 4096;
constexpr int most_depth = 64;
constexpr std::size_t most_shown = 60;

bool starts_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }

/// A part of an expression: a kernel, or a number until it meets one.
struct Part {
  KernelNode::Pointer kernel;
  double factor = 1;

  KernelNode::Pointer whole() const {
    return kernel ? scaled(factor, kernel) : kernels::constant(factor).node();
  }
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  KernelNode::Pointer all() {
    if (text_.size() > most_characters)
      complain(most_characters, fmt::format("longer than {} characters", most_characters));
    const Part part = sum();
    if (at_ < text_.size()) unexpected("'+', '*', '^' or the end");
    return part.whole();
  }

 private:
  [[noreturn]] void complain(std::size_t at, const std::string& what) const {
    const bool show = !text_.empty() && text_.size() <= most_shown;
    fail(Errc::bad_option, "kernel expression, column {}: {}{}", at + 1, what,
         show ? fmt::format(" (in '{}')", text_) : "");
  }

  [[noreturn]] void unexpected(const char* wanted) {
    skip_spaces();
    if (at_ >= text_.size()) complain(at_, fmt::format("it ends where {} should follow", wanted));
    if (text_[at_] == '-')
      complain(
          at_,
          "a minus sign; a Mercer kernel stays one only under sums, products and positive factors");
    complain(at_, fmt::format("'{}' where {} should be", text_[at_], wanted));
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  char peek() {
    skip_spaces();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  std::string_view name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (starts_name(text_[at_]) || digit(text_[at_]))) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  double number() {
    skip_spaces();
    const std::size_t begin = at_;
    if (at_ < text_.size() && text_[at_] == '+') ++at_;
    double value = 0;
    const char* const end = text_.data() + text_.size();
    const auto result = std::from_chars(text_.data() + at_, end, value);
    if (result.ec == std::errc::invalid_argument) {
      at_ = begin;
      unexpected("a number");
    }
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    if (result.ec != std::errc{})
      complain(begin,
               fmt::format("{} is beyond what a double holds", text_.substr(begin, at_ - begin)));
    return value;
  }

  Part sum() {
    Part left = product();
    while (take('+')) left = {sum_of(left.whole(), product().whole())};
    return left;
  }

  Part product() {
    skip_spaces();
    const std::size_t begin = at_;
    Part left = power();
    while (take('*')) {
      const Part right = power();
      left.factor *= right.factor;
      if (right.kernel)
        left.kernel = left.kernel ? product_of(left.kernel, right.kernel) : right.kernel;
    }
    if (!(left.factor > 0 && std::isfinite(left.factor)))
      complain(begin, fmt::format("the factor {} must be greater than 0 and finite", left.factor));
    return left;
  }

  Part power() {
    Part base = primary();
    if (!take('^')) return base;
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && digit(text_[at_])) ++at_;
    int n = 0;
    const auto result = std::from_chars(text_.data() + begin, text_.data() + at_, n);
    const bool goes_on = at_ < text_.size() && (text_[at_] == '.' || starts_name(text_[at_]));
    if (at_ == begin || goes_on || result.ec != std::errc{} || n < 1 || n > 1000)
      complain(begin, "the exponent must be a whole number from 1 to 1000");
    if (!base.kernel) complain(begin, "only a kernel is raised to a power, not a number");
    if (peek() == '^') complain(at_, "a power of a power; put parentheses");
    return {power_of(base.whole(), n)};
  }

  Part primary() {
    const char c = peek();
    if (digit(c) || c == '.') return {nullptr, number()};
    if (starts_name(c)) return {leaf()};
    if (c != '(') unexpected("a kernel or a number");
    if (++depth_ > most_depth)
      complain(at_, fmt::format("more than {} parentheses inside each other", most_depth));
    ++at_;
    Part inside = sum();
    if (!take(')')) unexpected("')'");
    --depth_;
    return inside;
  }

  KernelNode::Pointer leaf() {
    const std::size_t begin = at_;
    const KernelRow& row = row_named(name(), begin);
    const std::vector<Parameter> parameters = row.parameters();
    std::vector<double> values;
    values.reserve(parameters.size());
    for (const Parameter& p : parameters) values.push_back(p.standard);
    std::vector<bool> given(values.size());
    if (take('(') && !take(')')) {
      do read_parameter(row, parameters, values, given);
      while (take(','));
      if (!take(')')) unexpected("',' or ')'");
    }
    return make_leaf(row, std::move(values));
  }

  void read_parameter(const KernelRow& row, const std::vector<Parameter>& parameters,
                      std::vector<double>& values, std::vector<bool>& given) {
    const char c = peek();
    const std::size_t begin = at_;
    if (parameters.empty()) complain(begin, fmt::format("{} has no parameters", row.name));
    if (digit(c) || c == '.' || c == '-')
      complain(begin, fmt::format("name the parameter: {}(… {}=…)", row.name, parameters[0].name));
    if (!starts_name(c)) unexpected("a parameter");
    const std::string_view key = name();
    std::size_t i = 0;
    while (i < parameters.size() && parameters[i].name != key && parameters[i].other != key) ++i;
    if (i == parameters.size()) complain(begin, unknown_parameter(row, parameters, key));
    if (given[i])
      complain(begin, key == parameters[i].name && parameters[i].other.empty()
                          ? fmt::format("{} is given twice", key)
                          : fmt::format("{} and {} are one number; give it once",
                                        parameters[i].name, parameters[i].other));
    given[i] = true;
    if (!take('=')) unexpected("'='");
    skip_spaces();
    const std::size_t value_begin = at_;
    const double value = number();
    const bool other = key != parameters[i].name;
    std::string problem = domain_problem(parameters[i], value);
    values[i] = other ? parameters[i].convert(value) : value;
    if (problem.empty() && !domain_problem(parameters[i], values[i]).empty())
      problem = "is beyond what a double holds when squared";
    if (!problem.empty())
      complain(value_begin, fmt::format("{}: {} = {} {}", row.name, key, value, problem));
  }

  const KernelRow& row_named(std::string_view wanted, std::size_t at) const {
    std::vector<std::string> names;
    std::string list;
    for (const KernelRow* row : kernel_rows()) {
      if (row->name == wanted) return *row;
      names.emplace_back(row->name);
      list += fmt::format("{}{}", list.empty() ? "" : ", ", row->name);
    }
    if (wanted == "function") complain(at, "a function of your own has no text form to read");
    const std::string* close = closest_name(wanted, names);
    complain(at, close ? fmt::format("no kernel '{}'; did you mean {}?", wanted, *close)
                       : fmt::format("no kernel '{}'; there are {}", wanted, list));
  }

  static std::string unknown_parameter(const KernelRow& row,
                                       const std::vector<Parameter>& parameters,
                                       std::string_view key) {
    std::vector<std::string> names;
    std::string list;
    for (const Parameter& p : parameters)
      for (const std::string_view name : {p.name, p.other})
        if (!name.empty()) {
          names.emplace_back(name);
          list += fmt::format("{}{}", list.empty() ? "" : ", ", name);
        }
    const std::string* close = closest_name(key, names);
    return close ? fmt::format("{} has no parameter '{}'; did you mean {}?", row.name, key, *close)
                 : fmt::format("{} has no parameter '{}'; it has {}", row.name, key, list);
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

}  // namespace

Kernel Kernel::parse(std::string_view text) { return Kernel(Parser(text).all()); }

}  // namespace mercer
