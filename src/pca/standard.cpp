#include "pca/standard.hpp"

#include "core/require.hpp"
#include "operators/centred.hpp"
#include "pca/row_sums.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// Of z-scores: u for each of x − mean, − rest and the quotient, and the error of the deviation. A
/// square is off by 4u, their sum by no more, what is taken off for the mean by less; a root halves
/// that. Σw − ddof is off by 2u·Σw.
CellError error_of_scores(const Standard& s, double weight, double denominator, bool centred,
                          bool filled) {
  constexpr double u = unit_roundoff;
  const double deviation = 6 * u + 1.01 * u * weight / denominator;
  CellError out{.relative = 1.01 * (3 * u + deviation)};
  if (!centred) return out;
  double rest = 0;  // in units of the deviations
  for (Index j = 0; j < s.rest.size(); ++j) rest = std::max(rest, std::abs(s.rest[j]) / s.scale[j]);
  out.shift = 4 * u * (1 + rest);
  if (filled) out.apart = out.shift;  // missing cells lie on the mean itself
  return out;
}

}  // namespace

template <class T>
Standard find_standard(Passes<T>& passes, const FitOptions& options) {
  const Index d = passes.features();
  const bool fill = options.missing == Missing::mean;
  Standard out{means_of(passes, options)};
  if (options.scale != Scale::std) return out;

  const ScaleSums sums = scale_sums(passes, options, out.mean);
  const double weight = sums.all.value(), denominator = weight - options.ddof;
  constexpr double epsilon_of_data = std::numeric_limits<T>::epsilon();
  out.scale.resize(d);
  Vector<double> scatters(d);
  for (Index j = 0; j < d; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const double counted = fill ? sums.present[at].value() : weight;
    const double sum = sums.sums[at].value();
    double scatter = sums.squares[at].value();
    out.rest[j] = 0;
    if (counted > 0) {
      // The mean is rounded, at 1e15 to the nearest eighth: what that adds is taken off.
      out.rest[j] = sum / counted;
      scatter -= sum * out.rest[j];
    }
    scatters[j] = scatter;
    const double about_zero = scatter + weight * out.mean[j] * out.mean[j];
    out.constant.push_back(is_constant(scatter, about_zero, epsilon_of_data));
    // As in `take_divisors`: numbers differ, by a unit in the last place of one at least.
    if (out.constant.back() && !is_constant(16 * static_cast<double>(passes.rows()) * scatter,
                                            about_zero, epsilon_of_data))
      out.as_constant.push_back(j);
    out.scale[j] = standard_deviation(scatter, about_zero, denominator, epsilon_of_data);
    // Rows that keep their mean keep such a column as it was before it was multiplied.
    if (out.constant.back() && !options.center) out.scale[j] = std::ldexp(1.0, passes.exponent());
  }
  require_squares(scatters, out.mean);
  out.error = error_of_scores(out, weight, denominator, options.center, fill);
  if (!options.center) {
    out.mean.setZero();
    out.rest.resize(0);
  }
  return out;
}

std::string constant_columns(const std::vector<Index>& columns, std::string_view fate) {
  if (columns.empty()) return {};
  constexpr std::size_t shown = 5;
  std::string list;
  for (std::size_t i = 0; i < std::min(shown, columns.size()); ++i)
    list += fmt::format("{}{}", i == 0 ? "" : ", ", columns[i] + 1);
  if (columns.size() > shown) list += fmt::format(" and {} more", columns.size() - shown);
  const bool one = columns.size() == 1;
  return fmt::format("column{} {} var{} by no more than the rounding of {} numbers and {} {}",
                     one ? "" : "s", list, one ? "ies" : "y", one ? "its" : "their",
                     one ? "is" : "are", fate);
}

template Standard find_standard(Passes<float>&, const FitOptions&);
template Standard find_standard(Passes<double>&, const FitOptions&);

}  // namespace mercer
