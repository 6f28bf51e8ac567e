// Rows of two columns with the principal axes; the variance along a direction.
#include "core/require.hpp"
#include "pictures/label_places.hpp"
#include "pictures/points.hpp"

#include <mercer/figures.hpp>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mercer {

namespace {

using svg::number;

constexpr const char* axis_colour = "#8f1d14";

/// The columns of Q and λ of a linear model in the plane: a missing second one follows from the
/// total variance.
struct PlaneAxes {
  double q[2][2];
  double lambda[2];
};

template <class T>
PlaneAxes plane_axes(const Model<T>& model) {
  PlaneAxes out{};
  const Vector<double> variance = model.explained_variance();
  for (Index j = 0; j < 2; ++j) out.q[0][j] = static_cast<double>(model.components()(0, j));
  out.lambda[0] = variance[0];
  if (model.outputs() > 1) {
    for (Index j = 0; j < 2; ++j) out.q[1][j] = static_cast<double>(model.components()(1, j));
    out.lambda[1] = variance[1];
  } else {
    out.q[1][0] = -out.q[0][1];
    out.q[1][1] = out.q[0][0];
    // The total is at least the first variance, up to rounding; a length in a drawing.
    out.lambda[1] = std::max(0.0, model.report().total_variance - variance[0]);
  }
  return out;
}

std::string name_of_column(const std::vector<std::string>& names, Index j) {
  return names.empty() ? fmt::format("x{}", j + 1) : names[static_cast<std::size_t>(j)];
}

/// A name on a light ground: it may lie on dots.
std::string name_on_dots(LabelPlaces& places, double x, double y, double dx, double dy,
                         const std::string& name) {
  constexpr double height = 15;
  const double width = 0.92 * text_width(name) + 8;
  const auto box = places.place(x, y, dx, dy, width, height);
  if (!box) return {};
  return fmt::format(
             "<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"3\" fill=\"#ffffff\" "
             "fill-opacity=\".85\"/>",
             number(box->x), number(box->y), number(width), number(height)) +
         text_at(box->x + width / 2, box->y + height - 4, "middle", name,
                 fmt::format(" fill=\"{}\"", axis_colour).c_str());
}

template <class T>
void require_linear(const Model<T>& model) {
  require(model.map().is_identity(), Errc::bad_option,
          "this plot needs a linear model; this one has {}", space_text(model));
}

}  // namespace

template <class T>
std::string axes_svg(const Model<T>& model, const MatrixRef<double>& rows,
                     const PlotOptions& options) {
  require_linear(model);
  require(model.inputs() == 2, Errc::bad_option,
          "principal axes are drawn for models with 2 columns; this one has {}", model.inputs());
  require(rows.cols() == 2, Errc::bad_data, "rows have {} columns, not 2", rows.cols());
  const PlaneAxes axes = plane_axes(model);
  const Points points = points_of(rows.col(0), rows.col(1), options);
  const bool scaled = model.scale().size() > 0;
  double mean[2], half[2][2];  // half[j]: √λ q of axis j, in units of the columns
  for (Index i = 0; i < 2; ++i) {
    mean[i] = static_cast<double>(model.mean()[i]);
    const double unit = scaled ? static_cast<double>(model.scale()[i]) : 1;
    for (Index j = 0; j < 2; ++j) half[j][i] = std::sqrt(axes.lambda[j]) * axes.q[j][i] * unit;
  }
  std::vector<std::string> notes = notes_of(points, options.ellipses);
  notes.push_back(fmt::format("Axes: mean \u00b1 \u221a\u03bb q{}; ellipse: one standard deviation",
                              scaled ? " of the z-scores, in the units of the columns" : ""));
  const Figure figure(options, "Principal axes", legend_of(points), notes);
  Ranges ranges = ranges_of(points, options.ellipses);
  const auto include = [&](double x, double y) {
    ranges.x = {std::min(ranges.x.low, x), std::max(ranges.x.high, x)};
    ranges.y = {std::min(ranges.y.low, y), std::max(ranges.y.high, y)};
  };
  std::string ellipse;
  std::vector<std::pair<double, double>> around;
  for (int i = 0; i < 90; ++i) {
    const double c = std::cos(std::numbers::pi * i / 45), s = std::sin(std::numbers::pi * i / 45);
    around.emplace_back(mean[0] + c * half[0][0] + s * half[1][0],
                        mean[1] + c * half[0][1] + s * half[1][1]);
    include(around.back().first, around.back().second);
  }
  const Frame frame = equal_frame(ranges, figure.box(), true);
  for (const auto& [x, y] : around)
    ellipse +=
        fmt::format("{}{} {}", ellipse.empty() ? "M" : " ", number(frame.x(x)), number(frame.y(y)));
  std::string out = Figure::axes(frame, name_of_column(model.feature_names(), 0),
                                 name_of_column(model.feature_names(), 1));
  out += points_svg(points, frame);
  if (options.ellipses) out += ellipses_svg(points, frame);
  out += fmt::format(
      "<path class=\"deviation\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.2\" "
      "stroke-dasharray=\"4 3\" d=\"{}z\"/>\n",
      axis_colour, ellipse);

  LabelPlaces places(frame.box);
  for (Index i = 0; i < points.x.size() && points.x.size() <= 60; ++i)
    places.block({frame.x(points.x[i]) - 4, frame.y(points.y[i]) - 4, 8, 8});
  std::string lines, names;
  for (int j = 0; j < 2; ++j) {
    const double x0 = frame.x(mean[0] - half[j][0]), y0 = frame.y(mean[1] - half[j][1]);
    const double x1 = frame.x(mean[0] + half[j][0]), y1 = frame.y(mean[1] + half[j][1]);
    // A light line below keeps the axis apart from the dots.
    for (const char* style : {"stroke=\"#ffffff\" stroke-opacity=\".85\" stroke-width=\"6\"",
                              "class=\"axis\" stroke=\"#8f1d14\" stroke-width=\"2.6\""})
      lines += fmt::format("<path {} stroke-linecap=\"round\" d=\"M{} {}L{} {}\"/>\n", style,
                           number(x0), number(y0), number(x1), number(y1));
    lines += arrow(x1 - 0.3 * (x1 - x0), y1 - 0.3 * (y1 - y0), x1, y1);
    places.block({x1 - 3, y1 - 3, 6, 6});
    places.avoid(x0, y0, x1, y1);
  }
  for (int j = 0; j < 2; ++j) {
    const double x = frame.x(mean[0] + half[j][0]), y = frame.y(mean[1] + half[j][1]);
    names += name_on_dots(places, x, y, x - frame.x(mean[0]), y - frame.y(mean[1]),
                          fmt::format("q{}, \u03bb{} = {:.4g}", j + 1, j + 1, axes.lambda[j]));
  }
  out += lines;
  out += fmt::format(
      "<circle class=\"mean\" cx=\"{}\" cy=\"{}\" r=\"4\" fill=\"{}\" "
      "stroke=\"#ffffff\"/>\n",
      number(frame.x(mean[0])), number(frame.y(mean[1])), axis_colour);
  return figure.page(out + names + Figure::border(frame.box));
}

template <class T>
std::string probe_svg(const Model<T>& model, const PlotOptions& options) {
  require_linear(model);
  const bool plane = model.inputs() == 2;
  require(model.inputs() >= 2 && (plane || model.outputs() >= 2), Errc::bad_option,
          "the variance along directions of a plane needs two components; the model has {} of {} "
          "column{}",
          model.outputs(), model.inputs(), model.inputs() == 1 ? "" : "s");
  double lambda[2], at[2];  // at: the angles of the extremes, in degrees
  std::string names[2], where;
  constexpr double degrees = 180 / std::numbers::pi;
  if (plane) {
    const PlaneAxes axes = plane_axes(model);
    for (int j = 0; j < 2; ++j) {
      lambda[j] = axes.lambda[j];
      at[j] = std::atan2(axes.q[j][1], axes.q[j][0]) * degrees;
      at[j] -= 180 * std::floor(at[j] / 180);
      // 0 + 0 has no sign, −0.0001 with three digits would have one.
      const auto three = [](double x) { return std::round(1000 * x) / 1000 + 0.0; };
      names[j] =
          fmt::format("q{} = ({:.3f}, {:.3f})", j + 1, three(axes.q[j][0]), three(axes.q[j][1]));
    }
    where = fmt::format("angle of q to {} (degrees)", name_of_column(model.feature_names(), 0));
  } else {
    std::vector<Index> chosen = chosen_components(options, model.outputs(), 2, 2);
    require(chosen.size() == 2 && chosen[0] != chosen[1], Errc::bad_option,
            "the plane of a probe has two different components");
    if (model.explained_variance()[chosen[0]] < model.explained_variance()[chosen[1]])
      std::swap(chosen[0], chosen[1]);
    for (int j = 0; j < 2; ++j) {
      lambda[j] = model.explained_variance()[chosen[static_cast<std::size_t>(j)]];
      at[j] = 90 * j;
      names[j] = fmt::format("q{}", chosen[static_cast<std::size_t>(j)] + 1);
    }
    where = fmt::format("angle of q to {} in the plane of {} and {} (degrees)", names[0], names[0],
                        names[1]);
  }
  std::vector<std::string> notes;
  for (int j = 0; j < 2; ++j)
    notes.push_back(fmt::format("{}: {}, \u03bb = {:.4g}, at {:.1f}\u00b0",
                                j == 0 ? "Largest" : "Smallest", names[j], lambda[j], at[j]));
  if (model.scale().size() > 0) notes.emplace_back("Variances and directions are of z-scores");
  const Figure figure(options, "Variance along a direction q", {}, notes);
  const Box& b = figure.box();
  // Arrows below the curve show the direction.
  const double low = -0.16 * lambda[0];
  const Frame frame{b, AxisScale(0, 180, false, b.width),
                    AxisScale(low, lambda[0] > 0 ? 1.12 * lambda[0] : 1, false, b.height)};
  std::string out, path, names_svg;
  for (int angle = 0; angle <= 180; angle += 30) {
    const std::string x = number(frame.x(angle));
    out += fmt::format(
               "<path class=\"grid\" d=\"M{0} {1}V{2}\"/><path class=\"tick\" d=\"M{0} {2}v4\"/>",
               x, number(b.y), number(b.y + b.height)) +
           text_at(frame.x(angle), b.y + b.height + 17, "middle", std::to_string(angle));
  }
  for (const svg::Tick& tick : frame.up.ticks(std::max(2, static_cast<int>(b.height / 60)))) {
    if (tick.value < 0) continue;
    out += fmt::format("<path class=\"{}\" d=\"M{} {}h{}\"/>", tick.value == 0 ? "zero" : "grid",
                       number(b.x), number(frame.y(tick.value)), number(b.width)) +
           text_at(b.x - 7, frame.y(tick.value) + 4, "end", tick.text);
  }
  out += text_at(b.x + b.width / 2, b.y + b.height + 36, "middle", svg::text(where, 80));
  out += fmt::format(
      "<text transform=\"translate({} {})rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      number(b.x - 52), number(b.y + b.height / 2), "variance \u03c8(q)");
  const auto psi = [&](double angle) {
    const double c = std::cos((angle - at[0]) / degrees);
    return lambda[1] + (lambda[0] - lambda[1]) * c * c;
  };
  for (int i = 0; i <= 360; ++i)
    path += fmt::format("{}{} {}", i == 0 ? "M" : " ", number(frame.x(i / 2.0)),
                        number(frame.y(psi(i / 2.0))));
  LabelPlaces places(b);
  for (int j = 0; j < 2; ++j) {
    const double x = frame.x(at[j]), y = frame.y(lambda[j]);
    out += fmt::format(
        "<path class=\"limit\" d=\"M{} {}h{}\"/><path class=\"limit\" d=\"M{} {}V{}\"/>\n",
        number(b.x), number(y), number(b.width), number(x), number(y), number(frame.y(0)));
    places.block({x - 5, y - 5, 10, 10});
    places.avoid(x, y, x, frame.y(0));
  }
  for (int i = 0; i < 180; ++i) {
    const double a = frame.x(i), c = frame.y(psi(i)), e = frame.x(i + 1), f = frame.y(psi(i + 1));
    places.avoid(a, c, e, f);
  }
  for (int angle = 0; angle <= 180; angle += 15) {
    const double length = std::min({13.0, b.width / 34, 0.055 * b.height});
    const double x = frame.x(angle), y = frame.y(0.5 * low), turn = angle / degrees;
    out += arrow(x - length * std::cos(turn), y + length * std::sin(turn),
                 x + length * std::cos(turn), y - length * std::sin(turn));
  }
  out += fmt::format(
      "<path class=\"psi\" fill=\"none\" stroke=\"#0072b2\" stroke-width=\"2.2\" "
      "stroke-linejoin=\"round\" d=\"{}\"/>\n",
      path);
  for (int j = 0; j < 2; ++j) {
    const double x = frame.x(at[j]), y = frame.y(lambda[j]);
    out += fmt::format(
        "<circle class=\"extreme\" cx=\"{}\" cy=\"{}\" r=\"5\" fill=\"{}\" "
        "stroke=\"#ffffff\"/>\n",
        number(x), number(y), axis_colour);
    names_svg += placed_label(
        places, x, y, at[j] < 90 ? 1 : -1, j == 0 ? -1.5 : -1,
        fmt::format("{}: \u03bb = {:.4g}", names[j].substr(0, names[j].find(' ')), lambda[j]), 30,
        axis_colour);
  }
  return figure.page(out + names_svg + Figure::border(b));
}

#define MERCER_INSTANTIATE(T)                                                                   \
  template std::string axes_svg(const Model<T>&, const MatrixRef<double>&, const PlotOptions&); \
  template std::string probe_svg(const Model<T>&, const PlotOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
