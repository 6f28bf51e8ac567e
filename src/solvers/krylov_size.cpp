// How large the basis is, and what that costs.
#include "solvers/krylov.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"

#include <algorithm>

namespace mercer {

namespace {

Index least_basis(Index n, Index k, Index block) { return std::min(n, k + 2 * block); }

}  // namespace

BlockKrylov resolved(BlockKrylov how, Index n, Index k) {
  require(k >= 1 && k <= n, Errc::bad_option, "{} eigenpairs of a matrix of size {}", k, n);
  require(how.tolerance > 0, Errc::bad_option, "tolerance = {} is not positive", how.tolerance);
  require(how.block >= 0 && how.basis >= 0 && how.max_passes >= 1, Errc::bad_option,
          "block = {}, basis = {}, max_passes = {}: out of range", how.block, how.basis,
          how.max_passes);
  if (how.block == 0) how.block = k <= 12 ? 16 : 32;
  how.block = std::min(how.block, n);
  const Index least = least_basis(n, k, how.block);
  if (how.basis == 0) how.basis = k + 8 * how.block;
  how.basis = std::min(how.basis, n);
  require(how.basis >= least, Errc::bad_option,
          "a basis of {} vectors is too small for {} eigenpairs in blocks of {}: at least {}",
          how.basis, k, how.block, least);
  return how;
}

Index most_pairs(const BlockKrylov& how, Index n) {
  if (how.basis == 0 || how.basis >= n) return n;
  const Index block = how.block > 0 ? how.block : 32;
  const Index basis = std::max(how.basis, how.most_basis);
  return basis >= n ? n : std::max<Index>(basis - 2 * block, 0);
}

std::size_t memory_bytes(const BlockKrylov& how, Index n, Index k) {
  const BlockKrylov r = resolved(how, n, k);
  // Basis and products, the block and its product, the vectors returned; then what is m×m: the
  // projected matrix, its copy, eigenvectors and LAPACK's work space.
  const auto tall =
      static_cast<std::size_t>(n) * static_cast<std::size_t>(2 * r.basis + 2 * r.block + k);
  const auto small = 6 * static_cast<std::size_t>(r.basis) * static_cast<std::size_t>(r.basis);
  const auto panel = static_cast<std::size_t>(1024 * r.basis);
  return sizeof(double) * (tall + small + panel);
}

std::size_t least_memory_bytes(const BlockKrylov& how, Index n, Index k) {
  BlockKrylov least = resolved(how, n, k);
  least.basis = least_basis(n, k, least.block);
  return memory_bytes(least, n, k);
}

BlockKrylov within_memory(const BlockKrylov& how, Index n, Index k, std::size_t bytes) {
  BlockKrylov fits = resolved(how, n, k);
  if (memory_bytes(fits, n, k) <= bytes) return fits;
  Index low = least_basis(n, k, fits.block), high = fits.basis;
  const std::size_t minimum = least_memory_bytes(how, n, k);
  require(minimum <= bytes, Errc::out_of_memory,
          "{} eigenvectors of length {} need at least {} of working memory, more than the {} "
          "available; raise the memory budget or ask for fewer components",
          k, n, format_least_bytes(static_cast<double>(minimum)),
          format_bytes(static_cast<double>(bytes)));
  while (high - low > 1) {
    fits.basis = low + (high - low) / 2;
    (memory_bytes(fits, n, k) <= bytes ? low : high) = fits.basis;
  }
  fits.basis = low;
  return fits;
}

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

}  // namespace mercer
