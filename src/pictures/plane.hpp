#pragma once
// The part of the input plane that a picture shows: which rows, and from where to where.

#include <mercer/model.hpp>
#include <mercer/picture.hpp>

namespace mercer {

struct Plane {
  Matrix<double> points;  ///< N×2; none when the model keeps no rows
  double low[2], high[2];
};

/// The points asked for, or the model's own; their range and a margin.
template <class T>
Plane shown_plane(const Model<T>& model, const ContourOptions& options);

}  // namespace mercer
