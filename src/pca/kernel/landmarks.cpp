#include "pca/kernel/landmarks.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/blas.hpp"
#include "pca/compare_cost.hpp"
#include "pca/kernel/feature_sums.hpp"
#include "pca/kernel/kmeans.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <string>

namespace mercer {

namespace {

/// Rows of the sample for each centre that k-means looks for.
constexpr Index rows_a_centre = 20;
/// Pivots are drawn in growing blocks, each as large as all before: the passes then cost a third of
/// the last one together.
constexpr Index first_block = 64, largest_block = 8192;
/// The share of itself that a landmark adds at least, where the order does not matter.
constexpr double nearly_repeated = 1e-9;

template <class T>
void require_rows(const SeenRows<T>& rows, const char* option, Index asked, Index most) {
  const auto n = static_cast<Index>(rows.passes().rows());
  require(asked <= n, Errc::bad_option, "`approx`: {}={} is more than the {} rows of {}", option,
          asked, n, rows.passes().name());
  require(asked <= most, Errc::out_of_memory,
          "`approx`: {}={} does not fit in memory, {} would; use a larger `memory`", option, asked,
          most);
}

template <class T>
std::vector<SampledRow<T>> rows_of(const Matrix<double>& matrix) {
  std::vector<SampledRow<T>> rows;
  for (Index i = 0; i < matrix.rows(); ++i) {
    rows.emplace_back();
    for (Index j = 0; j < matrix.cols(); ++j)
      rows.back().values.push_back(static_cast<T>(matrix(i, j)));
  }
  return rows;
}

template <class T>
Matrix<double> dense(const std::vector<SampledRow<T>>& rows, Index cols, bool sparse) {
  Matrix<double> out = Matrix<double>::Zero(static_cast<Index>(rows.size()), cols);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (std::size_t e = 0; e < rows[i].values.size(); ++e)
      out(static_cast<Index>(i), sparse ? rows[i].columns[e] : static_cast<Index>(e)) =
          static_cast<double>(rows[i].values[e]);
  return out;
}

/// Of each centre the row of the sample that is nearest to it, each row once.
template <class T>
std::vector<SampledRow<T>> nearest_rows(const Matrix<double>& centres, const Matrix<double>& rows,
                                        const std::vector<SampledRow<T>>& sample) {
  std::vector<bool> taken(sample.size());
  std::vector<SampledRow<T>> out;
  for (Index c = 0; c < centres.rows(); ++c) {
    Vector<double> apart = (rows.rowwise() - centres.row(c)).rowwise().squaredNorm();
    for (std::size_t i = 0; i < taken.size(); ++i)
      if (taken[i]) apart[static_cast<Index>(i)] = std::numeric_limits<double>::infinity();
    Index nearest = 0;
    apart.minCoeff(&nearest);
    taken[static_cast<std::size_t>(nearest)] = true;
    out.push_back(sample[static_cast<std::size_t>(nearest)]);
  }
  return out;
}

/// Without landmarks yet; `sample` tells how large the kernel's values are.
template <class T>
LandmarkFeatures<T> no_landmarks(const Kernel& kernel, Index cols, bool sparse,
                                 const std::vector<SampledRow<T>>& sample) {
  double largest = 0;
  for (const SampledRow<T>& row : sample) {
    RowList<double> one(cols, sparse);
    one.push_back(row);
    largest = std::max(largest, std::abs(kernel.diagonal(one.rows())[0]));
  }
  return LandmarkFeatures<T>(kernel, cols, sparse, scale_for(largest));
}

/// All of these, but for those that repeat others.
template <class T>
LandmarkFeatures<T> from_rows(const Kernel& kernel, Index cols, bool sparse,
                              const std::vector<SampledRow<T>>& rows, Index m) {
  LandmarkFeatures<T> features = no_landmarks(kernel, cols, sparse, rows);
  if (static_cast<Index>(rows.size()) <= m) features.choose_largest_first(rows);
  else features.choose_largest_first({rows.begin(), rows.begin() + m});
  require(features.size() > 0, Errc::bad_data, "all kernel values between the landmarks are 0");
  return features;
}

/// The share of each row that landmarks leave out, where it is more than rounding: rows are drawn
/// by it.
template <class T>
Vector<double> unexplained(const LandmarkFeatures<T>& landmarks, const Rows<T>& x,
                           const Eigen::Ref<Matrix<double>>& features) {
  const Vector<double> whole = landmarks.whole(x);
  const double share = LandmarkFeatures<T>::noise(std::max<Index>(1, landmarks.size()));
  Vector<double> left = whole - squared_lengths(features);
  for (Index i = 0; i < left.size(); ++i)
    if (left[i] <= share * whole[i]) left[i] = 0;
  return left;
}

/// Draws m rows by their ridge leverage φᵀ(Σ + λI)⁻¹φ + (k(x, x) − ‖φ‖²)/λ, as the features of
/// uniform landmarks see it; λ is what those leave out, shared by m.
template <class T>
std::vector<SampledRow<T>> by_leverage(SeenRows<T>& rows,
                                       const std::shared_ptr<const LandmarkFeatures<T>>& pilot,
                                       Index m) {
  Matrix<double> sigma;
  double ridge = 0;
  {
    FeatureSums<T> sums({pilot->kernel(), pilot, nullptr, rows.cols(), 0, 0},
                        rows.options().threads);
    rows.run("leverages", [&](const Rows<T>& piece, const double* weights, std::int64_t) {
      sums.add(piece, weights);
    });
    auto result = sums.result(false, std::numeric_limits<double>::infinity());
    sigma = std::move(result.scatter);
    // Any ridge above rounding will do: it decides what is drawn, not what is computed.
    ridge = std::max(result.left, 1e-10 * result.trace) / static_cast<double>(m);
  }
  sigma.diagonal().array() += ridge;
  const Eigen::LLT<Eigen::MatrixXd> factor(sigma);
  const Matrix<double> l = factor.matrixL();

  Reservoir<T> drawn(m, rows.options().seed + 1);
  Vector<double> scores(feature_block(pilot->size(), rows.cols()));
  each_feature(
      rows, *pilot, "leverages",
      {.visit =
           [&](const Rows<T>& x, const double*, Eigen::Ref<Matrix<double>> f, Index begin, Index) {
             const Vector<double> alone = unexplained(*pilot, x, f) / ridge;
             times_triangular(f.data(), f.rows(), f.outerStride(), Triangular::inverse_transposed,
                              l.data(), l.rows(), l.cols());
             scores.segment(begin, f.rows()) = alone + f.rowwise().squaredNorm();
           },
       .after =
           [&](const Rows<T>& block, const double* weights, std::int64_t first) {
             for (Index i = 0; i < block.rows(); ++i)
               drawn.offer(block, i, first + i, (weights ? weights[i] : 1.0) * scores[i]);
           }});
  return drawn.take();
}

/// Where a run of pivots goes: what remains falls with a power of the number of landmarks, by which
/// the number that is needed is foreseen.
class Outlook {
 public:
  Outlook(const Kernel& kernel, double rows, double entries, double goal)
      : kernel_(kernel), rows_(rows), entries_(entries), goal_(goal) {}

  /// A line for the reader, after m landmarks that leave this share.
  const std::string& after(Index m, double share) {
    const auto now = static_cast<double>(m);
    double needed = now;
    if (goal_ > 0 && share > goal_) {
      const double power = before_ > 0 && now > before_ && share < left_
                               ? std::log(left_ / share) / std::log(now / before_)
                               : 0;
      needed = power > 0 ? std::min(rows_, now * std::pow(share / goal_, 1 / power)) : rows_;
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    // The passes so far took a third of the last one; passes grow with the square of the rank.
    const double ahead = seconds * 4 * std::pow(std::max(1.0, needed / std::max(1.0, now)), 2);
    text_ = fmt::format("rank {}, {:.3g} % of the trace left", m, 100 * share);
    if (before_ > 0 && needed > now)
      text_ += fmt::format(", expected rank {:.0f}, {:.0f} s left", needed, ahead);
    if (before_ > 0 && costs_more_than_exact(kernel_, rows_, entries_, needed))
      text_ = fmt::format(
          "note: rank {} leaves {:.2g} % of the trace, and about {:.0f} of {:.0f} rows will be "
          "needed as landmarks: exact kernel PCA is expected to be faster",
          m, 100 * share, needed, rows_);
    before_ = now;
    left_ = share;
    return text_;
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Kernel& kernel_;
  double rows_, entries_, goal_, before_ = 0, left_ = 1;
  Clock::time_point start_ = Clock::now();
  std::string text_ = "rank 0";
};

}  // namespace

template <class T>
void each_feature(SeenRows<T>& rows, const LandmarkFeatures<T>& landmarks, std::string_view what,
                  const FeatureVisit<T>& v) {
  const BlasThreads one(1);
  const Index m = landmarks.size();
  AlignedRows<T> aligned(feature_block(m, rows.cols()), rows.cols());
  Matrix<double> features(feature_block(m, rows.cols()), m);
  const auto take = [&](const Rows<T>& block, const double* weights, std::int64_t first) {
    each_part(block.rows(), m, rows.cols(), rows.options().threads,
              [&](Index begin, Index n, Index part) {
                const Rows<T> x = block.middle(begin, n);
                auto f = features.middleRows(begin, n);
                landmarks.sections(x, f);
                landmarks.solve(f);
                v.visit(x, weights ? weights + begin : nullptr, f, begin, part);
              });
    v.after(block, weights, first);
  };
  rows.run(
      what,
      [&](const Rows<T>& piece, const double* weights, std::int64_t) {
        aligned.add(piece, weights, take);
      },
      v.note);
  aligned.rest(take);
}

Index sample_wanted(const Nystrom& how) {
  return how.by == LandmarkChoice::kmeans ? how.landmarks * rows_a_centre : how.landmarks;
}

template <class T>
LandmarkFeatures<T> choose_landmarks(SeenRows<T>& rows, const Kernel& kernel, const Nystrom& how,
                                     const Candidates<T>& candidates) {
  const Index m = how.landmarks;
  require_rows(rows, "landmarks", m, candidates.most);
  const std::vector<SampledRow<T>>& sample = candidates.sample;
  const auto uniform = [&] { return from_rows(kernel, rows.cols(), rows.sparse(), sample, m); };
  switch (how.by) {
    case LandmarkChoice::cholesky:
      return choose_landmarks(rows, kernel, Cholesky{.rank = m, .error = how.error}, candidates);
    case LandmarkChoice::kmeans: {
      // Rows of no weight are not in the sample: it may be smaller than what was asked for.
      const Index most = std::min(m, static_cast<Index>(sample.size()));
      const Matrix<double> points = dense(sample, rows.cols(), rows.sparse());
      const Matrix<double> centres = cluster_centres(points, most, rows.options().threads);
      // What landmarks leave out has no negative eigenvalue where the kernel is valid on rows and
      // landmarks together. A kernel that need not be valid elsewhere has rows for landmarks.
      if (!kernel.always_valid())
        return from_rows(kernel, rows.cols(), rows.sparse(), nearest_rows(centres, points, sample),
                         most);
      return from_rows(kernel, rows.cols(), false, rows_of<T>(centres), most);
    }
    case LandmarkChoice::leverage:
      return from_rows(kernel, rows.cols(), rows.sparse(),
                       by_leverage(rows, finished(uniform()), m), m);
    case LandmarkChoice::uniform:
      break;
  }
  return uniform();
}

template <class T>
LandmarkFeatures<T> choose_landmarks(SeenRows<T>& rows, const Kernel& kernel, const Cholesky& how,
                                     const Candidates<T>& candidates) {
  if (how.rank > 0) require_rows(rows, "rank", how.rank, candidates.most);
  const Index most = how.rank > 0 ? how.rank : candidates.most;
  LandmarkFeatures<T> chosen = no_landmarks(kernel, rows.cols(), rows.sparse(), candidates.sample);
  Random random(rows.options().seed);
  const auto n = static_cast<double>(rows.passes().rows());
  Outlook outlook(kernel, n, static_cast<double>(rows.cols()),
                  how.rank > 0 ? how.error : how.tolerance);
  std::string note = how.rank > 0 ? expected_slower(kernel, n, static_cast<double>(rows.cols()),
                                                    static_cast<double>(how.rank))
                                  : std::string();
  for (std::uint64_t round = 0;; ++round) {
    const Index m = chosen.size();
    if (how.rank > 0 && m == how.rank) break;
    // More are drawn than are wanted: some will be rejected.
    const Index block = std::min(
        {std::max(first_block, m + m / 4), largest_block, std::max<Index>(16, 2 * (most - m))});
    Reservoir<T> drawn(block, rows.options().seed + 2 + round);
    Vector<double> left(feature_block(m, rows.cols())), whole(feature_block(m, rows.cols()));
    Matrix<double> explained(parts_a_block, m);
    Vector<double> by_column = Vector<double>::Zero(m);
    double trace = 0, rest = 0;
    each_feature(rows, chosen, "landmarks",
                 {.note = note,
                  .visit =
                      [&](const Rows<T>& x, const double* weights, Eigen::Ref<Matrix<double>> f,
                          Index begin, Index part) {
                        left.segment(begin, x.rows()) = unexplained(chosen, x, f);
                        whole.segment(begin, x.rows()) = chosen.whole(x);
                        explained.row(part).setZero();
                        for (Index i = 0; i < x.rows(); ++i)
                          explained.row(part) +=
                              (weights ? weights[i] : 1.0) * f.row(i).cwiseAbs2();
                      },
                  .after =
                      [&](const Rows<T>& rows_now, const double* weights, std::int64_t first) {
                        for (Index i = 0; i < rows_now.rows(); ++i) {
                          const double w = weights ? weights[i] : 1.0;
                          trace += w * whole[i];
                          rest += w * left[i];
                          drawn.offer(rows_now, i, first + i, w * left[i], left[i]);
                        }
                        const Index parts = (rows_now.rows() + rows_a_part(m, rows.cols()) - 1) /
                                            rows_a_part(m, rows.cols());
                        for (Index part = 0; part < parts; ++part)
                          by_column += explained.row(part).transpose();
                      }});
    require(trace > 0, Errc::bad_data, "the kernel is 0 on all rows of {}",
            Input(rows.passes().name()));

    // Drawn until the rows show no more than rounding, or no more than is asked for.
    const double share = how.rank > 0 ? how.error : how.tolerance;
    const double goal = share * trace;
    if (rest <= goal) {
      // The first landmarks that already do it.
      Index enough = m;
      double without = rest;
      while (enough > 1 && without + by_column[enough - 1] <= goal) without += by_column[--enough];
      chosen.truncate(enough);
      break;
    }
    require(m < most, Errc::out_of_memory,
            "`approx={}` needs more than the {} landmarks that fit into memory (they leave {:.2g} "
            "of the trace); use a larger `memory` or tolerance",
            text_of(how), most, rest / trace);
    if (how.rank == 0 || note.empty()) note = outlook.after(m, rest / trace);
    // A row is kept as likely as the landmarks before it left of what it was drawn by.
    const std::vector<SampledRow<T>> candidates_now = drawn.take();
    std::vector<double> floors;
    floors.reserve(candidates_now.size());
    for (const SampledRow<T>& row : candidates_now) floors.push_back(random.uniform() * row.along);
    chosen.extend(candidates_now, floors, most);
    if (chosen.size() == m) break;  // what is left is rounding
  }
  // The largest first, where some nearly repeat others: fewer of them are then the better basis.
  if (chosen.leading(nearly_repeated) < chosen.size()) chosen.reorder();
  return chosen;
}

#define MERCER_INSTANTIATE(T)                                                                 \
  template void each_feature(SeenRows<T>&, const LandmarkFeatures<T>&, std::string_view,      \
                             const FeatureVisit<T>&);                                         \
  template LandmarkFeatures<T> choose_landmarks(SeenRows<T>&, const Kernel&, const Nystrom&,  \
                                                const Candidates<T>&);                        \
  template LandmarkFeatures<T> choose_landmarks(SeenRows<T>&, const Kernel&, const Cholesky&, \
                                                const Candidates<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
