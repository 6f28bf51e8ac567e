#include "model/transform.hpp"

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "data/finite.hpp"
#include "linalg/blas.hpp"
#include "maps/finite_features.hpp"
#include "model/partial_row.hpp"
#include "model/parts.hpp"
#include "simd/centred_product.hpp"
#include "simd/panel_products.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace mercer {

namespace {

/// Numbers in the block that is mapped, centred and multiplied: small enough for the L2 cache.
constexpr Index block_numbers = Index{1} << 15;

/// Numbers of the components that are multiplied with at once: 8 MiB.
constexpr Index panel_numbers = Index{1} << 20;

/// Rows a thread should have at least: below this a fork costs more than it brings.
Index grain(Index features, Index outputs) {
  return std::max<Index>(64, 2000000 / std::max<Index>(features * (outputs + 4), 1));
}

/// A score is not finite: says which cell or feature is to blame.
template <class T>
[[noreturn]] void blame(const Map<T>& map, const Rows<T>& x, Index first_row,
                        const std::vector<std::string>& names) {
  require_finite(x, false, first_row);
  if (map.space() == Space::features) require_finite_features(map, x, first_row, names);
  fail(Errc::bad_data, "a score near row {} overflows", first_row + 1);
}

/// Rows with missing cells once more, by the cells that they have.
template <class T, class Out>
void partial_rows(const ModelParts<T>& parts, const Rows<T>& rows, Index first_row, Out& out) {
  Matrix<T> row(1, rows.cols());
  const Preprocess before = preprocess(parts);
  for (Index i = 0; i < rows.rows(); ++i) {
    parts.map->apply(rows.middle(i, 1), row);
    if (!row.array().isNaN().any()) continue;
    out.row(i) =
        scores_of_partial_row<T>(parts, before, row, first_row + i).transpose().template cast<T>();
  }
}

/// The rows of B, `panel_width` at a time, side by side.
template <class P, class Rows>
Matrix<P> in_panels(const Rows& b) {
  const Index d = b.cols(), count = (b.rows() + panel_width - 1) / panel_width;
  Matrix<P> panels = Matrix<P>::Zero(count * d, panel_width);
  for (Index i = 0; i < b.rows(); ++i)
    panels.col(i % panel_width).segment(i / panel_width * d, d) =
        b.row(i).transpose().template cast<P>();
  return panels;
}

/// Scores of many components, block by block: sums over the features in their order, in double. A
/// row's scores are the same wherever it lies and whatever rows come with it. BLAS does not promise
/// that: its kernels sum the last rows of a block in another order than the first.
class PanelScores {
 public:
  PanelScores(Index rows, Index cols, Index k)
      : wide_(Matrix<double>::Zero((rows + tile_rows - 1) / tile_rows * tile_rows, cols)),
        sums_(wide_.rows() * ((k + panel_width - 1) / panel_width), panel_width) {}

  /// Y = ABᵀ, or Y += that, for features from `first` on of the panels.
  template <class A, class P>
  void add(const A& a, const Matrix<P>& panels, Index first) {
    const Index n = wide_.rows(), d = panels.rows() * n / sums_.rows();
    wide_.topLeftCorner(a.rows(), a.cols()) = a.template cast<double>();
    for (Index p = 0; p * n < sums_.rows(); ++p) {
      const auto panel = panels.middleRows(p * d + first, a.cols());
      const double* v = nullptr;
      if constexpr (std::is_same_v<P, double>) v = panel.data();
      else v = (copy_ = panel.template cast<double>()).data();
      times_panel(wide_.data(), (a.rows() + tile_rows - 1) / tile_rows * tile_rows, a.cols(),
                  wide_.cols(), v, sums_.row(p * n).data(), first > 0);
    }
  }

  template <class Out>
  void get(Out& out) const {
    for (Index c = 0; c < out.cols(); c += panel_width) {
      const Index width = std::min(panel_width, out.cols() - c);
      out.middleCols(c, width) = sums_.block(c / panel_width * wide_.rows(), 0, out.rows(), width)
                                     .template cast<typename Out::Scalar>();
    }
  }

 private:
  Matrix<double> wide_, sums_, copy_;
};

/// φ(x) = x: the scale is in the encoder, a missing cell is 0 once the mean is off, and sparse rows
/// stay sparse: y = Bx − Bm.
template <class T>
void transform_linear(const ModelParts<T>& parts, const Matrix<T>& encoder, const Rows<T>& x,
                      Eigen::Ref<Matrix<T>> scores, const TransformOptions& options) {
  const bool fill = keeps_holes(options.missing);
  const Index d = x.cols(), k = encoder.rows();
  const bool few = k <= few_components;
  const Index step = std::clamp<Index>(block_numbers / d / tile_rows, 2, 256) * tile_rows;
  const bool far = parts.mean_rest.size() > 0;
  const bool stay_sparse = x.sparse() && !fill && !far;  // Bx − Bm has no digits of a far mean
  const Matrix<T> decoder = stay_sparse ? Matrix<T>(encoder.transpose()) : Matrix<T>();
  const bool as_it_lies = few && !x.sparse() && !fill;
  const Vector<T> offset = stay_sparse ? Vector<T>(encoder * parts.mean) : Vector<T>();
  const Vector<T> rest = far && !fill ? Vector<T>(encoder * parts.mean_rest) : Vector<T>();
  // Panels are a copy of the components: of many and long ones, some at a time.
  const Index at_once =
      few || stay_sparse ? k : std::max<Index>(1, panel_numbers / d / panel_width) * panel_width;

  const Vector<T> zero = Vector<T>::Zero(d);
  SharedReporter report(options.monitor, "scores", "rows", static_cast<double>(x.rows()));
  const auto compute = [&](Index first, Index count, Index begin, Index end,
                           const Matrix<double>& panels) {
    const Index most = std::min(end - begin, step);
    Matrix<T> block(stay_sparse || as_it_lies ? 0 : most, d);
    PanelScores many(few || stay_sparse ? 0 : most, d, count);
    for (Index i = begin; i < end; i += step) {
      const Index n = std::min(step, end - i);
      const Rows<T> rows = x.middle(i, n);
      auto all = scores.middleRows(i, n);
      auto out = all.middleCols(first, count);
      if (stay_sparse) {
        const CsrView<T>& csr = rows.csr();
        for (Index r = 0; r < n; ++r) {
          out.row(r) = -offset.transpose();
          for (auto e = csr.offsets[r]; e < csr.offsets[r + 1]; ++e)
            out.row(r) += csr.values[e] * decoder.row(csr.columns[e]);
        }
      } else if (as_it_lies) {
        centred_product(rows.row(0), n, d, rows.stride(), parts.mean.data(), encoder.data(), k, d,
                        out.data(), scores.outerStride(), false);
      } else {
        parts.map->apply(rows, block.topRows(n));
        // The mean comes off before the product: afterwards its digits would be lost.
        auto centred = block.topRows(n);
        centred.rowwise() -= parts.mean.transpose();
        if (far && fill) centred.rowwise() -= parts.mean_rest.transpose();
        if (fill) centred = centred.array().isNaN().select(T(0), centred);
        if (few)
          centred_product(block.data(), n, d, d, zero.data(), encoder.data(), k, d, out.data(),
                          scores.outerStride(), false);
        else many.add(centred, panels, 0), many.get(out);
        if (options.missing == Missing::em && first + count == k) partial_rows(parts, rows, i, all);
      }
      if (rest.size() > 0) out.rowwise() -= rest.segment(first, count).transpose();
      if (!out.allFinite()) [[unlikely]]
        blame(*parts.map, rows, i, parts.feature_names);
      if (!report.add(static_cast<double>(n * count) / static_cast<double>(k))) return;
    }
  };
  for (Index first = 0; first < k; first += at_once) {
    const Index count = std::min(at_once, k - first);
    const Matrix<double> panels =
        few || stay_sparse ? Matrix<double>() : in_panels<double>(encoder.middleRows(first, count));
    parallel_ranges(x.rows(), options.threads, grain(d, count), [&](Index begin, Index end, int) {
      compute(first, count, begin, end, panels);
    });
  }
}

/// Any φ: blocks of rows times strips of features, each small enough for the L2 cache.
template <class T>
void transform_mapped(const ModelParts<T>& parts, const Matrix<T>& encoder, const Rows<T>& x,
                      Eigen::Ref<Matrix<T>> scores, const TransformOptions& options) {
  const Map<T>& map = *parts.map;
  const Matrix<T>& b = parts.components;
  require(options.missing != Missing::em, Errc::bad_option,
          "`missing=em` is for linear models; use `missing=mean`");
  const bool fill = options.missing == Missing::mean;
  require(!fill || parts.input_mean.size() > 0, Errc::bad_option,
          "the model has no column means to replace missing values");
  const Index d = map.features(), k = b.rows(), strip = map.strip();
  const Index step = std::clamp<Index>(block_numbers / strip, 16, 256);
  const Index blocks = (x.rows() + step - 1) / step;
  const Preprocess before = preprocess(parts);
  const Vector<T> rest = parts.mean_rest.size() > 0 ? Vector<T>(b * parts.mean_rest) : Vector<T>();

  SharedReporter report(options.monitor, "scores", "rows", static_cast<double>(x.rows()));
  parallel_ranges(
      blocks, options.threads, 1 + grain(d, k) / step, [&](Index begin, Index end, int) {
        const Index most = std::min(step, x.rows() - begin * step);
        Matrix<T> buffer, phi(most, strip);
        PanelScores many(encoder.size() == 0 ? 0 : most, strip, k);
        for (Index block = begin; block < end; ++block) {
          const Index i = block * step, n = std::min(step, x.rows() - i);
          Rows<T> rows = x.middle(i, n);
          if (require_finite(rows, fill, i) || parts.scale.size() > 0) {
            buffer.resize(n, x.cols());
            before.apply<T>(rows, buffer);
            rows = buffer;
          }
          map.require_domain(rows, i);
          auto out = scores.middleRows(i, n);
          for (Index first = 0; first < d; first += strip) {
            const Index count = std::min(strip, d - first);
            auto tile = phi.topLeftCorner(n, count);
            map.apply_strip(rows, first, tile);
            // The mean comes off before the product: afterwards its digits would be lost.
            if (encoder.size() == 0) {
              centred_product(phi.data(), n, count, strip, parts.mean.data() + first,
                              b.data() + first, k, d, out.data(), scores.outerStride(), first > 0);
            } else {
              many.add(tile.rowwise() - parts.mean.segment(first, count).transpose(), encoder,
                       first);
            }
          }
          if (encoder.size() > 0) many.get(out);
          if (rest.size() > 0) out.rowwise() -= rest.transpose();
          if (!out.allFinite()) [[unlikely]]
            blame(map, rows, i, parts.feature_names);
          if (!report.add(static_cast<double>(n))) return;
        }
      });
}

}  // namespace

template <class T>
Matrix<T> encoder(const ModelParts<T>& parts) {
  if (!parts.map->is_identity())
    return parts.components.rows() <= few_components ? Matrix<T>() : in_panels<T>(parts.components);
  if (parts.scale.size() == 0) return {};
  Matrix<T> b = parts.components;
  b.array().rowwise() /= parts.scale.array().transpose();
  return b;
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
  const bool similar = parts_.map->space() == Space::precomputed;
  require(x.cols() == inputs(), Errc::bad_data, "rows have {} columns, the model {} {}{}", x.cols(),
          similar ? "takes kernel values with its" : "was fitted to", inputs(),
          similar ? " rows" : "");
  require(scores.rows() == x.rows() && scores.cols() == outputs(), Errc::bad_option,
          "scores need {}×{} numbers, not {}×{}", x.rows(), outputs(), scores.rows(),
          scores.cols());
  const BlasThreads one(1);
  const Matrix<T>& linear = encoder_.size() > 0 ? encoder_ : parts_.components;
  if (parts_.map->is_identity()) transform_linear(parts_, linear, x, scores, options);
  else transform_mapped(parts_, encoder_, x, scores, options);
}

#define MERCER_INSTANTIATE(T)                                                            \
  template Matrix<T> encoder(const ModelParts<T>&);                                      \
  template Matrix<T> Model<T>::transform(const Rows<T>&, const TransformOptions&) const; \
  template void Model<T>::transform(const Rows<T>&, Eigen::Ref<Matrix<T>>,               \
                                    const TransformOptions&) const;
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
