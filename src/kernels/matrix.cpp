// Whole kernel matrices: tiles over the threads.
#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "linalg/blas.hpp"

#include <mercer/kernel.hpp>

#include <algorithm>

namespace mercer {

namespace {

constexpr Index side = 256;

Index tiles(Index n) { return (n + side - 1) / side; }

}  // namespace

template <class T>
Matrix<T> Kernel::matrix(const Rows<T>& x, const Rows<T>& y, const RunOptions& options) const {
  require_domain(x);  // here the row's number is that of the caller
  require_domain(y);
  Matrix<T> k(x.rows(), y.rows());
  const BlasThreads one(1);
  const Index across = tiles(y.rows());
  const Index all = tiles(x.rows()) * across;
  SharedReporter report(options.monitor, "kernel matrix", "tiles", static_cast<double>(all));
  parallel_for(all, options.threads, [&](Index t) {
    const Index i = t / across * side, j = t % across * side;
    const Index rows = std::min(side, x.rows() - i), cols = std::min(side, y.rows() - j);
    tile<T>(x.middle(i, rows), y.middle(j, cols), k.block(i, j, rows, cols));
    report.add(1);
  });
  return k;
}

template <class T>
Matrix<T> Kernel::matrix(const Rows<T>& x, const RunOptions& options) const {
  require_domain(x);
  const Index n = x.rows(), count = tiles(n);
  Matrix<T> k(n, n);
  if (n == 0) return k;
  const BlasThreads one(1);
  // Upper tiles, numbered row by row.
  const Index all = count * (count + 1) / 2;
  SharedReporter report(options.monitor, "kernel matrix", "tiles", static_cast<double>(all));
  parallel_for(all, options.threads, [&](Index t) {
    Index row = 0;
    for (Index left = count; t >= left; t -= left--) ++row;
    const Index i = row * side, j = (row + t) * side;
    const Index rows = std::min(side, n - i), cols = std::min(side, n - j);
    tile<T>(x.middle(i, rows), x.middle(j, cols), k.block(i, j, rows, cols));
    if (i != j) k.block(j, i, cols, rows) = k.block(i, j, rows, cols).transpose();
    else
      for (Index p = 1; p < rows; ++p)
        k.row(i + p).segment(i, p) = k.col(i + p).segment(i, p).transpose();
    report.add(1);
  });
  k.diagonal() = diagonal(x);
  return k;
}

template Matrix<float> Kernel::matrix(const Rows<float>&, const Rows<float>&,
                                      const RunOptions&) const;
template Matrix<double> Kernel::matrix(const Rows<double>&, const Rows<double>&,
                                       const RunOptions&) const;
template Matrix<float> Kernel::matrix(const Rows<float>&, const RunOptions&) const;
template Matrix<double> Kernel::matrix(const Rows<double>&, const RunOptions&) const;

}  // namespace mercer
