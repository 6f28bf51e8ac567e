#include "pca/kernel/kernel_krylov.hpp"

#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "core/require.hpp"
#include "kernels/pick_rows.hpp"
#include "linalg/lapack.hpp"
#include "operators/kernel_matrix.hpp"
#include "pca/kernel/krylov_room.hpp"
#include "pca/kernel/recorded_products.hpp"
#include "solvers/krylov.hpp"
#include "solvers/tall_block.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// With this probability the random vectors may miss a larger eigenvalue: 1e-6, less what rounding
/// bounds may fail with.
constexpr double missed_failure = 1e-6 - (1 - likely_confidence);

using Kind = Components::Kind;

struct Start {
  Matrix<double> vectors;  ///< the main directions of some columns of the centred matrix: own rows
  double largest = 0;      ///< its largest eigenvalue, estimated from the same columns
};

/// Vectors to begin with. The columns cost a fraction of a pass, and save one or two.
template <class T>
Start start_block(const Tiles<T>& tiles, const FitOptions& options, const TallBlocks& tall) {
  constexpr Index most = 64;
  const Index n = tiles.size, count = std::min({n, most, n / 8 + 1});
  Matrix<double> columns =
      tiles.columns(even_sample(n, count), options.threads).template cast<double>();
  if (options.center) columns.rowwise() -= columns.colwise().mean().eval();
  const Matrix<double> gram = columns.transpose() * columns;
  const SymmetricEigen pairs = tall.eigen(gram, std::min<Index>(32, count));
  // By segments: a product of one row has other bits than that row of a product.
  const Matrix<double> rotation = pairs.vectors.transpose();
  Matrix<double> vectors(tall.rows(), rotation.cols());
  tall.times(MatrixRef<double>(columns.middleRows(tall.first_row(), tall.rows())), rotation,
             vectors);
  return {std::move(vectors), std::sqrt(std::abs(pairs.values[0]) * static_cast<double>(n) /
                                        static_cast<double>(count))};
}

/// Should tiles be kept in 32 bits? Always when the tolerance allows for their rounding: memory
/// that was never touched costs more than the conversion. Otherwise an exact pass has to follow,
/// and that pays when not all tiles fit but a good part of them does.
bool rounding_pays(double n, double largest_entry, double largest_eigenvalue, double tolerance,
                   double budget) {
  const double rounding = std::ldexp(n * largest_entry, -32);
  const double all = KernelMatrix<double>::bytes_of_all(n);
  const bool allowed = 3 * rounding <= tolerance * largest_eigenvalue;  // the estimate may be off
  return (allowed && n >= 8000) || (all > 0.9 * budget && all < 5 * budget);
}

/// Residuals against the matrix itself, where tiles are kept rounded: one more pass, which computes
/// every tile.
template <class T>
Vector<double> exact_residuals(RecordedProducts<T>& matrix, const Eigenpairs& pairs,
                               const TallBlocks& tall) {
  const Matrix<double> q = pairs.vectors.transpose();
  Matrix<double> image(q.rows(), q.cols());
  matrix.apply_exact(q, image);
  image -= q * pairs.values.asDiagonal();
  return tall.norms(image);
}

/// Passes that are still ahead, from how far the residual has come.
double expected_passes(int pass, double worst, double tolerance) {
  if (pass < 2 || !(worst > 0) || worst >= 1) return 12;
  const double rate = std::log(worst) / pass;
  return std::clamp(std::log(tolerance) / rate, static_cast<double>(pass), 500.0);
}

/// What rank 0 has chosen: another budget, or another processor, may choose otherwise.
void settle_on_root(Team& team, BlockKrylov& how, bool& rounded) {
  Vector<double> chosen(5);
  chosen << static_cast<double>(how.block), static_cast<double>(how.basis),
      static_cast<double>(how.most_basis), how.tolerance, rounded ? 1 : 0;
  from_root(team, chosen);
  how.block = static_cast<Index>(chosen[0]);
  how.basis = static_cast<Index>(chosen[1]);
  how.most_basis = static_cast<Index>(chosen[2]);
  how.tolerance = chosen[3];
  rounded = chosen[4] != 0;
}

/// What the first pass has seen of every pair of rows.
template <class T>
void check_first_pass(const KernelProblem<T>& p, const KernelMatrix<T>& matrix) {
  if (!p.origin.valid) refuse_minor(p.origin, matrix.bad_minor(), p.lowest / p.w.maxCoeff());
  require_kernel_variance(matrix.trace(), p.noise, p.origin);
}

/// How Krylov is tried, and what came of it.
struct Attempt {
  bool may_round = true;    ///< tiles may be kept in 32 bits
  Index first = 0;          ///< pairs that the basis is made for
  bool leave_many = false;  ///< stop when so many pairs are needed that dense is faster
  double tolerance = 0;     ///< what the residuals have to reach
  std::optional<KernelSpectrum> found{};
  bool too_rounded = false;  ///< the tiles should not have been rounded
  double left = 0;           ///< what rounding leaves of the tolerance; negative: nothing
  bool too_many = false;     ///< dense would be faster
};

template <class T>
void try_krylov(const KernelProblem<T>& p, double budget, Attempt& attempt) {
  const Tiles<T>& tiles = p.tiles;
  const FitOptions& options = p.options;
  const double* weights = p.weights;
  const Index n = tiles.size;
  most_components(n, options);
  const Components& asked = options.components;
  const Index first = attempt.first;
  attempt.found.reset();
  attempt.too_rounded = attempt.too_many = false;
  KernelSpectrum s;
  s.tolerance = options.tolerance;

  const auto rows = static_cast<double>(n);
  Team& team = p.team;
  const TallBlocks tall(n, team, options.threads);
  const KrylovRoom room = krylov_room<T>(n, first, false, options.threads, budget);
  BlockKrylov how{.block = room.block,
                  .basis = room.basis,
                  .tolerance = attempt.tolerance,
                  .seed = options.seed};
  Start start;
  bool rounded = false;
  agree(team, [&] {
    const std::string refusal = krylov_refusal(room, n, first, budget);
    require(refusal.empty(), Errc::out_of_memory, "{}", refusal);
  });
  start = start_block(tiles, options, tall);
  agree(team, [&] {
    const double largest_entry = tiles.diagonal.cwiseAbs().maxCoeff();
    rounded = attempt.may_round && sizeof(T) == sizeof(double) &&
              rounding_pays(rows, largest_entry, start.largest, s.tolerance, budget);
    if (rounded) {
      const KrylovRoom half = krylov_room<T>(n, first, true, options.threads, budget);
      how.block = half.block;
      how.basis = half.basis;
      how.tolerance = attempt.tolerance / 1.5;
    }
    how = within_memory(how, n, first, static_cast<std::size_t>(room.vectors));
    if (asked.kind() != Kind::count)
      how.most_basis =
          grown_basis(how, n, room.vectors - KernelMatrix<T>::bytes_of_all(rows, rounded));
  });
  settle_on_root(team, how, rounded);
  start.vectors.conservativeResize(tall.rows(), std::min(how.block, start.vectors.cols()));
  const double left = tile_room<T>(room, how, n, first, options.threads, team.rank(), team.size()) -
                      lacking_memory(options);

  double expected = 12;
  int done = 0;
  const Monitor monitor = [&](const Progress& now) {
    if (!options.monitor) return true;
    const double passed = done + now.done / now.total;
    return options.monitor({"kernel matrix", passed, std::max(expected, passed), "passes"});
  };
  std::optional<KernelMatrix<T>> own;
  // `left` is a number of bytes: below 0 no tile is kept.
  agree(team, [&] {
    own.emplace(tiles, KernelMatrixOptions{.center = options.center,
                                           .weights = weights,
                                           .memory = static_cast<std::size_t>(std::max(0.0, left)),
                                           .rounded = rounded,
                                           .check = !p.origin.valid,
                                           .threads = options.threads,
                                           .monitor = monitor,
                                           .team = &team});
  });
  KernelMatrix<T>& matrix = *own;
  RecordedProducts<T> products(matrix, tall, options);
  const auto rounding_of = [&](const KernelMatrix<T>& seen) {
    return matrix_rounding(tiles, p.w, seen.plain_squares(), seen.mean());
  };
  const Completeness complete{
      .norms =
          [&] {
            // Sums of N² squares, tile by tile; a theorem has K positive, rounding aside.
            const double off = 1e-12 * matrix.plain_squares();
            const double shift = matrix.rounding() + rounding_of(matrix).proven;
            return MatrixNorms{matrix.squares() + off,
                               p.origin.valid ? matrix.trace() + rows * shift
                                              : std::numeric_limits<double>::infinity()};
          },
      .failure = missed_failure,
      .lower_end = !p.origin.valid};
  const KrylovRun run{.threads = options.threads,
                      .start = &start.vectors,
                      .team = &team,
                      .monitor =
                          [&](int count, double worst) {
                            if (count == 1) check_first_pass(p, matrix);
                            done = count;
                            expected = expected_passes(count, worst, how.tolerance);
                          },
                      .complete = &complete};
  const auto judge = [&](const Vector<double>& values) -> Index {
    const double rounding = rounding_of(matrix).likely, noise = std::max(p.noise, rounding);
    const bool uncertain = rounding > allowed_error<T>(options) * values[0];
    // An eigenvalue is at the level of the rounding of the tiles.
    attempt.too_rounded = rounded && values[values.size() - 1] <= matrix.rounding();
    if (attempt.too_rounded) return -1;
    const Index keep = kept_components(asked, values, matrix.trace(), noise, values.size() == n,
                                       uncertain, p.origin);
    attempt.too_many = keep == 0 && attempt.leave_many && 2 * values.size() > n / 9;
    return attempt.too_many ? -1 : keep;
  };
  const auto enough = [&](const Vector<double>& values) -> Index {
    Index keep = 0;
    on_root(team, [&] { keep = judge(values); });
    Vector<double> said(3);
    said << static_cast<double>(keep), attempt.too_rounded ? 1 : 0, attempt.too_many ? 1 : 0;
    from_root(team, said);
    attempt.too_rounded = said[1] != 0;
    attempt.too_many = said[2] != 0;
    return static_cast<Index>(said[0]);
  };
  KrylovResult found = eigs_until(products, first, enough, how, run);
  if (attempt.too_rounded || attempt.too_many) return;
  s.passes = found.passes;
  const double largest = found.pairs.values[0];
  const RoundingBound rounding = rounding_of(matrix);
  if (!p.origin.valid && found.smallest < -std::max(p.lowest, rounding.likely))
    refuse_indefinite(p.origin, n, found.smallest, largest);
  // The rest is for the rounding of kernel values and sums. Where that takes all of it, residuals
  // of the tolerance are as good as any.
  attempt.left = allowed_error<T>(options) - rounding.likely / largest;
  const double allowed =
      (attempt.left > 0 ? std::min(attempt.left, s.tolerance) : s.tolerance) * largest;
  if (rounded && found.pairs.residuals.maxCoeff() + matrix.rounding() <= allowed)
    found.pairs.residuals.array() += matrix.rounding();  // moved by no more than that
  else if (rounded) {
    found.pairs.residuals = exact_residuals(products, found.pairs, tall);
    ++s.passes;
  }
  attempt.too_rounded = rounded && found.pairs.residuals.maxCoeff() > allowed;
  if (attempt.too_rounded) return;
  s.eigenvalues = found.pairs.values;
  s.vectors = tall.gather(found.pairs.vectors);
  s.mean = matrix.mean();
  s.trace = matrix.trace();
  if (rounded) s.why = "; tiles stored in 32 bits";
  // What one process would store: the model does not depend on how many there are.
  const double all = KernelMatrix<T>::bytes_of_all(rows, rounded);
  const double stored = tile_room<T>(room, how, n, first, options.threads, 0, 1);
  if (stored < all)
    // Bytes that are lacking store nothing.
    s.why += fmt::format("; {} of the kernel matrix stored, the rest recomputed on every pass",
                         format_bytes(std::max(0.0, stored)));
  from_root(team, s.why);
  // What the bound on rounding may fail with was kept back (missed_failure).
  finish_spectrum(s, p, found.pairs.residuals, found.ceiling + matrix.rounding(), rounding,
                  found.confidence < 1 ? 1 - 1e-6 : 1.0);
  attempt.found = std::move(s);
}

}  // namespace

template <class T>
std::optional<KernelSpectrum> krylov_spectrum(const KernelProblem<T>& p, double budget,
                                              bool leave_many) {
  const Components& asked = p.options.components;
  const Index n = p.tiles.size;
  Attempt attempt{.first = std::min<Index>(n, asked.kind() == Kind::count ? asked.count() : 32),
                  .leave_many = leave_many,
                  .tolerance = 0.75 * p.options.tolerance};
  for (;;) {
    try {
      try_krylov(p, budget, attempt);
      if (attempt.too_rounded && attempt.may_round) {
        attempt.may_round = false;
        continue;
      }
      // Rounding has taken more of the tolerance than was left for it: smaller residuals, as long
      // as there is room for them.
      if (attempt.found && attempt.left > 0.1 * p.options.tolerance &&
          attempt.found->residuals.maxCoeff() > attempt.left &&
          attempt.tolerance > 0.5 * attempt.left) {
        attempt.tolerance = 0.5 * attempt.left;
        continue;
      }
      if (attempt.found || attempt.too_many) return std::move(attempt.found);
      fail(
          Errc::not_converged,
          "the eigenpairs do not reach the tolerance {:.1e} of the kernel matrix itself; loosen it",
          p.options.tolerance);
    } catch (const Error& e) {
      // More pairs than the basis holds: the tiles had the memory.
      if (e.code() != Errc::out_of_memory || asked.kind() == Kind::count || attempt.first >= n)
        throw;
      if (leave_many) return std::nullopt;
      if (attempt.first >= 4096) throw;
      attempt.first = std::min(n, 4 * attempt.first);
    }
  }
}

template std::optional<KernelSpectrum> krylov_spectrum(const KernelProblem<float>&, double, bool);
template std::optional<KernelSpectrum> krylov_spectrum(const KernelProblem<double>&, double, bool);

}  // namespace mercer
