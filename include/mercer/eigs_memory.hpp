#pragma once
/// \file
/// The least memory of `eigs`, for programs that share a budget between a matrix and its
/// eigenvectors.
///
///     mercer::EigsOptions options;
///     options.memory = mercer::least_eigs_memory(10'000, 5);     // a small basis, more passes
///
/// 8·(2·m + 2·b + k)·n bytes and some matrices of order m, for a basis of m = k + 2b vectors and
/// blocks of b (16 for k ≤ 12, else 32).

#include <mercer/eigs.hpp>

#include <cstddef>

namespace mercer {

/// Bytes below which `EigsOptions::memory` is refused, for k eigenpairs of a matrix of order n.
std::size_t least_eigs_memory(Index n, Index k, const EigsOptions& options = {});

}  // namespace mercer
