#include <mercer/model.hpp>

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "model/parts.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

/// Numbers in the block that is mapped, centred and multiplied: small enough for the L2 cache.
constexpr Index block_numbers = Index{1} << 15;

Index block_rows(Index features) {
  return std::clamp<Index>(block_numbers / std::max<Index>(features, 1), 16, 2048);
}

/// Rows a thread should have at least: below this a fork costs more than it brings.
Index grain(Index features, Index outputs) {
  return std::max<Index>(64, 2000000 / std::max<Index>(features * (outputs + 4), 1));
}

/// A score is not finite: says which cell is to blame.
template <class T>
[[noreturn]] void blame(const Rows<T>& x, Index first_row) {
  for (Index i = 0; i < x.rows(); ++i) {
    const std::int64_t entries = x.sparse() ? x.csr().offsets[i + 1] - x.csr().offsets[i] : x.cols();
    for (std::int64_t e = 0; e < entries; ++e) {
      const std::int64_t at = x.sparse() ? x.csr().offsets[i] + e : e;
      const T value = x.sparse() ? x.csr().values[at] : x.row(i)[e];
      require(std::isfinite(value), Errc::bad_data,
              "row {}, column {} is {}; remove the row or fill in a number", first_row + i + 1,
              (x.sparse() ? x.csr().columns[at] : e) + 1, value);
    }
  }
  fail(Errc::bad_data, "a score near row {} is too large for a number", first_row + 1);
}

}  // namespace

template <class T>
Model<T>::Model(ModelParts<T> parts) : parts_(std::move(parts)) {
  const std::string wrong = problem(parts_);
  require(wrong.empty(), Errc::bad_data, "the parts are no model: {}", wrong);
  encoder_ = parts_.components;
  if (parts_.map->is_identity() && parts_.scale.size() > 0)
    encoder_.array().rowwise() /= parts_.scale.array().transpose();
}

template <class T>
Matrix<T> Model<T>::transform(const Rows<T>& x, const TransformOptions& options) const {
  Matrix<T> scores(x.rows(), outputs());
  transform(x, scores, options);
  return scores;
}

template <class T>
void Model<T>::transform(const Rows<T>& x, Eigen::Ref<Matrix<T>> scores,
                         const TransformOptions& options) const {
  require(x.cols() == inputs(), Errc::bad_data, "rows have {} columns, the model was fitted to {}",
          x.cols(), inputs());
  require(scores.rows() == x.rows() && scores.cols() == outputs(), Errc::bad_option,
          "scores need {}×{} numbers, not {}×{}", x.rows(), outputs(), scores.rows(),
          scores.cols());
  const bool fill = options.missing == Missing::mean;
  const Index features = parts_.map->features(), k = outputs(), step = block_rows(features);
  // Sparse rows stay sparse where φ(x) = x: y = Bx − Bm.
  const bool stay_sparse = x.sparse() && parts_.map->is_identity() && !fill;
  const Matrix<T> decoder = stay_sparse ? Matrix<T>(encoder_.transpose()) : Matrix<T>();
  const Vector<T> offset = stay_sparse ? Vector<T>(encoder_ * parts_.mean) : Vector<T>();

  const BlasThreads one(1);
  parallel_ranges(x.rows(), options.threads, grain(features, k), [&](Index begin, Index end, int) {
    Matrix<T> block(stay_sparse ? 0 : std::min(step, end - begin), features);
    for (Index i = begin; i < end; i += step) {
      const Index n = std::min(step, end - i);
      const Rows<T> rows = x.middle(i, n);
      auto out = scores.middleRows(i, n);
      if (stay_sparse) {
        const CsrView<T>& csr = rows.csr();
        for (Index r = 0; r < n; ++r) {
          out.row(r) = -offset.transpose();
          for (auto e = csr.offsets[r]; e < csr.offsets[r + 1]; ++e)
            out.row(r) += csr.values[e] * decoder.row(csr.columns[e]);
        }
      } else {
        parts_.map->apply(rows, block.topRows(n));
        // The mean comes off before the product: afterwards its digits would be lost.
        block.topRows(n).rowwise() -= parts_.mean.transpose();
        if (fill) block = block.array().isNaN().select(T(0), block);
        multiply_transposed(block.data(), n, features, features, encoder_.data(), k, features,
                            out.data(), scores.outerStride());
      }
      if (!out.allFinite()) [[unlikely]]
        blame(rows, i);
    }
  });
}

template <class T>
Matrix<T> Model<T>::inverse(const MatrixRef<T>& scores, int threads) const {
  require(scores.cols() >= 1 && scores.cols() <= outputs(), Errc::bad_data,
          "{} scores a row do not fit a model of {} components", scores.cols(), outputs());
  const Index d = parts_.components.cols(), k = scores.cols();
  Matrix<T> out(scores.rows(), d);
  const BlasThreads one(1);
  parallel_ranges(scores.rows(), threads, grain(d, k), [&](Index begin, Index end, int) {
    multiply(scores.data() + begin * scores.outerStride(), end - begin, k, scores.outerStride(),
             parts_.components.data(), d, d, out.row(begin).data(), d);
    auto rows = out.middleRows(begin, end - begin);
    if (parts_.scale.size() > 0) rows.array().rowwise() *= parts_.scale.array().transpose();
    rows.rowwise() += parts_.mean.transpose();
  });
  return out;
}

template <class T>
Vector<double> Model<T>::explained_variance() const {
  return parts_.eigenvalues / (parts_.report.weight - parts_.report.ddof);
}

template <class T>
Vector<double> Model<T>::explained_variance_ratio() const {
  return explained_variance() / parts_.report.total_variance;
}

template class Model<float>;
template class Model<double>;

}  // namespace mercer
