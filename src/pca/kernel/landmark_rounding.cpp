#include "pca/kernel/landmark_rounding.hpp"

#include "linalg/blas.hpp"
#include "linalg/blocked_triangular.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

/// For errors of second order, and for the rounding of the bounds themselves.
constexpr double rounding_slack = 1.05;
/// Not less than the 2-norm.
double norm_bound(const Matrix<double>& symmetric) {
  return std::min(symmetric.norm(), symmetric.cwiseAbs().rowwise().sum().maxCoeff());
}

/// L̂⁻¹D.
Matrix<double> scaled_inverse(const Eigen::Ref<const Matrix<double>>& factor,
                              const Vector<double>& lengths, SharedReporter& report) {
  const BlasThreads one(1);
  const Index m = factor.rows();
  // From the identity on the left: X L̂ = I.
  Matrix<double> inverse = Matrix<double>::Identity(m, m);
  in_equal_pieces(m, report, [&](Index from, Index rows) {
    times_triangular(inverse.data() + from * m, rows, m, Triangular::inverse, factor.data(), m,
                     factor.outerStride());
  });
  return inverse * lengths.asDiagonal();
}

/// D⁻¹L̂.
Matrix<double> scaled_factor(const Eigen::Ref<const Matrix<double>>& factor,
                             const Vector<double>& lengths) {
  Matrix<double> out = factor.triangularView<Eigen::Lower>();
  out.array().colwise() /= lengths.array();
  return out;
}

}  // namespace

LandmarkRounding::LandmarkRounding(const Eigen::Ref<const Matrix<double>>& factor,
                                   const Matrix<double>& values, const EntryError& entries,
                                   SharedReporter& report)
    : lengths_(values.diagonal().cwiseSqrt()) {
  const Index m = factor.rows();
  const auto order = static_cast<double>(m);
  inverse_square_ = rounding_slack * scaled_inverse(factor, lengths_, report).squaredNorm();

  const Vector<double> scales = lengths_.cwiseInverse();
  inverse_lengths_ = rounding_slack * scales.squaredNorm();
  const auto scaled_norm = [&](Matrix<double> symmetric) {
    symmetric.array().colwise() *= scales.array();
    symmetric.array().rowwise() *= scales.transpose().array();
    return norm_bound(symmetric);
  };
  // The computed error of the factor is itself rounded, by u/8·‖D⁻¹|L̂|‖² ≤ u/8·m.
  factor_error_ =
      rounding_slack * (scaled_norm(factor_error(factor, values, report)) + 0x1p-53 * order +
                        entries.of_matrix(scaled_norm(values), order, inverse_lengths_));

  const Matrix<double> scaled = scaled_factor(factor, lengths_);
  std::vector<double> panels;
  for (Index from = 0; from < m; from = next_panel(from)) {
    const Index width = std::min(m, next_panel(from)) - from;
    const auto roundings = static_cast<double>(width + static_cast<Index>(panels.size()) + 4);
    panels.push_back(rounding_slack * roundings * 0x1p-53 * scaled.middleCols(from, width).norm());
  }
  panels_ = Eigen::Map<const Vector<double>>(panels.data(), static_cast<Index>(panels.size()));
}

double LandmarkRounding::row(double whole, const EntryError& entries) const {
  // As in `bounds`, with a ≤ b‖φ̂(x)‖: what is known of a single row.
  const auto m = static_cast<Index>(lengths_.size());
  const double root = std::sqrt(whole), share = entries.relative + entries.diagonal;
  const double h = root * (share * std::sqrt(static_cast<double>(m)) + panels_.sum()) +
                   entries.absolute * std::sqrt(inverse_lengths_);
  const double a = std::sqrt(inverse_square_) * root, more = a + h * inverse_square_;
  return rounding_slack * (2 * a * h + more * more * factor_error_ +
                           (share + panel_error(m)) * whole + entries.absolute);
}

LandmarkRounding::Bounds LandmarkRounding::bounds(const Eigen::Ref<const Matrix<double>>& factor,
                                                  const Sums& sums, const EntryError& entries,
                                                  SharedReporter& report) const {
  const BlasThreads one(1);
  const Index m = factor.rows();
  const Matrix<double> second = sums.second;
  const double off = sums.error * sums.trace;
  // Errors of `second` are amplified by L̂⁻¹ as features are.
  const double lost = off * inverse_square_;
  double weights_norm = 0, weights_total = 0;  // a², of the 2-norm and the Frobenius norm
  {
    const Matrix<double> inverse = scaled_inverse(factor, lengths_, report);
    Matrix<double> half(m, m), weights(m, m);  // weights = D L̂⁻ᵀ Σ L̂⁻¹ D
    in_equal_pieces(m, report, [&](Index from, Index rows) {
      multiply(second.data() + from * m, rows, m, m, inverse.data(), m, m, half.data() + from * m,
               m);
    });
    in_equal_pieces(m, report, [&](Index from, Index rows) {
      multiply_tall(inverse.data() + from, m, rows, m, half.data(), m, m, weights.data() + from * m,
                    m);
    });
    weights_norm = rounding_slack * norm_bound(weights) + lost;
    weights_total = rounding_slack * weights.trace() + lost;
  }
  double similar = 0;  // ‖D⁻¹C‖²_F = tr D⁻¹L̂ Σ L̂ᵀD⁻¹
  {
    const Matrix<double> scaled = scaled_factor(factor, lengths_);
    Matrix<double> half(m, m);
    in_equal_pieces(m, report, [&](Index from, Index rows) {
      multiply(scaled.data() + from * m, rows, m, m, second.data(), m, m, half.data() + from * m,
               m);
    });
    similar = half.cwiseProduct(scaled).sum() + off * static_cast<double>(m);
  }
  // |H| ≤ relative·|C| + diagonal·√(k(x, x)k(l, l)) + absolute, entry by entry.
  double h = entries.relative * std::sqrt(similar) +
             entries.diagonal * std::sqrt(static_cast<double>(m) * sums.trace) +
             entries.absolute * std::sqrt(sums.weight * inverse_lengths_);
  Index panel = 0;
  for (Index from = 0; from < m; from = next_panel(from), ++panel) {
    const Index width = std::min(m, next_panel(from)) - from;
    const double explained = second.diagonal().segment(from, width).sum() + off;
    h += panels_[panel] * std::sqrt(rounding_slack * explained);
  }
  const auto first_order = [&](double a_square) {
    const double a = std::sqrt(a_square), more = a + h * inverse_square_;
    return 2 * a * h + more * more * factor_error_;
  };
  const double own = (entries.relative + entries.diagonal + panel_error(m)) * sums.trace +
                     entries.absolute * sums.weight;
  return {rounding_slack * (first_order(weights_norm) + h * h * inverse_square_),
          rounding_slack * (first_order(weights_total) + own)};
}

}  // namespace mercer
