#pragma once
// `name(parameter=value, …)`: how kernels, maps, rates and approximations are written. A table has
// one row per name with a `TextForm` in it; reading, writing, checks of values and lists for
// messages and help all come from that.
//
//     static constexpr TextParameter parameters[] = {{"gamma", domains::positive, 1},
//                                                   {"degree", domains::count, 3}};
//     constexpr TextForm form{"poly", parameters};
//     TextReader reader("kernel", "poly(degree=2)");
//     reader.word(), reader.values(form);       // {1, 2}
//     text_of_form(form, {{1, 2}});             // "poly(gamma=1, degree=2)"
//
// All values are doubles; a word is its place in the list of words.

#include "core/require.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The values that a parameter takes. They are finite always.
struct Domain {
  std::string_view must{};  ///< "be greater than 0", for messages
  bool (*holds)(double) = nullptr;
  std::span<const std::string_view> words{};  ///< for values that are words, without `holds`
};

namespace domains {
constexpr Domain any{"be finite", [](double) { return true; }};
constexpr Domain positive{"be greater than 0", [](double v) { return v > 0; }};
constexpr Domain not_negative{"be at least 0", [](double v) { return v >= 0; }};
constexpr Domain fraction{"lie between 0 and 1", [](double v) { return v > 0 && v < 1; }};
/// Up to 2⁵³: a double represents all integers up to there.
constexpr Domain count{"be an integer from 1 to 2^53",
                       [](double v) { return v >= 1 && v <= 0x1p53 && v == std::floor(v); }};
}  // namespace domains

/// The value of an open parameter: it is estimated from the data or has a computed default.
constexpr double open_value = std::numeric_limits<double>::quiet_NaN();

struct TextParameter {
  std::string_view name;
  Domain domain;
  double standard = open_value;  ///< the default; need not be in the domain ("0: none")
  bool required = false;         ///< there is no default: text must have it
  bool neutral = false;          ///< text leaves it out while it has its default
  /// Another spelling of the same number, and how its value becomes this one.
  std::string_view other{};
  double (*convert)(double) = nullptr;
};

struct TextForm {
  std::string_view name;
  std::span<const TextParameter> parameters{};
  std::string_view example{};  ///< for help; empty: the name alone
};

/// "uniform, kmeans, leverage or cholesky".
std::string either_of(std::span<const std::string_view> names);

/// "no rate 'powr'; did you mean power?", or "…; there are auto, 1/n, …".
std::string no_such(std::string_view kind, std::string_view wanted,
                    std::span<const std::string_view> names);

/// "rbf: gamma = 0 must be greater than 0"; empty when the value is in the parameter's domain.
std::string value_problem(const TextForm& form, const TextParameter& parameter, double value);

/// The parameter's value by `value` of that spelling, its name or the other one. Throws
/// `Errc::bad_option` when it is outside the domain.
double value_spelled(const TextForm& form, const TextParameter& parameter,
                     std::string_view spelling, double value);

/// Throws `Errc::bad_option` unless each value is in its domain, is the default, or is open where
/// that is the default.
void require_values(const TextForm& form, std::span<const double> values);

/// `name(parameter=value, …)` with the shortest numbers that read back the same; without those that
/// are open, and `name` alone where the form has no parameters.
std::string text_of_form(const TextForm& form, std::span<const double> values,
                         std::string_view between = ", ");

/// "gamma | sigma, degree=3": the parameters with their defaults, for lists.
std::string parameter_list(const TextForm& form);
/// "poly(degree=3, coef0=1)", and the name alone where there are no parameters.
std::string signature(const TextForm& form);
std::string example_of(const TextForm& form);

/// Text as it is read, from left to right. What is wrong is an `Errc::bad_option` with the column,
/// counted in characters, and the line where there are several.
class TextReader {
 public:
  /// `kind`: "rate", for messages. The text outlives the reader.
  TextReader(std::string_view kind, std::string_view text);

  /// Spaces, tabs and line ends are skipped before whatever is read.
  std::size_t place();
  char peek();  ///< '\0' at the end
  bool take(char c);
  std::string_view identifier();  ///< letters, digits and _, not a digit first; may be empty
  /// The same with dots and letters beyond ASCII in it: `Sepal.Length`; may be empty.
  std::string_view column_name();
  /// What stands between backquotes, of which two stand for one: any name of a column.
  std::string quoted_name();
  std::string_view word();            ///< up to a space, a comma, = or a parenthesis; may be empty
  std::string_view in_parentheses();  ///< what stands between ( and )
  double number();                    ///< as `std::from_chars` reads it, also with a +
  bool at_end() { return place() == text_.size(); }

  /// What follows the name of a form, nothing or `(…)`: a value for each parameter.
  /// `positional`: also numbers without a name, in the order of the parameters.
  std::vector<double> values(const TextForm& form, bool positional = false);

  [[noreturn]] void refuse(std::size_t place, const std::string& what) const;
  /// "'x' where the end should be", or "it ends where … should follow".
  [[noreturn]] void unexpected(std::string_view wanted);

 private:
  struct Given;
  void read_value(const TextForm& form, bool positional, Given& given);
  std::size_t parameter_named(const TextForm& form, std::string_view key, std::size_t begin) const;
  double value_of(const TextForm& form, std::size_t i, std::string_view key);

  std::string_view kind_, text_;
  std::size_t at_ = 0;
};

/// The row that `text` names, and its values.
template <class Row>
struct ReadForm {
  const Row* row = nullptr;
  std::vector<double> values;
};

/// Reads the whole of `text`; `rows` are pointers to rows that have a form `text`.
template <class Row>
ReadForm<Row> read_form(std::string_view kind, std::string_view text,
                        std::span<const Row* const> rows, bool positional = false) {
  TextReader reader(kind, text);
  const std::size_t begin = reader.place();
  const std::string_view name = reader.word();
  std::vector<std::string_view> names;
  for (const Row* row : rows) {
    if (row->text.name == name) {
      ReadForm<Row> out{row, reader.values(row->text, positional)};
      if (!reader.at_end()) reader.unexpected("the end");
      return out;
    }
    names.push_back(row->text.name);
  }
  reader.refuse(begin, no_such(kind, name, names));
}

}  // namespace mercer
