#include "fit/approximate.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "fit/kernel_pca.hpp"
#include "fit/landmarks.hpp"
#include "fit/spectrum.hpp"
#include "linalg/lapack.hpp"
#include "solvers/dense.hpp"

#include <chrono>
#include <cmath>

namespace mercer {

namespace {

/// Rows that stand for all when a kernel's width is chosen, its validity looked at, or random
/// features are compared with it.
constexpr Index standing_for_all = 1000;

/// Eigenpairs of the features' scatter, as many as are kept.
template <class T>
Spectrum spectrum_of(const typename FeatureSums<T>::Result& features, const Approx& approx,
                     const FitOptions& options) {
  const Index m = features.scatter.rows();
  const Components& asked = options.components;
  const bool counted = asked.kind() == Components::Kind::count;
  require(!counted || asked.soft() || asked.count() <= m, Errc::bad_option,
          "-k {} is too large: {} has {} features, and no more components", asked.count(),
          text_of(approx), m);
  Spectrum s;
  // What landmarks leave out is variance too.
  const double explained = features.scatter.trace();
  s.total = explained + (features.error.estimated ? 0 : features.error.above);
  s.noise = LandmarkFeatures<double>::noise(m, features.trace);  // sums are in double
  require(s.total > s.noise, Errc::bad_data, "all rows are equal, there is no variance to explain");
  require(asked.kind() != Components::Kind::fraction || asked.fraction() * s.total <= explained,
          Errc::bad_option,
          "-k {}: {} holds {:.4f} of the variance for certain; use more features or fewer -k",
          asked.fraction(), text_of(approx), explained / s.total);
  const SymmetricEigen pairs =
      symmetric_eigen(features.scatter, counted ? std::min(asked.count(), m) : m, options.threads);
  s.eigenvalues = pairs.values.cwiseMax(0);
  s.components = pairs.vectors;
  const Matrix<double> rest =
      pairs.vectors * features.scatter - Matrix<double>(pairs.values.asDiagonal() * pairs.vectors);
  s.residuals = rest.rowwise().norm() / s.eigenvalues[0];
  return s;
}

}  // namespace

Index most_features(double budget, int threads) {
  // Sums of each thread, twice while they are added to; the scatter, its factor, eigenvectors.
  const double matrices = 2 * thread_count(threads) + 6;
  const double room = budget - 16e6 * thread_count(threads);  // similarities of a block of rows
  return static_cast<Index>(std::sqrt(std::max(0.0, room) / 8 / matrices));
}

template <class T>
FeatureSpace<T> choose_features(SeenRows<T>& rows, const Approx& approx, double budget) {
  const FitOptions& options = rows.options();
  const auto n = static_cast<Index>(rows.passes().rows());
  const auto* nystrom = std::get_if<Nystrom>(&approx);
  const Index wanted = nystrom ? std::min(sample_wanted(*nystrom), n) : 0;
  const double row_bytes = static_cast<double>(rows.cols()) * 8;
  const Index most_sampled =
      std::max<Index>(nystrom ? nystrom->landmarks : 1, static_cast<Index>(budget / 4 / row_bytes));
  Reservoir<T> reservoir(std::min(std::max(standing_for_all, wanted), most_sampled), options.seed);
  rows.run("sample", [&](const Rows<T>& piece, const double* weights, std::int64_t first) {
    options.kernel->require_domain(piece, static_cast<Index>(first));
    for (Index i = 0; i < piece.rows(); ++i)
      reservoir.offer(piece, i, first + i, weights ? weights[i] : 1.0);
  });
  Candidates<T> candidates{reservoir.take(), 0};
  const double sampled = row_bytes * static_cast<double>(candidates.sample.size());
  const Index fit_in = most_features(budget - sampled, options.threads);
  candidates.most = std::min(n, fit_in);

  RowList<T> few(rows.cols(), rows.sparse());
  for (std::size_t i = 0; i < candidates.sample.size() && few.size() < standing_for_all; ++i)
    few.push_back(candidates.sample[i]);
  const Kernel kernel = options.kernel->completed(rows.memory() ? *rows.memory() : few.rows());
  require_valid(kernel, few.rows(), options.threads);

  FeatureSpace<T> space{kernel, nullptr, nullptr, {}, rows.cols(), rows.sparse()};
  const auto require_fits = [&](const char* name, Index asked) {
    require(asked <= fit_in, Errc::out_of_memory,
            "--approx: {}(features={}) does not fit in memory, {} would; use a larger --memory",
            name, asked, fit_in);
  };
  if (const auto* f = std::get_if<Fourier>(&approx)) {
    require_fits("fourier", f->features);
    space.map = fourier_map<T>(kernel, rows.cols(), f->features, f->orthogonal, options.seed);
  } else if (const auto* s = std::get_if<TensorSketch>(&approx)) {
    require_fits("tensorsketch", s->features);
    space.map = tensor_sketch_map<T>(kernel, rows.cols(), s->features, options.seed);
  } else {
    space.landmarks = std::make_shared<LandmarkFeatures<T>>(
        nystrom ? choose_landmarks(rows, kernel, *nystrom, candidates)
                : choose_landmarks(rows, kernel, std::get<Cholesky>(approx), candidates));
  }
  if (space.map) space.sample = std::move(candidates.sample);
  return space;
}

template <class T>
ModelParts<T> parts_of(const FeatureSums<T>& sums, const Approx& approx,
                       const FitOptions& options) {
  const auto features = sums.result(options.center);
  const Spectrum s = spectrum_of<T>(features, approx, options);
  const Index k = kept_components(options.components, s);
  ModelParts<T> parts;
  parts.map = features.map;
  Matrix<double> b = sums.unmapped(s.components.topRows(k));
  fix_signs(b);
  parts.components = b.cast<T>();
  parts.mean = Vector<T>::Zero(features.mean.size());
  if (options.center) parts.mean = features.mean.template cast<T>();
  parts.eigenvalues = s.eigenvalues.head(k);

  Report& report = parts.report;
  report.method = "kernel-pca";
  report.n_samples = sums.rows();
  report.weight = sums.weight();
  report.centered = options.center;
  report.ddof = options.ddof;
  report.total_variance = s.total / (sums.weight() - options.ddof);
  // Landmarks leave out variance of unknown directions.
  const double squares = features.scatter.squaredNorm() / std::pow(sums.weight() - options.ddof, 2);
  if (features.error.estimated && std::isfinite(squares)) report.total_squares = squares;
  report.approximation = features.error;
  report.approximation->text = text_of(approx);
  report.approximation->name =
      report.approximation->text.substr(0, report.approximation->text.find('('));
  report.solver.name = "covariance";
  report.solver.residuals.assign(s.residuals.data(), s.residuals.data() + k);
  report.solver.tolerance = options.tolerance;
  report.solver.converged = true;
  report.peak_memory_bytes = peak_memory_bytes();
  return parts;
}

template <class T>
Model<T> fit_approximate(Passes<T>& passes, const Approx& approx, const std::string& why,
                         const FitOptions& options, const Schema& schema, double budget) {
  const auto start = std::chrono::steady_clock::now();
  if (passes.memory()) require_finite(*passes.memory(), options.missing == Missing::mean);
  FitOptions about_the_mean = options;  // whether the features are centred is another question
  about_the_mean.center = true;
  const Standard standard = find_standard(passes, about_the_mean);
  require(passes.rows() > 0, Errc::bad_data, "{} has no rows", passes.name());
  require(passes.rows() > 1 || !options.center, Errc::bad_data,
          "one row has no variance: kernel PCA needs at least two");
  require(passes.weight() > options.ddof, Errc::bad_data,
          "the row weights add up to {:g}; variances with ddof = {} need more", passes.weight(),
          options.ddof);

  SeenRows<T> rows(passes, changes_rows(options) ? &standard : nullptr, options);
  FeatureSums<T> sums(choose_features(rows, approx, budget), options.threads);
  rows.run("features", [&](const Rows<T>& piece, const double* weights, std::int64_t) {
    sums.add(piece, weights);
  });
  ModelParts<T> parts = parts_of(sums, approx, options);
  parts.input_mean = standard.mean.cast<T>();
  parts.scale = standard.scale.cast<T>();
  parts.feature_names = schema.feature_names;
  parts.label_column = schema.label;
  parts.id_column = schema.id;
  Report& report = parts.report;
  report.weighted = schema.weighted;
  report.solver.why = why;
  report.solver.passes = passes.count();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return Model<T>(std::move(parts));
}

#define MERCER_INSTANTIATE(T)                                                      \
  template Model<T> fit_approximate(Passes<T>&, const Approx&, const std::string&, \
                                    const FitOptions&, const Schema&, double);     \
  template FeatureSpace<T> choose_features(SeenRows<T>&, const Approx&, double);   \
  template ModelParts<T> parts_of(const FeatureSums<T>&, const Approx&, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
