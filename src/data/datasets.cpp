#include <mercer/datasets.hpp>

#include "core/closest_name.hpp"
#include "core/random.hpp"
#include "core/require.hpp"

#include <array>
#include <cmath>
#include <numbers>
#include <vector>

namespace mercer::datasets {

namespace {

using std::numbers::pi;

constexpr Index most_rows = 10'000'000;
constexpr double most_noise = 1e100;

/// A row of a data set: its numbers and its label.
struct Drawn {
  std::array<double, 3> x;
  std::string_view label;
};

/// Draws row i of n. Noise is added by the caller, except where it is part of the set.
using DrawRow = Drawn (*)(Index i, Index n, double noise, Random& random);

/// A number in (0, 1) for row i of n: evenly spaced with a random offset.
double spread(Index i, Index n, Random& random) {
  return (static_cast<double>(i) + random.uniform()) / static_cast<double>(n);
}

Drawn draw_clouds(Index i, Index n, double noise, Random& random) {
  const bool first = 9 * i < 4 * n;
  const double centre = first ? 0.5 : 1, deviation = noise / (first ? 9 : 6);
  const double x1 = random.normal(), x2 = random.normal();
  return {{centre + deviation * x1, centre + deviation * x2, 0}, first ? "first" : "second"};
}

Drawn draw_circle(Index i, Index n, double, Random& random) {
  const double t = 2 * pi * spread(i, n, random);
  return {{std::cos(t), std::sin(t), 0}, {}};
}

// With x1 = 2 cos t and x2 − x1/2 = sin t, x1²/4 + (x2 − x1/2)² = 1.
Drawn draw_ellipse(Index i, Index n, double, Random& random) {
  const double t = 2 * pi * spread(i, n, random);
  return {{2 * std::cos(t), std::cos(t) + std::sin(t), 0}, {}};
}

Drawn draw_parabola(Index i, Index n, double, Random& random) {
  const double x1 = 2 * spread(i, n, random) - 1;
  return {{x1, x1 * x1, 0}, {}};
}

// Rows alternate between the classes, each evenly spaced.
Drawn draw_rings(Index i, Index n, double, Random& random) {
  const bool inner = i % 2 == 0;
  const double t = 2 * pi * spread(i / 2, inner ? (n + 1) / 2 : n / 2, random);
  const double radius = inner ? 1 : 3;
  return {{radius * std::cos(t), radius * std::sin(t), 0}, inner ? "inner" : "outer"};
}

Drawn draw_moons(Index i, Index n, double, Random& random) {
  const bool upper = i % 2 == 0;
  const double t = pi * spread(i / 2, upper ? (n + 1) / 2 : n / 2, random);
  if (upper) return {{std::cos(t), std::sin(t), 0}, "upper"};
  return {{1 - std::cos(t), 0.5 - std::sin(t), 0}, "lower"};
}

Drawn draw_swissroll(Index i, Index n, double, Random& random) {
  constexpr std::array<std::string_view, 6> parts = {"1", "2", "3", "4", "5", "6"};
  const double along = spread(i, n, random), t = 1.5 * pi * (1 + 2 * along);
  const double across = 21 * random.uniform();
  return {{t * std::cos(t), across, t * std::sin(t)}, parts[static_cast<std::size_t>(6 * along)]};
}

struct DatasetRow {
  Entry entry;
  Index columns;
  bool labels;
  bool own_noise;  ///< the row contains its noise
  DrawRow draw;
};

// A new data set adds its row here.
const std::vector<DatasetRow>& dataset_rows() {
  static const std::vector<DatasetRow> rows = {
      {{"clouds", "two Gaussian clouds, randn/9 + 0.5 and randn/6 + 1; noise is a factor", 1800, 1},
       2,
       true,
       true,
       draw_clouds},
      {{"circle", "x1\u00b2 + x2\u00b2 = 1", 200, 0}, 2, false, false, draw_circle},
      {{"ellipse", "x1\u00b2 - 2 x1 x2 + 2 x2\u00b2 = 2", 200, 0}, 2, false, false, draw_ellipse},
      {{"parabola", "x2 = x1\u00b2, x1 from -1 to 1", 200, 0}, 2, false, false, draw_parabola},
      {{"rings", "circles of radius 1 and 3", 300, 0.15}, 2, true, false, draw_rings},
      {{"moons", "two half circles, one inverted", 300, 0.05}, 2, true, false, draw_moons},
      {{"swissroll", "a rolled-up plane in 3-D, with six labels along the roll", 1000, 0},
       3,
       true,
       false,
       draw_swissroll},
  };
  return rows;
}

Table<double> generated(const DatasetRow& row, const Options& options) {
  const Index n = options.rows == 0 ? row.entry.rows : options.rows;
  require(n >= 1 && n <= most_rows, Errc::bad_option,
          "a data set has between 1 and {} rows, not {}", most_rows, n);
  const double noise = options.noise.value_or(row.entry.noise);
  require(noise >= 0 && noise <= most_noise, Errc::bad_option,
          "`noise={}` is not a number between 0 and {:g}", noise, most_noise);
  Table<double> out;
  out.schema.features = row.columns;
  for (Index j = 0; j < row.columns; ++j)
    out.schema.feature_names.push_back(fmt::format("x{}", j + 1));
  if (row.labels) out.schema.label = "class";
  out.x.resize(n, row.columns);
  Random random(options.seed);
  for (Index i = 0; i < n; ++i) {
    const Drawn drawn = row.draw(i, n, noise, random);
    for (Index j = 0; j < row.columns; ++j) {
      // Drawn also without noise, so that rows with and without it differ by the noise only.
      const double by = row.own_noise ? 0 : noise * random.normal();
      out.x(i, j) = drawn.x[static_cast<std::size_t>(j)] + by;
    }
    if (row.labels) out.labels.push_back(drawn.label);
  }
  return out;
}

}  // namespace

Table<double> make(std::string_view name, const Options& options) {
  std::vector<std::string> names;
  for (const DatasetRow& row : dataset_rows()) {
    if (row.entry.name == name) return generated(row, options);
    names.push_back(row.entry.name);
  }
  const std::string* close = closest_name(name, names);
  fail(Errc::bad_option, "there is no data set '{}'; {}the data sets are {}", name,
       close ? fmt::format("did you mean {}? ", *close) : "", fmt::join(names, ", "));
}

std::span<const Entry> table() {
  static const std::vector<Entry> entries = [] {
    std::vector<Entry> out;
    for (const DatasetRow& row : dataset_rows()) out.push_back(row.entry);
    return out;
  }();
  return entries;
}

Table<double> clouds(const Options& options) { return make("clouds", options); }
Table<double> circle(const Options& options) { return make("circle", options); }
Table<double> ellipse(const Options& options) { return make("ellipse", options); }
Table<double> parabola(const Options& options) { return make("parabola", options); }
Table<double> rings(const Options& options) { return make("rings", options); }
Table<double> moons(const Options& options) { return make("moons", options); }
Table<double> swissroll(const Options& options) { return make("swissroll", options); }

}  // namespace mercer::datasets
