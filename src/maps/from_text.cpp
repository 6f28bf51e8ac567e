#include "maps/from_text.hpp"

#include "core/require.hpp"

#include <charconv>

namespace mercer {

namespace {

template <class T>
struct Row {
  std::string_view name;
  std::shared_ptr<const Map<T>> (*plain)(Index inputs);
  std::shared_ptr<const Map<T>> (*of_degree)(Index inputs, int degree);  // when not `plain`
};

// A new map adds its row here.
template <class T>
constexpr Row<T> table[] = {
    {"identity", identity_map<T>, nullptr},  {"squares", squares_map<T>, nullptr},
    {"monomials", nullptr, monomial_map<T>}, {"polynomial", nullptr, polynomial_map<T>},
    {"plain", nullptr, plain_map<T>},
};

/// Reads what follows the name: `()` or `(degree=3)`, spaces allowed.
class Arguments {
 public:
  explicit Arguments(std::string_view text)
      : text_(text), at_(std::min(text.find('('), text.size())) {}

  bool take(std::string_view word) {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  void expect(std::string_view word) {
    if (!take(word)) wrong(fmt::format("'{}'", word));
  }
  int number() {
    take("");
    int value = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), value);
    if (error != std::errc()) wrong("a number");
    at_ += static_cast<std::size_t>(end - begin);
    return value;
  }
  /// `(name=number)` and the end.
  int only(std::string_view name) {
    for (const std::string_view word : {std::string_view("("), name, std::string_view("=")})
      expect(word);
    const int value = number();
    expect(")");
    end();
    return value;
  }
  void end() {
    take("");
    if (at_ != text_.size()) wrong("the end");
  }

 private:
  [[noreturn]] void wrong(std::string_view expected) const {
    fail(Errc::bad_option, "map '{}': expected {} at position {}", text_.substr(0, 80), expected,
         at_ + 1);
  }

  std::string_view text_;
  std::size_t at_;
};

/// What stands before the parenthesis.
std::string_view name_of(std::string_view text) {
  std::string_view name = text.substr(0, text.find('('));
  while (name.ends_with(' ')) name.remove_suffix(1);
  return name;
}

}  // namespace

Index anchor_columns(std::string_view text, Index inputs) {
  if (text == "kernel" || text == "fourier") return inputs;
  return name_of(text) == "tensorsketch" ? inputs + 1 : 0;
}

template <class T>
std::shared_ptr<const Map<T>> map_from_text(std::string_view text, Index inputs) {
  const std::string_view name = name_of(text);
  require(name != "function", Errc::bad_option,
          "the map '{}' is a function of the program that fitted the model: only that program can "
          "apply it",
          text.substr(0, 80));
  for (const Row<T>& row : table<T>) {
    if (row.name != name) continue;
    Arguments arguments(text);
    if (row.plain != nullptr) {
      if (arguments.take("(")) arguments.expect(")");
      arguments.end();
      return row.plain(inputs);
    }
    return row.of_degree(inputs, arguments.only("degree"));
  }
  return nullptr;
}

template <class T>
std::shared_ptr<const Map<T>> map_from_parts(std::string_view text, Index inputs,
                                             std::string_view kernel, Anchors<T> anchors) {
  if (text == "precomputed") return precomputed_map<T>(inputs);
  if (anchor_columns(text, inputs) == 0) return map_from_text<T>(text, inputs);
  const Kernel k = Kernel::parse(kernel);
  if (text == "kernel")
    return std::visit([&](auto& rows) { return kernel_map<T>(k, std::move(rows)); }, anchors);
  auto* const numbers = std::get_if<Matrix<T>>(&anchors);
  require(numbers != nullptr, Errc::bad_option, "the numbers of the map '{}' are sparse",
          text.substr(0, 80));
  if (text == "fourier") return fourier_map<T>(k, std::move(*numbers));
  Arguments arguments(text);
  return tensor_sketch_map<T>(k, arguments.only("features"), std::move(*numbers));
}

template std::shared_ptr<const Map<float>> map_from_text(std::string_view, Index);
template std::shared_ptr<const Map<double>> map_from_text(std::string_view, Index);
template std::shared_ptr<const Map<float>> map_from_parts(std::string_view, Index, std::string_view,
                                                          Anchors<float>);
template std::shared_ptr<const Map<double>> map_from_parts(std::string_view, Index,
                                                           std::string_view, Anchors<double>);

}  // namespace mercer
