#include "preimages/decoder.hpp"

#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "model/parts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace mercer {

namespace {

/// Rows of a block: its coefficients take some 16 MiB at most. Blocks begin at the same rows
/// for any number of threads, so that results are the same bits.
Index rows_a_block(Index features) {
  return std::clamp<Index>((Index{1} << 21) / std::max<Index>(1, features), 16, 256);
}

template <class T>
void require_scores(const MatrixRef<T>& scores, Index k) {
  require(scores.cols() == k, Errc::bad_data,
          "{} scores per row do not match a model of {} component{}", scores.cols(), k,
          k == 1 ? "" : "s");
  if (scores.allFinite()) return;
  for (Index i = 0; i < scores.rows(); ++i)
    for (Index j = 0; j < k; ++j)
      require(std::isfinite(scores(i, j)), Errc::bad_data, "pc{} of row {} is {}", j + 1, i + 1,
              scores(i, j));
}

/// Whether x and −x have the same features, so that only a guess distinguishes them.
template <class T>
bool loses_signs(const Map<T>& map) {
  if (map.space() == Space::kernel) return false;
  const Matrix<T> ones = Matrix<T>::Ones(1, map.inputs());
  Matrix<T> features(1, map.features()), x = -ones;
  map.apply(ones, features);
  return map.decode(features, x) && (x.array() < 0).any();
}

Index count_of(const std::vector<std::uint8_t>& flags, std::uint8_t value) {
  return static_cast<Index>(std::count(flags.begin(), flags.end(), value));
}

}  // namespace

template <class T>
Index PreImages<T>::not_converged() const {
  return count_of(converged, 0);
}

template <class T>
Index PreImages<T>::outside_rows() const {
  return count_of(outside, 1);
}

template <class T>
Matrix<double> Decoder<T>::Parts::from_neighbours(const FeaturePoints& points) const {
  const Matrix<double> inner = space->inner_products(points, learned->images);
  const Vector<double> squares = space->squares(points);
  const Index n = learned->z.rows(), count = std::min(options.neighbours, n);
  std::vector<Index> nearest(static_cast<std::size_t>(n));
  Matrix<double> x(inner.rows(), learned->z.cols()), rows(count, learned->z.cols());
  Vector<double> apart(n), near(count);
  for (Index i = 0; i < x.rows(); ++i) {
    apart = (learned->images.squares - 2 * inner.row(i).transpose()).array() + squares[i];
    std::iota(nearest.begin(), nearest.end(), Index{0});
    std::partial_sort(
        nearest.begin(), nearest.begin() + count, nearest.end(),
        [&](Index a, Index b) { return apart[a] < apart[b] || (apart[a] == apart[b] && a < b); });
    for (Index j = 0; j < count; ++j) {
      const Index row = nearest[static_cast<std::size_t>(j)];
      rows.row(j) = learned->z.row(row);
      near[j] = apart[row];
    }
    x.row(i) = located(rows, (*input_distances)(near)).transpose();
  }
  return x;
}

/// P itself: the anchors' part in it for kernels that hold x, its features for maps that do.
template <class T>
Matrix<double> Decoder<T>::Parts::read_off(const FeaturePoints& points) const {
  const Matrix<double> p = space->coefficients(points);
  if (model.map().space() == Space::kernel) {
    const Matrix<double>& anchors = fixed_point.anchors;
    Matrix<double> x(p.rows(), anchors.cols());
    multiply(p.data(), p.rows(), p.cols(), p.cols(), anchors.data(), x.cols(), x.cols(), x.data(),
             x.cols());
    return x;
  }
  Matrix<T> x = Matrix<T>::Zero(p.rows(), model.inputs());
  if (ridge) x = (*ridge)(points.scores).template cast<T>();
  model.map().decode(p.template cast<T>(), x);
  return x.template cast<double>();
}

template <class T>
Matrix<T> Decoder<T>::Parts::decoded(const FeaturePoints& points, const Matrix<double>* start,
                                     std::vector<std::uint8_t>& converged) const {
  converged.assign(static_cast<std::size_t>(points.scores.rows()), 1);
  if (method == PreImageMethod::exact) return read_off(points).template cast<T>();
  if (method == PreImageMethod::distances) return from_neighbours(points).template cast<T>();
  Matrix<double> x = start ? *start : (*ridge)(points.scores);
  if (method == PreImageMethod::fixed_point)
    converged = fixed_point(space->coefficients(points), x);
  if (nonnegative) x = x.cwiseMax(0);
  return x.template cast<T>();
}

template <class T>
Vector<double> Decoder<T>::Parts::distances(const Matrix<T>& z, const FeaturePoints& points) const {
  const RowImages images = space->see(z, 1);
  return (space->squared_distances(images, points) / space->spread()).cwiseSqrt();
}

template <class T>
Decoder<T>::Decoder(const Model<T>& model, const PreImageOptions& options)
    : parts_(std::make_unique<Parts>(model, options)) {}
template <class T>
Decoder<T>::~Decoder() = default;
template <class T>
Decoder<T>::Decoder(Decoder&&) noexcept = default;

template <class T>
PreImageMethod Decoder<T>::method() const {
  return parts_->method;
}

template <class T>
std::string Decoder<T>::text() const {
  const Parts& p = *parts_;
  if (p.method == PreImageMethod::exact && !loses_signs(p.model.map())) return "exact";
  if (p.method == PreImageMethod::exact)
    return p.ridge ? fmt::format("exact up to signs, which are those of {} of {} rows",
                                 p.ridge->text(), p.learned->z.rows())
                   : "exact up to signs, which are lost: all cells are positive";
  const Index n = p.learned->z.rows();
  if (p.method == PreImageMethod::distances)
    return fmt::format("distances to {} of {} rows", std::min(p.options.neighbours, n), n);
  if (p.options.start == PreImageStart::row)
    return fmt::format("the fixed point from each row, with penalty {:g}", p.options.penalty);
  const std::string ridge = fmt::format("{} of {} rows", p.ridge->text(), n);
  if (p.method == PreImageMethod::ridge)
    return p.why.empty() ? ridge : fmt::format("{}; {}", ridge, p.why);
  return fmt::format("{}, then the fixed point with penalty {:g}", ridge, p.options.penalty);
}

template <class T>
PreImages<T> Decoder<T>::Parts::all(const MatrixRef<T>& scores, const Rows<T>* rows) const {
  require_scores(scores, model.outputs());
  const Index n = scores.rows();
  PreImages<T> out{Matrix<T>(n, model.inputs()), Vector<double>::Zero(n), {}, {}};
  out.converged.assign(static_cast<std::size_t>(n), 1);
  out.outside.assign(static_cast<std::size_t>(n), 0);
  if (!space) out.rows = model.inverse(scores, {options.threads, options.monitor});

  const BlasThreads one(1);
  const Preprocess before = preprocess(model.parts());
  const Index step = rows_a_block(model.map().features());
  SharedReporter report(options.monitor, "pre-images", "rows", static_cast<double>(n));
  parallel_for((n + step - 1) / step, options.threads, [&](Index block) {
    const Index first = block * step, count = std::min(step, n - first);
    const MatrixRef<T> y = scores.middleRows(first, count);
    if (space) {
      Matrix<double> start;
      if (rows) start = before.template as<double>(rows->middle(first, count));
      const FeaturePoints points = space->points(y);
      std::vector<std::uint8_t> converged;
      const Matrix<T> z = decoded(points, rows ? &start : nullptr, converged);
      std::copy(converged.begin(), converged.end(), out.converged.begin() + first);
      out.distance.segment(first, count) = distances(z, points);
      auto x = out.rows.middleRows(first, count);
      x = z;
      before.template undo<T>(x);
    }
    const Vector<double> t = t_squared(y.template cast<double>());
    for (Index i = 0; i < count; ++i)
      out.outside[static_cast<std::size_t>(first + i)] =
          t[i] > limits.t_squared ||
          (limits.distance > 0 && out.distance[first + i] > limits.distance);
    report.add(static_cast<double>(count));
  });
  return out;
}

template <class T>
PreImages<T> Decoder<T>::operator()(const MatrixRef<T>& scores) const {
  require(parts_->options.start == PreImageStart::ridge, Errc::bad_option,
          "pre-images of scores cannot start from rows: there are none");
  return parts_->all(scores, nullptr);
}

template <class T>
PreImages<T> Decoder<T>::denoise(const Rows<T>& x, Missing missing) const {
  const Parts& p = *parts_;
  const Matrix<T> scores = p.model.transform(x, {p.options.threads, missing, p.options.monitor});
  if (p.options.start == PreImageStart::ridge) return p.all(scores, nullptr);
  return p.all(scores, &x);  // which transform has checked
}

template struct PreImages<float>;
template struct PreImages<double>;
template class Decoder<float>;
template class Decoder<double>;

}  // namespace mercer
