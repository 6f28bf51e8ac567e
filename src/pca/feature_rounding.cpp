#include "pca/feature_rounding.hpp"

#include "core/require.hpp"
#include "maps/feature_error.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// For errors of second order, and for the rounding of the bounds themselves.
constexpr double feature_slack = 1.01;

/// Bound on ‖δΦ‖_F.
template <class T>
double moved_by_rounding(const ModelParts<T>& parts, const Map<T>& map, const CellError& cells) {
  const Report& r = parts.report;
  const FeatureError e = feature_error(map);
  const auto inputs = static_cast<double>(map.inputs());
  double squares = r.total_variance * (r.weight - r.ddof);  // ‖Φ‖_F² about 0
  if (r.centered) squares += r.weight * parts.mean.template cast<double>().squaredNorm();
  const double of_cells =
      cells.relative * std::sqrt(squares) + cells.shift * inputs * std::sqrt(r.weight + squares);
  return feature_slack * (e.relative * std::sqrt(squares) +
                          e.absolute * std::sqrt(r.weight * static_cast<double>(map.features())) +
                          e.degree * of_cells);
}

}  // namespace

template <class T>
void add_feature_rounding(ModelParts<T>& parts, const Map<T>& map, const CellError& cells,
                          double allowed, double measured) {
  Certificate& c = parts.report.certificate;
  if (c.low.empty()) return;
  const double moved =
      measured < 0 ? moved_by_rounding(parts, map, cells) : feature_slack * std::sqrt(measured);
  const double first = parts.eigenvalues[0];
  const double added = (2 * std::sqrt(first) + moved) * moved, off = (c.rounding + added) / first;
  // NaN must fail too.
  require(off <= allowed, Errc::not_converged,
          "{}: rounding of the features leaves the eigenvalues uncertain by {:.1e} of the first, "
          "above the tolerance {:.1e}: {}; {}centre and scale the data (`scale=std`)",
          map.text(), off, allowed,
          measured < 0 ? "their mean is large relative to their spread"
                       : "an expression loses digits, or is near the end of its domain",
          off < 0.05 ? fmt::format("use `tolerance={:.0e}`, or ", 2 * off) : "");
  c.rounding += added;
  for (std::size_t j = 0; j < c.low.size(); ++j) {
    // A singular value is not negative: its interval ends at 0. The last factors are for the
    // rounding of these ends.
    const double least = std::max(0.0, std::sqrt(c.low[j]) - moved);
    const double most = std::sqrt(c.high[j]) + moved;
    c.low[j] = std::min(c.low[j], least * least * (1 - 0x1p-50));
    c.high[j] = std::max(c.high[j], most * most * (1 + 0x1p-50));
  }
}

template void add_feature_rounding(ModelParts<float>&, const Map<float>&, const CellError&, double,
                                   double);
template void add_feature_rounding(ModelParts<double>&, const Map<double>&, const CellError&,
                                   double, double);

}  // namespace mercer
