#include "pca/kernel/sample_error.hpp"

#include "linalg/lapack.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <type_traits>

namespace mercer {

namespace {

constexpr std::size_t most_draws = 512;
/// Standard errors that are added, and how often an interval of that width holds at least: the
/// estimate is a mean of 1.3e5 pairs of 512 rows, so nearly normal; three standard errors (99.9 %
/// of a normal distribution) leave room for its skewness.
constexpr double standard_errors = 3, stated_confidence = 0.95;

/// A copy, dense or sparse as is asked for.
template <class T>
SampledRow<T> row_copy(const Rows<T>& rows, Index i, bool sparse) {
  SampledRow<T> row = sampled(rows, i);
  if (rows.sparse() == sparse) return row;
  SampledRow<T> other;
  if (sparse) {
    for (std::size_t j = 0; j < row.values.size(); ++j)
      if (row.values[j] != 0) {
        other.columns.push_back(static_cast<std::int32_t>(j));
        other.values.push_back(row.values[j]);
      }
  } else {
    other.values.assign(static_cast<std::size_t>(rows.cols()), T(0));
    for (std::size_t e = 0; e < row.values.size(); ++e)
      other.values[static_cast<std::size_t>(row.columns[e])] += row.values[e];
  }
  return other;
}

/// R = K − K̂ and K of some rows.
struct MissedPairs {
  Matrix<double> missed, whole;
};

template <class T>
MissedPairs pairs_of(const Kernel& kernel, const Map<T>& map, const Rows<T>& rows,
                     const Rows<double>& exact) {
  Matrix<T> phi(rows.rows(), map.features());
  map.apply(rows, phi);
  MissedPairs out;
  const Matrix<double> features = phi.template cast<double>();
  out.whole = kernel.matrix(exact, {.threads = 1});
  out.whole.diagonal() = kernel.diagonal(exact);
  out.missed = out.whole - features * features.transpose();
  return out;
}

/// The same, with kernel values in double.
template <class T>
MissedPairs missed_pairs(const Kernel& kernel, const Map<T>& map, const Rows<T>& rows) {
  if constexpr (std::is_same_v<T, double>) {
    return pairs_of(kernel, map, rows, rows);
  } else {
    RowList<double> wide(rows.cols(), rows.sparse());
    wide.reserve(rows.rows());
    for (Index i = 0; i < rows.rows(); ++i) wide.push_back(sampled(rows, i));
    return pairs_of(kernel, map, rows, wide.rows());
  }
}

/// How far products of features may be off, as the sum of w·‖δφ‖·‖φ‖ over rows: features are not
/// the same to the last bit in blocks of another size. δφ is what φ makes of rows whose cells are
/// moved by one rounding each, up and down by turns, times the roundings of a cell.
template <class T>
double rounding_of_features(const Map<T>& map, const Rows<T>& rows, const Vector<double>& weights) {
  const Index cols = rows.cols();
  Matrix<T> phi(1, map.features()), other(1, map.features());
  double sum = 0;
  for (Index r = 0; r < rows.rows(); ++r) {
    RowList<T> moved(cols, rows.sparse());
    SampledRow<T> row = sampled(rows, r);
    for (std::size_t j = 0; j < row.values.size(); ++j)
      row.values[j] *= 1 + (j % 2 == 0 ? 1 : -1) * std::numeric_limits<T>::epsilon();
    moved.push_back(row);
    map.apply(rows.middle(r, 1), phi);
    map.apply(moved.rows(), other);
    constexpr Index i = 0;
    sum += weights[r] *
           static_cast<double>((phi.row(i) - other.row(i)).norm() +
                               std::numeric_limits<T>::epsilon() * phi.row(i).norm()) *
           static_cast<double>(phi.row(i).norm());
  }
  return 4 * static_cast<double>(cols + 2) * sum;
}

/// Mean over pairs of different draws; without draw i where i ≥ 0.
class PairMean {
 public:
  explicit PairMean(const Matrix<double>& squares)
      : n_(static_cast<double>(squares.rows())), of_row_(squares.rows()) {
    for (Index i = 0; i < squares.rows(); ++i) of_row_[i] = squares.row(i).sum() - squares(i, i);
    sum_ = of_row_.sum();
  }
  double all() const { return sum_ / (n_ * (n_ - 1)); }
  double without(Index i) const {
    // A sum of squares: below 0 it is rounding.
    return std::max(0.0, sum_ - 2 * of_row_[i]) / ((n_ - 1) * (n_ - 2));
  }

 private:
  double n_, sum_ = 0;
  Vector<double> of_row_;
};

/// Standard error by leaving out one draw after the other.
template <class Without>
double jackknife(Index n, const Without& without) {
  Vector<double> left(n);
  for (Index i = 0; i < n; ++i) left[i] = without(i);
  const auto rows = static_cast<double>(n);
  return std::sqrt((rows - 1) / rows * (left.array() - left.mean()).square().sum());
}

}  // namespace

template <class T>
void PairSample<T>::add(const Kernel& kernel, const Rows<T>& rows, const double* weights,
                        std::int64_t first) {
  const Vector<double> own = kernel.diagonal(rows).template cast<double>();
  if (seen_.rows == 0) sparse_ = rows.sparse();
  for (Index i = 0; i < rows.rows(); ++i) {
    const double w = weights ? weights[i] : 1.0, share = w * own[i];
    if (!(w > 0)) continue;
    Shared shared;
    const auto row = [&]() -> const Shared& {
      if (!shared)
        shared = std::make_shared<const Drawn>(Drawn{row_copy(rows, i, sparse_), w, own[i]});
      return shared;
    };
    seen_.add(share);
    if (seen_.rows <= static_cast<std::int64_t>(most_draws)) all_.push_back(row());
    else all_.clear();
    if (!(share > 0)) continue;
    // Each draw becomes this row with probability share/total: then it is any of the rows so far
    // with its probability. Draws that stay are skipped, by geometric steps.
    const double p = share / seen_.total.value();
    if (draws_.empty() || p >= 1) {
      draws_.assign(most_draws, row());
      continue;
    }
    Random random(seed_ ^ (static_cast<std::uint64_t>(first + i) * 0x9e6c63d0676a9a99U));
    random.bits();
    const double log_stays = std::log1p(-p);
    for (double at = 0;; at += 1) {
      at += std::floor(std::log(random.uniform()) / log_stays);
      if (!(at < static_cast<double>(draws_.size()))) break;
      draws_[static_cast<std::size_t>(at)] = row();
    }
  }
}

template <class T>
void PairSample<T>::begin_after(const Before& before, bool sparse) {
  seen_ = before;
  sparse_ = sparse;
  if (before.total.value() > 0) draws_.assign(most_draws, nullptr);
}

template <class T>
typename PairSample<T>::Part PairSample<T>::part() const {
  Part out{.seen = seen_};
  for (const Shared& one : all_) out.all.push_back(*one);
  std::map<const Drawn*, std::int64_t> places;
  for (const Shared& one : draws_) {
    if (!one) {
      out.draws.push_back(-1);
      continue;
    }
    const auto [place, added] = places.emplace(one.get(), std::ssize(out.rows));
    if (added) out.rows.push_back(*one);
    out.draws.push_back(place->second);
  }
  return out;
}

template <class T>
void PairSample<T>::append(const Part& later) {
  seen_ = later.seen;
  for (const Drawn& one : later.all) all_.push_back(std::make_shared<const Drawn>(one));
  if (seen_.rows > static_cast<std::int64_t>(most_draws)) all_.clear();
  std::vector<Shared> rows;
  for (const Drawn& one : later.rows) rows.push_back(std::make_shared<const Drawn>(one));
  if (draws_.empty()) draws_.resize(later.draws.size());
  for (std::size_t i = 0; i < later.draws.size(); ++i)
    if (later.draws[i] >= 0) draws_[i] = rows[static_cast<std::size_t>(later.draws[i])];
}

template <class T>
void PairSample<T>::collect(Team& team) {
  mercer::collect(team, team.rank() == 0 ? std::string() : packed(part()),
                  [&](const std::string& bytes) {
                    Part later;
                    unpack(bytes, later);
                    append(later);
                  });
}

template <class T>
SampleError PairSample<T>::error(const Kernel& kernel, const Map<T>& map, bool center) const {
  SampleError out;
  out.error.rank = map.features();
  out.error.estimated = true;
  const bool exact = !all_.empty();
  const std::vector<Shared>& drawn = exact ? all_ : draws_;
  if (drawn.empty()) return out;
  RowList<T> rows(cols_, sparse_);
  const auto n = static_cast<Index>(drawn.size());
  rows.reserve(n);
  Vector<double> weights(n), own(n);
  for (Index i = 0; i < n; ++i) {
    const Drawn& one = *drawn[static_cast<std::size_t>(i)];
    rows.push_back(one.row);
    weights[i] = one.weight;
    own[i] = one.own;
  }
  MissedPairs pairs = missed_pairs(kernel, map, rows.rows());
  const Vector<double> scales =
      exact ? Vector<double>(weights.cwiseSqrt()) : Vector<double>(own.cwiseSqrt().cwiseInverse());
  for (Matrix<double>* matrix : {&pairs.missed, &pairs.whole}) {
    matrix->array().colwise() *= scales.array();
    matrix->array().rowwise() *= scales.transpose().array();
  }

  if (exact) {
    out.error.error = pairs.missed.norm() / pairs.whole.norm();
    Matrix<double> missed = std::move(pairs.missed);
    if (center) {  // of the rows that carry √w: J = I − qqᵀ with q = √w/‖√w‖
      const Vector<double> q = scales.normalized(), image = missed * q;
      const double both = q.dot(image);
      missed -= q * image.transpose() + image * q.transpose() - both * q * q.transpose();
    }
    const Vector<double> values = symmetric_eigen(missed, n, 1).values;
    // Of the values, the products of features and the eigenvalues.
    const auto terms = static_cast<double>(map.features() + 2 * n + 16);
    const double rounding =
        terms * 0x1p-53 * seen_.total.value() + rounding_of_features(map, rows.rows(), weights);
    // A perturbation that is nowhere positive raises no eigenvalue.
    out.error.above = std::max(0.0, values[0]) + rounding;
    out.error.below = std::max(0.0, -values[n - 1]) + rounding;
    return out;
  }
  const PairMean missed(pairs.missed.cwiseAbs2()), whole(pairs.whole.cwiseAbs2());
  // ‖K‖_F is at least T/√N, which its sample may miss where all rows are orthogonal.
  const double least = 1 / static_cast<double>(seen_.rows);
  const auto ratio = [&](double of_missed, double of_whole) {
    return std::sqrt(of_missed / std::max(of_whole, least));
  };
  out.error.error = ratio(missed.all(), whole.all());
  out.error.spread =
      jackknife(n, [&](Index i) { return ratio(missed.without(i), whole.without(i)); });
  const double spread = jackknife(n, [&](Index i) { return std::sqrt(missed.without(i)); });
  out.error.below = out.error.above =
      seen_.total.value() * (std::sqrt(missed.all()) + standard_errors * spread);
  out.confidence = stated_confidence;
  return out;
}

template class PairSample<float>;
template class PairSample<double>;

}  // namespace mercer
