#pragma once
// h̄(w) = E h(w, x) of two halves of the rows, and how long rows are: one pass.
//
// h(w, x) = y(x − yw), y = wᵀx, x about the mean. For rows that are exchangeable the means of the
// two halves differ by their standard error: `ratio` = ‖h̄_A − h̄_B‖ / √(tr Var h̄_A + tr Var h̄_B)
// is then about 1.

#include <mercer/matrix.hpp>

#include <vector>

namespace mercer {

class MeanField {
 public:
  /// `mean`: rows are taken about it. `points`: unit vectors w, as rows. `rows`: their number N.
  /// `alternate`: odd and even rows; otherwise the first and the second half.
  MeanField(Vector<double> mean, Matrix<double> points, Index rows, bool alternate);

  /// φ(x) of the next row; rows with missing values are passed over.
  void add(const double* features, double weight);

  double longest_square() const { return longest_; }  ///< max ‖x − m‖²
  /// Some of the rows about the mean, evenly spaced.
  Matrix<double> sample() const { return sample_.topRows(sampled_); }
  double difference(Index point) const;  ///< ‖h̄_A − h̄_B‖
  double ratio(Index point) const;       ///< of the difference to its standard error
  Index points() const { return points_.rows(); }
  bool alternate() const { return alternate_; }

 private:
  struct Half {
    Vector<double> sum, square_sum;                     ///< Σωh, Σω²h
    double weight = 0, weight_square = 0, squares = 0;  ///< Σω, Σω², Σω²‖h‖²
    Vector<double> mean() const { return sum / weight; }
    double variance() const;  ///< tr of the variance of the mean
  };
  const Half& half(Index which, Index point) const {
    return halves_[static_cast<std::size_t>(2 * point + which)];
  }

  Vector<double> mean_;
  Matrix<double> points_;
  Index rows_, seen_ = 0;
  bool alternate_;
  double longest_ = 0;
  Matrix<double> sample_;
  Index sampled_ = 0;
  std::vector<Half> halves_;
};

}  // namespace mercer
