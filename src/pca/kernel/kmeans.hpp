#pragma once
// Centres of clusters, for landmarks.

#include <mercer/matrix.hpp>
#include <mercer/rows.hpp>

namespace mercer {

/// Some rounds of Lloyd's algorithm from the first `k` rows, which should be in random order: for
/// landmarks the last digits of the centres do not matter. Cost: rounds · 2·n·k·d flops.
Matrix<double> cluster_centres(const Matrix<double>& rows, Index k, int threads);

}  // namespace mercer
