#include "pca/method_cost.hpp"

#include "core/parallel.hpp"
#include "core/random.hpp"
#include "kernels/evaluate_tile.hpp"
#include "kernels/weighted_width.hpp"
#include "linalg/blas.hpp"
#include "pca/compare_cost.hpp"
#include "pca/kernel/approx_row.hpp"
#include "pca/linear/aligned_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace mercer {

namespace {

/// Vectors that share a pass over the kernel matrix, most of the time.
constexpr double krylov_block = 24;

double value_flops(const Facts& f, const FitOptions& o) {
  return o.kernel ? o.kernel->flops_per_pair(f.entries / std::max(1.0, f.rows)) + 1 : 0;
}

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

}  // namespace

double row_bytes(const Facts& f) {
  return f.sparse
             ? f.entries * (f.number_bytes + sizeof(std::int32_t)) + f.rows * sizeof(std::int64_t)
             : f.entries * f.number_bytes;
}

double scatter_flops(const Facts& f) {
  // Sparse: entries per row squared; scattered access counts four times.
  return f.sparse ? 4 * f.entries * (f.entries / std::max(1.0, f.rows))
                  : f.rows * f.columns * f.columns;
}

double eigen_flops(double order) { return 10 * order * order * order; }

double known_components(const Facts& f, const FitOptions& o) {
  const double most = std::min(f.rows, f.columns);
  const Components& asked = o.components;
  if (asked.kind() == Components::Kind::count)
    return std::min(most, static_cast<double>(asked.count()));
  return asked.kind() == Components::Kind::all ? most : std::min(most, 32.0);
}

double wide_svd_bytes(double n, double d) {
  // The rows as LAPACK overwrites them, a copy for the residuals, 64 of which are computed at once,
  // and the vectors.
  return 8 * (3 * n * d + 64 * d + 5 * n * n);
}

double tile_bytes(const Facts& f) {
  const auto columns = static_cast<Index>(std::max(1.0, f.columns));
  const double side = std::min(256.0, static_cast<double>(wide_tile_side(columns)));
  return f.sparse ? 0 : 2 * f.threads * 8 * side * f.columns;
}

double column_bytes(const Facts& f) { return 400 * f.columns; }

double dense_bytes(double n) { return 4 * 8 * n * n + overhead_bytes; }

double dense_flops(const Facts& f, const FitOptions& o) {
  return f.rows * f.rows * (value_flops(f, o) / 2 + 9 * f.rows);
}

double krylov_flops(const Facts& f, const FitOptions& o, bool kept) {
  return f.rows * f.rows *
         (value_flops(f, o) / 2 * (kept ? 1 : krylov_passes) + 2 * krylov_passes * krylov_block);
}

double approximate_flops(const Approx& approx, double m, const Facts& f, const FitOptions& o) {
  // Landmarks: a third of the last pass; solving and summing: n·m² each; m×m matrices at the end.
  if (row_of(approx).landmarks)
    return 2 * f.rows * m * value_flops(f, o) + 2.4 * f.rows * m * m + 10 * m * m * m;
  return f.entries * m + 1.2 * f.rows * m * m + 10 * m * m * m;
}

namespace {
constexpr double feature_block_rows = 2 * 2048;

/// The factor, sums of a leaf and of the levels above, of four each, the scatter, and five in which
/// bounds or eigenvectors are computed; features of a block of rows beside.
double feature_matrices(double rows) {
  constexpr double usual_levels = 3, rows_a_leaf = 8192;
  return 8 + std::max(usual_levels, std::ceil(std::log2(rows / rows_a_leaf) / 2));
}
}  // namespace

FeatureRows feature_rows(const Approx& approx, const Facts& f, const FitOptions& o) {
  const double n = std::max(1.0, f.rows), row = row_bytes(f) / n;
  const auto columns = static_cast<Index>(f.columns);
  const auto of = [&](double rows) { return std::min(n, rows) * row; };
  const double narrow = f.number_bytes < 8 ? 2 : 0;  // a copy in double beside the floats
  const double width = o.kernel && !o.kernel->complete() ? of(width_rows) : 0;
  // A block of rows, and the piece that it is made of.
  const double block =
      of(static_cast<double>(feature_block(1, columns))) + of((1 << 21) / std::max(1.0, f.columns));
  // Landmarks in the sample, as they are chosen, and in the model; random features: frequencies.
  if (row_of(approx).landmarks)
    return {(3 + narrow) * row, std::max(width, block), feature_matrices(n)};
  // Their error is estimated from pairs of 512 rows, which are copied for that; threads have the
  // products of rows and frequencies.
  return {row, std::max(width, block + (2 + narrow) * of(512)) + (2 << 20), feature_matrices(n)};
}

double feature_bytes(double m, const FeatureRows& rows) {
  return 8 * (rows.matrices * m * m + feature_block_rows * m) + rows.each * m + rows.fixed;
}

Index most_features(double budget, const FeatureRows& rows) {
  // feature_bytes(m, rows) = budget, which is negative where the rows alone exceed it
  const double room = std::max(0.0, budget - rows.fixed) / 8;
  const double half = (feature_block_rows + rows.each / 8) / 2 / rows.matrices;
  return static_cast<Index>(std::sqrt(half * half + room / rows.matrices) - half);
}

double exact_seconds(double n, double work, const Speed& speed) {
  const double stored = std::clamp(work / (4 * n * n), 0.0, 1.0);  // symmetric halves, in double
  const double values = n * n / 2 / speed.pairs;
  const double products = 2 * n * n * krylov_block / (0.5 * speed.flops);
  return values * (1 + krylov_passes * (1 - stored)) + krylov_passes * products;
}

double landmark_seconds(double n, double m, const Speed& speed) {
  return 2 * n * m / speed.pairs + (2.4 * n * m * m + 10 * m * m * m) / (0.8 * speed.flops);
}

Speed measured_speed(const Kernel& kernel, double columns, int threads) {
  constexpr Index side = 256;
  const auto typical = static_cast<Index>(std::clamp(std::ceil(columns), 1.0, 4096.0));
  Matrix<double> x(side, typical), tile(side, side), product(side, side);
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

bool costs_more_than_exact(const Kernel& kernel, double n, double entries, double m) {
  // Seconds at 1 flop a second; matrices that are not kept, the slower way to be exact.
  constexpr double matters = 1e11;
  const Speed counted{1 / (kernel.flops_per_pair(entries) + 1), 1};
  const double landmarks = landmark_seconds(n, m, counted);
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
