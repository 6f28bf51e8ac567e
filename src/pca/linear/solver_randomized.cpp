// N and d both large, few components: block Krylov on products with the scatter matrix, which is
// never formed. As many passes as it takes for the residuals to meet the tolerance.
#include "core/packed.hpp"
#include "core/require.hpp"
#include "operators/scatter.hpp"
#include "pca/linear/product_sums.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/linear/triangular_factor.hpp"
#include "pca/method_cost.hpp"
#include "pca/standard.hpp"
#include "pca/team_rows.hpp"
#include "solvers/krylov.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace mercer {

namespace {

/// The scatter matrix by its products; the result of the first one is checked.
template <class T>
struct CheckedScatter {
  ScatterOperator<T> a;
  Passes<T>& passes;
  const FitOptions& options;
  Spectrum& s;
  const Vector<double>& divisors;  // of the columns; infinite for constant ones
  bool first = true;

  Index size() const { return a.size(); }
  void apply(const Matrix<double>& v, Matrix<double>& out) {
    multiply_rows(passes, options, a, v, out);
    if (!std::exchange(first, false)) return;
    require_rows(passes, options);
    wanted(passes, options);
    require_finite(a.diagonal(), passes);
    // Where missing cells lie on the shift, that is the mean already.
    if (options.missing != Missing::mean && a.recentre()) multiply_rows(passes, options, a, v, out);
    s.column_scatter = a.diagonal();
    require_finite(s.column_scatter, passes);
    s.mean = options.center ? a.mean() : Vector<double>(Vector<double>::Zero(size()));
    if (options.center) s.rest = a.mean_rest();
    s.total = s.column_scatter.sum();
    require_range(s.total, passes);
    Vector<double> mean = s.mean;  // in units of the scatter, as squares of scales may overflow
    if (s.scale.size() > 0) mean.array() /= divisors.array();
    s.column_noise = noise_of_columns<T>(s.column_scatter, mean, passes.weight());
    s.noise = 16 * epsilon<double> * epsilon<double> * s.total;
    require_variance<T>(s, passes.name(), passes.weighted());
  }
};

/// Bound on what rounding does to a product with a unit vector, and so to residuals and quotients:
/// y = Bv and z = Bᵀy are off by γ‖B‖_F and γ‖B‖_F‖B‖ at most, B the rows about the shift, with
/// ‖B‖² ≤ μ₁ + distance; and what the distance of the shift adds is taken off. Those of pairs are
/// combinations of products with a basis of m vectors: their errors may add up to √m as much,
/// though not when they are independent.
template <class T>
RoundingBound rounding_of_products(const ScatterOperator<T>& a, const Spectrum& s, double rows,
                                   double basis, const FitOptions& options) {
  const auto [squares, distance] = a.summed();
  // Two sums of random errors of depths a and b: √a + √b ≤ √2·√(a + b).
  const double root = std::sqrt(squares), norm = 1.01 * (s.eigenvalues[0] + distance);
  RoundingBound one =
      roundings(a.depth(rows)) * (1.5 * root * std::sqrt(norm) + 2 * root * std::sqrt(distance));
  one.proven *= std::sqrt(basis);
  return one + 2.1 * s.eigenvalues[0] *
                   rounding_of_scales(roundings(2 * rows + 16), rows, a.weight(), options);
}

/// How many of the eigenvalues found so far to keep; 0: more of them must be seen.
Index enough(const Components& asked, const Spectrum& s, const Vector<double>& values, Index all) {
  // Products with the scatter matrix hide what is smaller than their rounding.
  const double hidden = std::max(s.noise, 64 * std::numeric_limits<double>::epsilon() * values[0]);
  Index rank = 0;
  while (rank < values.size() && values[rank] > hidden) ++rank;
  const bool ended = rank < values.size() || values.size() == all;
  if (asked.kind() == Components::Kind::count) {
    require(asked.soft() || asked.count() <= rank, Errc::bad_option,
            "`components={}` is more than randomized can distinguish from rounding: {} directions; "
            "use `solver=svd`",
            asked.count(), rank);
    return std::min(asked.count(), rank);
  }
  double sum = 0;
  for (Index k = 0; k < rank; ++k) {
    sum += values[k];
    if (sum >= asked.fraction() * s.total * (1 - 1e-12)) return k + 1;
  }
  require(!ended, Errc::bad_option,
          "`components={}`: the {} directions that randomized can distinguish from rounding "
          "explain {:.6g} of the variance; use `solver=svd` or a smaller fraction",
          asked.fraction(), rank, sum / s.total);
  return 0;
}

constexpr Index least_block = 8;  // vectors per pass, below which memory does not push it

/// Working memory with a small basis; `block`: vectors per pass.
double least_bytes(Index d, Index k, Index block, int threads) {
  const Index width = std::min(d, block);
  const BlockKrylov least{.block = width, .basis = std::min(d, k + 4 * width)};
  return static_cast<double>(memory_bytes(least, d, k)) + scatter_bytes(d, width, threads);
}

/// `how` with a smaller block where a basis of four blocks beside the pairs would not fit, and
/// with as large a basis as fits then. Each pass of a smaller block costs less memory, and more
/// passes are needed.
BlockKrylov fitting(BlockKrylov how, Index d, Index k, int threads, double budget) {
  while (how.block > least_block && least_bytes(d, k, how.block, threads) > budget) how.block /= 2;
  // Bytes that are left: below 0 where the rows alone exceed the budget, which is none.
  const double room = std::max(0.0, budget - scatter_bytes(d, how.block, threads));
  return within_memory(how, d, k, static_cast<std::size_t>(room));
}

/// The cost of rows in memory is flops, which are fewest with few vectors per pass, most of all for
/// sparse rows. The cost of other rows is reading them.
Index widest_block(Index d, bool memory, bool sparse) {
  return std::min<Index>(d, !memory ? 32 : sparse ? 8 : 16);
}

Index first_pairs(Index d, const Components& asked) {
  return std::min<Index>(d, asked.kind() == Components::Kind::count ? asked.count() : 32);
}

template <class T>
Spectrum by_products(Passes<T>& passes, const FitOptions& options, double budget) {
  const Index d = passes.features();
  const Components& asked = options.components;
  require(asked.kind() != Components::Kind::all, Errc::bad_option,
          "`solver=randomized` finds the first few components: set their number with `components`");
  require(asked.kind() != Components::Kind::count || asked.soft() || asked.count() <= d,
          Errc::bad_option, "`components={}` is too large: there are {} columns", asked.count(), d);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Spectrum s;
  Vector<double> divisors;
  ScatterOptions how{.center = options.center, .threads = options.threads};
  if (changes_rows(options)) {
    const Standard standard = find_standard(passes, options);
    require_rows(passes, options);
    require_finite(standard.mean, passes);
    how.shift = options.center ? standard.mean : Vector<double>(Vector<double>::Zero(d));
    if (options.missing == Missing::mean) how.missing = standard.rest;
    how.make_dense = how.missing.size() > 0;
    s.scale = how.scale = standard.scale;
    for (std::size_t j = 0; j < standard.constant.size(); ++j)  // nothing to be scaled up
      if (standard.constant[j] && options.center) how.scale[static_cast<Index>(j)] = infinity;
    divisors = how.scale;
  }
  const Preprocess at{.mean = how.shift, .rest = how.missing};
  const Index first = first_pairs(d, asked);
  // The other half is for rounding.
  BlockKrylov krylov{.tolerance = options.tolerance / 2, .seed = options.seed};
  // A team has the memory of all ranks.
  const bool memory = passes.memory() || passes.team();
  krylov.block = widest_block(d, memory, passes.sparse());
  krylov = fitting(krylov, d, first, options.threads, budget);

  CheckedScatter<T> a{
      ScatterOperator<T>(
          d, [&](const auto& visit) { passes.run("products", visit); }, std::move(how)),
      passes, options, s, divisors};
  KrylovResult found = eigs_until(
      a, first, [&](const Vector<double>& values) { return enough(asked, s, values, d); }, krylov,
      {.threads = options.threads});
  s.eigenvalues = std::move(found.pairs.values);
  s.components = std::move(found.pairs.vectors);
  s.errors = found.pairs.residuals;
  s.residuals = found.pairs.residuals / s.eigenvalues[0];
  const Index k = s.eigenvalues.size();
  const double rows = static_cast<double>(passes.rows());
  const double basis = static_cast<double>(std::min(d, 2 * (k + 8 * krylov.block)));
  s.rounding = rounding_of_products(a.a, s, rows, basis, options);
  if (options.missing == Missing::mean) {
    s.filling = (s.mean - at.mean) + (s.rest - at.rest);
    if (s.scale.size() > 0) s.filling.array() /= divisors.array();
    s.rounding = s.rounding + rounding_of_filling(s, passes);
  }
  take_noise(s, rows, 10 * options.tolerance);
  // What was not found has no more than the rest of the trace.
  const double rest =
      s.total - s.eigenvalues.sum() + static_cast<double>(k + 1) * s.rounding.proven;
  if (rest >= s.eigenvalues[k - 1] && k < std::min<Index>(d, passes.rows())) {
    s.confidence = likely_confidence;
    s.missed = "no larger eigenvalue was found in products with random vectors";
  }
  return s;
}

/// Passes that a block of vectors needs, as measured on data whose variances fall slowly.
double expected_passes(const FitOptions& o) { return 2 - std::log10(o.tolerance); }

/// Vectors go to all ranks and sums of leaves to rank 0. The first pass chooses the shift, and sums
/// the mean and squares too.
void products_traffic(const RowShares& rows, const FitOptions& options, const Facts& facts,
                      double budget, TeamTraffic& first, TeamTraffic& further) {
  const Index d = rows.columns;
  BlockKrylov how{.block = widest_block(d, true, rows.sparse)};
  how = fitting(how, d, first_pairs(d, options.components), facts.threads, budget);
  const bool known = changes_rows(options),
             shifted = !rows.sparse || options.missing == Missing::mean;
  const auto add_pass = [&](TeamTraffic& traffic, bool choose, bool has_shift) {
    ScatterOptions with;
    if (has_shift) with.shift.setZero(d);
    if (options.missing == Missing::mean) with.missing.setZero(d);
    if (known) with.scale.setZero(d);
    const std::string order = packed(with, choose, Matrix<double>(d, how.block));
    traffic.broadcast_all(0, sizeof(std::uint64_t));
    traffic.broadcast_all(0, static_cast<double>(order.size()));
    if (choose) {
      rows.add_first_rows(traffic, scatter_shift_rows(d));
      traffic.from_root(d);
    }
    rows.add_leaves(traffic, scatter_leaf(d, !shifted));
    traffic.agree();
    add_scatter_sums(traffic, rows.first, d, how.block, !shifted);
  };
  add_pass(first, shifted && !known, known);
  add_pass(further, false, true);
}

}  // namespace

extern const LinearSolverRow randomized_solver = {
    .name = "randomized",
    .solver = Solver::randomized,
    .notes = "block Krylov from random vectors; few components, N and d large",
    .what = "products with random vectors",
    .flops =
        [](const Facts& f, const FitOptions& o) {
          // Products with blocks of vectors, and keeping them orthogonal.
          constexpr double block = 16;
          const bool count = o.components.kind() == Components::Kind::count;
          const double basis = (count ? static_cast<double>(o.components.count()) : 64.0) + 8 * 32;
          const double products = 4 * block * f.entries * (f.sparse ? 4 : 1);
          return expected_passes(o) * (products + 10 * f.columns * basis * block);
        },
    .bytes =
        [](const Facts& f, const FitOptions& o) {
          // The least: the basis grows with what is allowed.
          const double d = std::max(1.0, f.columns);
          return least_bytes(static_cast<Index>(d),
                             static_cast<Index>(std::clamp(known_components(f, o), 1.0, d)),
                             least_block, f.threads);
        },
    .passes =
        [](const FitOptions& o) {
          return expected_passes(o) + (o.missing == Missing::mean ? 1 : 0);
        },
    .iterative = true,
    .distributed = true,
    .traffic = &products_traffic,
    .unplanned = [](const Facts& f, const FitOptions& o) -> const char* {
      const bool few = o.components.kind() == Components::Kind::count &&
                       static_cast<double>(o.components.count()) < std::min(f.rows, f.columns) / 8;
      return few ? nullptr : "for a number of components below an eighth of rows and columns";
    },
    .find = []<class T>(Passes<T>& passes, const FitOptions& options,
                        double budget) { return by_products(passes, options, budget); },
};

}  // namespace mercer
