#include "fit/landmarks.hpp"

#include "core/parallel.hpp"
#include "core/require.hpp"
#include "fit/kmeans.hpp"
#include "linalg/blas.hpp"

#include <mercer/moments.hpp>

#include <Eigen/Cholesky>

#include <algorithm>
#include <limits>

namespace mercer {

namespace {

/// Rows of the sample for each centre that k-means looks for.
constexpr Index rows_a_centre = 20;
/// Pivots are drawn in growing blocks, each as large as all before: the passes then cost a third of
/// the last one together.
constexpr Index first_block = 64, largest_block = 8192;

template <class T>
void require_rows(const SeenRows<T>& rows, const char* option, Index asked, Index most) {
  const auto n = static_cast<Index>(rows.passes().rows());
  require(asked <= n, Errc::bad_option, "--approx: {}={} is more than the {} rows of {}", option,
          asked, n, rows.passes().name());
  require(asked <= most, Errc::out_of_memory,
          "--approx: {}={} does not fit in memory, {} would; use a larger --memory", option, asked,
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

/// All of these, but for those that repeat others.
template <class T>
LandmarkFeatures<T> from_rows(const Kernel& kernel, Index cols, bool sparse,
                              const std::vector<SampledRow<T>>& rows, Index m) {
  LandmarkFeatures<T> features(kernel, cols, sparse);
  features.extend(rows, std::vector<double>(rows.size(), 0.0), m);
  require(features.size() > 0, Errc::bad_data, "the landmarks have no similarity to each other");
  return features;
}

/// Draws m rows by their ridge leverage φᵀ(Σ + λI)⁻¹φ + (k(x, x) − ‖φ‖²)/λ, as the features of
/// uniform landmarks see it; λ is what those leave out, shared by m.
template <class T>
std::vector<SampledRow<T>> by_leverage(SeenRows<T>& rows, const LandmarkFeatures<T>& pilot,
                                       Index m) {
  const int threads = thread_count(rows.options().threads);
  const auto workers = static_cast<std::size_t>(threads);
  std::vector<Moments> parts(workers, Moments(Vector<double>(Vector<double>::Zero(pilot.size()))));
  std::vector<double> left(workers, 0.0);
  each_feature(
      rows, pilot, "leverages",
      {.visit = [&](const Rows<T>& x, const double* weights, Index, Matrix<double>& f, int thread) {
        const auto t = static_cast<std::size_t>(thread);
        const Vector<double> rest = pilot.left_out(x, f);
        for (Index i = 0; i < rest.size(); ++i) left[t] += (weights ? weights[i] : 1.0) * rest[i];
        parts[t].add(Rows<double>(f), weights, 1);
      }});
  double rest = 0;
  for (std::size_t t = 0; t < workers; ++t) {
    rest += left[t];
    if (t > 0) parts[0].merge(parts[t]);
  }
  Matrix<double> sigma = parts[0].scatter(false);
  const double ridge =
      std::max(rest, 1e-10 * sigma.trace()) / static_cast<double>(std::max<Index>(1, m));
  sigma.diagonal().array() += ridge;
  const Eigen::LLT<Eigen::MatrixXd> factor(sigma);
  const Matrix<double> l = factor.matrixL();

  Reservoir<T> drawn(m, rows.options().seed + 1);
  Vector<double> scores;
  each_feature(rows, pilot, "leverages",
               {.visit =
                    [&](const Rows<T>& x, const double*, Index begin, Matrix<double>& f, int) {
                      const Vector<double> alone = pilot.left_out(x, f) / ridge;
                      times_triangular(f.data(), f.rows(), f.cols(), Triangular::inverse_transposed,
                                       l.data(), l.rows(), l.cols());
                      scores.segment(begin, f.rows()) = alone + f.rowwise().squaredNorm();
                    },
                .before = [&](const Rows<T>& piece) { scores.resize(piece.rows()); },
                .after =
                    [&](const Rows<T>& piece, const double* weights, std::int64_t first) {
                      for (Index i = 0; i < piece.rows(); ++i)
                        drawn.offer(piece, i, first + i, (weights ? weights[i] : 1.0) * scores[i]);
                    }});
  return drawn.take();
}

}  // namespace

template <class T>
void each_feature(SeenRows<T>& rows, const LandmarkFeatures<T>& landmarks, std::string_view what,
                  const FeatureVisit<T>& v) {
  const BlasThreads one(1);
  const int threads = thread_count(rows.options().threads);
  const Index block = feature_block(landmarks.size());
  std::vector<Matrix<double>> features(static_cast<std::size_t>(threads));
  rows.run(what, [&](const Rows<T>& piece, const double* weights, std::int64_t first) {
    if (v.before) v.before(piece);
    parallel_ranges(piece.rows(), threads, 64, [&](Index begin, Index end, int thread) {
      Matrix<double>& f = features[static_cast<std::size_t>(thread)];
      for (Index i = begin; i < end; i += block) {
        const Rows<T> x = piece.middle(i, std::min(block, end - i));
        landmarks.sections(x, f);
        landmarks.solve(f);
        v.visit(x, weights ? weights + i : nullptr, i, f, thread);
      }
    });
    if (v.after) v.after(piece, weights, first);
  });
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
      return choose_landmarks(rows, kernel, Cholesky{.rank = m}, candidates);
    case LandmarkChoice::kmeans: {
      // Rows of no weight are not in the sample: it may be smaller than what was asked for.
      const Index most = std::min(m, static_cast<Index>(sample.size()));
      const Matrix<double> centres =
          cluster_centres(dense(sample, rows.cols(), rows.sparse()), most, rows.options().threads);
      return from_rows(kernel, rows.cols(), false, rows_of<T>(centres), most);
    }
    case LandmarkChoice::leverage:
      return from_rows(kernel, rows.cols(), rows.sparse(), by_leverage(rows, uniform(), m), m);
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
  const double rounding = 100 * std::numeric_limits<double>::epsilon();
  const auto workers = static_cast<std::size_t>(thread_count(rows.options().threads));
  LandmarkFeatures<T> chosen(kernel, rows.cols(), rows.sparse());
  Random random(rows.options().seed);
  for (std::uint64_t round = 0;; ++round) {
    const Index m = chosen.size();
    if (how.rank > 0 && m == how.rank) return chosen;
    // More are drawn than are wanted: some will be rejected.
    const Index block = std::min(
        {std::max(first_block, m + m / 4), largest_block, std::max<Index>(16, 2 * (most - m))});
    Reservoir<T> drawn(block, rows.options().seed + 2 + round);
    Vector<double> left;
    double trace = 0, rest = 0;
    std::vector<Vector<double>> explained(workers, Vector<double>(Vector<double>::Zero(m)));
    each_feature(rows, chosen, "landmarks",
                 {.visit =
                      [&](const Rows<T>& x, const double* weights, Index begin, Matrix<double>& f,
                          int thread) {
                        left.segment(begin, x.rows()) = chosen.left_out(x, f);
                        Vector<double>& sums = explained[static_cast<std::size_t>(thread)];
                        for (Index i = 0; i < x.rows(); ++i)
                          sums += (weights ? weights[i] : 1.0) * f.row(i).transpose().cwiseAbs2();
                      },
                  .before = [&](const Rows<T>& piece) { left.resize(piece.rows()); },
                  .after =
                      [&](const Rows<T>& piece, const double* weights, std::int64_t first) {
                        for (Index i = 0; i < piece.rows(); ++i) {
                          const double w = weights ? weights[i] : 1.0;
                          rest += w * left[i];
                          drawn.offer(piece, i, first + i, w * left[i], left[i]);
                        }
                      }});
    Vector<double> by_column = explained[0];
    for (std::size_t t = 1; t < workers; ++t) by_column += explained[t];
    trace = rest + by_column.sum();
    require(trace > 0, Errc::bad_data, "the kernel is 0 on all rows of {}", rows.passes().name());

    const double goal = how.rank > 0 ? 0 : how.tolerance * trace;
    if (rest <= goal || rest <= rounding * trace) {
      // The first landmarks that already do it.
      Index enough = m;
      double without = rest;
      while (enough > 1 && without + by_column[enough - 1] <= goal) without += by_column[--enough];
      chosen.truncate(enough);
      return chosen;
    }
    require(m < most, Errc::out_of_memory,
            "--approx {} needs more than the {} landmarks that memory holds (they leave {:.2g} of "
            "the trace); use a larger --memory or tolerance",
            text_of(how), most, rest / trace);
    // A row is kept as likely as the landmarks before it left of what it was drawn by.
    const std::vector<SampledRow<T>> candidates_now = drawn.take();
    std::vector<double> floors;
    floors.reserve(candidates_now.size());
    for (const SampledRow<T>& row : candidates_now) floors.push_back(random.uniform() * row.along);
    chosen.extend(candidates_now, floors, most);
    if (chosen.size() == m) return chosen;  // what is left is rounding
  }
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
