// Rows in the space of their features, with the plane of the first two components.
#include "core/require.hpp"
#include "diagnostics/mapped_rows.hpp"
#include "pictures/points.hpp"
#include "pictures/space.hpp"

#include <mercer/figures.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {

namespace {

using svg::number;

/// Rows in three dimensions, a point of the plane and two directions in it.
struct Lifted {
  Matrix<double> points;  // N×3
  Point3 mean{}, u{}, v{};
  std::array<std::string, 3> names;
};

Point3 cross_product(const Point3& a, const Point3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

template <class T>
Lifted lifted_rows(const Model<T>& model, const Matrix<double>& rows) {
  Lifted out;
  const Matrix<T> x = rows.cast<T>();
  Matrix<T> buffer;
  const Rows<T> z = map_inputs(model, Rows<T>(x), Missing::error, 0, buffer);
  if (model.map().space() == Space::features && model.map().features() > 3) {
    // The space of the first three components, where the plane is that of the first two.
    out.points = model.transform(Rows<T>(x)).leftCols(3).template cast<double>();
    out.u = {1, 0, 0};
    out.v = {0, 1, 0};
    const Vector<double> ratio = model.explained_variance_ratio();
    for (Index c = 0; c < 3; ++c)
      out.names[static_cast<std::size_t>(c)] = component_title(c, ratio);
    return out;
  }
  std::vector<std::string> names = model.feature_names();
  for (auto j = static_cast<Index>(names.size()); j < model.inputs(); ++j)
    names.push_back(fmt::format("x{}", j + 1));
  if (!model.map().is_identity()) names = model.map().feature_names(names);
  if (model.map().is_identity()) {
    out.points = rows;
  } else {
    Matrix<T> features(rows.rows(), 3);
    model.map().apply(z, features);
    out.points = features.template cast<double>();
  }
  for (Index j = 0; j < 3; ++j) {
    const auto at = static_cast<std::size_t>(j);
    const bool scaled = model.map().is_identity() && model.scale().size() > 0;
    const double unit = scaled ? static_cast<double>(model.scale()[j]) : 1;
    out.mean[at] = static_cast<double>(model.mean()[j]);
    out.u[at] = unit * static_cast<double>(model.components()(0, j));
    out.v[at] = unit * static_cast<double>(model.components()(1, j));
    out.names[at] = names[at];
  }
  return out;
}

template <class T>
void require_space(const Model<T>& model) {
  const Index features = model.map().features();
  const Space space = model.map().space();
  require(
      space == Space::input || space == Space::features, Errc::bad_option,
      "a plot in three dimensions needs a model of a feature map, or of three columns; this one "
      "is of a kernel");
  const Index needed = features == 3 ? 2 : 3;
  require(features == 3 || (space == Space::features && features > 3), Errc::bad_option,
          "a plot in three dimensions needs three features; this model has {}", features);
  require(model.outputs() >= needed, Errc::bad_option,
          "a plot of {} features needs {} components; the model has {}", features, needed,
          model.outputs());
}

}  // namespace

template <class T>
std::string lift_svg(const Model<T>& model, const MatrixRef<double>& rows,
                     const PlotOptions& options) {
  require_space(model);
  require(rows.cols() == model.inputs(), Errc::bad_data, "rows have {} columns, the model has {}",
          rows.cols(), model.inputs());
  require(rows.rows() > 0, Errc::bad_data, "there are no rows to draw");
  require(options.most_points >= 1, Errc::bad_option, "`most_points={}` is not at least 1",
          options.most_points);
  require(options.labels.empty() || static_cast<Index>(options.labels.size()) == rows.rows(),
          Errc::bad_option, "there are {} labels for {} rows", options.labels.size(), rows.rows());
  // Density says nothing about depth: of many rows, some.
  PlotOptions how = options;
  const Index n = std::min(rows.rows(), options.most_points);
  how.of_rows = std::max(options.of_rows, rows.rows());
  Matrix<double> x(n, rows.cols());
  how.labels.clear();
  for (Index i = 0; i < n; ++i) {
    const Index row = i * rows.rows() / n;
    x.row(i) = rows.row(row);
    if (!options.labels.empty())
      how.labels.push_back(options.labels[static_cast<std::size_t>(row)]);
  }
  const Lifted lifted = lifted_rows(model, x);
  require(lifted.points.allFinite(), Errc::bad_data, "features are not all finite");
  const bool plane = model.inputs() == 2;
  const Points points = points_of(x.col(0), x.col(1), how);

  // Every axis has its own scale: planes stay planes.
  Point3 low{}, high{};
  const auto in_cube = [&](const Point3& p) {
    Point3 out{};
    for (std::size_t j = 0; j < 3; ++j) out[j] = 2 * (p[j] - low[j]) / (high[j] - low[j]) - 1;
    return out;
  };
  double widest = 0;
  for (Index j = 0; j < 3; ++j)
    widest = std::max(widest, lifted.points.col(j).maxCoeff() - lifted.points.col(j).minCoeff());
  require(std::isfinite(widest), Errc::bad_data, "features are too far apart to draw");
  for (std::size_t j = 0; j < 3; ++j) {
    const auto column = lifted.points.col(static_cast<Index>(j));
    // Rounding does not fill an axis.
    const double extent = std::max(column.maxCoeff() - column.minCoeff(), 1e-6 * widest);
    const double middle = (column.maxCoeff() + column.minCoeff()) / 2;
    const double half = extent > 0 ? 0.56 * extent : std::max(1.0, std::abs(middle));
    low[j] = middle - half;
    high[j] = middle + half;
  }
  Point3 u{}, v{};
  for (std::size_t j = 0; j < 3; ++j) {
    u[j] = lifted.u[j] / (high[j] - low[j]);
    v[j] = lifted.v[j] / (high[j] - low[j]);
  }
  const Point3 normal = cross_product(u, v), centre = in_cube(lifted.mean);

  const Vector<double> ratio = model.explained_variance_ratio();
  std::vector<std::string> notes = notes_of(points, false);
  notes.push_back(fmt::format("The plane of the first two components has {:.2f} % of the variance",
                              100 * (ratio[0] + ratio[1])));
  const std::string title = model.map().is_identity()
                                ? "Rows and the plane of two components"
                                : fmt::format("Rows lifted by {}", model.map().text());
  const Figure figure(options, title, legend_of(points), notes);
  const Box& b = figure.box();
  const bool both = plane && b.width >= 420;
  std::string out;
  double left = 0;
  if (both) {
    left = std::min(b.height, 0.4 * b.width);
    const Box square{b.x, b.y + (b.height - left) / 2, left, left};
    const Frame frame = equal_frame(ranges_of(points, false), square, true);
    const std::vector<std::string>& names = model.feature_names();
    out += Figure::axes(frame, names.empty() ? "x1" : names[0], names.empty() ? "x2" : names[1]);
    out += points_svg(points, frame) + Figure::border(square);
  }
  // Room for the numbers of the axes around the cube.
  const double x0 = both ? b.x + left + 50 : 46;
  const Box space{x0, b.y + 8, options.width - x0 - 46, b.height - 2};
  const SpaceView view(normal, space);
  out += view.faces(low, high);

  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::vector<Point3> places(order.size());
  for (Index i = 0; i < n; ++i)
    places[static_cast<std::size_t>(i)] =
        in_cube({lifted.points(i, 0), lifted.points(i, 1), lifted.points(i, 2)});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index c) {
    return view.depth(places[static_cast<std::size_t>(a)]) <
           view.depth(places[static_cast<std::size_t>(c)]);
  });
  const double facing = dot(normal, view.towards());
  const auto behind = [&](const Point3& p) {
    const double side = dot(normal, p) - dot(normal, centre);
    return side * facing < -1e-9 * std::abs(facing);
  };
  const double radius = n <= 60 ? 4.4 : n <= 300 ? 3.4 : n <= 1200 ? 2.6 : 1.9;
  const auto rows_svg = [&](bool wanted) {
    std::string group = fmt::format("<g class=\"{}\" stroke=\"#ffffff\" stroke-width=\".5\">\n",
                                    wanted ? "behind" : "before");
    for (const Index i : order) {
      const Point3& p = places[static_cast<std::size_t>(i)];
      if (behind(p) != wanted) continue;
      const double near = std::clamp(0.5 + 0.3 * view.depth(p), 0.0, 1.0);
      const std::string colour =
          points.groups.names.empty()
              ? "#0072b2"
              : group_colour(points.groups.of_point[static_cast<std::size_t>(i)]);
      group +=
          fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\" fill-opacity=\"{}\"/>\n",
                      number(view.x(p)), number(view.y(p)), number(radius * (0.75 + 0.4 * near)),
                      colour, number(0.5 + 0.45 * near));
    }
    return group + "</g>\n";
  };
  std::string polygon;
  for (const Point3& p : plane_in_cube(centre, normal))
    polygon +=
        fmt::format("{}{} {}", polygon.empty() ? "M" : "L", number(view.x(p)), number(view.y(p)));
  out += rows_svg(true);
  if (!polygon.empty())
    out += fmt::format(
        "<path class=\"plane\" fill=\"#f0e442\" fill-opacity=\".38\" stroke=\"#8a8000\" "
        "stroke-width=\"1.2\" d=\"{}z\"/>\n",
        polygon);
  return figure.page(out + rows_svg(false) + view.labels(low, high, lifted.names));
}

template std::string lift_svg(const Model<float>&, const MatrixRef<double>&, const PlotOptions&);
template std::string lift_svg(const Model<double>&, const MatrixRef<double>&, const PlotOptions&);

}  // namespace mercer
