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
/// Of an SVD of n rows in memory that are fewer than their d columns.
double wide_svd_bytes(double n, double d);
/// Rows of a tile of kernel values, as threads copy them.
double tile_bytes(const Facts& facts);
/// What every fit keeps per column: its name, in the file, the rows and the model, and its mean,
/// variance, scale and their bounds.
double column_bytes(const Facts& facts);
/// Components that are known to be kept before the eigenvalues are.
double known_components(const Facts& facts, const FitOptions& options);

/// The kernel matrix and LAPACK's copies of it.
double dense_bytes(double n);

/// Of exact kernel PCA by block Krylov; `kept`: all tiles are computed only once.
double krylov_flops(const Facts& facts, const FitOptions& options, bool kept);
double dense_flops(const Facts& facts, const FitOptions& options);
constexpr double krylov_passes = 10;

/// Of m landmarks or random features.
double approximate_flops(const Approx& approx, double m, const Facts& facts,
                         const FitOptions& options);
/// Bytes of the rows that an approximation keeps: those of wide rows may exceed all matrices.
struct FeatureRows {
  double each = 0;      ///< per landmark or feature
  double fixed = 0;     ///< samples, and a block of rows
  double matrices = 0;  ///< of the order of the features
};
FeatureRows feature_rows(const Approx& approx, const Facts& facts, const FitOptions& options);
double feature_bytes(double m, const FeatureRows& rows);
/// Number of landmarks or features that fit into this working memory.
Index most_features(double budget, const FeatureRows& rows);

/// Seconds of exact kernel PCA with `work` bytes for tiles, and of m landmarks.
double exact_seconds(double n, double work, const Speed& speed);
double landmark_seconds(double n, double m, const Speed& speed);

/// The speed of this machine, measured with this kernel.
Speed measured_speed(const Kernel& kernel, double columns, int threads);

}  // namespace mercer
