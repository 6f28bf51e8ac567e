#include "support/random.hpp"

#include <Eigen/QR>

namespace mercer::test {

Matrix<double> Random::normal(Index rows, Index cols) {
  return Matrix<double>::NullaryExpr(rows, cols, [this] { return normal(); });
}

Matrix<double> Random::rotation(Index n) {
  return Eigen::HouseholderQR<Eigen::MatrixXd>(normal(n, n)).householderQ();
}

Matrix<double> rows_with_deviations(Random& random, Index rows, const Vector<double>& deviations,
                                    double mean) {
  Matrix<double> z = random.normal(rows, deviations.size());
  z.rowwise() -= z.colwise().mean().eval();
  const Eigen::MatrixXd q = Eigen::HouseholderQR<Eigen::MatrixXd>(z).householderQ() *
                            Eigen::MatrixXd::Identity(rows, deviations.size());
  const Matrix<double> axes = random.rotation(deviations.size());
  Matrix<double> x = std::sqrt(static_cast<double>(rows - 1)) * q * deviations.asDiagonal() * axes;
  x.array() += mean;
  return x;
}

}  // namespace mercer::test
