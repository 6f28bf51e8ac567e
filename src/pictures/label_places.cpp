#include "pictures/label_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mercer {

void LabelPlaces::avoid(double x0, double y0, double x1, double y1) {
  const double steps = std::ceil(std::hypot(x1 - x0, y1 - y0) / 6);
  for (int i = 0; i <= steps; ++i) {
    const double t = steps > 0 ? i / steps : 0;
    avoided_.push_back({x0 + t * (x1 - x0) - 2, y0 + t * (y1 - y0) - 2, 4, 4});
  }
}

std::optional<Box> LabelPlaces::place(double x, double y, double dx, double dy, double width,
                                      double height) {
  const double length = std::hypot(dx, dy);
  const double angle = length > 0 ? std::atan2(dy, dx) : -0.8;
  const auto hits = [](const Box& box, const std::vector<Box>& others) {
    return std::any_of(others.begin(), others.end(),
                       [&](const Box& other) { return box.overlaps(other); });
  };
  // Rings around the point, each begun in the direction asked for, to both sides in turn.
  for (const bool strict : {true, false})
    for (const double radius : {4.0, 9.0, 16.0, 25.0, 36.0, 50.0, 66.0}) {
      if (strict && radius > 30) break;  // far off is worse than across a line
      for (int turn = 0; turn < 25; ++turn) {
        const int aside = (turn + 1) / 2;
        const double side = turn % 2 == 0 ? aside : -aside;
        const double ux = std::cos(angle + 0.26 * side), uy = std::sin(angle + 0.26 * side);
        // The box touches the ring with the side or corner that faces the point.
        const Box box{x + radius * ux + (ux - 1) / 2 * width,
                      y + radius * uy + (uy - 1) / 2 * height, width, height};
        if (!box.inside(room_) || hits(box, taken_) || (strict && hits(box, avoided_))) continue;
        taken_.push_back(box);
        return box;
      }
    }
  return std::nullopt;
}

std::string placed_label(LabelPlaces& places, double x, double y, double dx, double dy,
                         const std::string& name, std::size_t most, const char* fill) {
  constexpr double height = 13;
  const auto box = places.place(x, y, dx, dy, text_width(name, most) + 2, height);
  if (!box) return {};
  const double cx = std::clamp(x, box->x, box->x + box->width);
  const double cy = std::clamp(y, box->y, box->y + box->height);
  std::string out;
  if (std::hypot(cx - x, cy - y) > 8)
    out = fmt::format("<path class=\"lead\" d=\"M{} {}L{} {}\"/>", svg::number(x), svg::number(y),
                      svg::number(cx), svg::number(cy));
  return out + text_at(box->x + box->width / 2, box->y + height - 3, "middle",
                       svg::text(name, most),
                       fmt::format(" class=\"name\" fill=\"{}\"", fill).c_str());
}

}  // namespace mercer
