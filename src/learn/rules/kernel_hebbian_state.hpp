#pragma once
// What a `KernelHebbian` consists of. Steps and the model: kernel_hebbian.cpp; convergence and
// bytes: kernel_hebbian_look.cpp.

#include "core/random.hpp"

#include <mercer/kernel_hebbian.hpp>

#include <algorithm>
#include <numeric>
#include <vector>

namespace mercer {

struct KernelHebbian::State {
  /// Rows of the kernel matrix that are computed together when it is not kept.
  static constexpr Index block_rows = 64;

  State(const Kernel& k, const Rows<double>& rows, KernelHebbianOptions o, const double* weights);

  KernelHebbianOptions options;
  Matrix<double> x;
  Kernel kernel;
  Vector<double> weights;  ///< of the rows
  bool weighted = false;
  Vector<double> share;    ///< s = weights over their sum
  Vector<double> mean;     ///< Ks
  double grand = 0;        ///< sᵀKs
  Vector<double> squares;  ///< ‖Φ̃(x_i)‖²
  Matrix<double> kept;     ///< centred kernel matrix; empty: computed as needed
  Matrix<double> a;        ///< k×N
  RateRun rate;
  Random random;
  std::int64_t steps = 0;
  double learned = 0;  ///< weight of the steps
  double time = 0, eta = 0;
  Matrix<double> covariance;  ///< E yyᵀ; later rows weigh more, as A was worse before
  Matrix<double> looked_at;   ///< A at the last check; empty: none yet
  /// ‖w_1‖², updated once it has been requested; negative: not yet.
  double first_square = -1;

  Index n() const { return x.rows(); }

  /// k̃(x_i, X) of these rows, one below the other. Always of a whole block: the last bits of a
  /// product depend on its shape.
  void sections(const Index* rows, Index count, Matrix<double>& out) const {
    Matrix<double> some(block_rows, x.cols());
    for (Index r = 0; r < block_rows; ++r) some.row(r) = x.row(rows[std::min(r, count - 1)]);
    for (Index first = 0; first < n(); first += 256) {
      const Index width = std::min<Index>(256, n() - first);
      kernel.tile<double>(Rows<double>(some), Rows<double>(x).middle(first, width),
                          out.middleCols(first, width));
    }
    for (Index r = 0; r < count; ++r)
      out.row(r).array() -= mean.transpose().array() + (mean[rows[r]] - grand);
  }

  /// f(i, section) for blocks of these rows in order.
  template <class Use>
  void each_block(std::span<const Index> order, Use&& use) const {
    Matrix<double> block(kept.size() > 0 ? 0 : block_rows, n());
    std::vector<const double*> pointers;
    const Index all = static_cast<Index>(order.size());
    for (Index first = 0; first < all; first += block_rows) {
      const Index count = std::min(block_rows, all - first);
      const Index* rows = order.data() + first;
      if (kept.size() == 0) sections(rows, count, block);
      pointers.clear();
      for (Index r = 0; r < count; ++r)
        pointers.push_back(kept.size() > 0 ? kept.row(rows[r]).data() : block.row(r).data());
      use(rows, pointers);
    }
  }

  std::vector<Index> natural_order() const {
    std::vector<Index> order(static_cast<std::size_t>(n()));
    std::iota(order.begin(), order.end(), Index{0});
    return order;
  }

  /// Weights made orthonormal in feature space, in order, then by falling variance.
  struct Components {
    Matrix<double> b;          ///< combinations of Φ̃
    Vector<double> variances;  ///< of all rows, by their weights: Σ w y²
  };
  Components components() const;

  /// B K̃: the outputs of all rows by the weights BΦ̃, and with them inner products of weights.
  Matrix<double> outputs_of(const Matrix<double>& b) const {
    Matrix<double> y(b.rows(), n());
    each_block(natural_order(), [&](const Index* rows, const std::vector<const double*>& at) {
      for (std::size_t r = 0; r < at.size(); ++r)
        y.col(rows[r]).noalias() = b * Eigen::Map<const Vector<double>>(at[r], n());
    });
    return y;
  }
};

}  // namespace mercer
