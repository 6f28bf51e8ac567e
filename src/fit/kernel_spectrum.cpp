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

template <class T>
Plan choose(Index n, const FitOptions& options, double budget) {
  const bool fits = dense_bytes(static_cast<double>(n)) + overhead_bytes <= budget;
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

template <class T>
KernelSpectrum by_dense(const Tiles<T>& tiles, const FitOptions& options, const double* weights,
                        double noise) {
  const Index n = tiles.size, most = most_components(n, options);
  const Vector<double> w = weights ? Vector<double>(Eigen::Map<const Vector<double>>(weights, n))
                                   : Vector<double>(Vector<double>::Ones(n));
  Reporter report(options.monitor, "kernel matrix", "rows", static_cast<double>(n));
  report(0);
  Matrix<double> k = whole_matrix(tiles, options.threads);
  KernelSpectrum s;
  s.mean = k * w / w.sum();
  if (options.center) {
    const double overall = w.dot(s.mean) / w.sum();
    k.colwise() -= s.mean;
    k.rowwise() -= (s.mean.array() - overall).matrix().transpose();
  }
  const Vector<double> u = w.cwiseSqrt();
  k.array().colwise() *= u.array();
  k.array().rowwise() *= u.array().transpose();
  s.trace = k.trace();
  if (!options.clip) require_variance(s.trace, noise);
  const Components& asked = options.components;
  const bool few = asked.kind() == Kind::count && !options.clip;
  s.tolerance = options.tolerance;
  Eigenpairs pairs =
      dense_eigenpairs(k, few ? std::min(asked.count(), n) : n, s.tolerance, options.threads);
  if (options.clip) {
    s.trace = pairs.values.cwiseMax(0).sum();
    require_variance(s.trace, noise);
  }
  const Index count = kept(asked, pairs.values, s.trace, noise, true);
  s.eigenvalues = pairs.values.head(std::min(count, most));
  s.vectors = pairs.vectors.topRows(s.eigenvalues.size());
  s.residuals = pairs.residuals.head(s.eigenvalues.size()) / pairs.values[0];
  s.passes = 1;
  s.dense = true;
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
  return {columns * pairs.vectors.transpose(),
          std::sqrt(std::max(0.0, pairs.values[0]) * static_cast<double>(n) /
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

/// Nothing when the tiles were rounded and should not have been.
template <class T>
std::optional<KernelSpectrum> by_krylov(const Tiles<T>& tiles, const FitOptions& options,
                                        const double* weights, double noise, double budget,
                                        bool may_round) {
  const Index n = tiles.size;
  most_components(n, options);
  const Components& asked = options.components;
  const Index first = std::min<Index>(n, asked.kind() == Kind::count ? asked.count() : 32);
  KernelSpectrum s;
  s.tolerance = options.tolerance;

  // Kept tiles cost memory traffic, so few vectors a pass; computed ones cost kernel values, which
  // more vectors share.
  const auto rows = static_cast<double>(n);
  const auto block_for = [&](bool rounded) {
    const bool stored = KernelMatrix<T>::bytes_of_all(rows, rounded) <= 0.9 * budget;
    return std::min<Index>(n, stored ? (first <= 12 ? 8 : 16) : 32);
  };
  BlockKrylov how{.block = block_for(false), .tolerance = s.tolerance, .seed = options.seed};
  const double pass =
      KernelMatrix<T>::bytes_of_pass(rows, static_cast<double>(how.block), options.threads);
  const double starting = 2.0 * 8 * 64 * rows;
  const double vectors = budget - overhead_bytes - std::max(pass, starting);
  const auto smallest = static_cast<double>(
      memory_bytes({.block = how.block, .basis = std::min(n, first + 2 * how.block)}, n, first));
  require(vectors >= smallest, Errc::out_of_memory,
          "--memory leaves {} beside the rows, and the vectors of {} components of {} rows alone "
          "take {}; use a larger --memory or fewer components",
          format_bytes(std::max(0.0, budget)), first, n,
          format_bytes(smallest + pass + overhead_bytes));

  Start start = start_block(tiles, options);
  const double largest_entry = tiles.diagonal.cwiseAbs().maxCoeff();
  const bool rounded = may_round && sizeof(T) == sizeof(double) &&
                       rounding_pays(rows, largest_entry, start.largest, s.tolerance, budget);
  if (rounded) {
    how.block = block_for(true);
    how.tolerance = s.tolerance / 2;
  }
  start.vectors.conservativeResize(n, std::min(how.block, start.vectors.cols()));
  how = within_memory(how, n, first, static_cast<std::size_t>(vectors));
  const double left = vectors - static_cast<double>(memory_bytes(how, n, first));

  double expected = 12;
  int done = 0;
  const Monitor monitor = [&](const Progress& p) {
    if (!options.monitor) return true;
    return options.monitor({"kernel matrix", done + p.done / p.total, expected, "passes"});
  };
  KernelMatrix<T> matrix(tiles, {.center = options.center,
                                 .weights = weights,
                                 .memory = static_cast<std::size_t>(std::max(0.0, left)),
                                 .rounded = rounded,
                                 .threads = options.threads,
                                 .monitor = monitor});
  const KrylovRun run{
      .threads = options.threads, .start = &start.vectors, .monitor = [&](int count, double worst) {
        done = count;
        expected = expected_passes(count, worst, how.tolerance);
      }};
  bool blurred = false;  // an eigenvalue cannot be told from the rounding of the tiles
  const auto enough = [&](const Vector<double>& values) -> Index {
    if (!options.clip) require_variance(matrix.trace(), noise);
    blurred = rounded && values[values.size() - 1] <= matrix.rounding();
    if (blurred) return 1;
    return kept(asked, values, matrix.trace(), noise, values.size() == n);
  };
  KrylovResult found = eigs_until(matrix, first, enough, how, run);
  s.passes = found.passes;
  const double largest = found.pairs.values[0];
  if (rounded && found.pairs.residuals.maxCoeff() + matrix.rounding() <= s.tolerance * largest)
    found.pairs.residuals.array() += matrix.rounding();  // moved by no more than that
  else if (rounded && !blurred) {
    found.pairs.residuals = exact_residuals(matrix, found.pairs);
    ++s.passes;
  }
  if (blurred || found.pairs.residuals.maxCoeff() > s.tolerance * largest) return std::nullopt;
  s.eigenvalues = found.pairs.values;
  s.vectors = std::move(found.pairs.vectors);
  s.residuals = found.pairs.residuals / largest;
  s.mean = matrix.mean();
  s.trace = matrix.trace();
  if (rounded) s.why = "; tiles kept in 32 bits";
  if (matrix.kept_tiles() < matrix.tiles())
    s.why += fmt::format("; {} of the kernel matrix kept, the rest computed in each pass",
                         format_bytes(static_cast<double>(matrix.kept_tiles()) /
                                      static_cast<double>(matrix.tiles()) *
                                      KernelMatrix<T>::bytes_of_all(rows, rounded)));
  return s;
}

}  // namespace

template <class T>
KernelSpectrum kernel_spectrum(const Tiles<T>& tiles, const FitOptions& options,
                               const double* weights, double budget) {
  const double noise = noise_level<T>(tiles.size, tiles.diagonal.cwiseAbs().maxCoeff());
  const Plan plan = choose<T>(tiles.size, options, budget);
  std::optional<KernelSpectrum> s;
  if (plan.dense) s = by_dense(tiles, options, weights, noise);
  if (!s) s = by_krylov(tiles, options, weights, noise, budget, true);
  if (!s) s = by_krylov(tiles, options, weights, noise, budget, false);
  s->why = plan.why + s->why;
  return *std::move(s);
}

template KernelSpectrum kernel_spectrum(const Tiles<float>&, const FitOptions&, const double*,
                                        double);
template KernelSpectrum kernel_spectrum(const Tiles<double>&, const FitOptions&, const double*,
                                        double);

}  // namespace mercer
