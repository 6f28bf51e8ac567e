// Lists of expressions:
//
//     list    = sum { "," sum }
//     sum     = product { ("+" | "-") product }
//     product = sign { ("*" | "/") sign }
//     sign    = ("-" | "+") sign | power
//     power   = primary [ "^" sign ]
//     primary = number | name | "`" any name "`" | function "(" list ")" | "(" sum ")"
#include "maps/expression_parse.hpp"

#include "core/text_form.hpp"
#include "maps/from_text.hpp"

#include <algorithm>
#include <charconv>
#include <numbers>
#include <optional>

namespace mercer {

namespace {

constexpr int deepest_expression = 64;
constexpr std::size_t most_names = 30;  // in a message

/// How tightly the text of an expression binds.
enum class Tight { sum, product, sign, power, atom };

struct NamedConstant {
  std::string_view name;
  double value;
};
constexpr NamedConstant constants[] = {{"pi", std::numbers::pi}, {"e", std::numbers::e}};

/// 3 of x3.
std::optional<Index> position_named(std::string_view name) {
  if (!name.starts_with('x') || name.size() < 2 || name[1] == '0') return {};
  Index position = 0;
  const auto [end, status] = std::from_chars(name.data() + 1, name.data() + name.size(), position);
  if (status != std::errc{} || end != name.data() + name.size()) return {};
  return position;
}

/// The column of that name, or of that position.
std::optional<Index> column_of(std::string_view name, const ExpressionColumns& columns) {
  const auto found = std::ranges::find(columns.names, name);
  if (found != columns.names.end()) return found - columns.names.begin();
  const auto position = position_named(name);
  if (position && *position <= columns.count) return *position - 1;
  return {};
}

const NamedConstant* constant_named(std::string_view name) {
  const auto found = std::ranges::find(constants, name, &NamedConstant::name);
  return found == std::end(constants) ? nullptr : found;
}

const ExpressionRow* function_named(std::string_view name) {
  const auto rows = expression_functions();
  const auto found = std::ranges::find(rows, name, &ExpressionRow::name);
  return found == rows.end() ? nullptr : &*found;
}

class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const ExpressionColumns& columns)
      : text_("map", text), columns_(columns) {}

  std::vector<Expression> all() {
    std::vector<Expression> list;
    do {
      steps_.clear();
      height_ = highest_ = 0;
      Part part = sum();
      list.push_back({std::move(part.text), steps_, static_cast<std::size_t>(highest_)});
    } while (text_.take(','));
    if (!text_.at_end()) text_.unexpected("an operator, ',' or the end");
    return list;
  }

 private:
  struct Part {
    std::string text;
    Tight tight = Tight::atom;

    /// In parentheses, unless it binds at least like that.
    std::string within(Tight least) const { return tight < least ? "(" + text + ")" : text; }
  };

  /// Counts levels of recursion.
  class Level {
   public:
    explicit Level(ExpressionParser& parser) : depth_(parser.depth_) {
      if (++depth_ > deepest_expression)
        parser.text_.refuse(parser.text_.place(),
                            fmt::format("more than {} levels of nesting", deepest_expression));
    }
    ~Level() { --depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

  void push(Index column, double number = 0) {
    steps_.push_back({nullptr, column, number});
    highest_ = std::max(highest_, ++height_);
  }
  void operate(const ExpressionRow& row) {
    steps_.push_back({&row});
    height_ -= row.operands - 1;
  }

  Part sum() {
    Part left = product();
    for (;;) {
      const char sign = text_.peek();
      if ((sign != '+' && sign != '-') || !text_.take(sign)) return left;
      const Part right = product();
      operate(expression_operator(std::string_view(&sign, 1)));
      left = {fmt::format("{} {} {}", left.text, sign, right.within(Tight::product)), Tight::sum};
    }
  }

  Part product() {
    Part left = sign();
    for (;;) {
      const char times = text_.peek();
      if ((times != '*' && times != '/') || !text_.take(times)) return left;
      const Part right = sign();
      operate(expression_operator(std::string_view(&times, 1)));
      left = {fmt::format("{}{}{}", left.within(Tight::product), times, right.within(Tight::power)),
              Tight::product};
    }
  }

  Part sign() {
    const bool minus = text_.peek() == '-';
    if (!minus && text_.peek() != '+') return power();
    const Level level(*this);
    text_.take(minus ? '-' : '+');
    Part inside = sign();
    if (!minus) return inside;
    operate(expression_operator("neg"));
    return {"-" + inside.within(Tight::power), Tight::sign};
  }

  Part power() {
    const Part base = primary();
    if (!text_.take('^')) return base;
    const Level level(*this);
    const std::size_t before = steps_.size();
    const Part exponent = sign();
    Part out{fmt::format("{}^{}", base.within(Tight::atom), exponent.within(Tight::power)),
             Tight::power};
    const ExpressionStep& last = steps_.back();
    if (steps_.size() == before + 1 && !last.row && last.column < 0 && last.number == 2) {
      steps_.pop_back();
      --height_;
      operate(expression_operator("square"));
    } else {
      operate(expression_operator("^"));
    }
    return out;
  }

  Part primary() {
    const char c = text_.peek();
    if ((c >= '0' && c <= '9') || c == '.') {
      const double number = text_.number();
      push(-1, number);
      return {fmt::format("{}", number)};
    }
    const std::size_t begin = text_.place();
    if (c == '`') return value(text_.quoted_name(), begin, true);
    if (const std::string_view name = text_.column_name(); !name.empty())
      return text_.peek() == '(' ? function(name, begin) : value(std::string(name), begin, false);
    if (c != '(') text_.unexpected("a column, a number or a function");
    const Level level(*this);
    text_.take('(');
    Part inside = sum();
    if (!text_.take(')')) text_.unexpected("an operator or ')'");
    return inside;
  }

  Part function(std::string_view name, std::size_t begin) {
    const ExpressionRow* row = function_named(name);
    if (!row) {
      std::vector<std::string_view> names;
      for (const ExpressionRow& each : expression_functions()) names.push_back(each.name);
      text_.refuse(begin, no_such("function", name, names));
    }
    const Level level(*this);
    text_.take('(');
    Part out{fmt::format("{}({}", name, sum().text)};
    int count = 1;
    for (; text_.take(','); ++count) {
      const std::size_t place = text_.place();
      out.text += ", " + sum().text;
      if (row->operands == 1) text_.refuse(place, fmt::format("{} takes one number", name));
      operate(*row);
    }
    if (!text_.take(')')) text_.unexpected(row->operands == 1 ? "')'" : "',' or ')'");
    if (count < row->operands)
      text_.refuse(begin, fmt::format("{} takes two or more numbers", name));
    if (row->operands == 1) operate(*row);
    out.text += ")";
    return out;
  }

  /// A column or a constant. Columns come first.
  Part value(std::string name, std::size_t begin, bool quoted) {
    const auto column = columns_.known ? column_of(name, columns_) : std::optional<Index>(0);
    const NamedConstant* constant = quoted ? nullptr : constant_named(name);
    if (column) push(*column);
    else if (constant) push(-1, constant->value);
    else refuse_column(name, begin);
    return {constant && !column ? name : written(name)};
  }

  /// As it can be read again: also where the name alone would be a map.
  static std::string written(const std::string& name) {
    if (TextReader("map", name).column_name() == name && !is_map_name(name)) return name;
    std::string out = "`";
    for (const char c : name) out += c == '`' ? std::string("``") : std::string(1, c);
    return out + "`";
  }

  [[noreturn]] void refuse_column(const std::string& name, std::size_t begin) const {
    if (const auto position = position_named(name))
      text_.refuse(begin,
                   fmt::format("no column '{}': there are {} columns", name, columns_.count));
    std::vector<std::string> numbered;
    if (columns_.names.empty())
      for (Index j = 1; j <= std::min<Index>(columns_.count, most_names); ++j)
        numbered.push_back(fmt::format("x{}", j));
    const std::vector<std::string>& all = columns_.names.empty() ? numbered : columns_.names;
    // The nearest of all, or a list of the first.
    std::vector<std::string_view> names(all.begin(), all.end());
    std::string what = no_such("column", name, names);
    if (names.size() > most_names && what.find("did you mean") == std::string::npos)
      what = fmt::format("no column '{}' among {}", name, names.size());
    text_.refuse(begin, what);
  }

  TextReader text_;
  const ExpressionColumns& columns_;
  std::vector<ExpressionStep> steps_;
  int depth_ = 0, height_ = 0, highest_ = 0;
};

}  // namespace

bool names_a_value(std::string_view name, const ExpressionColumns& columns) {
  return !columns.known || column_of(name, columns) || constant_named(name);
}

bool is_expression_list(std::string_view text, const ExpressionColumns& columns) {
  TextReader reader("map", text);
  if (reader.at_end()) return false;
  const std::string_view word = reader.column_name();
  if (word.empty()) return true;
  if (reader.at_end()) return !is_map_name(word) && names_a_value(word, columns);
  return reader.peek() != '(' || function_named(word);
}

std::vector<Expression> parse_expressions(std::string_view text, const ExpressionColumns& columns) {
  return ExpressionParser(text, columns).all();
}

}  // namespace mercer
