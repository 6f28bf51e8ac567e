#pragma once
// References in long double, by methods that the library does not use: Jacobi rotations.
//
//     LongMatrix a = test::long_rows(x);                        // N×d
//     test::long_centre(a, weights);                            // √w (x − mean), exact to 2⁻⁶⁴
//     LongVector mu = test::long_gram_eigenvalues(a);           // of aᵀa, descending
//     LongVector nu = test::long_eigenvalues(k);                // of a symmetric matrix
//
// For small matrices: each sweep costs about n³, and some ten sweeps are made.

#include <mercer/matrix.hpp>

#include <Eigen/Core>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace mercer::test {

using LongMatrix = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
using LongVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

template <class Derived>
LongMatrix long_rows(const Eigen::MatrixBase<Derived>& x) {
  return x.template cast<long double>();
}

/// Rows become √w (x − mean). Differences from one of the rows come first, so that a mean that is
/// far beside the spread costs no digits. Rows of weight 0 become 0. Returns the mean.
inline LongVector long_centre(LongMatrix& a, const std::vector<double>& weights = {}) {
  const auto w = [&](Index i) {
    return weights.empty() ? 1.0L : static_cast<long double>(weights[static_cast<std::size_t>(i)]);
  };
  Index first = 0;
  while (first + 1 < a.rows() && w(first) == 0) ++first;
  const LongVector origin = a.row(first).transpose();
  long double total = 0;
  LongVector sum = LongVector::Zero(a.cols());
  for (Index i = 0; i < a.rows(); ++i) {
    a.row(i) -= origin.transpose();
    if (w(i) == 0) a.row(i).setZero();
    total += w(i);
    sum += w(i) * a.row(i).transpose();
  }
  const LongVector mean = sum / total;
  for (Index i = 0; i < a.rows(); ++i) a.row(i) = std::sqrt(w(i)) * (a.row(i) - mean.transpose());
  return origin + mean;
}

/// The eigenvalues of aᵀa, as many as columns, descending: squared singular values by one-sided
/// Jacobi rotations (Hestenes), so that small ones keep their digits. `directions`, when given,
/// gets the eigenvectors as columns, in the same order.
inline LongVector long_gram_eigenvalues(LongMatrix a, LongMatrix* directions = nullptr) {
  const Index d = a.cols();
  LongMatrix v = LongMatrix::Identity(d, d);
  for (int sweep = 0; sweep < 60; ++sweep) {
    bool rotated = false;
    for (Index p = 0; p < d; ++p)
      for (Index q = p + 1; q < d; ++q) {
        const long double pp = a.col(p).squaredNorm(), qq = a.col(q).squaredNorm();
        const long double pq = a.col(p).dot(a.col(q));
        if (std::abs(pq) <= 2 * std::numeric_limits<long double>::epsilon() * std::sqrt(pp * qq))
          continue;
        rotated = true;
        const long double zeta = (qq - pp) / (2 * pq);
        const long double t =
            (zeta >= 0 ? 1.0L : -1.0L) / (std::abs(zeta) + std::hypot(1.0L, zeta));
        const long double c = 1 / std::hypot(1.0L, t), s = c * t;
        for (LongMatrix* m : {&a, &v}) {
          const LongVector x = m->col(p), y = m->col(q);
          m->col(p) = c * x - s * y;
          m->col(q) = s * x + c * y;
        }
      }
    if (!rotated) break;
  }
  const LongVector values = a.colwise().squaredNorm().transpose();
  std::vector<Index> order(static_cast<std::size_t>(d));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index i, Index j) { return values[i] > values[j]; });
  LongVector out(d);
  if (directions) directions->resize(d, d);
  for (Index i = 0; i < d; ++i) {
    out[i] = values[order[static_cast<std::size_t>(i)]];
    if (directions) directions->col(i) = v.col(order[static_cast<std::size_t>(i)]);
  }
  return out;
}

/// The eigenvalues of a symmetric matrix, descending, by cyclic Jacobi rotations. `directions`,
/// when given, gets the eigenvectors as columns, in the same order.
inline LongVector long_eigenvalues(LongMatrix a, LongMatrix* directions = nullptr) {
  const Index n = a.rows();
  LongMatrix v = LongMatrix::Identity(n, n);
  for (int sweep = 0; sweep < 60; ++sweep) {
    long double off = 0;
    for (Index p = 0; p < n; ++p) off += a.row(p).tail(n - p - 1).squaredNorm();
    if (std::sqrt(off) <= std::numeric_limits<long double>::epsilon() * a.norm() / 64) break;
    for (Index p = 0; p < n; ++p)
      for (Index q = p + 1; q < n; ++q) {
        if (a(p, q) == 0) continue;
        const long double zeta = (a(q, q) - a(p, p)) / (2 * a(p, q));
        const long double t =
            (zeta >= 0 ? 1.0L : -1.0L) / (std::abs(zeta) + std::hypot(1.0L, zeta));
        const long double c = 1 / std::hypot(1.0L, t), s = c * t;
        LongVector x = a.col(p), y = a.col(q);
        a.col(p) = c * x - s * y;
        a.col(q) = s * x + c * y;
        x = a.row(p).transpose();
        y = a.row(q).transpose();
        a.row(p) = (c * x - s * y).transpose();
        a.row(q) = (s * x + c * y).transpose();
        x = v.col(p);
        y = v.col(q);
        v.col(p) = c * x - s * y;
        v.col(q) = s * x + c * y;
      }
  }
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return a(i, i) > a(j, j); });
  LongVector out(n);
  if (directions) directions->resize(n, n);
  for (Index i = 0; i < n; ++i) {
    const Index at = order[static_cast<std::size_t>(i)];
    out[i] = a(at, at);
    if (directions) directions->col(i) = v.col(at);
  }
  return out;
}

}  // namespace mercer::test
