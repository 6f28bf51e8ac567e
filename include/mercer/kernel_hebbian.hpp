#pragma once
/// \file
/// Kernel principal components by Hebbian learning, on two roads.
///
/// Passes over N rows that are kept (Kim, Franz & Schölkopf 2005): Sanger's rule in the feature
/// space of the kernel, where a weight vector is a combination of the rows, w_j = Σ_i a_ji Φ̃(x_i):
///
///     mercer::KernelHebbian learner(mercer::kernels::rbf(), x, {.components = 2});
///     for (int i = 0; i < 50; ++i) learner.epoch();        // each in a new order
///     mercer::Model<double> model = learner.model();       // like exact kernel PCA's
///
/// A step costs O(N·k), or O(N·(k + d)) when the kernel matrix is too large to be kept.
///
/// An endless stream, in constant memory: any rule on features that m landmarks span:
///
///     auto phi = mercer::landmark_map(mercer::kernels::rbf({.gamma = 0.5}), landmarks);
///     mercer::Hebbian neurons(phi, {.rule = "gha", .components = 2});
///     neurons.update(rows);                                // as they come
///     mercer::Model<double> same = neurons.model();        // a kernel map over the landmarks

#include <mercer/hebbian.hpp>
#include <mercer/kernel.hpp>
#include <mercer/map.hpp>
#include <mercer/model.hpp>
#include <mercer/rate.hpp>
#include <mercer/rows.hpp>
#include <mercer/seed.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace mercer {

struct KernelHebbianOptions {
  Index components = 1;
  Rate rate{};
  bool shuffle = true;  ///< each epoch in an order of its own; false: as the rows come
  std::uint64_t seed = default_seed;
  /// Bytes the kernel matrix may take; when it needs more, its rows are computed as they are used.
  std::size_t memory = std::size_t{2} << 30;
  int threads = 0;  ///< of the kernel matrix; 0: one per core
  /// Of the kernel matrix and of epochs; one that it stops has learned from some of its rows.
  Monitor monitor{};
};

class KernelHebbian {
 public:
  /// Copies the rows; an open width of the kernel is chosen from them. `row_weights`: one a row, as
  /// in `Hebbian::update`; the mean in feature space is weighted as well.
  KernelHebbian(const Kernel& kernel, const Rows<double>& x, KernelHebbianOptions options = {},
                Weights row_weights = {});
  ~KernelHebbian();
  KernelHebbian(KernelHebbian&&) noexcept;
  KernelHebbian& operator=(KernelHebbian&&) noexcept;

  /// Learns from every row once. Throws `Errc::not_converged` when the weights diverge.
  void epoch();
  /// Learns from these rows, by number from 0, in this order. Steps do not depend on how they are
  /// cut into calls.
  void update(std::span<const Index> rows);
  /// Weights made orthonormal in feature space, in order; variances are those of the rows.
  Model<double> model() const;

  std::int64_t steps() const;
  double time() const;                         ///< t = Ση
  double rate() const;                         ///< η of the last step, times its weight
  const Matrix<double>& coefficients() const;  ///< A, k×N
  /// ‖w_1‖ in feature space. The first call costs O(N²), and every step from then on O(1) more:
  /// with c = 1 − ηy₁², ‖w₁‖² ← c²‖w₁‖² + 2cηy₁² + η²y₁²‖φ‖².
  double norm() const;
  Vector<double> output_variances() const;  ///< of y_j; rows count more the later they came
  double total_variance() const;            ///< E‖Φ̃(x)‖²

  /// Compares with the state at the last call, in feature space. Costs about an epoch, and once
  /// little moves some more: the residuals of the components over all rows are computed.
  Convergence look();

  /// Everything that changes, to go on later bit for bit with the same kernel, rows and options.
  std::string save_state() const;
  /// `Errc::bad_file` when that is not the state of such a learner.
  void load_state(const std::string& bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// φ(x) = Λ^-½ Uᵀ k(L, x) with k(L, L) = UΛUᵀ: features whose inner products are those that the
/// landmarks L see of the kernel. A model learned on it is one of a kernel map over L.
std::shared_ptr<const Map<double>> landmark_map(const Kernel& kernel, Matrix<double> landmarks);

}  // namespace mercer
