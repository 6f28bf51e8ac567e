#include <mercer/matrices.hpp>

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "data/finite.hpp"
#include "operators/column_means.hpp"
#include "operators/tiles.hpp"
#include "pca/kernel/moved_rows.hpp"

#include <limits>

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

/// Values are accurate to a few units in the last place of the largest; six digits of JKJ must be
/// left of that.
void require_digits(double before, double after, Index rows) {
  constexpr double few_ulp = 8 * std::numeric_limits<double>::epsilon();
  if (rows == 1 || few_ulp * before <= 1e-6 * after) return;
  fail(Errc::bad_data,
       "centring leaves less than six digits of the kernel matrix: its numbers are up to {:.1e}, "
       "those "
       "of JKJ up to {:.1e}; centre the rows, or scale them so that the kernel varies more",
       before, after);
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
  const double before = k.cwiseAbs().maxCoeff();
  // The second time takes off what the rounding of the means left.
  centre_symmetric(k, options.threads);
  centre_symmetric(k, options.threads);
  require_digits(before, k.cwiseAbs().maxCoeff(), x.rows());
  return k;
}

template Matrix<double> centred_kernel_matrix(const Kernel&, const Rows<float>&, const RunOptions&);
template Matrix<double> centred_kernel_matrix(const Kernel&, const Rows<double>&,
                                              const RunOptions&);

}  // namespace mercer
