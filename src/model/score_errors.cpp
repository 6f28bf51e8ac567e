#include "model/score_errors.hpp"

#include "kernels/entry_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// How far k(x, y) of such rows may be off: the worst case, or less where rounding errors are
/// independent.
template <class T>
double value_error(const Kernel& kernel, const Rows<T>& rows, double largest) {
  const auto of = [&](const EntryError& e) {
    return (e.relative + e.diagonal) * largest + e.absolute;
  };
  RowExtent extent = extent_of(rows);
  const double worst = of(value_bound<T>(kernel, extent).error);
  extent.likely = true;
  return std::min(worst, of(value_bound<T>(kernel, extent).error));
}

}  // namespace

template <class T>
std::vector<double> score_errors(const ModelParts<T>& parts, const Kernel* kernel) {
  constexpr double half_unit = std::numeric_limits<T>::epsilon() / 2;
  const Space space = parts.map->space();
  if (space != Space::kernel && space != Space::precomputed) return {};
  if (!parts.mean.allFinite()) return {};  // kernel values overflow: `Model` rejects the parts
  double largest = parts.mean.template cast<double>().cwiseAbs().maxCoeff(), values = 0;
  if (space == Space::kernel) values = 8 * half_unit * largest;
  if (kernel && space == Space::kernel) {
    const Rows<T> anchors = parts.map->anchors();
    largest = kernel->diagonal(anchors).template cast<double>().cwiseAbs().maxCoeff();
    values = value_error(*kernel, anchors, largest);
  }
  const Report& r = parts.report;
  const double spread = r.total_variance * (r.weight - r.ddof) / r.weight;
  // The mean is rounded too; a sum of n terms k − m, at most ‖φ(x) − m‖‖φ(a)‖, is rounded n times.
  const auto n = static_cast<double>(parts.components.cols());
  // Errors spread evenly within these bounds have a standard deviation of 1/√3 of them, and of some
  // thousand rows the furthest is off by 2·√3 of these.
  const double entry = 2 * (values + half_unit * (largest + std::sqrt(n * spread * largest)));
  std::vector<double> out;
  for (Index j = 0; j < parts.components.rows(); ++j)
    // A component without variance has no standard deviation.
    out.push_back(parts.eigenvalues[j] > 0
                      ? entry * parts.components.row(j).template cast<double>().norm() *
                            std::sqrt(r.weight / parts.eigenvalues[j])
                      : 0);
  return out;
}

template <class T>
std::string lost_digits(const ModelParts<T>& parts, const Kernel* kernel) {
  const std::vector<double> errors = score_errors(parts, kernel);
  const auto worst = std::max_element(errors.begin(), errors.end());
  if (errors.empty() || !(*worst > std::sqrt(std::numeric_limits<T>::epsilon()))) return {};
  return fmt::format(
      "scores of new rows have errors of up to about {:.0e} standard deviations, along component "
      "{}, by the rounding of kernel values",
      *worst, worst - errors.begin() + 1);
}

#define MERCER_INSTANTIATE(T)                                                     \
  template std::vector<double> score_errors(const ModelParts<T>&, const Kernel*); \
  template std::string lost_digits(const ModelParts<T>&, const Kernel*);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
