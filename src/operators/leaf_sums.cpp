#include "operators/leaf_sums.hpp"

#include "core/parallel.hpp"
#include "operators/centred.hpp"
#include "simd/strip_products.hpp"

namespace mercer {

namespace {

/// Up to this many columns each thread has its own d×d sum.
constexpr Index own_sum_columns = 512;
/// Rows of a block that are multiplied at once: they bound the rounding of a block.
constexpr Index products_block = strip_depth;
/// Multiplications in a leaf: a fork, a join and the sum of two leaves are little beside it.
constexpr Index leaf_work = 4000000;
/// Blocks of rows that are centred at a time and then multiplied in stripes.
constexpr Index tile_blocks = 2;

Index whole_blocks(Index rows, Index block) { return (rows + block - 1) / block * block; }

}  // namespace

Leaves::Leaves(Index d)
    : columns(d),
      few(d <= few_columns),
      tiled(d > own_sum_columns),
      stride(few ? padded_columns(d) : d),
      block(few ? few_columns_block(d) : products_block),
      start(whole_blocks(256, block)),
      rows(whole_blocks(
          tiled ? 16384 : std::clamp<Index>(leaf_work / std::max<Index>(d * d, 1), 1024, 65536),
          block)),
      radix(few ? 2 : 16),
      sparse(std::max<Index>(4096, d * d / 64)) {}

template <class T>
void LeafRoom::add(const Rows<T>& rows, const double* weights, const LeafShift& how, LeafSum& sum) {
  const Index d = leaves_.columns, block = leaves_.block;
  for (Index i = 0; i < rows.rows(); i += block) {
    const Index n = std::min(block, rows.rows() - i);
    // Sums of a block first, then the sum of sums: error grows with the blocks, not the rows.
    part_.setZero(d);
    centred_block(rows.middle(i, n), 0, d,
                  {.centre = how.shift.data(),
                   .weights = weights ? weights + i : nullptr,
                   .missing = how.missing,
                   .sums = part_.data()},
                  block_.data(), leaves_.stride);
    sum.first += part_;
    if (leaves_.few) add_inner_products_padded(block_.data(), n, d, sum.second.data());
    else
      for (Index j = 0; j < d; j += strip_rows_of_c)
        add_column_products(block_.data(), n, d, d, j, std::min(strip_rows_of_c, d - j),
                            sum.second.data(), d);
  }
}

template <class T>
void add_tiled(const Leaves& leaves, const Rows<T>& rows, const double* weights,
               const LeafShift& how, int threads, LeafSum& sum) {
  const Index d = leaves.columns, height = strip_rows_of_c;
  const Index most = std::min(tile_blocks * leaves.block, rows.rows());
  Matrix<double> x(most, d), parts(tile_blocks, d);
  for (Index begin = 0; begin < rows.rows(); begin += most) {
    const Index count = std::min(most, rows.rows() - begin);
    const Index blocks = (count + leaves.block - 1) / leaves.block;
    const auto rows_of = [&](Index b) { return std::min(leaves.block, count - b * leaves.block); };
    parts.setZero();
    parallel_for(blocks, threads, [&](Index b) {
      const Index i = b * leaves.block;
      centred_block(rows.middle(begin + i, rows_of(b)), 0, d,
                    {.centre = how.shift.data(),
                     .weights = weights ? weights + begin + i : nullptr,
                     .missing = how.missing,
                     .sums = parts.row(b).data()},
                    x.row(i).data(), d);
    });
    for (Index b = 0; b < blocks; ++b) sum.first += parts.row(b).transpose();
    // The number of rows in the products is that of a block, whatever comes at a time.
    parallel_for((d + height - 1) / height, threads, [&](Index stripe) {
      const Index i = stripe * height;
      for (Index b = 0; b < blocks; ++b)
        add_column_products(x.row(b * leaves.block).data(), rows_of(b), d, d, i,
                            std::min(height, d - i), sum.second.data(), d);
    });
  }
}

template <class T>
void add_sparse_rows(const Rows<T>& rows, const double* weights, int threads, LeafSum& sum) {
  const CsrView<T>& csr = rows.csr();
  const Index d = rows.cols();
  for (Index i = 0; i < rows.rows(); ++i) {
    const double w = weights ? weights[i] : 1.0;
    for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
      sum.first[csr.columns[e]] += w * static_cast<double>(csr.values[e]);
  }
  const int workers = rows.entries() < 10000 ? 1 : thread_count(threads);
  const Index stripes = workers == 1 ? 1 : std::min<Index>(d, 16 * workers);
  parallel_for(stripes, workers, [&](Index stripe) {
    const auto from = static_cast<std::int32_t>(d * stripe / stripes);
    const auto to = static_cast<std::int32_t>(d * (stripe + 1) / stripes);
    for (Index i = 0; i < rows.rows(); ++i) {
      const double w = weights ? weights[i] : 1.0;
      const auto* begin = csr.columns + csr.offsets[i];
      const auto* end = csr.columns + csr.offsets[i + 1];
      for (const auto* a = std::lower_bound(begin, end, from); a != end && *a < to; ++a) {
        double* out = sum.second.row(*a).data();
        const double x = w * static_cast<double>(csr.values[a - csr.columns]);
        for (const auto* b = a; b != end; ++b)
          out[*b] += x * static_cast<double>(csr.values[b - csr.columns]);
      }
    }
  });
}

#define MERCER_INSTANTIATE(T)                                                                  \
  template void LeafRoom::add(const Rows<T>&, const double*, const LeafShift&, LeafSum&);      \
  template void add_tiled(const Leaves&, const Rows<T>&, const double*, const LeafShift&, int, \
                          LeafSum&);                                                           \
  template void add_sparse_rows(const Rows<T>&, const double*, int, LeafSum&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
