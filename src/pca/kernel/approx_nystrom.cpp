// Kernel values at landmarks: rows drawn at random or by their leverage, or centres of k-means.
#include "core/require.hpp"
#include "pca/kernel/approx_row.hpp"
#include "pca/kernel/feature_shares.hpp"
#include "pca/kernel/kmeans.hpp"
#include "pca/kernel/landmark_draws.hpp"

#include <Eigen/Cholesky>

#include <algorithm>
#include <limits>
#include <utility>

namespace mercer {

namespace {

/// Rows of the sample per centre of k-means.
constexpr Index rows_a_centre = 20;

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

/// Draws m rows by their ridge leverage φᵀ(Σ + λI)⁻¹φ + (k(x, x) − ‖φ‖²)/λ, as the features of
/// uniform landmarks see it; λ is what those leave out, shared by m.
template <class T>
std::vector<SampledRow<T>> by_leverage(SeenRows<T>& rows,
                                       const std::shared_ptr<const LandmarkFeatures<T>>& pilot,
                                       Index m) {
  // The draw depends on it, and no sum: any ridge above rounding will do.
  auto result =
      sum_features<T>(rows, {pilot->kernel(), pilot, nullptr, rows.cols(), 0, 0}, "leverages")
          .result(false, std::numeric_limits<double>::infinity());
  const double ridge = std::max(result.left, 1e-10 * result.trace) / static_cast<double>(m);
  Matrix<double> sigma = std::move(result.scatter);
  sigma.diagonal().array() += ridge;
  const Eigen::LLT<Eigen::MatrixXd> factor(sigma);
  return draw_rows(rows, *pilot,
                   {.count = m,
                    .seed = rows.options().seed + 1,
                    .ridge = ridge,
                    .factor = factor.matrixL()},
                   "leverages")
      .rows;
}

template <class T>
LandmarkFeatures<T> choose_landmarks(SeenRows<T>& rows, const Kernel& kernel, const Nystrom& how,
                                     const Candidates<T>& candidates) {
  const Index m = how.landmarks;
  require_landmarks(rows, "landmarks", m, candidates.most);
  const std::vector<SampledRow<T>>& sample = candidates.sample;
  const auto uniform = [&] { return from_rows(kernel, rows.cols(), rows.sparse(), sample, m); };
  switch (how.by) {
    case LandmarkChoice::cholesky:
      return choose_pivots(rows, kernel, Cholesky{.rank = m, .error = how.error}, candidates);
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

// In the order of `LandmarkChoice`.
constexpr std::string_view landmark_choices[] = {"uniform", "kmeans", "leverage", "cholesky"};

constexpr TextParameter nystrom_parameters[] = {
    {"landmarks", domains::count, static_cast<double>(Nystrom{}.landmarks)},
    {"by", {.words = landmark_choices}, static_cast<double>(Nystrom{}.by)},
    error_parameter};

}  // namespace

extern const ApproxRow nystrom_approx = {
    .text = {"nystrom", nystrom_parameters, "nystrom(landmarks=1000)"},
    .notes = "kernel values at landmarks; any kernel",
    .make = [](std::span<const double> v) -> Approx {
      return Nystrom{static_cast<Index>(v[0]), static_cast<LandmarkChoice>(v[1]), v[2]};
    },
    .values = [](const Approx& a) -> std::vector<std::optional<double>> {
      const auto& n = std::get<Nystrom>(a);
      return {static_cast<double>(n.landmarks), static_cast<double>(n.by), n.error};
    },
    .landmarks = true,
    .features = [](const Approx& a) { return std::get<Nystrom>(a).landmarks; },
    .sample = [](const Approx& a) -> Index {
      const auto& how = std::get<Nystrom>(a);
      return how.by == LandmarkChoice::kmeans ? how.landmarks * rows_a_centre : how.landmarks;
    },
    .choose =
        []<class T>(const Approx& a, SeenRows<T>& rows, const Candidates<T>& candidates,
                    FeatureChoice<T>& space) {
          space.landmarks =
              finished(choose_landmarks(rows, space.kernel, std::get<Nystrom>(a), candidates));
        },
};

}  // namespace mercer
