#pragma once
// What a decoder has learned.

#include "kernels/node.hpp"
#include "preimages/feature_space.hpp"
#include "preimages/fixed_point.hpp"
#include "preimages/neighbours.hpp"
#include "preimages/ridge.hpp"

#include <mercer/preimage.hpp>

namespace mercer {

/// Rows to learn from, and their coordinates along the axes.
struct LearnedRows {
  Matrix<double> z;  ///< as φ gets them
  RowImages images;
};

/// The largest values that rows of the data have; beyond them is outside.
struct Limits {
  double t_squared = 0;
  double distance = 0;  ///< 0: not computed
};

template <class T>
struct Decoder<T>::Parts {
  Parts(const Model<T>& from, const PreImageOptions& how);

  /// One block, single-threaded: x̂ as φ gets it, and which rows converged. `start`: where the fixed
  /// point begins; null: at the ridge's.
  Matrix<T> decoded(const FeaturePoints& points, const Matrix<double>* start,
                    std::vector<std::uint8_t>& converged) const;
  /// Everything of scores, in parallel blocks; `rows` as above, as the columns have them.
  PreImages<T> all(const MatrixRef<T>& scores, const Rows<T>* rows) const;
  /// ‖φ(x̂) − P‖ over the root of the spread.
  Vector<double> distances(const Matrix<T>& z, const FeaturePoints& points) const;
  Vector<double> t_squared(const Matrix<double>& scores) const;

  Model<T> model;
  PreImageOptions options;
  PreImageMethod method;
  std::string why;                                ///< why `automatic` was not the fixed point
  std::optional<Gaussian> gaussian;               ///< the kernel that is evaluated or approximated
  std::optional<InputDistances> input_distances;  ///< of `distances`
  bool nonnegative = false;                       ///< φ has no value for negative entries
  std::optional<PreImageSpace<T>> space;          ///< none for linear models
  std::optional<LearnedRows> learned;
  std::optional<RidgeMap> ridge;
  FixedPoint fixed_point;
  Limits limits;

 private:
  void choose_method();
  void learn();
  Matrix<double> from_neighbours(const FeaturePoints& points) const;
  Matrix<double> read_off(const FeaturePoints& points) const;
};

}  // namespace mercer
