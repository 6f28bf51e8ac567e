#pragma once
// Kernels by their plain formulas, one pair at a time, in long double.

#include "support/random.hpp"

#include <mercer/kernel.hpp>

#include <Eigen/SparseCore>

#include <cmath>
#include <functional>
#include <vector>

namespace mercer::test {

using Pair =
    std::function<long double(const std::vector<long double>&, const std::vector<long double>&)>;

inline long double dot(const std::vector<long double>& x, const std::vector<long double>& y) {
  long double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += x[i] * y[i];
  return sum;
}
inline long double squared(const std::vector<long double>& x, const std::vector<long double>& y) {
  long double sum = 0;
  for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - y[i]) * (x[i] - y[i]);
  return sum;
}

struct Reference {
  Kernel kernel;
  Pair formula;
};

/// Every named kernel, some in several shapes.
inline std::vector<Reference> references() {
  using V = const std::vector<long double>&;
  const auto matern = [](V x, V y, long double nu) {
    const long double s = std::sqrt(2 * nu * squared(x, y)) / 1.7L;
    return (nu < 1 ? 1 : nu < 2 ? 1 + s : 1 + s + s * s / 3) * std::exp(-s);
  };
  return {
      {kernels::linear(), [](V x, V y) { return dot(x, y); }},
      {kernels::poly({.degree = 2, .coef0 = 1}),
       [](V x, V y) { return std::pow(dot(x, y) + 1, 2.0L); }},
      {kernels::poly({.degree = 3, .coef0 = 0}),
       [](V x, V y) { return std::pow(dot(x, y), 3.0L); }},
      {kernels::poly({.degree = 5, .coef0 = 0.5, .gamma = 0.25}),
       [](V x, V y) { return std::pow(0.25L * dot(x, y) + 0.5L, 5.0L); }},
      {kernels::rbf({.gamma = 0.25}), [](V x, V y) { return std::exp(-0.25L * squared(x, y)); }},
      {kernels::rbf({.sigma = 2}), [](V x, V y) { return std::exp(-squared(x, y) / 8); }},
      {kernels::laplacian({.gamma = 0.5}),
       [](V x, V y) {
         long double sum = 0;
         for (std::size_t i = 0; i < x.size(); ++i) sum += std::fabs(x[i] - y[i]);
         return std::exp(-0.5L * sum);
       }},
      {kernels::exponential({.sigma = 2}),
       [](V x, V y) { return std::exp(-std::sqrt(squared(x, y)) / 2); }},
      {kernels::matern({.nu = 0.5, .length = 1.7}), [=](V x, V y) { return matern(x, y, 0.5L); }},
      {kernels::matern({.nu = 1.5, .length = 1.7}), [=](V x, V y) { return matern(x, y, 1.5L); }},
      {kernels::matern({.nu = 2.5, .length = 1.7}), [=](V x, V y) { return matern(x, y, 2.5L); }},
      {kernels::rational_quadratic({.alpha = 1, .length = 1.5}),
       [](V x, V y) { return 1 / (1 + squared(x, y) / 4.5L); }},
      {kernels::rational_quadratic({.alpha = 2.5, .length = 1.5}),
       [](V x, V y) { return std::pow(1 + squared(x, y) / 11.25L, -2.5L); }},
      {kernels::cosine(),
       [](V x, V y) {
         const long double n = std::sqrt(dot(x, x) * dot(y, y));
         return n > 0 ? dot(x, y) / n : 0;
       }},
      {kernels::sigmoid({.gamma = 0.125, .coef0 = -0.5}),
       [](V x, V y) { return std::tanh(0.125L * dot(x, y) - 0.5L); }},
      {kernels::chi2(0.5),
       [](V x, V y) {
         long double sum = 0;
         for (std::size_t i = 0; i < x.size(); ++i)
           if (x[i] + y[i] > 0) sum += (x[i] - y[i]) * (x[i] - y[i]) / (x[i] + y[i]);
         return std::exp(-0.5L * sum);
       }},
      {kernels::additive_chi2(),
       [](V x, V y) {
         long double sum = 0;
         for (std::size_t i = 0; i < x.size(); ++i)
           if (x[i] + y[i] > 0) sum += 2 * x[i] * y[i] / (x[i] + y[i]);
         return sum;
       }},
      {kernels::constant(3), [](V, V) { return 3.0L; }},
  };
}

template <class T>
Matrix<double> by_formula(const Pair& formula, const Matrix<T>& x, const Matrix<T>& y) {
  const auto row = [](const Matrix<T>& rows, Index i) {
    return std::vector<long double>(rows.row(i).begin(), rows.row(i).end());
  };
  Matrix<double> k(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < y.rows(); ++j)
      k(i, j) = static_cast<double>(formula(row(x, i), row(y, j)));
  return k;
}

/// Rows without negative entries, some of them 0.
template <class T>
Matrix<T> nonnegative_rows(Random& random, Index n, Index d) {
  return random.normal(n, d)
      .unaryExpr([](double v) { return v < -0.3 ? 0 : std::fabs(v); })
      .template cast<T>();
}

template <class T>
Csr<T> sparse_copy(const Matrix<T>& x) {
  return Csr<T>::from(Eigen::SparseMatrix<T, Eigen::RowMajor>(x.sparseView()));
}

}  // namespace mercer::test
