#include "core/json_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace mercer {

namespace {

using Json = nlohmann::ordered_json;

class Printer {
 public:
  explicit Printer(int indent) : indent_(indent) {}

  void print(const Json& value, int depth) {
    if (value.is_object()) print_object(value, depth);
    else if (value.is_array()) print_array(value, depth);
    else if (value.is_number_float()) print_number(value.get<double>());
    else print_scalar(value);
  }

  std::string take() { return std::move(out_); }

 private:
  void print_object(const Json& object, int depth) {
    out_ += '{';
    const char* separator = "";
    for (const auto& [key, value] : object.items()) {
      out_ += separator;
      separator = ",";
      new_line(depth + 1);
      print_scalar(key);
      out_ += indent_ < 0 ? ":" : ": ";
      print(value, depth + 1);
    }
    if (!object.empty()) new_line(depth);
    out_ += '}';
  }

  void print_array(const Json& array, int depth) {
    const bool flat =
        std::none_of(array.begin(), array.end(), [](const Json& v) { return v.is_structured(); });
    out_ += '[';
    const char* separator = "";
    for (const Json& value : array) {
      out_ += separator;
      separator = flat && indent_ >= 0 ? ", " : ",";
      if (!flat) new_line(depth + 1);
      print(value, depth + 1);
    }
    if (!flat) new_line(depth);
    out_ += ']';
  }

  void print_number(double number) {
    if (std::isfinite(number)) fmt::format_to(std::back_inserter(out_), "{}", number);
    else out_ += "null";
  }

  void print_scalar(const Json& value) {
    out_ += value.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void new_line(int depth) {
    if (indent_ < 0) return;
    out_ += '\n';
    out_.append(static_cast<std::size_t>(indent_) * static_cast<std::size_t>(depth), ' ');
  }

  int indent_;
  std::string out_;
};

}  // namespace

std::string json_text(const nlohmann::ordered_json& value, int indent) {
  Printer printer(indent);
  printer.print(value, 0);
  return printer.take();
}

}  // namespace mercer
