#include "rows/rounded_rows.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <utility>

namespace mercer::cli {

namespace {

bool holds_floats(const std::string& file) {
  if (!file.ends_with(".npy")) return false;
  std::ifstream in(file, std::ios::binary);
  std::string head(128, ' ');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return head.find("f4'") != head.npos || head.find("f2'") != head.npos;
}

/// Bound on what rounding moved each singular value of the centred rows, or of their z-scores, by.
double moved_by_rounding(const ModelParts<float>& parts) {
  const Report& r = parts.report;
  double squares = 0;  // of the mean, W times
  for (Index j = 0; j < parts.mean.size(); ++j) {
    const double scale = parts.scale.size() > 0 ? static_cast<double>(parts.scale[j]) : 1.0;
    squares += r.weight * std::pow(static_cast<double>(parts.mean[j]) / scale, 2);
  }
  squares += r.total_variance * (r.weight - r.ddof);
  // Some more for the bound being computed from the rounded numbers; the least floats lose bits.
  const double least = std::numeric_limits<float>::denorm_min() *
                       std::sqrt(r.weight * static_cast<double>(parts.mean.size()));
  return (parts.scale.size() > 0 ? 2 : 1) * (0x1.01p-24 * std::sqrt(squares) + least);
}

}  // namespace

bool hold_floats(const std::vector<std::string>& files) {
  return std::ranges::all_of(files, holds_floats);
}

Model<float> of_rounded_rows(Model<float> model, double tolerance) {
  ModelParts<float> parts = model.parts();
  Certificate& c = parts.report.certificate;
  if (c.low.empty() || !parts.map || !parts.map->is_identity()) return model;
  const double moved = moved_by_rounding(parts), first = parts.eigenvalues[0];
  const double added = (2 * std::sqrt(first) + moved) * moved, allowed = std::max(1e-5, tolerance);
  if (!((c.rounding + added) / first <= allowed))
    throw Error(Errc::not_converged,
                fmt::format("rounding the rows to float leaves the eigenvalues uncertain by {:.1e} "
                            "of the first, above {:.0e}; omit --precision float",
                            (c.rounding + added) / first, allowed));
  c.rounding += added;
  for (std::size_t j = 0; j < c.low.size(); ++j) {
    // A singular value is not negative: its interval ends at 0.
    c.low[j] = std::pow(std::max(0.0, std::sqrt(c.low[j]) - moved), 2);
    c.high[j] = std::pow(std::sqrt(c.high[j]) + moved, 2);
  }
  return Model<float>(std::move(parts));
}

}  // namespace mercer::cli
