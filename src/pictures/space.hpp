#pragma once
// A cube seen from a distance: orthographic projection of three-dimensional plots.

#include "pictures/figure.hpp"

#include <array>
#include <string>
#include <vector>

namespace mercer {

using Point3 = std::array<double, 3>;

double dot(const Point3& a, const Point3& b);

/// Coordinates are those of the cube from −1 to 1 until `x`, `y`.
class SpaceView {
 public:
  /// Seen so that a plane with this normal is neither edge-on nor face-on, and no axis points at
  /// the viewer; the cube fills `box`.
  SpaceView(const Point3& normal, const Box& box);

  double x(const Point3& p) const { return x_ + unit_ * dot(p, right_); }
  double y(const Point3& p) const { return y_ - unit_ * dot(p, up_); }
  /// Larger is nearer.
  double depth(const Point3& p) const { return dot(p, towards_); }
  const Point3& towards() const { return towards_; }

  /// The three faces at the back, with lines at the ticks; the axes range over `low` … `high`.
  std::string faces(const Point3& low, const Point3& high) const;
  /// Numbers and names of the axes.
  std::string labels(const Point3& low, const Point3& high,
                     const std::array<std::string, 3>& names) const;

 private:
  /// As many as there is room for.
  std::vector<svg::Tick> ticks(std::size_t axis, double low, double high) const;
  Point3 back() const;  ///< the faces that are behind everything
  Point3 right_{}, up_{}, towards_{};
  double x_ = 0, y_ = 0, unit_ = 1;
};

/// The part of the plane through `point` with this normal that lies in the cube: a convex polygon.
std::vector<Point3> plane_in_cube(const Point3& point, const Point3& normal);

}  // namespace mercer
