#include <mercer/matrices.hpp>

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "data/finite.hpp"
#include "operators/column_means.hpp"
#include "operators/tiles.hpp"
#include "pca/kernel/moved_rows.hpp"

namespace mercer {

namespace {

/// JKJ of a symmetric matrix, upper triangle first: both halves are the same bits.
void centre_symmetric(Matrix<double>& k, int threads) {
  const Index n = k.rows();
  Vector<double> means(n);
  parallel_ranges(n, threads, 256, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i) means[i] = k.row(i).sum() / static_cast<double>(n);
  });
  means.array() -= 0.5 * means.mean();
  parallel_ranges(n, threads, 256, [&](Index begin, Index end, int) {
    for (Index i = begin; i < end; ++i)
      k.row(i).tail(n - i).array() -= means.tail(n - i).transpose().array() + means[i];
  });
  k.triangularView<Eigen::StrictlyLower>() = k.transpose();
}

}  // namespace

template <class T>
Matrix<double> centred_kernel_matrix(const Kernel& open, const Rows<T>& x,
                                     const RunOptions& options) {
  require(x.rows() > 0, Errc::bad_data, "the data have no rows");
  require_finite(x, false);
  const Kernel kernel = open.completed(x);
  FitOptions fitting;
  fitting.kernel = kernel;
  fitting.threads = options.threads;
  Passes<T> passes(x, nullptr, options.monitor);
  ColumnMeans means(x.cols());
  means.add(x, nullptr, options.threads);
  Standard standard;
  standard.mean = means.mean();
  const bool moved = move_to_mean(passes, standard, fitting);
  const Matrix<T> copy = moved ? standard(x) : Matrix<T>();
  const Rows<T> rows = moved ? Rows<T>(copy) : x;
  Matrix<double> k = whole_matrix(kernel_tiles(kernel, rows, true), options.threads);
  // The second time takes off what the rounding of the means left.
  centre_symmetric(k, options.threads);
  centre_symmetric(k, options.threads);
  return k;
}

template Matrix<double> centred_kernel_matrix(const Kernel&, const Rows<float>&, const RunOptions&);
template Matrix<double> centred_kernel_matrix(const Kernel&, const Rows<double>&,
                                              const RunOptions&);

}  // namespace mercer
