#pragma once
// Flops and bytes of the methods, from facts only. Those of linear PCA are in their rows
// (pca/linear/solver_row.hpp).

#include <mercer/plan.hpp>

namespace mercer {

/// The program itself and small allocations.
constexpr double overhead_bytes = 22 << 20;

/// Bytes of the rows in memory.
double row_bytes(const Facts& facts);

/// Of the products of all pairs of columns, and of an eigenproblem of this order.
double scatter_flops(const Facts& facts);
double eigen_flops(double order);

/// The kernel matrix and LAPACK's copies of it.
double dense_bytes(double n);

/// Of exact kernel PCA by block Krylov; `kept`: all tiles are computed only once.
double krylov_flops(const Facts& facts, const FitOptions& options, bool kept);
double dense_flops(const Facts& facts, const FitOptions& options);
constexpr double krylov_passes = 10;

/// Of m landmarks or random features.
double approximate_flops(const Approx& approx, double m, const Facts& facts,
                         const FitOptions& options);
double feature_bytes(double m);
/// Number of landmarks or features that fit into this working memory.
Index most_features(double budget);

/// Seconds of exact kernel PCA with `work` bytes for tiles, and of m landmarks.
double exact_seconds(double n, double work, const Speed& speed);
double landmark_seconds(double n, double m, const Speed& speed);

/// The speed of this machine, measured with this kernel.
Speed measured_speed(const Kernel& kernel, double columns, int threads);

}  // namespace mercer
