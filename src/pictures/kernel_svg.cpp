// A kernel over distance, and the kernel matrix of rows as a heat map.
#include "core/require.hpp"
#include "pictures/groups.hpp"
#include "pictures/raster.hpp"

#include <mercer/figures.hpp>
#include <mercer/map.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace mercer {

namespace {

using svg::number;

constexpr Index most_kernel_rows = 384, most_kernel_cells = 96, most_pairs = 500;
constexpr const char* same_colour = "#0072b2";
constexpr const char* other_colour = "#d55e00";

/// The rows of a heat map: sorted by label, at most `most_kernel_rows` of them.
struct KernelSample {
  Matrix<double> x;
  Groups groups;
  std::vector<std::size_t> group_of;  // of each row of x; empty: no labels
};

KernelSample kernel_sample(const Rows<double>& rows, const PlotOptions& options) {
  const Index n = rows.rows(), count = std::min(n, most_kernel_rows);
  KernelSample out;
  out.groups = group(options.labels, svg::label_colours);
  std::vector<Index> chosen(static_cast<std::size_t>(count));
  for (Index i = 0; i < count; ++i) chosen[static_cast<std::size_t>(i)] = i * n / count;
  const auto group_at = [&](Index row) {
    return out.groups.of_point[static_cast<std::size_t>(row)];
  };
  if (!options.labels.empty())
    std::stable_sort(chosen.begin(), chosen.end(),
                     [&](Index a, Index b) { return group_at(a) < group_at(b); });
  out.x.resize(count, rows.cols());
  const auto copy = identity_map<double>(rows.cols());
  for (Index i = 0; i < count; ++i) {
    const Index row = chosen[static_cast<std::size_t>(i)];
    copy->apply(rows.middle(row, 1), out.x.middleRows(i, 1));
    if (!options.labels.empty()) out.group_of.push_back(group_at(row));
  }
  return out;
}

/// k along a line from a row, if k(x, y) depends on the distance of x and y alone: compared along
/// two lines from different rows.
std::optional<Vector<double>> radial_curve(const Kernel& kernel, const Matrix<double>& x,
                                           double reach, Index steps) {
  const Index d = x.cols();
  const auto along = [&](Index row, Index axis, double sign) {
    Matrix<double> line = x.row(row).replicate(steps + 1, 1);
    for (Index i = 0; i <= steps; ++i)
      line(i, axis) += sign * reach * static_cast<double>(i) / static_cast<double>(steps);
    const Matrix<double> from = x.row(row);
    return Vector<double>(
        kernel.matrix(Rows<double>(from), Rows<double>(line), {.threads = 1}).row(0).transpose());
  };
  // A diagonal line too: the sum of absolute differences is a distance of another kind.
  const auto diagonal = [&](Index row) {
    const Matrix<double> from = x.row(row);
    const Matrix<double> to =
        (from.array() + 0.3 * reach / std::sqrt(static_cast<double>(d))).matrix();
    return kernel.matrix(Rows<double>(from), Rows<double>(to), {.threads = 1})(0, 0);
  };
  try {
    const Vector<double> first = along(0, 0, 1), other = along(x.rows() / 2, d - 1, -1);
    const double size = first.cwiseAbs().maxCoeff();
    Matrix<double> at(1, d);
    at.row(0) = x.row(0);
    at(0, 0) += 0.3 * reach;
    const Matrix<double> from = x.row(0);
    const double straight =
        kernel.matrix(Rows<double>(from), Rows<double>(at), {.threads = 1})(0, 0);
    if ((first - other).cwiseAbs().maxCoeff() > 1e-6 * size ||
        std::abs(diagonal(0) - straight) > 1e-6 * size)
      return std::nullopt;
    return first;
  } catch (const Error&) {
    return std::nullopt;  // the lines leave its domain
  }
}

struct KernelPair {
  double distance, value;
  bool same;
};

std::vector<KernelPair> kernel_pairs(const KernelSample& sample, const Matrix<double>& k) {
  std::vector<KernelPair> out;
  const Index n = sample.x.rows(), all = n * (n - 1) / 2;
  const Index step = std::max<Index>(1, all / most_pairs) | 1;  // odd: no column is left out
  for (Index i = 0, at = 0; i < n; ++i)
    for (Index j = i + 1; j < n; ++j, ++at) {
      if (at % step != 0) continue;
      const auto a = static_cast<std::size_t>(i), b = static_cast<std::size_t>(j);
      out.push_back({(sample.x.row(i) - sample.x.row(j)).norm(), k(i, j),
                     sample.group_of.empty() || sample.group_of[a] == sample.group_of[b]});
    }
  return out;
}

/// k over distance in the frame at the left.
std::string kernel_curve(const Vector<double>& curve, double reach,
                         const std::vector<KernelPair>& pairs, const Box& box) {
  const double low = std::min(0.0, curve.minCoeff()), high = curve.maxCoeff();
  const Frame frame{box, AxisScale(-reach, reach, false, box.width),
                    AxisScale(low - 0.06 * (high - low), high, false, box.height)};
  std::string out = Figure::axes(frame, "y \u2212 x, along a line", "k(x, y)"), path, rug;
  const auto steps = static_cast<double>(curve.size() - 1);
  for (Index i = -(curve.size() - 1); i < curve.size(); ++i)
    path += fmt::format("{}{} {}", path.empty() ? "M" : " ",
                        number(frame.x(reach * static_cast<double>(i) / steps)),
                        number(frame.y(curve[std::abs(i)])));
  for (std::size_t i = 0; i < pairs.size(); i += 1 + pairs.size() / 120)
    for (const double side : {-1.0, 1.0})
      rug += fmt::format("M{} {}v-7", number(frame.x(side * pairs[i].distance)),
                         number(box.y + box.height));
  out += fmt::format("<path class=\"rug\" stroke=\"#555555\" stroke-opacity=\".35\" d=\"{}\"/>\n",
                     rug);
  return out +
         fmt::format(
             "<path class=\"bell\" fill=\"none\" stroke=\"{}\" stroke-width=\"2.2\" "
             "stroke-linejoin=\"round\" d=\"{}\"/>\n",
             same_colour, path) +
         Figure::border(box);
}

/// Pairs as dots, for kernels that depend on more than the distance.
std::string kernel_dots(const std::vector<KernelPair>& pairs, const Box& box) {
  double far = 0, low = 0, high = 0;
  for (const KernelPair& pair : pairs) {
    far = std::max(far, pair.distance);
    low = std::min(low, pair.value);
    high = std::max(high, pair.value);
  }
  const Frame frame{box, AxisScale(0, far, false, box.width),
                    AxisScale(low, high, false, box.height)};
  std::string out = Figure::axes(frame, "distance of x and y", "k(x, y)");
  for (const bool same : {false, true}) {
    out += fmt::format("<g class=\"pairs\" fill=\"{}\" fill-opacity=\".6\">\n",
                       same ? same_colour : other_colour);
    for (const KernelPair& pair : pairs)
      if (pair.same == same)
        out += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"1.8\"/>\n",
                           number(frame.x(pair.distance)), number(frame.y(pair.value)));
    out += "</g>\n";
  }
  return out + Figure::border(box);
}

/// Strips in the colours of the labels at the top and left, and lines between them.
std::string label_strips(const KernelSample& sample, const Box& box) {
  std::string out;
  const auto n = static_cast<double>(sample.x.rows());
  for (std::size_t begin = 0; begin < sample.group_of.size();) {
    std::size_t end = begin;
    while (end < sample.group_of.size() && sample.group_of[end] == sample.group_of[begin]) ++end;
    const double from = static_cast<double>(begin) / n, to = static_cast<double>(end) / n;
    const std::string colour = group_colour(sample.groups.others && sample.group_of[begin] + 1 ==
                                                                        sample.groups.names.size()
                                                ? most_groups
                                                : sample.group_of[begin]);
    out += fmt::format(
        "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"6\" fill=\"{}\"/><rect x=\"{}\" y=\"{}\" "
        "width=\"6\" height=\"{}\" fill=\"{}\"/>\n",
        number(box.x + from * box.width), number(box.y - 8), number((to - from) * box.width),
        colour, number(box.x - 8), number(box.y + from * box.height),
        number((to - from) * box.height), colour);
    if (begin > 0)
      out += fmt::format(
          "<path class=\"between\" fill=\"none\" stroke=\"#222222\" stroke-opacity=\".55\" "
          "d=\"M{} {}h{}M{} {}v{}\"/>\n",
          number(box.x), number(box.y + from * box.height), number(box.width),
          number(box.x + from * box.width), number(box.y), number(box.height));
    begin = end;
  }
  return out;
}

}  // namespace

std::string kernel_svg(const Kernel& kernel, const Rows<double>& rows, bool centered,
                       const PlotOptions& options) {
  const Index n = rows.rows();
  require(n >= 2, Errc::bad_data, "a plot of a kernel needs two rows; there {} {}",
          n == 1 ? "is" : "are", n);
  require(options.labels.empty() || static_cast<Index>(options.labels.size()) == n,
          Errc::bad_option, "there are {} labels for {} rows", options.labels.size(), n);
  const Kernel known = kernel.completed(rows);
  const KernelSample sample = kernel_sample(rows, options);
  require(sample.x.allFinite(), Errc::bad_data, "rows are not all finite");
  const Index count = sample.x.rows();
  const Matrix<double> k = known.matrix(Rows<double>(sample.x), {.threads = 1});
  Matrix<double> shown = k;
  if (centered) {
    const Eigen::RowVectorXd columns = k.colwise().mean();
    shown.rowwise() -= columns;
    shown.colwise() -= k.rowwise().mean() - Vector<double>::Constant(count, k.mean());
  }
  const Index of_rows = std::max(n, options.of_rows);
  const std::vector<KernelPair> pairs = kernel_pairs(sample, k);
  double reach = 0;
  for (const KernelPair& pair : pairs) reach = std::max(reach, pair.distance);
  const auto curve = reach > 0 ? radial_curve(known, sample.x, reach, 80) : std::nullopt;

  std::vector<LegendEntry> legend;
  for (std::size_t g = 0; g < sample.groups.names.size(); ++g) {
    const bool rest = sample.groups.others && g + 1 == sample.groups.names.size();
    const std::string& name = sample.groups.names[g];
    legend.push_back(
        {name.empty() ? "(none)" : name, group_colour(rest ? most_groups : g), Mark::bar});
  }
  std::vector<std::string> notes;
  std::string about = count < of_rows ? fmt::format("{} of {} rows, evenly spaced",
                                                    with_commas(count), with_commas(of_rows))
                                      : fmt::format("{} rows", with_commas(count));
  if (!sample.group_of.empty()) about += ", sorted by label";
  if (count > most_kernel_cells) about += "; squares are means of neighbouring entries";
  notes.push_back("Right: " + about);
  notes.insert(notes.begin(),
               curve ? "Left: k over distance; marks below: distances of pairs of rows"
               : sample.group_of.empty()
                   ? "Left: pairs of rows; k does not depend on their distance alone"
                   : "Left: pairs of rows, blue within a label and orange between; k "
                     "does not depend on their distance alone");
  const Figure figure(options, fmt::format("Kernel {}", known.text()), legend, notes);
  const Box& b = figure.box();
  constexpr double bar_room = 12 + 12 + 46, gap = 42;
  const bool both = b.width >= 360;
  const double side = std::min(b.height - 10, both ? 0.5 * b.width : b.width - bar_room);
  const double left = both ? b.width - side - bar_room - gap : 0;
  std::string out;
  if (both) {
    const Box panel{b.x, b.y, left, b.height};
    out += curve ? kernel_curve(*curve, reach, pairs, panel) : kernel_dots(pairs, panel);
  }
  const Box heat{b.x + (both ? left + gap : 0), b.y + 10, side, side};
  const Shades shades = Shades::of(shown);
  out += raster_svg(block_means(shown, most_kernel_cells), heat, shades);
  out += label_strips(sample, heat) + Figure::border(heat);
  out += shades_bar(shades, {heat.x + side + 12, heat.y, 12, side});
  out += text_at(heat.x + side / 2, heat.y + side + 17, "middle",
                 centered ? "J K J, centred" : "K, not centred");
  return figure.page(out);
}

}  // namespace mercer
