#pragma once
/// \file
/// Kernel principal components by Hebbian learning, with two methods.
///
/// Passes over N stored rows (Kim, Franz & Schölkopf 2005): Sanger's rule in the feature space of
/// the kernel, where a weight vector is a combination of the rows, w_j = Σ_i a_ji Φ̃(x_i):
///
///     mercer::KernelHebbian learner(mercer::kernels::rbf(), x, {.components = 2});
///     for (int i = 0; i < 50; ++i) learner.epoch();        // each in a new order
///     mercer::Model<double> model = learner.model();       // same form as exact kernel PCA
///
/// A step costs O(N·k), or O(N·(k + d)) if the kernel matrix is too large to be stored.
///
/// An endless stream, in constant memory, with any rule on the features of m landmarks:
///
///     auto phi = mercer::landmark_map(mercer::kernels::rbf({.gamma = 0.5}), landmarks);
///     mercer::Hebbian neurons(phi, {.rule = "gha", .components = 2});
///     neurons.update(rows);                                // row by row
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
  bool shuffle = true;  ///< in each epoch; false: in the given order
  std::uint64_t seed = default_seed;
  /// Largest size of the kernel matrix in bytes; a larger one is recomputed row by row.
  std::size_t memory = std::size_t{2} << 30;
  int threads = 0;  ///< of the kernel matrix; 0: one per core
  /// Of the kernel matrix and of epochs; one that it stops has learned from some of its rows.
  Monitor monitor{};
};

class KernelHebbian {
 public:
  /// Copies the rows and estimates an open kernel width from them. `row_weights`: one per row, as
  /// in `Hebbian::update`; the mean in feature space is weighted as well.
  KernelHebbian(const Kernel& kernel, const Rows<double>& x, KernelHebbianOptions options = {},
                Weights row_weights = {});
  ~KernelHebbian();
  KernelHebbian(KernelHebbian&&) noexcept;
  KernelHebbian& operator=(KernelHebbian&&) noexcept;

  /// Learns from every row once. Throws `Errc::not_converged` when the weights diverge.
  void epoch();
  /// Learns from these rows, numbered from 0, in this order. Steps do not depend on how they are
  /// split into calls.
  void update(std::span<const Index> rows);
  /// Weights orthonormalised in feature space, in order; variances are those of the rows.
  Model<double> model() const;

  std::int64_t steps() const;
  double time() const;                         ///< t = Ση
  double rate() const;                         ///< η of the last step, times its weight
  const Matrix<double>& coefficients() const;  ///< A, k×N
  /// ‖w_1‖ in feature space. The first call costs O(N²), and every later step O(1): with c = 1 −
  /// ηy₁², ‖w₁‖² ← c²‖w₁‖² + 2cηy₁² + η²y₁²‖φ‖².
  double norm() const;
  Vector<double> output_variances() const;  ///< of y_j; later rows have larger weights
  double total_variance() const;            ///< E‖Φ̃(x)‖²

  /// Compares with the state at the last call, in feature space. Costs about an epoch, and more
  /// once the weights hardly move: then the residuals of the components over all rows are computed.
  Convergence look();

  /// The complete state, to resume bit for bit with the same kernel, rows and options.
  std::string save_state() const;
  /// Throws `Errc::bad_file` if this is not the state of such a learner.
  void load_state(const std::string& bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// φ(x) = Λ^-½ Uᵀ k(L, x) with k(L, L) = UΛUᵀ: features whose inner products approximate the kernel
/// by projection onto the landmarks L. A model learned on it uses a kernel map over L.
std::shared_ptr<const Map<double>> landmark_map(const Kernel& kernel, Matrix<double> landmarks);

}  // namespace mercer
