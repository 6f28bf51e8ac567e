// Rates from text: `1/n`, `auto`, `power(c=1, t0=100, a=0.75)`, `power(1, 100, 0.75)`.
#include "core/closest_name.hpp"
#include "core/require.hpp"
#include "learn/rates/rate_rule.hpp"

#include <charconv>
#include <cmath>

namespace mercer {

extern const RateRow auto_rate, harmonic_rate, constant_rate, power_rate, adaoja_rate;

// A new schedule adds its row here.
std::span<const RateRow* const> rate_rows() {
  static constexpr const RateRow* rows[] = {&auto_rate, &harmonic_rate, &constant_rate, &power_rate,
                                            &adaoja_rate};
  return rows;
}

namespace {

constexpr std::size_t most_shown = 60;

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Rate all() {
    skip_spaces();
    const std::size_t begin = at_;
    while (at_ < text_.size() && text_[at_] != '(' && text_[at_] != ' ') ++at_;
    const RateRow& row = row_named(text_.substr(begin, at_ - begin), begin);
    std::vector<double> values;
    for (const RateParameter& p : row.parameters) values.push_back(p.standard);
    if (take('(') && !take(')')) {
      std::size_t position = 0;
      do read(row, values, position++);
      while (take(','));
      if (!take(')')) unexpected("',' or ')'");
    }
    skip_spaces();
    if (at_ < text_.size()) unexpected("the end");
    for (std::size_t i = 0; i < values.size(); ++i)
      if (std::isnan(values[i]))
        complain(at_, fmt::format("{} needs {}: {}", row.name, row.parameters[i].name, usage(row)));
    return make_rate(row, values);
  }

 private:
  [[noreturn]] void complain(std::size_t at, const std::string& what) const {
    const bool show = !text_.empty() && text_.size() <= most_shown;
    fail(Errc::bad_option, "rate, column {}: {}{}", at + 1, what,
         show ? fmt::format(" (in '{}')", text_) : "");
  }
  [[noreturn]] void unexpected(const char* wanted) {
    skip_spaces();
    if (at_ >= text_.size()) complain(at_, fmt::format("it ends where {} should follow", wanted));
    complain(at_, fmt::format("'{}' where {} should be", text_[at_], wanted));
  }
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }
  bool take(char c) {
    skip_spaces();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  static std::string usage(const RateRow& row) {
    std::string list;
    for (const RateParameter& p : row.parameters)
      list += fmt::format("{}{}=…", list.empty() ? "" : ", ", p.name);
    return fmt::format("{}({})", row.name, list);
  }

  /// `name=number`, or a number that stands where the parameter stands.
  void read(const RateRow& row, std::vector<double>& values, std::size_t position) {
    skip_spaces();
    const std::size_t begin = at_;
    std::size_t equals = begin;
    while (equals < text_.size() && text_[equals] != '=' && text_[equals] != ',' &&
           text_[equals] != ')')
      ++equals;
    std::size_t i = position;
    if (equals < text_.size() && text_[equals] == '=') {
      std::string_view key = text_.substr(begin, equals - begin);
      while (key.ends_with(' ')) key.remove_suffix(1);
      for (i = 0; i < values.size() && row.parameters[i].name != key;) ++i;
      if (i == values.size())
        complain(begin, row.parameters.empty()
                            ? fmt::format("{} has no parameters", row.name)
                            : fmt::format("no parameter '{}' in {}", key, usage(row)));
      at_ = equals + 1;
      skip_spaces();
    } else if (position >= values.size()) {
      complain(begin, row.parameters.empty()
                          ? fmt::format("{} has no parameters", row.name)
                          : fmt::format("more numbers than {} has parameters", usage(row)));
    }
    const std::size_t value_begin = at_;
    const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), values[i]);
    if (result.ec == std::errc::invalid_argument) unexpected("a number");
    at_ = static_cast<std::size_t>(result.ptr - text_.data());
    if (result.ec != std::errc{}) complain(value_begin, "a number beyond what a double holds");
    const std::string problem = rate_problem(row.parameters[i], values[i]);
    if (!problem.empty())
      complain(value_begin,
               fmt::format("{}: {} = {} {}", row.name, row.parameters[i].name, values[i], problem));
  }

  const RateRow& row_named(std::string_view wanted, std::size_t at) const {
    std::vector<std::string> names;
    std::string list;
    for (const RateRow* row : rate_rows()) {
      if (row->name == wanted) return *row;
      names.emplace_back(row->name);
      list += fmt::format("{}{}", list.empty() ? "" : ", ", row->name);
    }
    const std::string* close = closest_name(wanted, names);
    complain(at, close ? fmt::format("no rate '{}'; did you mean {}?", wanted, *close)
                       : fmt::format("no rate '{}'; there are {}", wanted, list));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Rate Rate::parse(std::string_view text) { return Parser(text).all(); }

std::span<const RateEntry> rate_table() {
  static const std::vector<RateEntry> entries = [] {
    std::vector<RateEntry> all;
    for (const RateRow* row : rate_rows()) {
      std::string list;
      for (const RateParameter& p : row->parameters)
        list += fmt::format("{}{}", list.empty() ? "" : ",", p.name);
      all.push_back({list.empty() ? std::string(row->name) : fmt::format("{}({})", row->name, list),
                     std::string(row->formula), std::string(row->notes)});
    }
    return all;
  }();
  return entries;
}

}  // namespace mercer
