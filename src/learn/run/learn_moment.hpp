#pragma once
// R of the rows of a run in memory, to check its components.

#include "learn/theory/certify.hpp"
#include "pca/standard.hpp"

#include <mercer/hebbian.hpp>
#include <mercer/map.hpp>

#include <memory>

namespace mercer {

class RowsMoment final : public Moment {
 public:
  /// What is borrowed stays with the caller: rows, their weights or null, what is done to them
  /// before the map or null. `about`: a point near the mean of the features; the known mean, or 0,
  /// where the learner uses that.
  RowsMoment(const Rows<double>& rows, const double* weights, const Standard* standard,
             std::shared_ptr<const Map<double>> map, LearnedMean centre, Vector<double> about,
             int threads);

  /// Rows with missing cells are left out.
  Matrix<double> times(const Matrix<double>& v, const Matrix<double>& dual) override;
  double trace() override { return trace_; }

 private:
  Rows<double> rows_;
  const double* weights_;
  const Standard* standard_;
  std::shared_ptr<const Map<double>> map_;
  LearnedMean centre_;
  Vector<double> about_;
  int threads_;
  double trace_ = 0;
};

}  // namespace mercer
