#include <mercer/tune.hpp>

#include "core/require.hpp"
#include "core/weights.hpp"
#include "kernels/weighted_width.hpp"
#include "tune/grid.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace mercer {

namespace {

constexpr std::size_t most_cells = 1000;

double number(std::string_view text, std::string_view expression) {
  double value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  require(status == std::errc{} && end == text.data() + text.size(), Errc::bad_option,
          "'{}' in '{}' is not a number; write lists like {{0.1,1,10}} or {{0.01..10:7}}", text,
          expression);
  return value;
}

/// "0.1,1,10" as it is; "0.01..10:7" as seven numbers.
std::vector<std::string> listed(std::string_view list, std::string_view expression) {
  std::vector<std::string> items;
  const std::size_t dots = list.find("..");
  if (dots != list.npos) {
    const std::size_t colon = std::min(list.find(':', dots), list.size());
    const double from = number(list.substr(0, dots), expression);
    const double to = number(list.substr(dots + 2, colon - dots - 2), expression);
    const double count = colon < list.size() ? number(list.substr(colon + 1), expression) : 5;
    require(from > 0 && to > 0 && count >= 2 && count <= 100 && count == std::floor(count),
            Errc::bad_option,
            "the range '{}' in '{}' needs two numbers above 0 and a count from 2 to 100", list,
            expression);
    const auto n = static_cast<int>(count);
    for (int i = 0; i < n; ++i)
      items.push_back(fmt::format("{:.6g}", from * std::pow(to / from, i / (count - 1))));
    return items;
  }
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    items.emplace_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

/// The first list written out, and so on for each of the texts.
void expand(const std::string& text, std::vector<std::string>& out) {
  const std::size_t open = text.find('{');
  if (open == text.npos) {
    require(out.size() < most_cells, Errc::bad_option, "the grid has more than {} kernels",
            most_cells);
    out.push_back(text);
    return;
  }
  const std::size_t close = text.find('}', open);
  require(close != text.npos, Errc::bad_option, "'{}' has a {{ without its }}", text);
  for (const std::string& item :
       listed(std::string_view(text).substr(open + 1, close - open - 1), text))
    expand(text.substr(0, open) + item + text.substr(close + 1), out);
}

/// The kernel with the parameters that `open` leaves to the data times 1/64 … 64, all together.
void widths_around(const Kernel& open, const Kernel& completed, std::vector<std::string>& out) {
  const std::vector<KernelParameter> left = open.parameters(), known = completed.parameters();
  for (const double factor : {1. / 64, 1. / 16, 1. / 4, 1. / 2, 1., 2., 4., 16., 64.}) {
    Kernel kernel = completed;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (left[i].value) continue;
      // A length is one over the root of γ.
      const bool length = left[i].name.ends_with("length");
      const double scaled = *known[i].value * (length ? 1 / std::sqrt(factor) : factor);
      kernel = kernel.with(left[i].name, number(fmt::format("{:.6g}", scaled), completed.text()));
    }
    out.push_back(kernel.text());
  }
}

/// Some rows, filled and scaled: enough for a width.
template <class T>
Matrix<T> seen_rows(const Rows<T>& x, Scale scale, const CountedRows& some) {
  const auto n = static_cast<Index>(some.rows.size());
  Matrix<T> out(n, x.cols());
  const auto copy = identity_map<T>(x.cols());
  for (Index i = 0; i < n; ++i)
    copy->apply(x.middle(some.rows[static_cast<std::size_t>(i)], 1), out.middleRows(i, 1));
  const auto counts =
      Eigen::Map<const Vector<double>>(some.counts.data(), n).template cast<T>().array();
  for (Index j = 0; j < out.cols(); ++j) {
    auto column = out.col(j).array();
    const T there = column.isNaN().select(T(0), counts).sum();
    if (!(there > 0)) {
      column = T(0);
      continue;
    }
    const T mean = column.isNaN().select(T(0), counts * column).sum() / there;
    column = column.isNaN().select(T(0), column - mean);
    const T deviation = std::sqrt((counts * column.square()).sum() / there);
    if (scale == Scale::std && deviation > 0) column /= deviation;
  }
  return out;
}

}  // namespace

std::vector<std::string> written_out(const std::vector<std::string>& expressions) {
  std::vector<std::string> written;
  for (const std::string& expression : expressions) expand(expression, written);
  return written;
}

template <class T>
std::vector<std::string> kernel_grid(const std::vector<std::string>& expressions, const Rows<T>& x,
                                     Scale scale, Weights weights) {
  const CountedRows some = even_rows(weights_of(weights, x.rows()), x.rows(), width_rows);
  const Matrix<T> seen = seen_rows(x, scale, some);
  std::vector<std::string> grid;
  for (const std::string& text : written_out(expressions)) {
    try {
      const Kernel kernel = Kernel::parse(text);
      if (kernel.complete()) grid.push_back(kernel.text());
      else widths_around(kernel, completed_for(kernel, Rows<T>(seen), some.counts), grid);
    } catch (const Error&) {
      grid.push_back(text);  // the error is reported in its cells
    }
  }
  return grid;
}

template std::vector<std::string> kernel_grid(const std::vector<std::string>&, const Rows<float>&,
                                              Scale, Weights);
template std::vector<std::string> kernel_grid(const std::vector<std::string>&, const Rows<double>&,
                                              Scale, Weights);

}  // namespace mercer
