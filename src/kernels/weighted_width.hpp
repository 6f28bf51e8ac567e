#pragma once
// Widths estimated from weighted rows: a row of weight 2 counts twice, a row of weight 0 is absent.

#include "core/segments.hpp"

#include <mercer/kernel.hpp>

#include <cmath>
#include <vector>

namespace mercer {

/// Rows from which a width is chosen, at most.
constexpr Index width_rows = 1000;

/// Evenly spaced places along the weights of rows: with integers the same rows as when each were
/// there as often as its weight says.
class EvenPlaces {
 public:
  /// `before`: the weights of the rows before the next one.
  EvenPlaces(double total, Index count, RunningSum before = {})
      : total_(total), count_(static_cast<double>(count)), end_(before) {
    places_to(end_.value());
  }

  /// How many places the next row has.
  double next(double weight) {
    end_.add(weight);
    return places_to(end_.value());
  }

 private:
  double places_to(double end) {
    double places = 0;
    for (; taken_ < count_ && place() < end; ++taken_) ++places;
    return places;
  }
  double place() const {
    const double exact = taken_ * total_ / count_;
    return total_ >= count_ ? std::floor(exact) : exact;
  }
  double total_, count_;
  RunningSum end_;
  double taken_ = 0;
};

/// Row numbers, and how often each counts.
struct CountedRows {
  std::vector<Index> rows;
  std::vector<double> counts;
};
/// All rows of a weight above 0 where there are no more than `most` by count and by weight, and
/// rows at `most` even places elsewhere. `weights`: null for ones.
CountedRows even_rows(const double* weights, Index n, Index most);

/// The kernel with every open parameter estimated from these rows, each repeated `counts` times.
template <class T>
Kernel completed_for(const Kernel& kernel, const Rows<T>& rows, const std::vector<double>& counts);

/// The same for at most `width_rows` of rows with these weights; null for ones.
template <class T>
Kernel completed_by_weight(const Kernel& kernel, const Rows<T>& rows, const double* weights);

}  // namespace mercer
