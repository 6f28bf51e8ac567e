#pragma once
// Points in a frame: dots, or density where they are many; ellipses around groups.

#include "pictures/figure.hpp"
#include "pictures/groups.hpp"

#include <mercer/picture.hpp>

namespace mercer {

struct Points {
  Vector<double> x, y;
  Groups groups;
  bool dense = false;  ///< drawn as density
  Index of_rows = 0;   ///< the rows they are a sample of
};

/// Throws `Errc::bad_option` when labels do not fit, `Errc::bad_data` when numbers are not finite.
Points points_of(Vector<double> x, Vector<double> y, const PlotOptions& options);

/// From where to where, with room for the ellipses.
struct Range {
  double low, high;
};
struct Ranges {
  Range x, y;
};
Ranges ranges_of(const Points& points, bool ellipses);

/// One unit as long on both axes, when that does not leave most of the frame empty.
Frame equal_frame(const Ranges& ranges, const Box& box, bool always);

std::string points_svg(const Points& points, const Frame& frame);
std::string ellipses_svg(const Points& points, const Frame& frame);

std::vector<LegendEntry> legend_of(const Points& points);
/// How the rows are drawn, if that needs an explanation.
std::vector<std::string> notes_of(const Points& points, bool ellipses);

}  // namespace mercer
