#include "fit/sample_error.hpp"

#include <cmath>

namespace mercer {

namespace {

constexpr Index most_rows = 500;

/// Sums of squares over pairs of different rows, and over rows with themselves.
struct Sums {
  double pairs = 0, own = 0;
  /// Of all N² pairs, given those of n rows.
  double scaled(double n, double weight) const {
    return weight * (weight - 1) * pairs / (n * (n - 1)) + weight * own / n;
  }
};

}  // namespace

template <class T>
Approximation sample_error(const Kernel& kernel, const Map<T>& map,
                           const std::vector<SampledRow<T>>& sample, Index cols, bool sparse,
                           double weight) {
  RowList<T> few(cols, sparse);
  RowList<double> exact(cols, sparse);
  for (std::size_t i = 0; i < sample.size() && few.size() < most_rows; ++i) {
    few.push_back(sample[i]);
    exact.push_back(sample[i]);
  }
  const Index n = few.size();
  Matrix<T> phi(n, map.features());
  map.apply(few.rows(), phi);
  const Matrix<double> features = phi.template cast<double>();
  Matrix<double> k = kernel.matrix(exact.rows(), 1);
  k.diagonal() = kernel.diagonal(exact.rows());
  const Matrix<double> off = (k - features * features.transpose()).cwiseAbs2();
  k = k.cwiseAbs2();

  const auto sums = [](const Matrix<double>& squares) {
    const double own = squares.trace();
    return Sums{squares.sum() - own, own};
  };
  const auto ratio_of = [&](const Sums& error, const Sums& whole, double rows) {
    return std::sqrt(error.scaled(rows, weight) / whole.scaled(rows, weight));
  };
  const Sums error = sums(off), whole = sums(k);
  const auto rows = static_cast<double>(n);
  Approximation out;
  out.rank = map.features();
  out.estimated = true;
  out.error = ratio_of(error, whole, rows);
  if (n > 2) {
    const auto without = [](const Sums& all, const Matrix<double>& squares, Index i) {
      return Sums{all.pairs - 2 * (squares.row(i).sum() - squares(i, i)), all.own - squares(i, i)};
    };
    Vector<double> left(n);
    for (Index i = 0; i < n; ++i)
      left[i] = ratio_of(without(error, off, i), without(whole, k, i), rows - 1);
    out.spread = std::sqrt((rows - 1) / rows * (left.array() - left.mean()).square().sum());
  }
  out.below = out.above = (out.error + 2 * out.spread) * std::sqrt(whole.scaled(rows, weight));
  return out;
}

template Approximation sample_error(const Kernel&, const Map<float>&,
                                    const std::vector<SampledRow<float>>&, Index, bool, double);
template Approximation sample_error(const Kernel&, const Map<double>&,
                                    const std::vector<SampledRow<double>>&, Index, bool, double);

}  // namespace mercer
