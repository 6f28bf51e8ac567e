#pragma once
// The largest eigenpairs of a matrix that is known only by its products: restarted block Krylov.
//
//     KernelMatrix<double> a(kernel_tiles(kernel, rows), {});     // a SymmetricOperator
//     auto found = krylov_pairs(a, 10, BlockKrylov{.tolerance = 1e-8}, {.threads = 2});
//     found.pairs.values;                                         // descending
//
// The cost is dominated by passes (one `apply` to a block); the rest is about 10·n·m·b flops per
// pass for a basis of m and a block of b vectors. Memory: see memory_bytes.

#include "solvers/dense.hpp"
#include "solvers/missed.hpp"

#include <mercer/matrix.hpp>
#include <mercer/operator.hpp>
#include <mercer/seed.hpp>
#include <mercer/team.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>

namespace mercer {

struct BlockKrylov {
  Index block = 0;  ///< vectors a pass; 0: 16 for k ≤ 12, else 32
  Index basis = 0;  ///< vectors kept, each with its product; 0: k + 8 blocks
  /// To how many it may grow, while more pairs are asked for or restarts gain too little; 0: basis.
  Index most_basis = 0;
  double tolerance = 1e-10;  ///< largest residual, relative to the largest |eigenvalue|
  int max_passes = 500;
  std::uint64_t seed = default_seed;
};

/// What a run has besides the question.
struct KrylovRun {
  int threads = 0;                        ///< 0: one per core
  const Matrix<double>* start = nullptr;  ///< n×s vectors to begin with; random ones join them
  /// Ranks that each hold their rows of the vectors (tall_block.hpp): `start`, what `apply` gets
  /// and returns, and the columns of the vectors found. All numbers are the same on all ranks.
  /// Null: alone.
  Team* team = nullptr;
  /// Called after each pass with the worst residual of the pairs still worked on, on every rank.
  /// May throw, on one of them too.
  std::function<void(int pass, double worst)> monitor{};
  /// Ask for a bound on what was missed (missed.hpp), in a few more vectors and perhaps passes.
  const Completeness* complete = nullptr;
};

struct KrylovResult {
  Eigenpairs pairs;  ///< residuals computed from the stored products, not from a recurrence
  int passes = 0;
  /// No eigenvalue beside those of the pairs exceeds this, up to their residuals: proven when
  /// `confidence` is 1. Infinite when it was not asked for.
  double ceiling = std::numeric_limits<double>::infinity();
  double confidence = 0;
  /// Smallest Ritz value: the matrix has an eigenvalue that is no larger. Only when asked for.
  double smallest = std::numeric_limits<double>::infinity();
};

/// `how` with block and basis filled in for this n and k. Throws `Errc::bad_option` when they
/// cannot work: a basis holds k + 2 blocks at least (or n).
BlockKrylov resolved(BlockKrylov how, Index n, Index k);

/// The most pairs for which the basis given in `how`, grown as far as it may, suffices; n when none
/// is given.
Index most_pairs(const BlockKrylov& how, Index n);

/// What `krylov_pairs` allocates, the returned vectors included; `probe_vectors` more for a run
/// with `complete`.
std::size_t memory_bytes(const BlockKrylov& how, Index n, Index k);

/// The same for the smallest basis.
std::size_t least_memory_bytes(const BlockKrylov& how, Index n, Index k);

/// `how` with a basis that fits into `bytes`, at the cost of more passes. Throws
/// `Errc::out_of_memory`, with the minimum, if even the smallest basis is too large.
BlockKrylov within_memory(const BlockKrylov& how, Index n, Index k, std::size_t bytes);

/// The largest basis for k + 2 blocks pairs within these bytes, no smaller than that of `how`; for
/// `most_basis`: while a basis grows, the old one is there too.
Index grown_basis(const BlockKrylov& how, Index n, double bytes);

using BlockApply = std::function<void(const Matrix<double>& v, Matrix<double>& out)>;

/// The same for a size and a function.
KrylovResult krylov_eigenpairs(Index n, const BlockApply& apply, Index k, const BlockKrylov& how,
                               const KrylovRun& run);
KrylovResult krylov_eigenpairs_until(Index n, const BlockApply& apply, Index first,
                                     const std::function<Index(const Vector<double>&)>& enough,
                                     const BlockKrylov& how, const KrylovRun& run);

/// The k algebraically largest eigenpairs, zero and negative ones included. Throws
/// `Errc::not_converged`, with what was reached, when max_passes do not suffice or when the
/// rounding of the operator itself stands in the way.
///
/// With a team, `a` is this rank's part: size() is that of the whole matrix, and apply() takes and
/// returns this rank's rows. It fails on all ranks or on none.
template <SymmetricOperator A>
KrylovResult krylov_pairs(A& a, Index k, const BlockKrylov& how = {}, const KrylovRun& run = {}) {
  return krylov_eigenpairs(
      a.size(), [&a](const Matrix<double>& v, Matrix<double>& out) { a.apply(v, out); }, k, how,
      run);
}

/// As many pairs as `enough` requests: it receives the largest eigenvalues found so far (first
/// `first` of them, then twice as many …) and returns how many of them to keep, 0 for more, or −1
/// to stop with what there is. What was found stays in the basis. Ends with all n at the latest.
/// While the basis grows, the old and the new one coexist for a moment: 1.5 times memory_bytes.
template <SymmetricOperator A>
KrylovResult eigs_until(A& a, Index first,
                        const std::function<Index(const Vector<double>&)>& enough,
                        const BlockKrylov& how = {}, const KrylovRun& run = {}) {
  return krylov_eigenpairs_until(
      a.size(), [&a](const Matrix<double>& v, Matrix<double>& out) { a.apply(v, out); }, first,
      enough, how, run);
}

}  // namespace mercer
