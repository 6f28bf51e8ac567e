#include "core/require.hpp"
#include "pictures/label_places.hpp"
#include "pictures/points.hpp"

#include <mercer/loadings.hpp>
#include <mercer/picture.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace mercer {

namespace {

using svg::number;

constexpr std::size_t most_arrows = 15;

template <class T>
Points score_points(const Model<T>& model, const MatrixRef<T>& scores,
                    const std::vector<Index>& axes, const PlotOptions& options) {
  require(scores.cols() == model.outputs(), Errc::bad_data,
          "scores have {} columns, the model has {} components", scores.cols(), model.outputs());
  return points_of(scores.col(axes[0]).template cast<double>(),
                   scores.col(axes[1]).template cast<double>(), options);
}

std::vector<Index> two_axes(const PlotOptions& options, Index outputs) {
  require(outputs >= 2, Errc::bad_option,
          "the model has one component, and this plot needs two; kinds that fit: scree, loadings");
  std::vector<Index> axes = chosen_components(options, outputs, 2, 2);
  require(axes.size() == 2, Errc::bad_option, "{} components were chosen for two axes",
          axes.size());
  require(axes[0] != axes[1], Errc::bad_option, "both axes are component {}", axes[0] + 1);
  return axes;
}

std::string arrows_svg(const Loadings& table, const Matrix<double>& tips,
                       const std::vector<Index>& shown, const Frame& frame) {
  LabelPlaces places(frame.box);
  std::string out, names;
  const double x0 = frame.x(0), y0 = frame.y(0);
  for (const Index j : shown) {
    const double x = frame.x(tips(j, 0)), y = frame.y(tips(j, 1));
    out += arrow(x0, y0, x, y);
    places.block({x - 3, y - 3, 6, 6});
    places.avoid(x0, y0, x, y);
  }
  for (const Index j : shown) {
    const double x = frame.x(tips(j, 0)), y = frame.y(tips(j, 1));
    names += placed_label(places, x, y, x - x0, y - y0, table.names[static_cast<std::size_t>(j)],
                          24, "#8f1d14");
  }
  return "<g class=\"arrows\">\n" + out + names + "</g>\n";
}

/// How many times as long the arrows may be until the first of them reaches the frame.
double room_for(const Matrix<double>& tips, const std::vector<Index>& shown, const Frame& f) {
  double room = std::numeric_limits<double>::infinity();
  const Box& b = f.box;
  for (const Index j : shown) {
    const double dx = f.x(tips(j, 0)) - f.x(0), dy = f.y(tips(j, 1)) - f.y(0);
    const double to_x = dx > 0 ? b.x + b.width - f.x(0) : b.x - f.x(0);
    const double to_y = dy > 0 ? b.y + b.height - f.y(0) : b.y - f.y(0);
    if (dx != 0) room = std::min(room, to_x / dx);
    if (dy != 0) room = std::min(room, to_y / dy);
  }
  return std::isfinite(room) ? room : 1;
}

/// The longest first; those that would not be seen beside it are left out.
std::vector<Index> longest(const Matrix<double>& tips, std::size_t most) {
  std::vector<Index> order(static_cast<std::size_t>(tips.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    return tips.row(a).squaredNorm() > tips.row(b).squaredNorm();
  });
  if (order.size() > most) order.resize(most);
  const double least = 1e-4 * tips.row(order[0]).squaredNorm();
  while (order.size() > 1 && !(tips.row(order.back()).squaredNorm() > least)) order.pop_back();
  return order;
}

}  // namespace

template <class T>
std::string scores_svg(const Model<T>& model, const MatrixRef<std::type_identity_t<T>>& scores,
                       const PlotOptions& options) {
  const std::vector<Index> axes = two_axes(options, model.outputs());
  const Points points = score_points(model, scores, axes, options);
  const Figure figure(options, "Scores", legend_of(points), notes_of(points, options.ellipses));
  const Frame frame = equal_frame(ranges_of(points, options.ellipses), figure.box(), false);
  const Vector<double> ratio = model.explained_variance_ratio();
  std::string out =
      Figure::axes(frame, component_title(axes[0], ratio), component_title(axes[1], ratio));
  out += origin_lines(frame) + points_svg(points, frame);
  if (options.ellipses) out += ellipses_svg(points, frame);
  return figure.page(out + Figure::border(frame.box));
}

template <class T>
std::string biplot_svg(const Model<T>& model, const MatrixRef<std::type_identity_t<T>>& scores,
                       const PlotOptions& options) {
  const Loadings table = loadings(model);
  const std::vector<Index> axes = two_axes(options, model.outputs());
  const Points points = score_points(model, scores, axes, options);
  Matrix<double> tips(table.loadings.rows(), 2);
  tips << table.loadings.col(axes[0]), table.loadings.col(axes[1]);
  const std::vector<Index> shown = longest(tips, most_arrows);

  std::vector<std::string> notes = notes_of(points, options.ellipses);
  notes.push_back(
      static_cast<Index>(shown.size()) < tips.rows()
          ? fmt::format(
                "Arrows: the {} of {} columns with the longest loadings, on their own scale",
                shown.size(), tips.rows())
          : "Arrows: loadings of the columns, on their own scale");
  const Figure figure(options, "Scores and loadings", legend_of(points), notes);
  Ranges ranges = ranges_of(points, options.ellipses);
  // The origin is where arrows begin, with room for them on every side.
  for (Range* range : {&ranges.x, &ranges.y}) {
    const double reach = std::max(std::abs(range->low), std::abs(range->high)) / 2;
    *range = {std::min(range->low, -reach), std::max(range->high, reach)};
  }
  const Frame frame = equal_frame(ranges, figure.box(), true);
  tips *= 0.85 * room_for(tips, shown, frame);

  const Vector<double> ratio = model.explained_variance_ratio();
  std::string out =
      Figure::axes(frame, component_title(axes[0], ratio), component_title(axes[1], ratio));
  out += origin_lines(frame) + points_svg(points, frame);
  if (options.ellipses) out += ellipses_svg(points, frame);
  out += arrows_svg(table, tips, shown, frame);
  return figure.page(out + Figure::border(frame.box));
}

template <class T>
std::string circle_svg(const Model<T>& model, const PlotOptions& options) {
  constexpr std::size_t most_columns = 30;
  const Loadings table = loadings(model);
  require(table.correlations.size() > 0, Errc::bad_option,
          "the model does not contain the variances of the columns, so there are no correlations: "
          "fit with `scale=std` or `components=all_components()`; kinds that fit: scree, scores, "
          "biplot, loadings, t2spe");
  const std::vector<Index> axes = two_axes(options, model.outputs());
  Matrix<double> tips(table.correlations.rows(), 2);
  tips << table.correlations.col(axes[0]), table.correlations.col(axes[1]);
  const std::vector<Index> shown = longest(tips, most_columns);
  std::vector<std::string> notes;
  if (static_cast<Index>(shown.size()) < tips.rows())
    notes.push_back(
        fmt::format("The {} of {} columns that correlate most", shown.size(), tips.rows()));
  const Figure figure(options, "Correlation circle", {}, notes);
  const Frame frame = equal_frame({{-1.08, 1.08}, {-1.08, 1.08}}, figure.box(), true);
  const Vector<double> ratio = model.explained_variance_ratio();
  std::string out =
      Figure::axes(frame, component_title(axes[0], ratio), component_title(axes[1], ratio));
  out += origin_lines(frame);
  out += fmt::format("<circle class=\"zero\" cx=\"{}\" cy=\"{}\" r=\"{}\"/>\n", number(frame.x(0)),
                     number(frame.y(0)), number(frame.x(1) - frame.x(0)));
  out += arrows_svg(table, tips, shown, frame);
  return figure.page(out + Figure::border(frame.box));
}

#define MERCER_INSTANTIATE(T)                                                                \
  template std::string scores_svg(const Model<T>&, const MatrixRef<T>&, const PlotOptions&); \
  template std::string biplot_svg(const Model<T>&, const MatrixRef<T>&, const PlotOptions&); \
  template std::string circle_svg(const Model<T>&, const PlotOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
