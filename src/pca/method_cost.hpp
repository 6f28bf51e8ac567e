#pragma once
// What each method costs: flops and bytes, from facts alone. The formulas of mercer/plan.hpp.

#include <mercer/plan.hpp>

namespace mercer {

/// The program itself, and what small things take.
constexpr double overhead_bytes = 22 << 20;

/// Bytes of the rows in memory.
double row_bytes(const Facts& facts);

/// Passes over rows or kernel matrix that a block of vectors needs, by what is seen on data whose
/// variances fall slowly.
double expected_passes(double tolerance);

double linear_flops(Solver solver, const Facts& facts, const FitOptions& options);
/// Memory that a solver of linear PCA takes beside the rows themselves.
double linear_bytes(Solver solver, const Facts& facts);

/// All of the kernel matrix and LAPACK's copies of it.
double dense_bytes(double n);

/// Of exact kernel PCA by blocks of vectors; `kept`: all tiles are computed once.
double krylov_flops(const Facts& facts, const FitOptions& options, bool kept);
double dense_flops(const Facts& facts, const FitOptions& options);
constexpr double krylov_passes = 10;

/// Of m landmarks or random features.
double approximate_flops(const Approx& approx, double m, const Facts& facts,
                         const FitOptions& options);
double feature_bytes(double m);
/// As many landmarks or features as that much working memory holds.
Index most_features(double budget);
/// Landmarks or features that are asked for; 0: as many as a tolerance takes.
Index features_of(const Approx& approx);

/// Seconds of exact kernel PCA with `work` bytes for tiles, and of m landmarks.
double exact_seconds(double n, double work, const Speed& speed);
double landmark_seconds(double n, double m, const Speed& speed);

/// The speed of this machine, measured on the kernel itself.
Speed measured_speed(const Kernel& kernel, double columns, int threads);

}  // namespace mercer
