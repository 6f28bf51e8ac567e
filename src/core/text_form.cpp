#include "core/text_form.hpp"

#include "core/closest_name.hpp"

#include <algorithm>
#include <charconv>

namespace mercer {

namespace {

constexpr std::size_t most_characters = 4096, most_shown = 60;

bool starts_identifier(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }
bool continues_character(char c) { return (c & 0xC0) == 0x80; }  // of UTF-8

std::string joined(std::span<const std::string_view> names, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < names.size(); ++i)
    out += fmt::format("{}{}", i == 0 ? "" : i + 1 == names.size() ? last : ", ", names[i]);
  return out;
}

std::string value_text(const Domain& domain, double value) {
  if (domain.words.empty()) return fmt::format("{}", value);
  return std::string(domain.words[static_cast<std::size_t>(value)]);
}

/// "power(c=…, t0=…, a=…)".
std::string usage(const TextForm& form) {
  std::string list;
  for (const TextParameter& p : form.parameters)
    list += fmt::format("{}{}=…", list.empty() ? "" : ", ", p.name);
  return fmt::format("{}({})", form.name, list);
}

}  // namespace

std::string either_of(std::span<const std::string_view> names) { return joined(names, " or "); }

std::string no_such(std::string_view kind, std::string_view wanted,
                    std::span<const std::string_view> names) {
  const std::vector<std::string> all(names.begin(), names.end());
  const std::string* close = closest_name(wanted, all);
  return close ? fmt::format("no {} '{}'; did you mean {}?", kind, wanted, *close)
               : fmt::format("no {} '{}'; there are {}", kind, wanted, joined(names, ", "));
}

std::string value_problem(const TextForm& form, const TextParameter& p, double value) {
  if (!std::isfinite(value))
    return fmt::format("{}: {} = {} must be finite", form.name, p.name, value);
  if (!p.domain.holds || p.domain.holds(value)) return {};
  return fmt::format("{}: {} = {} must {}", form.name, p.name, value, p.domain.must);
}

double value_spelled(const TextForm& form, const TextParameter& p, std::string_view spelling,
                     double value) {
  TextParameter spelled = p;
  spelled.name = spelling;
  std::string problem = value_problem(form, spelled, value);
  require(problem.empty(), Errc::bad_option, "{}", problem);
  if (spelling == p.name) return value;
  const double converted = p.convert(value);
  problem = value_problem(form, p, converted);
  require(problem.empty(), Errc::bad_option, "{}: {} = {} is out of range: {}", form.name, spelling,
          value, problem);
  return converted;
}

void require_values(const TextForm& form, std::span<const double> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TextParameter& p = form.parameters[i];
    const bool standard = !p.required && (values[i] == p.standard ||
                                          (std::isnan(values[i]) && std::isnan(p.standard)));
    const std::string problem = standard ? "" : value_problem(form, p, values[i]);
    require(problem.empty(), Errc::bad_option, "{}", problem);
  }
}

std::string text_of_form(const TextForm& form, std::span<const double> values,
                         std::string_view between) {
  if (form.parameters.empty()) return std::string(form.name);
  std::string list;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const TextParameter& p = form.parameters[i];
    if (std::isnan(values[i]) || (p.neutral && values[i] == p.standard)) continue;
    list += fmt::format("{}{}={}", list.empty() ? "" : between, p.name,
                        value_text(p.domain, values[i]));
  }
  return fmt::format("{}({})", form.name, list);
}

std::string parameter_list(const TextForm& form) {
  std::string list;
  for (const TextParameter& p : form.parameters) {
    list += fmt::format("{}{}", list.empty() ? "" : ", ", p.name);
    if (!p.required && !std::isnan(p.standard))
      list += fmt::format("={}", value_text(p.domain, p.standard));
    if (!p.other.empty()) list += fmt::format(" | {}", p.other);
  }
  return list;
}

std::string signature(const TextForm& form) {
  if (form.parameters.empty()) return std::string(form.name);
  return fmt::format("{}({})", form.name, parameter_list(form));
}

std::string example_of(const TextForm& form) {
  return std::string(form.example.empty() ? form.name : form.example);
}

TextReader::TextReader(std::string_view kind, std::string_view text) : kind_(kind), text_(text) {
  if (text.size() > most_characters)
    refuse(most_characters, fmt::format("longer than {} characters", most_characters));
}

void TextReader::refuse(std::size_t place, const std::string& what) const {
  // Text of several lines is shown by the line of the place: messages are one line.
  const std::string_view before = text_.substr(0, place);
  const std::size_t begin = before.rfind('\n') + 1;  // 0 on the first line
  const auto lines = std::ranges::count(text_, '\n');
  const std::string_view line = text_.substr(begin, text_.find('\n', begin) - begin);
  const auto column = 1 + std::ranges::count_if(before.substr(begin),
                                                [](char c) { return !continues_character(c); });
  fail(Errc::bad_option, "{}, {}column {}: {}{}", kind_,
       lines > 0 ? fmt::format("line {}, ", 1 + std::ranges::count(before, '\n')) : "", column,
       what, !line.empty() && line.size() <= most_shown ? fmt::format(" (in '{}')", line) : "");
}

void TextReader::unexpected(std::string_view wanted) {
  if (at_end()) refuse(at_, fmt::format("unexpected end, expected {}", wanted));
  std::size_t end = at_ + 1;
  while (end < text_.size() && continues_character(text_[end])) ++end;
  refuse(at_, fmt::format("unexpected '{}', expected {}", text_.substr(at_, end - at_), wanted));
}

std::size_t TextReader::place() {
  while (at_ < text_.size() && is_space(text_[at_])) ++at_;
  return at_;
}

char TextReader::peek() { return at_end() ? '\0' : text_[at_]; }

bool TextReader::take(char c) {
  if (at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

std::string_view TextReader::identifier() {
  const std::size_t begin = place();
  if (begin < text_.size() && starts_identifier(text_[begin]))
    while (at_ < text_.size() && (starts_identifier(text_[at_]) || is_digit(text_[at_]))) ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string_view TextReader::column_name() {
  const auto letter = [](char c) { return starts_identifier(c) || (c & 0x80) != 0; };
  const std::size_t begin = place();
  if (begin < text_.size() && letter(text_[begin]))
    while (at_ < text_.size() && (letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.'))
      ++at_;
  return text_.substr(begin, at_ - begin);
}

std::string TextReader::quoted_name() {
  const std::size_t begin = place();
  if (!take('`')) unexpected("'`'");
  std::string name;
  while (at_ < text_.size()) {
    const char c = text_[at_++];
    if (c == '`' && (at_ == text_.size() || text_[at_] != '`')) return name;
    if (c == '`') ++at_;
    name += c;
  }
  refuse(begin, "the name in backquotes has no end");
}

std::string_view TextReader::word() {
  const std::size_t begin = place();
  at_ = std::min(text_.find_first_of(" \t\r\n=,()", begin), text_.size());
  return text_.substr(begin, at_ - begin);
}

std::string_view TextReader::in_parentheses() {
  if (!take('(')) unexpected("'('");
  const std::size_t begin = at_;
  at_ = std::min(text_.find_first_of("()", begin), text_.size());
  const std::string_view inside = text_.substr(begin, at_ - begin);
  if (!take(')')) unexpected("')'");
  return inside;
}

double TextReader::number() {
  const std::size_t begin = place();
  if (begin < text_.size() && text_[begin] == '+') ++at_;
  double value = 0;
  const auto result = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (result.ec == std::errc::invalid_argument) {
    at_ = begin;
    unexpected("a number");
  }
  at_ = static_cast<std::size_t>(result.ptr - text_.data());
  if (result.ec != std::errc{})
    refuse(begin,
           fmt::format("{} is out of the range of a double", text_.substr(begin, at_ - begin)));
  return value;
}

struct TextReader::Given {
  std::vector<double> values;
  std::vector<bool> given;
  std::size_t position = 0;  // of the next value
};

std::vector<double> TextReader::values(const TextForm& form, bool positional) {
  Given all;
  for (const TextParameter& p : form.parameters) all.values.push_back(p.standard);
  all.given.resize(all.values.size());
  if (take('(') && !take(')')) {
    do read_value(form, positional, all);
    while (take(','));
    if (!take(')')) unexpected("',' or ')'");
  }
  for (std::size_t i = 0; i < all.values.size(); ++i)
    if (form.parameters[i].required && !all.given[i])
      refuse(at_, fmt::format("{} needs {}: {}", form.name, form.parameters[i].name, usage(form)));
  return all.values;
}

void TextReader::read_value(const TextForm& form, bool positional, Given& all) {
  const std::size_t begin = place(), position = all.position++;
  if (form.parameters.empty()) refuse(begin, fmt::format("{} has no parameters", form.name));
  const std::string_view key = identifier();
  std::size_t i = position;
  if (positional && (key.empty() || peek() != '=')) {
    at_ = begin;
    if (i >= all.values.size())
      refuse(begin, fmt::format("more numbers than {} has parameters", usage(form)));
  } else {
    const char c = peek();
    if (key.empty() && (is_digit(c) || c == '.' || c == '-' || c == '+'))
      refuse(begin, fmt::format("name the parameter: {}", usage(form)));
    if (key.empty()) unexpected("a parameter");
    i = parameter_named(form, key, begin);
    if (!take('=')) unexpected("'='");
  }
  const TextParameter& p = form.parameters[i];
  if (all.given[i])
    refuse(begin, p.other.empty()
                      ? fmt::format("{} is given twice", p.name)
                      : fmt::format("{} and {} are the same parameter; give one of them", p.name,
                                    p.other));
  all.given[i] = true;
  const bool other = !p.other.empty() && key == p.other;
  all.values[i] = value_of(form, i, other ? p.other : p.name);
}

std::size_t TextReader::parameter_named(const TextForm& form, std::string_view key,
                                        std::size_t begin) const {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < form.parameters.size(); ++i) {
    const TextParameter& p = form.parameters[i];
    if (key == p.name || (!p.other.empty() && key == p.other)) return i;
    names.push_back(p.name);
    if (!p.other.empty()) names.push_back(p.other);
  }
  refuse(begin, fmt::format("{} has {}", form.name, no_such("parameter", key, names)));
}

double TextReader::value_of(const TextForm& form, std::size_t i, std::string_view key) {
  const TextParameter& p = form.parameters[i];
  const std::size_t begin = place();
  if (!p.domain.words.empty()) {
    const std::string_view value = word();
    for (std::size_t w = 0; w < p.domain.words.size(); ++w)
      if (p.domain.words[w] == value) return static_cast<double>(w);
    refuse(begin, fmt::format("{}: {} = {} must be {}", form.name, p.name, value,
                              either_of(p.domain.words)));
  }
  const double value = number();
  try {
    return value_spelled(form, p, key, value);
  } catch (const Error& error) {
    refuse(begin, error.what());
  }
}

}  // namespace mercer
