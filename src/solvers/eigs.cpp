#include <mercer/eigs_memory.hpp>

#include "core/monitor.hpp"
#include "core/require.hpp"
#include "solvers/dense.hpp"
#include "solvers/krylov.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace mercer {

namespace {

/// Two vectors of length 1, v and w, for which vᵀ(Aw) and wᵀ(Av) differ most of those seen.
class Asymmetry {
 public:
  /// `v`: orthonormal; `av`: their products.
  void look(const Matrix<double>& v, const Matrix<double>& av) {
    const Matrix<double> square = v.transpose() * av;
    Index i = 0, j = 0;
    const double difference = (square - square.transpose()).cwiseAbs().maxCoeff(&i, &j);
    norm_ = std::max(norm_, av.colwise().stableNorm().maxCoeff());
    if (!(difference > std::abs(first_ - second_))) return;
    first_ = square(i, j);
    second_ = square(j, i);
  }

  /// Relative to the largest product.
  bool beyond(double share) const { return std::abs(first_ - second_) > share * norm_; }

  std::string text() const {
    return fmt::format(
        "the operator is not symmetric: there are vectors v and w of length 1 with v'Aw = {} and "
        "w'Av = {}; use a symmetric one, such as (A + A')/2",
        first_, second_);
  }

 private:
  double first_ = 0, second_ = 0, norm_ = 0;
};

BlockKrylov method_of(const EigsOptions& options) {
  return {.block = options.block,
          .tolerance = options.tolerance,
          .max_passes = options.max_passes,
          .seed = options.seed};
}

}  // namespace

std::size_t least_eigs_memory(Index n, Index k, const EigsOptions& options) {
  return least_memory_bytes(method_of(options), n, k);
}

Eigs detail::eigs(Index n, const Product& product, Index k, const EigsOptions& options) {
  require(options.threads >= 0, Errc::bad_option, "`threads={}` must not be negative",
          options.threads);
  const double sign = options.smallest ? -1 : 1;
  Reporter report(options.monitor, "eigenpairs", "passes", 0);
  Asymmetry asymmetry;
  const BlockApply apply = [&](const Matrix<double>& v, Matrix<double>& out) {
    product(v, out);
    require(out.rows() == v.rows() && out.cols() == v.cols(), Errc::bad_data,
            "the product with {}×{} numbers has {}×{}", v.rows(), v.cols(), out.rows(), out.cols());
    if (!out.allFinite()) return;  // which is refused where the product is used
    asymmetry.look(v, out);
    // Operators in single precision are symmetric to 1e-7.
    require(!asymmetry.beyond(std::max(1e-5, 10 * options.tolerance)), Errc::bad_data, "{}",
            asymmetry.text());
    if (options.smallest) out = -out;
  };
  BlockKrylov how = method_of(options);
  if (options.memory > 0) how = within_memory(how, n, k, options.memory);
  // A basis whose restarts gain too little grows, within `memory` or what most machines have.
  constexpr double unasked = 1 << 30;
  how = resolved(how, n, k);
  how.most_basis =
      grown_basis(how, n, options.memory > 0 ? static_cast<double>(options.memory) : unasked);
  const Completeness complete{.norms = [] { return MatrixNorms{}; }};
  const KrylovRun run{.threads = options.threads,
                      .start = options.start.size() > 0 ? &options.start : nullptr,
                      .monitor = [&](int pass, double) { report(pass); },
                      .complete = options.bound ? &complete : nullptr};
  report(0);
  KrylovResult found = [&] {
    try {
      return krylov_eigenpairs(n, apply, k, how, run);
    } catch (const Error& error) {
      // More than the rounding of doubles, which would be blamed otherwise.
      if (error.code() != Errc::not_converged || !asymmetry.beyond(1e-12)) throw;
      throw Error(Errc::not_converged, fmt::format("no eigenpairs within the tolerance {:.1e}: {}",
                                                   options.tolerance, asymmetry.text()));
    }
  }();
  fix_signs(found.pairs.vectors);
  return {.values = sign * found.pairs.values,
          .vectors = found.pairs.vectors.transpose(),
          .residuals = std::move(found.pairs.residuals),
          .passes = found.passes,
          .beyond = sign * found.ceiling,
          .confidence = std::isinf(found.ceiling) ? 0 : found.confidence};
}

}  // namespace mercer
