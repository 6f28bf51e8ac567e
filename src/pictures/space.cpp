#include "pictures/space.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mercer {

namespace {

using svg::number;

Point3 cross(const Point3& a, const Point3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

/// The direction to a viewer at this azimuth and elevation, in degrees.
Point3 direction(double azimuth, double elevation) {
  const double a = azimuth * std::numbers::pi / 180, e = elevation * std::numbers::pi / 180;
  return {std::cos(e) * std::cos(a), std::cos(e) * std::sin(a), std::sin(e)};
}

double place_in_cube(double value, double low, double high) {
  return 2 * (value - low) / (high - low) - 1;
}

}  // namespace

double dot(const Point3& a, const Point3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

SpaceView::SpaceView(const Point3& normal, const Box& box) {
  constexpr double slant = 0.55;  // sine of the angle between view and plane: clearly a plane
  const double length = std::sqrt(dot(normal, normal));
  double best = -1e300;
  for (const double quarter : {-90.0, 0.0, 90.0, 180.0})
    for (const double aside : {30.0, 38.0, 52.0, 60.0})
      for (const double elevation : {22.0, 30.0}) {
        const Point3 towards = direction(quarter + aside, elevation);
        const double seen = length > 0 ? std::abs(dot(normal, towards)) / length : slant;
        // The usual view from the front wins where others are hardly better.
        const double quality = -std::abs(seen - slant) - (quarter == -90 ? 0 : 0.08);
        if (quality > best) {
          best = quality;
          towards_ = towards;
        }
      }
  const double flat = std::hypot(towards_[0], towards_[1]);
  right_ = {-towards_[1] / flat, towards_[0] / flat, 0};
  up_ = cross(towards_, right_);
  const double half_width = std::abs(right_[0]) + std::abs(right_[1]);
  const double half_height = std::abs(up_[0]) + std::abs(up_[1]) + std::abs(up_[2]);
  unit_ = std::min(box.width / (2 * half_width), box.height / (2 * half_height));
  x_ = box.x + box.width / 2;
  y_ = box.y + box.height / 2;
}

Point3 SpaceView::back() const {
  Point3 out{};
  for (std::size_t j = 0; j < 3; ++j) out[j] = towards_[j] > 0 ? -1 : 1;
  return out;
}

std::vector<svg::Tick> SpaceView::ticks(std::size_t axis, double low, double high) const {
  const double length = 2 * unit_ * std::hypot(right_[axis], up_[axis]);
  return svg::ticks(low, high, std::clamp(static_cast<int>(length / 48), 1, 4));
}

std::string SpaceView::faces(const Point3& low, const Point3& high) const {
  const auto at = [&](const Point3& p) { return fmt::format("{} {}", number(x(p)), number(y(p))); };
  std::string out, lines;
  for (std::size_t j = 0; j < 3; ++j) {
    const std::size_t a = (j + 1) % 3, b = (j + 2) % 3;
    Point3 p{};
    p[j] = back()[j];
    std::string path;
    for (const auto& [u, v] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
      p[a] = u;
      p[b] = v;
      path += (path.empty() ? "M" : "L") + at(p);
    }
    out +=
        fmt::format("<path class=\"face\" fill=\"#f7f7f7\" stroke=\"#bbbbbb\" d=\"{}z\"/>\n", path);
    for (const std::size_t along : {a, b})
      for (const svg::Tick& tick : ticks(along, low[along], high[along])) {
        Point3 from = p, to = p;
        from[along] = to[along] = place_in_cube(tick.value, low[along], high[along]);
        const std::size_t other = along == a ? b : a;
        from[other] = -1;
        to[other] = 1;
        lines += fmt::format("M{}L{}", at(from), at(to));
      }
  }
  return out + fmt::format("<path class=\"grid\" stroke=\"#dddddd\" d=\"{}\"/>\n", lines);
}

std::string SpaceView::labels(const Point3& low, const Point3& high,
                              const std::array<std::string, 3>& names) const {
  std::string texts;
  const Point3 behind = back();
  // At edges of the outline: two of the floor in front, one upright at the left.
  for (std::size_t j = 0; j < 3; ++j) {
    Point3 edge{};
    if (j < 2) {
      edge[1 - j] = -behind[1 - j];
      edge[2] = behind[2];
    } else {
      const Point3 one{behind[0], -behind[1], 0}, other{-behind[0], behind[1], 0};
      edge = x(one) < x(other) ? one : other;
    }
    const Point3 centre = j < 2 ? Point3{0, 0, behind[2]} : Point3{};
    double dx = x(edge) - x(centre), dy = j < 2 ? y(edge) - y(centre) : 0;
    const double length = std::hypot(dx, dy);
    dx /= length;
    dy /= length;
    const char* anchor = dx < -0.35 ? "end" : dx > 0.35 ? "start" : "middle";
    double widest = 0;
    for (const svg::Tick& tick : ticks(j, low[j], high[j])) {
      Point3 p = edge;
      p[j] = place_in_cube(tick.value, low[j], high[j]);
      if (std::abs(p[j]) > 0.93) continue;  // the corner belongs to two axes
      texts += text_at(x(p) + 8 * dx, y(p) + 8 * dy + 4 + (dy > 0.3 ? 4 : 0), anchor, tick.text,
                       " font-size=\"11\"");
      widest = std::max(widest, text_width(tick.text));
    }
    if (j < 2) {
      const double off = 20 + widest * std::abs(dx) + 10 * std::abs(dy);
      texts += text_at(x(edge) + off * dx, y(edge) + off * dy + 8, anchor, svg::text(names[j], 24));
    } else {
      Point3 top = edge;
      top[2] = 1;
      texts += text_at(x(top), y(top) - 8, "middle", svg::text(names[j], 24));
    }
  }
  return texts;
}

std::vector<Point3> plane_in_cube(const Point3& point, const Point3& normal) {
  // Two directions in the plane, from the axis that is least along the normal.
  std::size_t least = 0;
  for (std::size_t j = 1; j < 3; ++j)
    if (std::abs(normal[j]) < std::abs(normal[least])) least = j;
  Point3 axis{};
  axis[least] = 1;
  const auto unit = [](Point3 v) {
    const double length = std::sqrt(dot(v, v));
    for (double& c : v) c /= length;
    return v;
  };
  const Point3 u = unit(cross(normal, axis)), v = unit(cross(normal, u));
  std::vector<Point3> out;
  for (const auto& [a, b] : {std::pair{-8, -8}, {8, -8}, {8, 8}, {-8, 8}})
    out.push_back({point[0] + a * u[0] + b * v[0], point[1] + a * u[1] + b * v[1],
                   point[2] + a * u[2] + b * v[2]});
  // Cut off what is beyond each face (Sutherland and Hodgman).
  for (std::size_t j = 0; j < 3; ++j)
    for (const double side : {-1.0, 1.0}) {
      std::vector<Point3> inside;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const Point3 &p = out[i], &q = out[(i + 1) % out.size()];
        const double dp = 1 - side * p[j], dq = 1 - side * q[j];  // ≥ 0: inside
        if (dp >= 0) inside.push_back(p);
        if ((dp < 0) == (dq < 0)) continue;
        const double t = dp / (dp - dq);
        inside.push_back(
            {p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1]), p[2] + t * (q[2] - p[2])});
      }
      out = std::move(inside);
    }
  return out;
}

}  // namespace mercer
