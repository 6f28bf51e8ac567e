#include "fit/kernel_spectrum.hpp"

#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "kernels/pick_rows.hpp"
#include "linalg/lapack.hpp"
#include "operators/kernel_matrix.hpp"
#include "solvers/dense.hpp"
#include "solvers/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace mercer {

namespace {

using Kind = Components::Kind;

/// The program itself, and what small things take.
constexpr double overhead_bytes = 22 << 20;

double dense_bytes(double n) { return 4 * 8 * n * n; }

/// Below this an eigenvalue is rounding: each of the N² entries is off by a few ε of the largest.
template <class T>
double noise_level(Index n, double largest_entry) {
  return 8 * static_cast<double>(std::numeric_limits<T>::epsilon()) * static_cast<double>(n) *
         std::max(largest_entry, std::numeric_limits<double>::min());
}

Index most_components(Index n, const FitOptions& options) {
  const Index most = options.center ? n - 1 : n;
  const Components& asked = options.components;
  require(asked.kind() != Kind::count || asked.soft() || asked.count() <= most, Errc::bad_option,
          "-k {} is too large: {} rows have at most {} components", asked.count(), n, most);
  return most;
}

/// How many of these eigenvalues to keep; 0 when more of them must be seen.
Index kept(const Components& asked, const Vector<double>& values, double trace, double noise,
           bool all_seen) {
  Index rank = 0;
  while (rank < values.size() && values[rank] > noise) ++rank;
  const bool ended = all_seen || rank < values.size();
  require(rank > 0 || !ended, Errc::bad_data,
          "all rows are equal to this kernel, up to rounding: there is no variance to explain");
  if (asked.kind() == Kind::count) {
    if (asked.soft() && ended) return std::min(asked.count(), rank);
    require(asked.count() <= rank || !ended, Errc::bad_option,
            "-k {} is more than the data have: only {} directions of the feature space have any "
            "variance; use -k {}",
            asked.count(), rank, rank);
    return asked.count() <= rank ? asked.count() : 0;
  }
  if (asked.kind() == Kind::fraction) {
    double sum = 0;
    for (Index k = 0; k < rank; ++k) {
      sum += values[k];
      // A rounding error must not cost one more component.
      if (sum >= asked.fraction() * trace * (1 - 1e-12)) return k + 1;
    }
    require(!ended, Errc::bad_option,
            "-k {} cannot be reached: the {} directions that are more than rounding have {:.9g} of "
            "the variance; use a smaller fraction",
            asked.fraction(), rank, sum / trace);
  }
  return ended ? rank : 0;
}

void require_variance(double trace, double noise) {
  require(trace > noise, Errc::bad_data,
          "all rows are equal to this kernel: there is no variance to explain");
}

struct Plan {
  bool dense = false;
  std::string why;
};

bool dense_fits(Index n, double budget) {
  return dense_bytes(static_cast<double>(n)) + overhead_bytes <= budget;
}

Plan choose(Index n, const FitOptions& options, double budget) {
  const bool fits = dense_fits(n, budget);
  const Components& asked = options.components;
  if (options.solver == Solver::dense) {
    require(fits, Errc::out_of_memory,
            "--solver dense needs {} for {} rows, and {} are allowed; use --solver krylov, or a "
            "larger --memory",
            format_bytes(dense_bytes(static_cast<double>(n)) + overhead_bytes), n,
            format_bytes(budget));
    return {true, "as asked"};
  }
  if (options.solver == Solver::krylov) {
    require(!options.clip, Errc::bad_option,
            "--clip needs all eigenvalues: --solver dense, or leave the choice to auto");
    return {false, "as asked"};
  }
  if (options.clip) {
    require(
        fits, Errc::out_of_memory,
        "--clip needs all eigenvalues, {} for {} rows, and {} are allowed; use a valid kernel or "
        "a larger --memory",
        format_bytes(dense_bytes(static_cast<double>(n)) + overhead_bytes), n,
        format_bytes(budget));
    return {true, "all eigenvalues are needed to clip the negative ones"};
  }
  if (asked.kind() == Kind::all)
    return {fits, fits ? "all components are wanted" : "all matrices of LAPACK would not fit"};
  // Krylov: about ten passes of 4·N²·b flops; dense: 9·N³ at half the speed.
  const double k = asked.kind() == Kind::count ? static_cast<double>(asked.count()) : 32.0;
  const double block = std::max(16.0, k);
  const bool cheaper = static_cast<double>(n) * 18 < 10 * 4 * block;
  if ((cheaper || n < 256) && fits)
    return {true, fmt::format("{} rows are few enough for all eigenvalues at once", n)};
  return {false,
          fmt::format("{} components of {} rows: a few passes over the kernel matrix",
                      asked.kind() == Kind::count ? std::to_string(asked.count()) : "few", n)};
}

/// What both roads are told.
template <class T>
struct Problem {
  const Tiles<T>& tiles;
  const FitOptions& options;
  const double* weights;
  const KernelOrigin& origin;
  Vector<double> w;   // weights, or ones
  double noise = 0;   // eigenvalues below it are rounding
  double lowest = 0;  // eigenvalues below −lowest are more than rounding
};

template <class T>
Problem<T> problem_of(const Tiles<T>& tiles, const FitOptions& options, const double* weights,
                      const KernelOrigin& origin) {
  const Index n = tiles.size;
  Problem<T> p{tiles, options, weights, origin, Vector<double>::Ones(n)};
  if (weights) p.w = Eigen::Map<const Vector<double>>(weights, n);
  p.noise = noise_level<T>(n, tiles.diagonal.cwiseAbs().cwiseProduct(p.w).maxCoeff());
  p.lowest = std::max(p.noise, origin.noise * p.w.maxCoeff());
  return p;
}

/// Last checks, and what is certain. `ceiling` bounds the eigenvalues that are not among the pairs.
template <class T>
void finish(KernelSpectrum& s, const Problem<T>& p, const Vector<double>& residuals, double ceiling,
            double rounding, double confidence) {
  const double largest = s.eigenvalues[0];
  s.residuals = residuals / largest;
  s.certificate = certified(s.eigenvalues, residuals, ceiling, rounding, confidence);
  s.error = (residuals.maxCoeff() + rounding) / largest;
  if (!p.options.clip)
    require_within_trace(p.origin, s.eigenvalues, s.trace, p.lowest + rounding, p.tiles.size);
}

template <class T>
KernelSpectrum by_dense(const Problem<T>& p) {
  const FitOptions& options = p.options;
  const Vector<double>& w = p.w;
  const Index n = p.tiles.size, most = most_components(n, options);
  Reporter report(options.monitor, "kernel matrix", "rows", static_cast<double>(n));
  report(0);
  Matrix<double> k = whole_matrix(p.tiles, options.threads);
  if (!p.origin.valid && !options.clip)
    refuse_minor(p.origin, worst_minor<double>(k, p.tiles.diagonal, 0, 0), p.lowest / w.maxCoeff());
  KernelSpectrum s;
  s.mean = k * w / w.sum();
  double squares = 0;
  for (Index i = 0; i < n; ++i) squares += w[i] * k.row(i).cwiseAbs2().dot(w);
  if (options.center) {
    const double overall = w.dot(s.mean) / w.sum();
    k.colwise() -= s.mean;
    k.rowwise() -= (s.mean.array() - overall).matrix().transpose();
  }
  const Vector<double> u = w.cwiseSqrt();
  k.array().colwise() *= u.array();
  k.array().rowwise() *= u.array().transpose();
  s.trace = k.trace();
  const double rounding = matrix_rounding(p.tiles, squares, w.sum());
  const double noise = std::max(p.noise, rounding);
  if (!options.clip) require_variance(s.trace, p.noise);
  const Components& asked = options.components;
  // All of them where one may be negative.
  const bool few = asked.kind() == Kind::count && !options.clip && p.origin.valid;
  s.tolerance = options.tolerance;
  Eigenpairs pairs =
      dense_eigenpairs(k, few ? std::min(asked.count(), n) : n, s.tolerance, options.threads);
  const double size = pairs.values.cwiseAbs().maxCoeff();
  if (options.clip) {
    s.trace = pairs.values.cwiseMax(0).sum();  // what the option asks for
    require_variance(s.trace, p.noise);
  } else if (!p.origin.valid && pairs.values[n - 1] < -std::max(p.lowest, rounding)) {
    refuse_indefinite(p.origin, n, pairs.values[n - 1], pairs.values[0]);
  }
  const Index count = std::min(kept(asked, pairs.values, s.trace, noise, true), most);
  s.eigenvalues = pairs.values.head(count);
  s.vectors = pairs.vectors.topRows(count);
  s.passes = 1;
  s.dense = true;
  // LAPACK finds the eigenvalues of a matrix that is within N·ε of this one, in norm; their order
  // is theirs, so that nothing can be missed.
  const double lapack = static_cast<double>(n) * 0x1p-52 * size;
  finish(s, p, Vector<double>(pairs.residuals.head(count)), s.eigenvalues[count - 1] + lapack,
         rounding + lapack, 1);
  return s;
}

struct Start {
  Matrix<double> vectors;  ///< the main directions of some columns of the centred matrix
  double largest = 0;      ///< its largest eigenvalue, judged by the same columns
};

/// Vectors to begin with. The columns cost a fraction of a pass, and save one or two.
template <class T>
Start start_block(const Tiles<T>& tiles, const FitOptions& options) {
  constexpr Index most = 64;
  const Index n = tiles.size, count = std::min({n, most, n / 8 + 1});
  Matrix<double> columns =
      tiles.columns(even_sample(n, count), options.threads).template cast<double>();
  if (options.center) columns.rowwise() -= columns.colwise().mean().eval();
  const Matrix<double> gram = columns.transpose() * columns;
  const SymmetricEigen pairs = symmetric_eigen(gram, std::min<Index>(32, count));
  return {
      columns * pairs.vectors.transpose(),
      std::sqrt(std::abs(pairs.values[0]) * static_cast<double>(n) / static_cast<double>(count))};
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
Vector<double> exact_residuals(KernelMatrix<T>& matrix, const Eigenpairs& pairs) {
  const Matrix<double> q = pairs.vectors.transpose();
  Matrix<double> image(q.rows(), q.cols());
  matrix.apply_exact(q, image);
  image -= q * pairs.values.asDiagonal();
  return image.colwise().norm().transpose();
}

/// Passes that are still ahead, from how far the residual has come.
double expected_passes(int pass, double worst, double tolerance) {
  if (pass < 2 || !(worst > 0) || worst >= 1) return 12;
  const double rate = std::log(worst) / pass;
  return std::clamp(std::log(tolerance) / rate, static_cast<double>(pass), 500.0);
}

/// What the first pass has seen of every pair of rows.
template <class T>
void check_first_pass(const Problem<T>& p, const KernelMatrix<T>& matrix) {
  if (!p.origin.valid) refuse_minor(p.origin, matrix.bad_minor(), p.lowest / p.w.maxCoeff());
  require_variance(matrix.trace(), p.noise);
}

/// How Krylov is tried, and what came of it.
struct Attempt {
  bool may_round = true;    ///< tiles may be kept in 32 bits
  Index first = 0;          ///< pairs that the basis is made for
  bool leave_many = false;  ///< stop when so many pairs are needed that the dense road is quicker
  std::optional<KernelSpectrum> found{};
  bool too_rounded = false;  ///< the tiles should not have been rounded
  bool too_many = false;     ///< the dense road would be quicker
};

/// The largest basis for k + 2 blocks pairs within these bytes, no smaller than that of `how`.
Index grown_basis(const BlockKrylov& how, Index n, double bytes) {
  Index low = how.basis, high = n;
  while (low < high) {
    const Index middle = low + (high - low + 1) / 2;
    const Index pairs = std::max<Index>(1, middle - 2 * how.block);
    const auto taken = static_cast<double>(
        memory_bytes({.block = how.block, .basis = middle}, n, std::min(pairs, n)));
    (1.5 * taken <= bytes ? low : high) = 1.5 * taken <= bytes ? middle : middle - 1;
  }
  return low;
}

template <class T>
void by_krylov(const Problem<T>& p, double budget, Attempt& attempt) {
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

  // Kept tiles cost memory traffic, so few vectors a pass; computed ones cost kernel values, which
  // more vectors share.
  const auto rows = static_cast<double>(n);
  const auto block_for = [&](bool rounded) {
    const bool stored = KernelMatrix<T>::bytes_of_all(rows, rounded) <= 0.9 * budget;
    return std::min<Index>(n, stored ? (first <= 12 ? 8 : 16) : 32);
  };
  BlockKrylov how{.block = block_for(false), .tolerance = 0.75 * s.tolerance, .seed = options.seed};
  const double pass =
      KernelMatrix<T>::bytes_of_pass(rows, static_cast<double>(how.block), options.threads);
  const double starting = 2.0 * 8 * 64 * rows;
  const double probes = 8.0 * static_cast<double>(probe_vectors) * rows;
  const double vectors = budget - overhead_bytes - std::max(pass, starting) - probes;
  const auto smallest = static_cast<double>(
      memory_bytes({.block = how.block, .basis = std::min(n, first + 2 * how.block)}, n, first));
  require(vectors >= smallest, Errc::out_of_memory,
          "--memory leaves {} beside the rows, and the vectors of {} components of {} rows alone "
          "take {}; use a larger --memory or fewer components",
          format_bytes(std::max(0.0, budget)), first, n,
          format_bytes(smallest + pass + overhead_bytes));

  Start start = start_block(tiles, options);
  const double largest_entry = tiles.diagonal.cwiseAbs().maxCoeff();
  const bool rounded = attempt.may_round && sizeof(T) == sizeof(double) &&
                       rounding_pays(rows, largest_entry, start.largest, s.tolerance, budget);
  if (rounded) {
    how.block = block_for(true);
    how.tolerance = s.tolerance / 2;
  }
  start.vectors.conservativeResize(n, std::min(how.block, start.vectors.cols()));
  // Few vectors a pass make for many passes: room for them saves restarts, and keeps the random
  // vectors that tell what was missed.
  how.basis = first + 8 * how.block;
  if (16 * rows * static_cast<double>(first + 192) <= 0.1 * budget)
    how.basis = std::max(how.basis, first + 192);
  how.basis = std::min(n, how.basis);
  how = within_memory(how, n, first, static_cast<std::size_t>(vectors));
  const double left = vectors - static_cast<double>(memory_bytes(how, n, first));
  if (asked.kind() != Kind::count)
    how.most_basis = grown_basis(how, n, vectors - KernelMatrix<T>::bytes_of_all(rows, rounded));

  double expected = 12;
  int done = 0;
  const Monitor monitor = [&](const Progress& now) {
    if (!options.monitor) return true;
    const double passed = done + now.done / now.total;
    return options.monitor({"kernel matrix", passed, std::max(expected, passed), "passes"});
  };
  KernelMatrix<T> matrix(tiles, {.center = options.center,
                                 .weights = weights,
                                 .memory = static_cast<std::size_t>(std::max(0.0, left)),
                                 .rounded = rounded,
                                 .check = !p.origin.valid,
                                 .threads = options.threads,
                                 .monitor = monitor});
  const Completeness complete{
      .norms =
          [&] {
            // Sums of N² squares, tile by tile; a theorem has K positive, rounding aside.
            const double off = 1e-12 * matrix.plain_squares();
            const double shift =
                matrix.rounding() + matrix_rounding(tiles, matrix.plain_squares(), p.w.sum());
            return MatrixNorms{matrix.squares() + off,
                               p.origin.valid ? matrix.trace() + rows * shift
                                              : std::numeric_limits<double>::infinity()};
          },
      .lower_end = !p.origin.valid};
  const KrylovRun run{.threads = options.threads,
                      .start = &start.vectors,
                      .monitor =
                          [&](int count, double worst) {
                            if (count == 1) check_first_pass(p, matrix);
                            done = count;
                            expected = expected_passes(count, worst, how.tolerance);
                          },
                      .complete = &complete};
  const auto enough = [&](const Vector<double>& values) -> Index {
    const double noise =
        std::max(p.noise, matrix_rounding(tiles, matrix.plain_squares(), p.w.sum()));
    // An eigenvalue cannot be told from the rounding of the tiles.
    attempt.too_rounded = rounded && values[values.size() - 1] <= matrix.rounding();
    if (attempt.too_rounded) return -1;
    const Index keep = kept(asked, values, matrix.trace(), noise, values.size() == n);
    attempt.too_many = keep == 0 && attempt.leave_many && 2 * values.size() > n / 9;
    return attempt.too_many ? -1 : keep;
  };
  KrylovResult found = eigs_until(matrix, first, enough, how, run);
  if (attempt.too_rounded || attempt.too_many) return;
  s.passes = found.passes;
  const double largest = found.pairs.values[0];
  const double rounding = matrix_rounding(tiles, matrix.plain_squares(), p.w.sum());
  if (!p.origin.valid && found.smallest < -std::max(p.lowest, rounding))
    refuse_indefinite(p.origin, n, found.smallest, largest);
  // The rest is for the rounding of kernel values and sums.
  const double allowed = 0.95 * s.tolerance * largest;
  if (rounded && found.pairs.residuals.maxCoeff() + matrix.rounding() <= allowed)
    found.pairs.residuals.array() += matrix.rounding();  // moved by no more than that
  else if (rounded) {
    found.pairs.residuals = exact_residuals(matrix, found.pairs);
    ++s.passes;
  }
  attempt.too_rounded = rounded && found.pairs.residuals.maxCoeff() > allowed;
  if (attempt.too_rounded) return;
  s.eigenvalues = found.pairs.values;
  s.vectors = std::move(found.pairs.vectors);
  s.mean = matrix.mean();
  s.trace = matrix.trace();
  if (rounded) s.why = "; tiles kept in 32 bits";
  if (matrix.kept_tiles() < matrix.tiles())
    s.why += fmt::format("; {} of the kernel matrix kept, the rest computed in each pass",
                         format_bytes(static_cast<double>(matrix.kept_tiles()) /
                                      static_cast<double>(matrix.tiles()) *
                                      KernelMatrix<T>::bytes_of_all(rows, rounded)));
  finish(s, p, found.pairs.residuals, found.ceiling + matrix.rounding(), rounding,
         found.confidence);
  attempt.found = std::move(s);
}

/// Krylov until it has what was asked for: without rounded tiles where these are too coarse, with a
/// larger basis where more pairs are needed than it holds. Nothing when the dense road is quicker.
template <class T>
std::optional<KernelSpectrum> by_krylov(const Problem<T>& p, double budget, bool leave_many) {
  const Components& asked = p.options.components;
  const Index n = p.tiles.size;
  Attempt attempt{.first = std::min<Index>(n, asked.kind() == Kind::count ? asked.count() : 32),
                  .leave_many = leave_many};
  for (;;) {
    try {
      by_krylov(p, budget, attempt);
      if (attempt.too_rounded && attempt.may_round) {
        attempt.may_round = false;
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

/// The road that was chosen; the other one where that fails and the choice was ours.
template <class T>
KernelSpectrum by_either(const Problem<T>& p, double budget) {
  const Index n = p.tiles.size;
  const Plan plan = choose(n, p.options, budget);
  const bool free = p.options.solver == Solver::automatic;
  const bool fits = dense_fits(n, budget);
  std::optional<KernelSpectrum> s;
  try {
    s = plan.dense ? by_dense(p) : by_krylov(p, budget, free && fits);
    if (s) s->why = plan.why + s->why;
    // What rounding leaves of the tolerance may be too little for Krylov; LAPACK needs less.
    if (s && !s->dense && free && fits && s->error > allowed_error<T>(p.options)) s.reset();
    // Copies of an eigenvalue leave Krylov in doubt about larger ones; LAPACK misses none.
    constexpr Index moderate = 6000;
    if (s && !s->dense && free && fits && n <= moderate &&
        s->certificate.high[0] - s->eigenvalues[0] > 1e-6 * s->eigenvalues[0])
      s.reset();
  } catch (const Error& e) {
    const bool other = e.code() == Errc::not_converged || e.code() == Errc::out_of_memory;
    if (!other || !free || (!plan.dense && !fits) || (plan.dense && p.options.clip)) throw;
  }
  if (s) return *std::move(s);
  s = plan.dense ? by_krylov(p, budget, false) : by_dense(p);
  s->why = plan.dense ? "all eigenvalues at once did not converge" + s->why
                      : "many components are needed, or block Krylov did not converge";
  return *std::move(s);
}

}  // namespace

template <class T>
KernelSpectrum kernel_spectrum(const Tiles<T>& tiles, const FitOptions& options,
                               const double* weights, double budget, const KernelOrigin& origin) {
  const double smallest = tiles.diagonal.minCoeff(), largest = tiles.diagonal.maxCoeff();
  if (!options.clip && smallest < 0 && smallest < -origin.noise) {
    Index row = 0;
    tiles.diagonal.minCoeff(&row);
    refuse_minor(origin, {row, row, smallest}, 0);
  }
  // Squares must neither overflow nor vanish; a power of two changes no digit.
  const int exponent = largest > 0 ? std::ilogb(largest) : 0;
  if (std::abs(exponent) < 200) {
    return by_either(problem_of(tiles, options, weights, origin), budget);
  }
  const double unit = std::ldexp(1.0, exponent);
  require(exponent > -960, Errc::bad_data,
          "the kernel's values are {:.1e} at most, where numbers lose their digits: scale the data",
          largest);
  KernelOrigin scaled_origin = origin;
  scaled_origin.noise /= unit;
  const Tiles<T> scaled = scaled_tiles(tiles, -exponent);
  KernelSpectrum s = by_either(problem_of(scaled, options, weights, scaled_origin), budget);
  s.eigenvalues *= unit;
  s.mean *= unit;
  s.trace *= unit;
  for (auto* side : {&s.certificate.low, &s.certificate.high})
    for (double& value : *side) value *= unit;
  s.certificate.rounding *= unit;
  return s;
}

template KernelSpectrum kernel_spectrum(const Tiles<float>&, const FitOptions&, const double*,
                                        double, const KernelOrigin&);
template KernelSpectrum kernel_spectrum(const Tiles<double>&, const FitOptions&, const double*,
                                        double, const KernelOrigin&);

}  // namespace mercer
