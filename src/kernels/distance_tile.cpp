#include "kernels/distance_tile.hpp"

#include "linalg/blas.hpp"

namespace mercer {

bool distance_tile(Ingredient distance, const Rows<double>& x, const Rows<double>& y,
                   Eigen::Ref<Matrix<double>> out) {
  const BlasThreads one(1);
  Uses uses;
  uses.scale = 0;
  Evaluation pairs(x, y, uses);
  return pairs.apply_to(distance, {}, {out.data(), out.rows(), out.cols(), out.outerStride()});
}

}  // namespace mercer
