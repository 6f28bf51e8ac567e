#pragma once
// Places for names beside points so that none covers another.

#include "pictures/figure.hpp"

#include <optional>
#include <vector>

namespace mercer {

class LabelPlaces {
 public:
  /// Names stay within `room`.
  explicit LabelPlaces(const Box& room) : room_(room) {}

  /// Keeps names away from here: an arrow's head, a point.
  void block(const Box& box) { taken_.push_back(box); }

  /// Keeps names away from this line where there is room elsewhere.
  void avoid(double x0, double y0, double x1, double y1);

  /// A box of this size near (x, y), preferably in the direction (dx, dy) from it; nothing when
  /// every place is taken. It is taken from now on.
  std::optional<Box> place(double x, double y, double dx, double dy, double width, double height);

 private:
  Box room_;
  std::vector<Box> taken_, avoided_;
};

/// A name at (x, y) in the direction (dx, dy), with a line to it where it stands further off;
/// empty when there is no place.
std::string placed_label(LabelPlaces& places, double x, double y, double dx, double dy,
                         const std::string& name, std::size_t most, const char* fill);

}  // namespace mercer
