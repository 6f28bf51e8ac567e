#include "operators/scatter.hpp"

#include "core/parallel.hpp"
#include "operators/centred.hpp"
#include "simd/panel_products.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace mercer {

namespace {

/// Rows at a time: their centred copy stays in the cache for both products.
Index strip_rows(Index d) {
  constexpr Index numbers = Index{1} << 15;
  return std::clamp<Index>(numbers / d / tile_rows, 1, 8) * tile_rows;
}
/// A thread gets no fewer.
constexpr Index least_rows = 256;

}  // namespace

/// What one thread adds up in a pass.
template <class T>
struct ScatterOperator<T>::Sums {
  PanelBuffer products;  // of d entries each
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

/// d×b → panels of d×width each, the last one filled up with zeros.
PanelBuffer panels(const Matrix<double>& v) {
  const Index d = v.rows(), count = (v.cols() + panel_width - 1) / panel_width;
  PanelBuffer out(count * d);
  for (Index p = 0; p < count; ++p) {
    const Index first = p * panel_width, width = std::min(panel_width, v.cols() - first);
    out.view().block(p * d, 0, d, width) = v.middleCols(first, width);
  }
  return out;
}

/// Adds to d×b what lies in panels.
void add_panels(const PanelBuffer& from, Matrix<double>& out) {
  const Index d = out.rows();
  for (Index first = 0; first < out.cols(); first += panel_width) {
    const Index width = std::min(panel_width, out.cols() - first);
    out.middleCols(first, width) += from.view().block(first / panel_width * d, 0, d, width);
  }
}

template <class T>
void add_sparse(const Rows<T>& rows, const double* weights, Index panel_count, const double* v,
                double* products, double* sum, double* squares) {
  const CsrView<T>& csr = rows.csr();
  add_sparse_products<T>({csr.values, csr.columns, csr.offsets, rows.rows(), weights, panel_count,
                          rows.cols() * panel_width},
                         v, products);
  if (!squares) return;
  for (Index i = 0; i < rows.rows(); ++i) {
    const double w = weights ? weights[i] : 1;
    for (std::int64_t e = csr.offsets[i]; e < csr.offsets[i + 1]; ++e) {
      const double x = static_cast<double>(csr.values[e]);
      sum[csr.columns[e]] += w * x;
      squares[csr.columns[e]] += w * x * x;
    }
  }
}

}  // namespace

template <class T>
void ScatterOperator<T>::add(const Rows<T>& rows, const double* weights, const double* v,
                             Index count, std::vector<Sums>& sums) {
  shifted_ = !rows.sparse() || options_.make_dense;
  if (!shifted_) options_.shift = Vector<double>::Zero(features_);
  if (options_.shift.size() == 0) choose_shift(rows);
  const Index d = features_, panel = d * panel_width;
  parallel_ranges(rows.rows(), options_.threads, least_rows, [&](Index begin, Index end, int part) {
    Sums& s = sums[static_cast<std::size_t>(part)];
    if (s.products.empty()) {
      s.products = PanelBuffer(count * d);
      s.sum = s.squares = Vector<double>::Zero(d);
    }
    if (!shifted_)
      return add_sparse(rows.middle(begin, end - begin), weights ? weights + begin : nullptr, count,
                        v, s.products.data(), s.sum.data(), first_ ? s.squares.data() : nullptr);
    const Index strip = strip_rows(d);
    Matrix<double> x = Matrix<double>::Zero(strip, d), y(strip, panel_width);
    for (Index i = begin; i < end; i += strip) {
      const Index n = std::min(strip, end - i);
      centred_block(rows.middle(i, n), 0, d,
                    {.centre = options_.shift.data(),
                     .weights = weights ? weights + i : nullptr,
                     .nan_on_centre = options_.nan_on_shift,
                     .sums = s.sum.data()},
                    x.data(), d);
      if (n < strip) x.bottomRows(strip - n).setZero();
      if (first_)
        for (Index r = 0; r < n; ++r) s.squares += x.row(r).cwiseAbs2().transpose();
      for (Index p = 0; p < count; ++p) {
        times_panel(x.data(), strip, d, d, v + p * panel, y.data());
        add_transposed_times_panel(x.data(), strip, d, d, y.data(), s.products.data() + p * panel);
      }
    }
  });
  weight_ += weights ? Eigen::Map<const Vector<double>>(weights, rows.rows()).sum()
                     : static_cast<double>(rows.rows());
}

template <class T>
void ScatterOperator<T>::apply(const Matrix<double>& v, Matrix<double>& out) {
  const bool scaled = options_.scale.size() > 0;
  Matrix<double> in = v;
  if (scaled) in.array().colwise() /= options_.scale.array();
  std::vector<Sums> sums(static_cast<std::size_t>(thread_count(options_.threads)));
  weight_ = 0;
  const PanelBuffer vectors = panels(in);
  const Index count = (in.cols() + panel_width - 1) / panel_width;
  pass_([&](const Rows<T>& rows, const double* weights) {
    add(rows, weights, vectors.data(), count, sums);
  });

  out.setZero(features_, v.cols());
  if (first_) sum_ = squares_ = Vector<double>::Zero(features_);
  for (const Sums& s : sums) {
    if (s.products.empty()) continue;
    add_panels(s.products, out);
    if (!first_) continue;  // the rows are the same in every pass
    sum_ += s.sum;
    squares_ += s.squares;
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

template <class T>
typename ScatterOperator<T>::Summed ScatterOperator<T>::summed() const {
  Vector<double> squares = squares_, distance = sum_.cwiseAbs2() / weight_;
  if (options_.scale.size() > 0) {
    squares.array() /= options_.scale.array().square();
    distance.array() /= options_.scale.array().square();
  }
  return {squares.sum(), options_.center ? distance.sum() : 0.0};
}

template <class T>
bool ScatterOperator<T>::recentre() {
  constexpr double dense_limit = 100, sparse_limit = 1e4;
  if (!options_.center) return false;
  const auto [squares, distance] = summed();
  bool lost = squares > sparse_limit * (squares - distance);
  for (Index j = 0; j < features_ && shifted_; ++j)
    lost = lost || squares_[j] > dense_limit * (squares_[j] - sum_[j] * sum_[j] / weight_);
  if (!lost) return false;
  options_.shift = mean();
  options_.make_dense = true;
  first_ = true;
  return true;
}

template <class T>
double ScatterOperator<T>::depth(double rows) const {
  // Rows are added up eight at a time, sparse ones one by one; the sums of parts meet in the end.
  return static_cast<double>(features_) + (shifted_ ? rows / tile_rows : rows) + 128;
}

template class ScatterOperator<float>;
template class ScatterOperator<double>;

}  // namespace mercer
