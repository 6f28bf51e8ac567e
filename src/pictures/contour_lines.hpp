#pragma once
// Level lines of a function that is known on a grid, by marching squares.

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer {

struct PlanePoint {
  double x, y;
  bool operator==(const PlanePoint&) const = default;
};

/// In units of the grid: x is the column, y the row. A closed one ends where it began.
using Polyline = std::vector<PlanePoint>;

/// Where the bilinear surface through `values` has this level; lines are joined across cells, and
/// saddles are decided by the mean of their cell's corners.
std::vector<Polyline> level_lines(const Matrix<double>& values, double level);

/// The boundaries of {values ≥ level}, all closed, those along the edge of the grid too: filled by
/// the even-odd rule they are that region.
std::vector<Polyline> region_above(const Matrix<double>& values, double level);

/// The same line with fewer points, none of the left out ones further from it than `tolerance`
/// (Douglas and Peucker).
Polyline simplified(const Polyline& line, double tolerance);

}  // namespace mercer
