#include "pca/plan.hpp"

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "pca/compare_cost.hpp"
#include "pca/kernel/approximate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace mercer {

namespace {

/// What exact kernel PCA needs, most of the time (docs/numerics): passes over the matrix, vectors.
constexpr double krylov_passes = 10, krylov_block = 24;
/// The least that is worth being called an approximation.
constexpr Index least_rank = 16;

template <class Work>
double best_seconds(const Work& work) {
  double best = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto start = std::chrono::steady_clock::now();
    work();
    best = std::min(
        best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return std::max(best, 1e-7);
}

Speed measured_speed(const Kernel& kernel, Index columns, int threads) {
  constexpr Index side = 256;
  Matrix<double> x(side, columns), tile(side, side), product(side, side);
  Random random(1);
  for (Index i = 0; i < x.size(); ++i) x.data()[i] = random.uniform();
  const BlasThreads one(1);
  const Rows<double> rows(x);
  const Kernel complete = kernel.completed(rows);
  const double many = thread_count(threads);
  const double a_tile = best_seconds([&] { complete.tile<double>(rows, rows, tile); });
  const double a_product = best_seconds([&] {
    multiply(tile.data(), side, side, side, tile.data(), side, side, product.data(), side);
  });
  return {many * side * side / a_tile, many * 2 * side * side * side / a_product};
}

double exact_seconds(double n, double memory, const Speed& speed) {
  const double stored = std::clamp(memory / (4 * n * n), 0.0, 1.0);  // symmetric halves, in double
  const double values = n * n / 2 / speed.pairs;
  const double products = 2 * n * n * krylov_block / (0.5 * speed.flops);
  return values * (1 + krylov_passes * (1 - stored)) + krylov_passes * products;
}

double cholesky_seconds(double n, double m, const Speed& speed) {
  // Landmarks: a third of the last pass; solving and summing: n·m² each; m×m matrices at the end.
  return 2 * n * m / speed.pairs + (2.4 * n * m * m + 10 * m * m * m) / (0.8 * speed.flops);
}

std::string time_text(double seconds) {
  if (seconds < 1) return fmt::format("{:.2g} s", seconds);
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.0f} h", seconds / 3600);
}

}  // namespace

Plan plan_kernel(const FitOptions& options, double rows, double columns, double exact_budget,
                 double budget) {
  if (options.approx) return {options.approx, "as asked"};
  if (options.seconds == 0) return {};
  require(rows > 0, Errc::bad_option,
          "`seconds`: the number of rows is unknown; give an `approx` instead");
  const auto typical = static_cast<Index>(std::clamp(std::ceil(columns), 1.0, 4096.0));
  return plan_at_speed(options, rows, exact_budget, budget,
                       measured_speed(*options.kernel, typical, options.threads));
}

Plan plan_at_speed(const FitOptions& options, double rows, double exact_budget, double budget,
                   const Speed& speed) {
  const double exact = exact_seconds(rows, exact_budget, speed);
  const std::string wish = time_text(options.seconds);
  if (exact_budget > 0 && exact <= options.seconds)
    return {std::nullopt, fmt::format("exact: expected to take {} of {}", time_text(exact), wish)};
  // The largest rank that time, memory and rows allow.
  const auto most = std::min<Index>(most_features(budget), static_cast<Index>(rows));
  Index low = std::min(least_rank, most), high = most;
  const Components& asked = options.components;
  if (asked.kind() == Components::Kind::count)
    low = std::clamp(asked.count(), low, std::max(low, most));
  while (low < high) {
    const Index middle = (low + high + 1) / 2;
    if (cholesky_seconds(rows, static_cast<double>(middle), speed) <= options.seconds) low = middle;
    else high = middle - 1;
  }
  require(low > 0, Errc::out_of_memory, "`memory` is too small for any landmark");
  const double takes = cholesky_seconds(rows, static_cast<double>(low), speed);
  std::string why = fmt::format("exact kernel PCA would take about {}, rank {} about {} of {}",
                                time_text(exact), low, time_text(takes), wish);
  if (takes > options.seconds) why += "; this is the smallest rank, so the target time is exceeded";
  return {Cholesky{.rank = low}, why};
}

bool costs_more_than_exact(const Kernel& kernel, double n, double entries, double m) {
  // Seconds at 1 flop a second; matrices that are not kept, the slower way to be exact.
  constexpr double matters = 1e11;
  const Speed counted{1 / (kernel.flops_per_pair(entries) + 1), 1};
  const double landmarks = cholesky_seconds(n, m, counted);
  return landmarks > matters && landmarks > exact_seconds(n, 0, counted);
}

std::string expected_slower(const Kernel& kernel, double n, double entries, double m) {
  if (!costs_more_than_exact(kernel, n, entries, m)) return {};
  return fmt::format(
      "note: exact kernel PCA is expected to be faster than {:.0f} landmarks of "
      "{:.0f} rows",
      m, n);
}

}  // namespace mercer
