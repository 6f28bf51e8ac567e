// Approximations as text: name(parameter=value, …).
#include "core/closest_name.hpp"
#include "core/require.hpp"

#include <mercer/approx.hpp>

#include <charconv>
#include <functional>
#include <vector>

namespace mercer {

namespace {

constexpr std::string_view choices[] = {"uniform", "kmeans", "leverage", "cholesky"};

/// One parameter: its name, and what its value does to the approximation. False: not a value of it.
struct Parameter {
  std::string_view name, domain;
  std::function<bool(Approx&, std::string_view)> set;
};

struct Row {
  std::string_view name;
  Approx standard;
  std::vector<Parameter> parameters;
};

template <class Number>
bool read(std::string_view text, Number& out) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  return error == std::errc() && end == text.data() + text.size();
}

template <class Kind>
Parameter count(std::string_view name, Index Kind::*member) {
  return {name, "a whole number from 1 on", [member](Approx& a, std::string_view text) {
            Index& value = std::get<Kind>(a).*member;
            return read(text, value) && value >= 1;
          }};
}

template <class Kind>
Parameter share(std::string_view name, double Kind::*member) {
  return {name, "a number between 0 and 1", [member](Approx& a, std::string_view text) {
            double& value = std::get<Kind>(a).*member;
            return read(text, value) && value > 0 && value < 1;
          }};
}

// A new approximation adds its row here.
const std::vector<Row>& table() {
  static const std::vector<Row> rows = {
      {"nystrom",
       Nystrom{},
       {count("landmarks", &Nystrom::landmarks),
        {"by", "uniform, kmeans, leverage or cholesky",
         [](Approx& a, std::string_view text) {
           for (std::size_t i = 0; i < std::size(choices); ++i)
             if (choices[i] == text) {
               std::get<Nystrom>(a).by = static_cast<LandmarkChoice>(i);
               return true;
             }
           return false;
         }},
        share("error", &Nystrom::error)}},
      {"cholesky",
       Cholesky{},
       {count("rank", &Cholesky::rank), share("tolerance", &Cholesky::tolerance),
        share("error", &Cholesky::error)}},
      {"fourier",
       Fourier{},
       {count("features", &Fourier::features),
        {"orthogonal", "yes or no",
         [](Approx& a, std::string_view text) {
           std::get<Fourier>(a).orthogonal = text == "yes";
           return text == "yes" || text == "no";
         }},
        share("error", &Fourier::error)}},
      {"tensorsketch",
       TensorSketch{},
       {count("features", &TensorSketch::features), share("error", &TensorSketch::error)}},
  };
  return rows;
}

/// Names in a row, for messages.
template <class List>
std::string listed(const List& list) {
  std::string out;
  for (const auto& one : list) out += fmt::format("{}{}", out.empty() ? "" : ", ", one.name);
  return out;
}

template <class List>
std::string no_such(const List& list, std::string_view wanted) {
  std::vector<std::string> names;
  names.reserve(std::size(list));
  for (const auto& one : list) names.emplace_back(one.name);
  const std::string* close = closest_name(wanted, names);
  return close ? fmt::format("did you mean {}?", *close)
               : fmt::format("there are {}", listed(list));
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Approx all() {
    const std::size_t begin = skip();
    const std::string_view name = word();
    for (const Row& row : table()) {
      if (row.name != name) continue;
      Approx approx = row.standard;
      if (take('(') && !take(')')) {
        do parameter(row, approx);
        while (take(','));
        if (!take(')')) complain(at_, "',' or ')' should follow");
      }
      if (skip() != text_.size()) complain(at_, "it should end here");
      return approx;
    }
    complain(begin, fmt::format("no approximation '{}'; {}", name, no_such(table(), name)));
  }

 private:
  [[noreturn]] void complain(std::size_t at, const std::string& what) const {
    fail(Errc::bad_option, "approximation '{}', column {}: {}", text_.substr(0, 80), at + 1, what);
  }
  std::size_t skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_;
  }
  bool take(char c) {
    if (skip() == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  std::string_view word() {
    const std::size_t begin = skip();
    at_ = std::min(text_.find_first_of(" =,()", begin), text_.size());
    return text_.substr(begin, at_ - begin);
  }
  void parameter(const Row& row, Approx& approx) {
    const std::size_t begin = skip();
    const std::string_view key = word();
    for (const Parameter& p : row.parameters) {
      if (p.name != key) continue;
      if (!take('=')) complain(at_, "'=' should follow");
      const std::size_t value_begin = skip();
      const std::string_view value = word();
      if (!p.set(approx, value))
        complain(value_begin, fmt::format("{} = '{}' is not {}", key, value, p.domain));
      return;
    }
    complain(begin, fmt::format("{} has no parameter '{}'; {}", row.name, key,
                                no_such(row.parameters, key)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Approx parse_approx(std::string_view text) { return Reader(text).all(); }

double error_limit(const Approx& approx) {
  return std::visit([](const auto& a) { return a.error; }, approx);
}

std::string text_of(const Approx& approx) {
  const double limit = error_limit(approx);
  const std::string error = limit > 0 ? fmt::format(", error={}", limit) : std::string();
  if (const auto* a = std::get_if<Nystrom>(&approx))
    return fmt::format("nystrom(landmarks={}, by={}{})", a->landmarks,
                       choices[static_cast<std::size_t>(a->by)], error);
  if (const auto* a = std::get_if<Cholesky>(&approx))
    return a->rank > 0 ? fmt::format("cholesky(rank={}{})", a->rank, error)
                       : fmt::format("cholesky(tolerance={}{})", a->tolerance, error);
  if (const auto* a = std::get_if<Fourier>(&approx))
    return fmt::format("fourier(features={}, orthogonal={}{})", a->features,
                       a->orthogonal ? "yes" : "no", error);
  return fmt::format("tensorsketch(features={}{})", std::get<TensorSketch>(approx).features, error);
}

}  // namespace mercer
