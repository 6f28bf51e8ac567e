#include "operators/scatter.hpp"

#include "core/parallel.hpp"
#include "linalg/blas.hpp"
#include "operators/centred.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

/// Rows at a time: their centred copy stays in the cache for both products.
constexpr Index strip_rows = 64;
/// A thread gets no fewer.
constexpr Index grain = 256;

}  // namespace

/// What one thread adds up in a pass.
template <class T>
struct ScatterOperator<T>::Sums {
  Matrix<double> products;  // d×b
  Vector<double> sum, squares;
};

template <class T>
ScatterOperator<T>::ScatterOperator(Index features, Pass pass, ScatterOptions options)
    : features_(features), pass_(std::move(pass)), options_(std::move(options)) {}

template <class T>
void ScatterOperator<T>::choose_shift(const Rows<T>& first) {
  constexpr Index most = 256;
  if (options_.center && !first.sparse())
    options_.shift = first.dense()
                         .topRows(std::min(first.rows(), most))
                         .template cast<double>()
                         .colwise()
                         .mean();
  else options_.shift = Vector<double>::Zero(features_);
}

namespace {

template <class T>
void add_sparse(const Rows<T>& rows, const double* weights, const Matrix<double>& v,
                Matrix<double>& products, Vector<double>& sum, Vector<double>* squares) {
  const CsrView<T>& csr = rows.csr();
  const Index b = v.cols();
  Eigen::RowVectorXd y(b);
  for (Index i = 0; i < rows.rows(); ++i) {
    const double w = weights ? weights[i] : 1;
    y.setZero();
    for (std::int64_t e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e)
      y.noalias() += static_cast<double>(csr.values[e]) * v.row(csr.columns[e]);
    for (std::int64_t e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e) {
      const Index j = csr.columns[e];
      const double x = static_cast<double>(csr.values[e]);
      products.row(j).noalias() += w * x * y;
      sum[j] += w * x;
      if (squares) (*squares)[j] += w * x * x;
    }
  }
}

}  // namespace

template <class T>
void ScatterOperator<T>::add(const Rows<T>& rows, const double* weights, const Matrix<double>& v,
                             std::vector<Sums>& sums) {
  if (options_.shift.size() == 0) choose_shift(rows);
  const Index d = features_, b = v.cols();
  parallel_ranges(rows.rows(), options_.threads, grain, [&](Index begin, Index end, int part) {
    Sums& s = sums[static_cast<std::size_t>(part)];
    if (s.products.size() == 0) {
      s.products = Matrix<double>::Zero(d, b);
      s.sum = s.squares = Vector<double>::Zero(d);
    }
    if (rows.sparse())
      return add_sparse(rows.middle(begin, end - begin), weights ? weights + begin : nullptr, v,
                        s.products, s.sum, first_ ? &s.squares : nullptr);
    Matrix<double> x(std::min(strip_rows, end - begin), d), y(x.rows(), b);
    for (Index i = begin; i < end; i += strip_rows) {
      const Index n = std::min(strip_rows, end - i);
      centred_block(rows.middle(i, n), 0, d,
                    {.centre = options_.shift.data(),
                     .weights = weights ? weights + i : nullptr,
                     .nan_on_centre = options_.nan_on_shift,
                     .sums = s.sum.data()},
                    x.data(), d);
      if (first_) s.squares.array() += x.topRows(n).array().square().colwise().sum().transpose();
      multiply(x.data(), n, d, d, v.data(), b, b, y.data(), b);
      multiply_tall(x.data(), n, d, d, y.data(), b, b, s.products.data(), b, true);
    }
  });
  weight_ += weights ? Eigen::Map<const Vector<double>>(weights, rows.rows()).sum()
                     : static_cast<double>(rows.rows());
}

template <class T>
void ScatterOperator<T>::apply(const Matrix<double>& v, Matrix<double>& out) {
  const BlasThreads one(1);
  const bool scaled = options_.scale.size() > 0;
  Matrix<double> in = v;
  if (scaled) in.array().colwise() /= options_.scale.array();
  std::vector<Sums> sums(static_cast<std::size_t>(thread_count(options_.threads)));
  weight_ = 0;
  pass_([&](const Rows<T>& rows, const double* weights) { add(rows, weights, in, sums); });

  out.setZero(features_, v.cols());
  sum_ = Vector<double>::Zero(features_);
  if (first_) squares_ = sum_;
  for (const Sums& s : sums) {
    if (s.products.size() == 0) continue;
    out += s.products;
    sum_ += s.sum;
    if (first_) squares_ += s.squares;
  }
  // Σ w (x − s)(x − s)ᵀ = S + (a aᵀ)/W, a = Σ w (x − s)
  if (options_.center && weight_ > 0) out.noalias() -= sum_ / weight_ * (sum_.transpose() * in);
  if (scaled) out.array().colwise() /= options_.scale.array();
  first_ = false;
}

template <class T>
Vector<double> ScatterOperator<T>::mean() const {
  return options_.shift + sum_ / weight_;
}

template <class T>
Vector<double> ScatterOperator<T>::diagonal() const {
  Vector<double> diagonal = squares_;
  if (options_.center) diagonal -= sum_.cwiseAbs2() / weight_;
  if (options_.scale.size() > 0) diagonal = diagonal.cwiseQuotient(options_.scale.cwiseAbs2());
  return diagonal;
}

template class ScatterOperator<float>;
template class ScatterOperator<double>;

}  // namespace mercer
