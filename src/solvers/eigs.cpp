#include <mercer/eigs.hpp>

#include "core/monitor.hpp"
#include "core/require.hpp"
#include "solvers/dense.hpp"
#include "solvers/krylov.hpp"

#include <cmath>

namespace mercer {

Eigs detail::eigs(Index n, const Product& product, Index k, const EigsOptions& options) {
  require(options.threads >= 0, Errc::bad_option, "`threads={}` must not be negative",
          options.threads);
  const double sign = options.smallest ? -1 : 1;
  Reporter report(options.monitor, "eigenpairs", "passes", 0);
  const BlockApply apply = [&](const Matrix<double>& v, Matrix<double>& out) {
    product(v, out);
    require(out.rows() == v.rows() && out.cols() == v.cols(), Errc::bad_data,
            "the product with {}×{} numbers has {}×{}", v.rows(), v.cols(), out.rows(), out.cols());
    if (options.smallest) out = -out;
  };
  BlockKrylov how{.block = options.block,
                  .tolerance = options.tolerance,
                  .max_passes = options.max_passes,
                  .seed = options.seed};
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
  KrylovResult found = krylov_eigenpairs(n, apply, k, how, run);
  fix_signs(found.pairs.vectors);
  return {.values = sign * found.pairs.values,
          .vectors = found.pairs.vectors.transpose(),
          .residuals = std::move(found.pairs.residuals),
          .passes = found.passes,
          .beyond = sign * found.ceiling,
          .confidence = std::isinf(found.ceiling) ? 0 : found.confidence};
}

}  // namespace mercer
