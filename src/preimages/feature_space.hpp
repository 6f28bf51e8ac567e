#pragma once
// Where scores stand for points: P = Φ̄ + Σ y'_i v_i with y' = M⁻¹y, M the inner products of the
// axes v (the identity for models that were fitted, not for learned ones).
//
// Kernels and explicit maps are alike in it: inner products with P need only a vector `centre` c,
// as ⟨P, Φ(x)⟩ = c·φ(x) + y'·Bφ(x). For explicit maps c = m. For kernels Φ̄ = Σ c_j Φ(a_j), the
// solution of K c = m with K = k(a, a): 1/N when the anchors are all rows.

#include <mercer/model.hpp>

#include <optional>

namespace mercer {

/// Points of a feature space, one a row.
struct FeaturePoints {
  Matrix<double> scores;  ///< y
  Matrix<double> axes;    ///< y' = M⁻¹y
};

/// Rows x, as φ gets them, seen from the axes.
struct RowImages {
  Matrix<double> scores;   ///< y(x)
  Vector<double> centred;  ///< c·(φ(x) − m)
  Vector<double> squares;  ///< ‖Φ(x)‖²
};

template <class T>
class PreImageSpace {
 public:
  PreImageSpace(const Model<T>& model, int threads);

  FeaturePoints points(const MatrixRef<T>& scores) const;
  /// φ and two products a row; `threads` as everywhere.
  RowImages see(const Rows<T>& z, int threads) const;
  /// The same of evenly spaced anchors z (the i-th of n is i·N/n), when the anchors are all rows
  /// that the model was found from: its eigenvectors hold their scores and m their products with
  /// the mean, so that hardly anything of the kernel is computed again. Otherwise none.
  std::optional<RowImages> known(const Rows<T>& z) const;
  /// ‖Φ(x_i) − P_i‖², never negative.
  Vector<double> squared_distances(const RowImages& rows, const FeaturePoints& points) const;
  /// ⟨Φ(x_j), P_i⟩ for all pairs, points × rows.
  Matrix<double> inner_products(const FeaturePoints& points, const RowImages& rows) const;
  /// ‖P‖².
  Vector<double> squares(const FeaturePoints& points) const;
  /// P in the coordinates of φ, or by its coefficients of the anchors: c + y'B, N×D.
  Matrix<double> coefficients(const FeaturePoints& points) const;

  /// Mean of ‖Φ(x) − Φ̄‖² over the data.
  double spread() const { return spread_; }
  /// Of kernel maps; none otherwise.
  const std::optional<Kernel>& kernel() const { return kernel_; }

 private:
  Matrix<double> model_scores(const Rows<T>& z, int threads) const;

  std::shared_ptr<const Map<T>> map_;
  std::optional<Kernel> kernel_;
  Matrix<double> basis_;      // B, k×D
  Vector<double> centre_;     // c
  Vector<double> offset_;     // Bm
  double centre_square_ = 0;  // c·m = ‖Φ̄‖²
  double spread_ = 1;
  Matrix<double> inverse_;        // M⁻¹; empty: the identity
  std::optional<Model<T>> seen_;  // z → (B; cᵀ)(φ(z) − m)
  Vector<double> mean_;           // m, and
  Vector<double> eigenvalues_;  // μ, of a model whose anchors are all its rows; empty: of another
};

}  // namespace mercer
