#pragma once
// Matrices as squares of colour.

#include "pictures/figure.hpp"

#include <mercer/matrix.hpp>

#include <string>

namespace mercer {

/// Colours of numbers between two bounds: from white to blue, or from violet over white, which is
/// 0, to orange where there are negative numbers.
class Shades {
 public:
  enum class Kind { blues, violet_to_orange, greys };
  Shades(double low, double high, Kind kind) : low_(low), high_(high), kind_(kind) {}
  /// By the numbers: from 0, or symmetric around 0 if there are negative ones.
  static Shades of(const Matrix<double>& values);

  static constexpr int count = 49;  // odd: 0 is white
  int level(double value) const;
  std::string colour(int level) const;
  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_, high_;
  Kind kind_;
};

/// Means of neighbouring entries where the matrix has more than `most` rows or columns.
Matrix<double> block_means(const Matrix<double>& values, Index most);

/// One rectangle per entry, the first row on top; equal neighbours are joined.
std::string raster_svg(const Matrix<double>& values, const Box& box, const Shades& shades);

/// A bar of the colours with its numbers at the right, which take about 50 pixels.
std::string shades_bar(const Shades& shades, const Box& box);

}  // namespace mercer
