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

/// √w/√Σw, a unit vector.
template <class T>
Vector<double> unit_weights(const CentredRows<T>& a) {
  const Index n = a.x.rows();
  if (!a.weights) return Vector<double>::Constant(n, 1 / std::sqrt(static_cast<double>(n)));
  Vector<double> root = Eigen::Map<const Vector<double>>(a.weights, n).cwiseSqrt();
  return root.stableNormalized();
}

/// JGJ of a symmetric matrix given by its upper triangle, J = I − uuᵀ.
void centre_products(Matrix<double>& g, const Vector<double>& u) {
  g.triangularView<Eigen::StrictlyLower>() = g.transpose();
  Vector<double> along = g * u;
  along -= 0.5 * u.dot(along) * u;
  g.noalias() -= u * along.transpose();
  g.noalias() -= along * u.transpose();
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

/// Roundings of a sum over strips of so many columns.
double depth_of(Index d, Index width) {
  return static_cast<double>(std::min(d, width) + (d + width - 1) / width + 64);
}

template <class T>
Gram dense_gram(const CentredRows<T>& a, int threads, const Monitor& monitor) {
  if constexpr (std::is_same_v<T, double>) {
    if (as_they_lie(a) && a.x.rows() <= own_sum_rows) {
      Gram g{raw_gram(a.x, threads, monitor), 0, depth_of(a.x.cols(), slab_columns)};
      g.summed = g.products.trace();
      if (!a.centred) return g;
      centre_products(g.products, unit_weights(a));
      if (g.summed <= raw_cancellation_limit * g.products.trace()) return g;
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
  Gram out{std::move(sums[0]), 0, depth_of(d, strip_columns)};
  out.summed = out.products.trace();
  if (a.centred) centre_products(out.products, unit_weights(a));
  return out;
}

/// x_i·x_j − x_i·m − x_j·m + m·m over the entries only, with columns divided by s.
template <class T>
Gram sparse_gram(const CentredRows<T>& a, int threads) {
  const CsrView<T>& csr = a.x.csr();
  const Index n = a.x.rows(), d = a.x.cols();
  const Vector<double> divisor =
      a.scale.size() > 0 ? a.scale : Vector<double>(Vector<double>::Ones(d));
  const Vector<double> mean = a.mean.cwiseQuotient(divisor);
  const double mean_square = mean.squaredNorm();

  Gram g;
  Matrix<double>& out = g.products;
  out.resize(n, n);
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
  const auto weight = [&](Index i) { return a.weights ? a.weights[i] : 1.0; };
  for (Index i = 0; i < n; ++i) {
    // |x_i·x_j| + |x_i·m| + |x_j·m| + m·m ≤ (‖x_i‖ + ‖m‖)(‖x_j‖ + ‖m‖)
    g.summed += weight(i) * 2 * (raw[i] + mean_square);
    for (Index j = i; j < n; ++j) {
      const double root = a.weights ? std::sqrt(weight(i)) * std::sqrt(weight(j)) : 1.0;
      out(i, j) =
          root == 0 ? 0.0 : root * (out(i, j) - along_mean[i] - along_mean[j] + mean_square);
    }
  }
  g.depth = static_cast<double>(d);
  if (a.centred) centre_products(out, unit_weights(a));
  return g;
}

}  // namespace

template <class T>
Gram gram(const CentredRows<T>& a, int threads, const Monitor& monitor) {
  if (a.x.sparse() && !a.nan_on_mean) {
    Gram out = sparse_gram(a, threads);
    // Where nothing is left, the trace may be anything near 0, negative too.
    if (out.summed < cancellation_limit * out.products.trace()) return out;
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
  if (!a.centred) return out;
  const Vector<double> u = unit_weights(a);
  parallel_for(strip_total(d), n * d < 200000 ? 1 : threads, [&](Index i) {
    const Strip strip = strip_at(i, d);
    auto part = out.middleCols(strip.first, strip.count);
    const Eigen::RowVectorXd left = u.transpose() * part;
    part.noalias() -= u * left;
  });
  return out;
}

template <class T>
ColumnScatter column_scatter(const CentredRows<T>& a, int threads) {
  const Index n = a.x.rows(), d = a.x.cols();
  CentredRows<T> unscaled = a;
  unscaled.scale.resize(0);
  const Vector<double> u = unit_weights(a);
  const double weight =
      a.weights ? Eigen::Map<const Vector<double>>(a.weights, n).sum() : static_cast<double>(n);
  ColumnScatter out{Vector<double>(d), Vector<double>::Zero(d)};
  parallel_for(strip_total(d), n * d < 200000 ? 1 : threads, [&](Index i) {
    const Strip strip = strip_at(i, d);
    Matrix<double> room(n, strip.count);
    fill(unscaled, strip, room.data());
    if (a.centred) {
      const Eigen::RowVectorXd left = u.transpose() * room;
      room.noalias() -= u * left;
      out.offset.segment(strip.first, strip.count) = left.transpose() / std::sqrt(weight);
    }
    out.scatter.segment(strip.first, strip.count) = room.colwise().squaredNorm().transpose();
  });
  return out;
}

#define MERCER_INSTANTIATE(T)                                                         \
  template Gram gram(const CentredRows<T>&, int, const Monitor&);                     \
  template Matrix<double> combine(const Matrix<double>&, const CentredRows<T>&, int); \
  template Matrix<double> dense(const CentredRows<T>&, int);                          \
  template ColumnScatter column_scatter(const CentredRows<T>&, int);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
