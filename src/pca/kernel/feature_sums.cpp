#include "pca/kernel/feature_sums.hpp"

#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "linalg/blocked_triangular.hpp"
#include "simd/strip_products.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>
#include <utility>

namespace mercer {

namespace {

/// Sums of so many blocks are one leaf, and of so many leaves one of the next level. More of them
/// would take fewer levels, but a rank of a team keeps up to three sums of each level apart.
constexpr int blocks_a_leaf = 8, leaves_a_level = 4;
/// Rows that are multiplied at once, which is what the rounding of a sum is counted in.
constexpr Index rows_multiplied = strip_depth;
constexpr double half_ulp = 0x1p-53;
constexpr std::string_view bounding = "rounding bounds";  // as the monitor has it

/// Sequential additions per entry, for any order within 256 rows.
double additions(double rows) {
  // Rows of one leaf have no tree above them.
  const double levels = std::max(0.0, std::log2(rows / 1024) / 2);  // of four leaves each
  return rows_multiplied + 2048.0 / rows_multiplied * blocks_a_leaf + leaves_a_level * (levels + 2);
}

/// second += FᵀF, on all threads; each entry is summed in an order that does not depend on them.
void add_products(const Matrix<double>& f, Index rows, int threads, Matrix<double>& second) {
  const Index m = f.cols(), stripes = (m + strip_rows_of_c - 1) / strip_rows_of_c;
  // Where there is enough to do, threads share rows that stay in the cache.
  const Index together = stripes >= 3 ? rows_multiplied : rows;
  for (Index begin = 0; begin < rows; begin += together) {
    const Index end = std::min(rows, begin + together);
    parallel_for(stripes, threads, [&](Index stripe) {
      const Index j = stripe * strip_rows_of_c, width = std::min(strip_rows_of_c, m - j);
      for (Index i = begin; i < end; i += rows_multiplied)
        add_column_products(&f(i, 0), std::min(rows_multiplied, end - i), m, m, j, width,
                            second.data(), m);
    });
  }
}

/// Σ w_i x_i, with an error of `additions` too.
double weighted_sum(const Vector<double>& weights, const Vector<double>& x) {
  double sum = 0;
  for (Index i = 0; i < x.size(); i += rows_multiplied) {
    const Index n = std::min(rows_multiplied, x.size() - i);
    sum += weights.segment(i, n).dot(x.segment(i, n));
  }
  return sum;
}

/// A lower bound of the largest eigenvalue of a positive semi-definite matrix, which few steps of
/// the power method bring near it.
double largest_at_least(const Matrix<double>& a) {
  Index start = 0;
  if (a.rows() == 0 || !(a.diagonal().maxCoeff(&start) > 0)) return 0;
  Vector<double> v = a.col(start).normalized();
  double quotient = a(start, start);
  for (int step = 0; step < 12; ++step) {
    const Vector<double> next = a * v;
    quotient = std::max(quotient, v.dot(next));
    v = next.normalized();
  }
  return quotient;
}

}  // namespace

template <class T>
void FeatureSums<T>::Sum::clear(Index m) {
  first = Vector<double>::Zero(m);
  second.resize(m, m);
  second.setZero();
  weight = trace = left = 0;
  entries = moved = {};
}

template <class T>
void FeatureSums<T>::Sum::merge(const Sum& later) {
  first += later.first;
  second.template triangularView<Eigen::Upper>() += later.second;
  weight += later.weight;
  trace += later.trace;
  left += later.left;
  entries = larger(entries, later.entries);
  moved = larger(moved, later.moved);
}

template <class T>
FeatureSums<T>::FeatureSums(FeatureChoice<T> space, std::optional<LandmarkRounding> rounding,
                            int threads, Monitor monitor)
    : space_(std::move(space)),
      threads_(thread_count(threads)),
      monitor_(std::move(monitor)),
      aligned_(feature_block(space_.features(), space_.cols), space_.cols),
      rounding_(std::move(rounding)),
      segments_(leaves_a_level),
      sample_(space_.cols, space_.seed) {}

template <class T>
FeatureSums<T>::FeatureSums(FeatureChoice<T> space, int threads, Monitor monitor)
    : FeatureSums(std::move(space), std::nullopt, threads, std::move(monitor)) {
  if (!space_.landmarks) return;
  const Index m = space_.landmarks->size();
  SharedReporter report(monitor_, bounding, "rows",
                        static_cast<double>(LandmarkRounding::rows_reported * m));
  rounding_ = space_.landmarks->rounding(m, report);
}

template <class T>
void FeatureSums<T>::add(const Rows<T>& rows, const double* weights) {
  for (Index i = 0; !varies_ && i < rows.rows(); ++i) {
    if (weights && weights[i] == 0) continue;
    SampledRow<T> row = sampled(rows, i);
    take_variation(false, std::move(row));
  }
  aligned_.add(rows, weights, [&](const Rows<T>& block, const double* w, std::int64_t first) {
    take({block, w, first});
  });
}

template <class T>
void FeatureSums<T>::take_variation(bool varies, std::optional<SampledRow<T>> first_row) {
  if (!first_row) return;
  varies_ = varies_ || varies;
  if (!first_row_) first_row_ = std::move(first_row);
  else
    varies_ = varies_ || first_row->values != first_row_->values ||
              first_row->columns != first_row_->columns;
}

template <class T>
void FeatureSums<T>::take(const Block& block) {
  if (blocks_in_leaf_ == 0) leaf_.clear(space_.features());
  add_block(block, shift_, features_, leaf_);
  if (space_.map) sample_.add(space_.kernel, block.rows, block.weights, block.first);
  if (++blocks_in_leaf_ < blocks_a_leaf) return;
  segments_.push(leaf_);
  blocks_in_leaf_ = 0;
}

template <class T>
EntryError FeatureSums<T>::make_features(const Block& block, Matrix<double>& features,
                                         Vector<double>& whole, Vector<double>& left) const {
  const Index n = block.rows.rows(), m = space_.features();
  std::array<EntryError, parts_a_block> errors{};
  each_part(n, m, space_.cols, threads_, [&](Index begin, Index count, Index part) {
    const Rows<T> x = block.rows.middle(begin, count);
    auto f = features.middleRows(begin, count);
    if (!space_.landmarks) {
      Matrix<T> mapped(count, m);
      space_.map->apply(x, mapped);
      f = mapped.template cast<double>();
      whole.segment(begin, count) = space_.kernel.diagonal(x).template cast<double>();
      return;
    }
    space_.landmarks->sections(x, f);
    space_.landmarks->solve(f);
    whole.segment(begin, count) = space_.landmarks->whole(x);
    left.segment(begin, count) = whole.segment(begin, count) - squared_lengths(f);
    EntryError& error = errors[static_cast<std::size_t>(part)];
    error = space_.landmarks->entries(x);
    error.diagonal += space_.centring;
    const double unit = space_.landmarks->scale();
    for (Index i = begin; i < begin + count; ++i)
      require(left[i] >= -rounding_->row(whole[i], error), Errc::invalid_kernel,
              "row {}: {} is not positive semi-definite, or its values are off by more than "
              "rounding: k(x, x) = {:.6g}, and the landmarks explain {:.6g} of it",
              block.first + i + 1, space_.kernel.text(), whole[i] / unit,
              (whole[i] - left[i]) / unit);
  });
  EntryError all;
  for (const EntryError& error : errors) all = larger(all, error);
  return all;
}

template <class T>
void FeatureSums<T>::add_block(const Block& block, std::optional<Vector<double>>& shift,
                               Matrix<double>& features, Sum& into) const {
  const BlasThreads one(1);
  const Index n = block.rows.rows(), m = space_.features();
  if (features.rows() < n) features.resize(n, m);
  Vector<double> whole(n), left = Vector<double>::Zero(n);
  into.entries = larger(into.entries, make_features(block, features, whole, left));
  if (n > 0) into.moved = larger(into.moved, moved_error(space_.kernel, block.rows, space_.cells));
  const Vector<double> weights =
      block.weights ? Vector<double>(Eigen::Map<const Vector<double>>(block.weights, n))
                    : Vector<double>(Vector<double>::Ones(n));
  const double weight = weights.sum();
  if (!shift)
    shift = weight > 0 ? Vector<double>(features.topRows(n).transpose() * weights / weight)
                       : Vector<double>(Vector<double>::Zero(m));

  Matrix<double> firsts = Matrix<double>::Zero(parts_a_block, m);
  each_part(n, m, space_.cols, threads_, [&](Index begin, Index count, Index part) {
    for (Index i = begin; i < begin + count; ++i) {
      auto row = features.row(i);
      row -= shift->transpose();
      firsts.row(part) += weights[i] * row;
      row *= std::sqrt(weights[i]);
    }
  });
  for (Index part = 0; part < parts_a_block; ++part) into.first += firsts.row(part).transpose();
  add_products(features, n, threads_, into.second);
  into.weight += weight;
  into.trace += weighted_sum(weights, whole);
  into.left += weighted_sum(weights, left);
}

template <class T>
typename FeatureSums<T>::Sum FeatureSums<T>::rest(std::optional<Vector<double>>& shift,
                                                  PairSample<T>& sample) const {
  Sum sum;
  sum.clear(space_.features());
  aligned_.rest([&](const Rows<T>& block, const double* weights, std::int64_t first) {
    Matrix<double> features;
    add_block({block, weights, first}, shift, features, sum);
    if (space_.map) sample.add(space_.kernel, block, weights, first);
  });
  return sum;
}

template <class T>
Index FeatureSums<T>::leaf_rows() const {
  return blocks_a_leaf * block_rows();
}

template <class T>
double FeatureSums<T>::sum_rounding(const Sum& all, const Vector<double>& shift, bool center,
                                    Index m) const {
  // Σ|w(φ − s)_i(φ − s)_j| has a 2-norm of at most its trace; Σ w|φ − s| one of √(W·trace).
  const double gamma = 1.01 * additions(static_cast<double>(rows())) * half_ulp;
  const double about = all.second.diagonal().head(m).sum(), root = std::sqrt(all.weight * about);
  const double other = center ? all.first.head(m).norm() / all.weight : shift.head(m).norm();
  return (gamma + 6 * half_ulp) * about + 2 * gamma * root * other +
         (center ? 0 : 8 * half_ulp * all.weight * shift.head(m).squaredNorm());
}

template <class T>
typename FeatureSums<T>::Result FeatureSums<T>::result(bool center, double tolerance) const {
  const Index m = space_.features();
  std::optional<Vector<double>> shift = shift_;
  PairSample<T> sample = sample_;
  Sum all = rest_ ? *rest_ : rest(shift, sample);
  // Later sums are smaller: they come first.
  const auto before = [&](const Sum& earlier) {
    Sum sum = earlier;
    sum.merge(all);
    std::swap(sum, all);
  };
  if (blocks_in_leaf_ > 0) before(leaf_);
  segments_.from_last(before);
  if (!shift) shift = Vector<double>(Vector<double>::Zero(m));
  if (space_.landmarks) return of_landmarks(all, *shift, center, tolerance);

  Result out;
  out.varies = varies_;
  out.map = space_.map;
  out.weight = all.weight;
  out.trace = all.trace;
  out.mean = *shift + all.first / all.weight;
  out.rounding = sum_rounding(all, *shift, center, m);
  out.scatter = scatter_of(all, *shift, center, m);
  out.noise = 10 * std::sqrt(static_cast<double>(m)) * 0x1p-52 * all.trace;
  const SampleError error = sample.error(space_.kernel, *space_.map, center);
  out.error = error.error;
  out.confidence = error.confidence;
  const double moved = all.moved.of_matrix(all.trace, all.trace, all.weight);
  out.error.below += moved;
  out.error.above += moved;
  return out;
}

template <class T>
Matrix<double> FeatureSums<T>::scatter_of(const Sum& all, const Vector<double>& shift, bool center,
                                          Index m) const {
  Matrix<double> out = all.second.topLeftCorner(m, m);
  const auto first = all.first.head(m), s = shift.head(m);
  if (center) {
    out.noalias() -= first * (first / all.weight).transpose();
  } else {
    out.noalias() += first * s.transpose();
    out.noalias() += s * first.transpose();
    out.noalias() += all.weight * s * s.transpose();
  }
  out.template triangularView<Eigen::StrictlyLower>() = out.transpose();
  return out;
}

template <class T>
typename FeatureSums<T>::Rounding FeatureSums<T>::rounding_of(const Sum& all,
                                                              const Vector<double>& shift,
                                                              bool center, Index m) const {
  const LandmarkFeatures<T>& landmarks = *space_.landmarks;
  const double about_origin = sum_rounding(all, shift, false, m);
  const Matrix<double> second = scatter_of(all, shift, false, m);
  const LandmarkRounding::Sums sums{second, all.trace, all.weight,
                                    all.trace > 0 ? about_origin / all.trace : 0};
  const bool known = m == landmarks.size();
  const int times =
      LandmarkRounding::rows_reported_by_bounds + (known ? 0 : LandmarkRounding::rows_reported);
  SharedReporter report(monitor_, bounding, "rows", static_cast<double>(times * m));
  const LandmarkRounding rounding = known ? *rounding_ : landmarks.rounding(m, report);
  return {landmarks.bounds(rounding, m, sums, all.entries, report),
          sum_rounding(all, shift, center, m)};
}

template <class T>
typename FeatureSums<T>::Result FeatureSums<T>::of_landmarks(const Sum& all,
                                                             const Vector<double>& shift,
                                                             bool center, double tolerance) const {
  const LandmarkFeatures<T>& landmarks = *space_.landmarks;
  const Index most = landmarks.size();
  // Fewer landmarks, as long as what rounding may have done exceeds what is allowed. Half of that
  // is left to the eigensolver.
  Index m = most;
  Rounding rounding;
  double smallest = std::numeric_limits<double>::infinity(), share = 1e-15;
  for (Index tried = most; tried > 0 && share < 1e-3;) {
    const Rounding now = rounding_of(all, shift, center, tried);
    const double ratio = now.all() / largest_at_least(scatter_of(all, shift, center, tried));
    if (tried == most || ratio < smallest) {
      m = tried;
      rounding = now;
      smallest = ratio;
    }
    if (ratio <= tolerance / 2) break;
    Index fewer = tried;
    while (fewer == tried && share < 1e-3) fewer = std::min(tried, landmarks.leading(share *= 8));
    tried = fewer;
  }

  Result out;
  out.varies = varies_;
  out.scale = landmarks.scale();
  out.weight = all.weight;
  out.trace = all.trace;
  out.mean = landmarks.sections_of((shift + all.first / all.weight).head(m));
  out.scatter = scatter_of(all, shift, center, m);
  out.noise = out.rounding = rounding.all();
  double trace_rounding =
      rounding.landmarks.trace + additions(static_cast<double>(rows())) * half_ulp * 2 * all.trace;
  double left = all.left;
  if (m < most) {
    // What the landmarks that are not used explained is left out with the rest.
    left += scatter_of(all, shift, false, most).diagonal().tail(most - m).sum();
    trace_rounding += sum_rounding(all, shift, false, most) + panel_error(most) * all.trace;
  }
  require(left >= -trace_rounding, Errc::not_converged,
          "the landmarks explain {:.3g} more than the total, beyond rounding ({:.3g}): please "
          "report this with the data",
          -left / out.scale, trace_rounding / out.scale);
  double rows_rounding = 0;
  if (space_.cells.any()) {
    // The matrix of rows that are off by so much: ‖|K|‖ ≤ ‖K‖_F ≤ ‖K̂‖_F + tr(K − K̂).
    const double norm =
        scatter_of(all, shift, false, most).norm() + std::abs(all.left) + trace_rounding;
    EntryError moved = all.moved;
    moved.absolute *= out.scale;
    rows_rounding = moved.of_matrix(std::min(norm, all.trace), all.trace, all.weight);
    // That of floats is in the intervals, and not among what the tolerance bounds.
    if (std::is_same_v<T, double>) out.noise = out.rounding += std::exchange(rows_rounding, 0);
  }
  // K − K̂ has no negative eigenvalue: its trace is its trace norm and bounds every eigenvalue. A
  // computed trace below 0 is one of 0 or more, to within its rounding.
  out.left = std::max(0.0, left);
  out.error.rank = m;
  out.error.error = all.trace > 0 ? out.left / all.trace : 0;
  out.error.below = out.rounding + rows_rounding;
  out.error.above = out.left + trace_rounding + out.rounding + rows_rounding;
  out.map = std::visit(
      [&](auto anchors) { return kernel_map<T>(landmarks.kernel(), std::move(anchors)); },
      landmarks.anchors(m));
  return out;
}

template <class T>
Matrix<double> FeatureSums<T>::unmapped(Matrix<double> b) const {
  return space_.landmarks ? space_.landmarks->unsolve(std::move(b)) : b;
}

template class FeatureSums<float>;
template class FeatureSums<double>;

}  // namespace mercer
