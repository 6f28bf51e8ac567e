#include "core/require.hpp"
#include "pictures/label_places.hpp"
#include "pictures/points.hpp"

#include <mercer/picture.hpp>

#include <algorithm>
#include <numeric>

namespace mercer {

namespace {

using svg::number;

constexpr std::size_t most_named = 12;

/// Linear, unless the outliers would press all others into a corner.
struct StatisticAxis {
  bool logarithmic = false;
  double floor = 0;  // numbers below are drawn there
  Range range{0, 1};
};

StatisticAxis axis_of(const Vector<double>& values, const std::optional<double>& limit) {
  StatisticAxis axis;
  const double most = std::max(values.maxCoeff(), limit.value_or(0));
  Vector<double> sorted = values;
  std::nth_element(sorted.data(), sorted.data() + sorted.size() / 2, sorted.data() + sorted.size());
  const double usual = limit && *limit > 0 ? *limit : sorted[sorted.size() / 2];
  axis.logarithmic = usual > 0 && most > 8 * usual;
  if (axis.logarithmic) {
    axis.floor = std::max(usual / 1e3, most / 1e12);
    axis.range = {std::max(axis.floor, values.minCoeff()), most};
  } else {
    axis.range = {0, most > 0 ? most : 1};
  }
  return axis;
}

Vector<double> raised(const Vector<double>& values, const StatisticAxis& axis) {
  return axis.logarithmic ? Vector<double>(values.cwiseMax(axis.floor)) : values;
}

std::string limit_text(double level) { return fmt::format("{:g} %", 100 * level); }

}  // namespace

std::string t2spe_svg(const RowScores& rows, const ScoreLimits& limits,
                      const PlotOptions& options) {
  const Index n = rows.t2.size();
  require(n > 0, Errc::bad_data, "there are no rows to draw");
  require(options.names.empty() || static_cast<Index>(options.names.size()) == n, Errc::bad_option,
          "there are {} names for {} rows", options.names.size(), n);
  const bool has_spe = rows.spe.size() == n;
  // Without SPE rows stand in their order.
  const Vector<double> across =
      has_spe ? rows.t2 : Vector<double>(Vector<double>::LinSpaced(n, 1, static_cast<double>(n)));
  const Vector<double>& up = has_spe ? rows.spe : rows.t2;
  require(across.allFinite() && up.allFinite(), Errc::bad_data, "statistics are not all finite");
  const std::optional<double> x_limit = has_spe ? limits.t2 : std::nullopt;
  const std::optional<double> y_limit = has_spe ? limits.spe : limits.t2;
  const StatisticAxis ax =
      has_spe ? axis_of(across, x_limit) : StatisticAxis{false, 0, {1, static_cast<double>(n)}};
  const StatisticAxis ay = axis_of(up, y_limit);

  const std::vector<Flag> flags = flagged(rows, limits);
  const bool spe_limit = has_spe && limits.spe;
  const char* names[] = {!limits.t2 && !spe_limit ? "no limits"
                         : has_spe && !limits.spe ? "within T\u00b2"
                         : !limits.t2             ? "within SPE"
                                                  : "within",
                         "beyond T\u00b2", "beyond SPE", "beyond both"};
  PlotOptions coloured = options;
  coloured.labels.clear();
  // In this order whatever row comes first: the colours are those of the flags.
  Points points = points_of(raised(across, ax), raised(up, ay), coloured);
  for (const char* name : names) points.groups.names.emplace_back(name);
  for (const Flag flag : flags) points.groups.of_point.push_back(static_cast<std::size_t>(flag));
  std::vector<LegendEntry> legend;
  const std::vector<LegendEntry> all = legend_of(points);
  for (std::size_t f = 0; f < 4; ++f)
    if (std::count(flags.begin(), flags.end(), static_cast<Flag>(f)) > 0) legend.push_back(all[f]);

  std::vector<std::string> notes = notes_of(points, false);
  if (points.dense) notes[0] = notes[0].substr(0, notes[0].find(';'));
  if ((ax.logarithmic && across.minCoeff() < ax.floor) ||
      (ay.logarithmic && up.minCoeff() < ay.floor))
    notes.emplace_back("Values below a thousandth of the limit are drawn at the edge");
  if (has_spe && !limits.t2 && !limits.spe && limits.t2_from == limits.spe_from) {
    notes.push_back("No limits: " + limits.t2_from);
  } else {
    if (!limits.t2) notes.push_back("No limit of T\u00b2: " + limits.t2_from);
    if (has_spe && !limits.spe) notes.push_back("No limit of SPE: " + limits.spe_from);
  }
  const Figure figure(options, has_spe ? "T\u00b2 and SPE" : "T\u00b2 of each row", legend, notes);
  const Box& b = figure.box();
  const Frame frame{b, AxisScale(ax.range.low, ax.range.high, ax.logarithmic, b.width),
                    AxisScale(ay.range.low, ay.range.high, ay.logarithmic, b.height)};
  std::string out = Figure::axes(frame, has_spe ? "T\u00b2, within the principal subspace" : "row",
                                 has_spe ? "SPE, away from it" : "T\u00b2");
  LabelPlaces places(b);
  out += points_svg(points, frame);
  if (x_limit) {
    const double x = frame.x(*x_limit);
    out += fmt::format("<path class=\"limit\" d=\"M{} {}v{}\"/>", number(x), number(b.y),
                       number(b.height));
    places.block({x - 1, b.y, 2, b.height});
    out += placed_label(places, x, b.y + 10, 1, 0, limit_text(limits.level), 12, "#555555");
  }
  if (y_limit) {
    const double y = frame.y(*y_limit);
    out += fmt::format("<path class=\"limit\" d=\"M{} {}h{}\"/>", number(b.x), number(y),
                       number(b.width));
    places.block({b.x, y - 1, b.width, 2});
    out +=
        placed_label(places, b.x + b.width - 26, y, 0, -1, limit_text(limits.level), 12, "#555555");
  }
  // Names of the rows that are furthest out, by how many times their limit.
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  const auto excess = [&](Index i) {
    const double t2 = limits.t2 && *limits.t2 > 0 ? rows.t2[i] / *limits.t2 : 0;
    const double spe = has_spe && limits.spe && *limits.spe > 0 ? rows.spe[i] / *limits.spe : 0;
    return std::max(t2, spe);
  };
  const std::size_t named = std::min(order.size(), most_named);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(named), order.end(),
                    [&](Index i, Index j) { return excess(i) > excess(j); });
  for (std::size_t i = 0; i < named; ++i) {
    const double x = frame.x(points.x[order[i]]), y = frame.y(points.y[order[i]]);
    if (flags[static_cast<std::size_t>(order[i])] != Flag::none) places.block({x - 4, y - 4, 8, 8});
  }
  for (std::size_t i = 0; i < named; ++i) {
    const Index row = order[i];
    if (flags[static_cast<std::size_t>(row)] == Flag::none) continue;
    const std::string name = options.names.empty() ? std::to_string(row + 1)
                                                   : options.names[static_cast<std::size_t>(row)];
    out += placed_label(places, frame.x(points.x[row]), frame.y(points.y[row]), 1, -1, name, 16,
                        "#222222");
  }
  return figure.page(out + Figure::border(b));
}

}  // namespace mercer
