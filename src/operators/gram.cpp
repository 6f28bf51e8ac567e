#include "operators/gram.hpp"

#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "operators/centred.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace mercer {

namespace {

/// Columns in a strip: rows of 4 KiB, so that the strip stays in cache until it is multiplied.
constexpr Index strip_columns = 512;
/// Strips between two calls of the monitor.
constexpr Index strips_a_round = 64;
/// Up to this many rows each thread has an N×N sum of its own; beyond, BLAS runs the threads.
constexpr Index own_sum_rows = 1024;
/// Beyond this ratio, centring sparse products afterwards has cost too many digits.
constexpr double cancellation_limit = 1e4;

struct Strip {
  Index first, count;
};

Index strip_total(Index d) { return (d + strip_columns - 1) / strip_columns; }

Strip strip_at(Index i, Index d) {
  return {i * strip_columns, std::min(strip_columns, d - i * strip_columns)};
}

template <class T>
void fill(const CentredRows<T>& a, Strip strip, double* out) {
  centred_block(a.x, strip.first, strip.count,
                {.centre = a.mean.data(), .weights = a.weights, .nan_on_centre = a.nan_on_mean},
                out, strip.count);
  if (a.scale.size() > 0)
    Eigen::Map<Matrix<double>>(out, a.x.rows(), strip.count).array().rowwise() /=
        a.scale.segment(strip.first, strip.count).array().transpose();
}

/// Columns that are multiplied at once where rows can be used as they lie.
constexpr Index slab_columns = 4096;
/// Beyond this ratio, rows are centred before their product instead of after it.
constexpr double raw_cancellation_limit = 16;

/// Rows that A differs from by their mean only.
bool as_they_lie(const CentredRows<double>& a) {
  return !a.x.sparse() && !a.weights && a.scale.size() == 0 && !a.nan_on_mean;
}

/// XXᵀ of the rows as they lie, each thread with a sum of its own.
Matrix<double> raw_gram(const Rows<double>& x, int threads, const Monitor& monitor) {
  const Index n = x.rows(), d = x.cols(), slabs = (d + slab_columns - 1) / slab_columns;
  const auto workers = static_cast<Index>(std::min<Index>(thread_count(threads), slabs));
  const BlasThreads one(1);
  std::vector<Matrix<double>> sums(static_cast<std::size_t>(workers), Matrix<double>::Zero(n, n));
  Reporter report(monitor, "Gram matrix", "columns", static_cast<double>(d));
  for (Index round = 0; round < slabs; round += 4 * workers) {
    const Index end = std::min(slabs, round + 4 * workers);
    parallel_for(workers, static_cast<int>(workers), [&](Index worker) {
      for (Index i = round + worker; i < end; i += workers)
        add_outer_products(x.row(0) + i * slab_columns, n,
                           std::min(slab_columns, d - i * slab_columns), x.stride(),
                           sums[static_cast<std::size_t>(worker)]);
    });
    report(static_cast<double>(std::min(d, end * slab_columns)));
  }
  for (std::size_t w = 1; w < sums.size(); ++w) sums[0] += sums[w];
  return std::move(sums[0]);
}

/// JGJ of a symmetric matrix given by its upper triangle; false when that has cost digits.
bool centre_afterwards(Matrix<double>& g) {
  const double before = g.trace();
  g.triangularView<Eigen::StrictlyLower>() = g.transpose();
  const Vector<double> means = g.rowwise().mean();
  const double all = means.mean();
  g.colwise() -= means;
  g.rowwise() -= (means.array() - all).matrix().transpose();
  return before <= raw_cancellation_limit * g.trace();
}

template <class T>
Matrix<double> dense_gram(const CentredRows<T>& a, int threads, const Monitor& monitor) {
  if constexpr (std::is_same_v<T, double>) {
    if (as_they_lie(a) && a.x.rows() <= own_sum_rows) {
      Matrix<double> g = raw_gram(a.x, threads, monitor);
      if (a.mean.isZero(0) || centre_afterwards(g)) return g;
    }
  }
  const Index n = a.x.rows(), d = a.x.cols(), strips = strip_total(d);
  const bool own_sums = n <= own_sum_rows;
  const int workers = own_sums && n * n * d > 4000000
                          ? static_cast<int>(std::min<Index>(thread_count(threads), strips))
                          : 1;
  const BlasThreads blas(own_sums ? 1 : thread_count(threads));
  std::vector<Matrix<double>> sums(workers, Matrix<double>::Zero(n, n));
  std::vector<Matrix<double>> rooms(workers, Matrix<double>(n, std::min(strip_columns, d)));
  Reporter report(monitor, "Gram matrix", "columns", static_cast<double>(d));
  for (Index round = 0; round < strips; round += strips_a_round) {
    const Index end = std::min(strips, round + strips_a_round);
    // Strips are dealt out in turn: a sum never depends on which thread was quicker.
    parallel_for(workers, workers, [&](Index worker) {
      double* room = rooms[worker].data();
      for (Index i = round + worker; i < end; i += workers) {
        const Strip strip = strip_at(i, d);
        fill(a, strip, room);
        add_outer_products(room, n, strip.count, strip.count, sums[worker]);
      }
    });
    report(static_cast<double>(std::min(d, end * strip_columns)));
  }
  for (int w = 1; w < workers; ++w) sums[0] += sums[w];
  return std::move(sums[0]);
}

/// x_i·x_j − x_i·m − x_j·m + m·m over the entries only, with columns divided by s.
template <class T>
Matrix<double> sparse_gram(const CentredRows<T>& a, int threads, double& cancellation) {
  const CsrView<T>& csr = a.x.csr();
  const Index n = a.x.rows(), d = a.x.cols();
  const Vector<double> divisor =
      a.scale.size() > 0 ? a.scale : Vector<double>(Vector<double>::Ones(d));
  const Vector<double> mean = a.mean.cwiseQuotient(divisor);
  const double mean_square = mean.squaredNorm();

  Matrix<double> out(n, n);
  Vector<double> along_mean(n), raw(n);
  parallel_for(n, threads, [&](Index i) {
    Vector<double> row = Vector<double>::Zero(d);
    for (auto e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
      row[csr.columns[e]] = static_cast<double>(csr.values[e]) / divisor[csr.columns[e]];
    along_mean[i] = row.dot(mean);
    for (Index j = i; j < n; ++j) {
      double sum = 0;
      for (auto e = csr.offsets[j]; e < csr.offsets[j + 1]; ++e)
        sum += row[csr.columns[e]] * static_cast<double>(csr.values[e]) / divisor[csr.columns[e]];
      out(i, j) = sum;
    }
    raw[i] = out(i, i);
  });
  for (Index i = 0; i < n; ++i)
    for (Index j = i; j < n; ++j) {
      const double root = a.weights ? std::sqrt(a.weights[i] * a.weights[j]) : 1.0;
      out(i, j) = root * (out(i, j) - along_mean[i] - along_mean[j] + mean_square);
    }
  cancellation = (raw.sum() + static_cast<double>(n) * mean_square) / out.diagonal().sum();
  return out;
}

}  // namespace

template <class T>
Matrix<double> gram(const CentredRows<T>& a, int threads, const Monitor& monitor) {
  if (a.x.sparse() && !a.nan_on_mean) {
    double cancellation = 1;
    Matrix<double> out = sparse_gram(a, threads, cancellation);
    if (cancellation < cancellation_limit) return out;
  }
  return dense_gram(a, threads, monitor);
}

template <class T>
Matrix<double> combine(const Matrix<double>& b, const CentredRows<T>& a, int threads) {
  const Index n = a.x.rows(), d = a.x.cols(), k = b.rows();
  Matrix<double> out(k, d);
  const BlasThreads one(1);
  parallel_for(strip_total(d), n * d * k < 1000000 ? 1 : threads, [&](Index i) {
    const Strip strip = strip_at(i, d);
    Matrix<double> room(n, strip.count);
    fill(a, strip, room.data());
    multiply(b.data(), k, n, n, room.data(), strip.count, strip.count, out.data() + strip.first, d);
  });
  return out;
}

template <class T>
Matrix<double> dense(const CentredRows<T>& a, int threads) {
  const Index n = a.x.rows(), d = a.x.cols();
  Matrix<double> out(n, d);
  advise_huge_pages(out.data(), sizeof(double) * out.size());
  parallel_ranges(n, threads, std::max<Index>(1, 100000 / d), [&](Index begin, Index end, int) {
    CentredRows<T> part = a;
    part.x = a.x.middle(begin, end - begin);
    if (a.weights) part.weights = a.weights + begin;
    fill(part, {0, d}, out.row(begin).data());
  });
  return out;
}

template <class T>
Vector<double> column_scatter(const CentredRows<T>& a, int threads) {
  const Index n = a.x.rows(), d = a.x.cols();
  CentredRows<T> unscaled = a;
  unscaled.scale.resize(0);
  Vector<double> out(d);
  parallel_for(strip_total(d), n * d < 200000 ? 1 : threads, [&](Index i) {
    const Strip strip = strip_at(i, d);
    Matrix<double> room(n, strip.count);
    fill(unscaled, strip, room.data());
    out.segment(strip.first, strip.count) = room.colwise().squaredNorm().transpose();
  });
  return out;
}

#define MERCER_INSTANTIATE(T)                                                         \
  template Matrix<double> gram(const CentredRows<T>&, int, const Monitor&);           \
  template Matrix<double> combine(const Matrix<double>&, const CentredRows<T>&, int); \
  template Matrix<double> dense(const CentredRows<T>&, int);                          \
  template Vector<double> column_scatter(const CentredRows<T>&, int);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
