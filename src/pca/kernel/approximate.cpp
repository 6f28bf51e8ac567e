#include "pca/kernel/approximate.hpp"

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "linalg/lapack.hpp"
#include "model/parts.hpp"
#include "model/score_errors.hpp"
#include "pca/compare_cost.hpp"
#include "pca/kernel/approx_row.hpp"
#include "pca/kernel/feature_shares.hpp"
#include "pca/kernel/kernel_pca.hpp"
#include "pca/kernel/moved_rows.hpp"
#include "pca/kernel/row_sample.hpp"
#include "pca/linear/spectrum.hpp"
#include "pca/linear/spectrum_checks.hpp"
#include "pca/method_cost.hpp"
#include "pca/model_of.hpp"
#include "pca/plan_steps.hpp"
#include "pca/row_sums.hpp"
#include "pca/weight_scale.hpp"
#include "solvers/dense.hpp"

#include <chrono>
#include <cmath>
#include <type_traits>

namespace mercer {

namespace {

/// Rows of the sample from which a kernel's width is estimated and its validity checked.
constexpr Index standing_for_all = 1000;

/// Residual and rounding are within this share of the first eigenvalue.
template <class T>
double approximate_tolerance(const FitOptions& options) {
  return std::max(options.tolerance, std::is_same_v<T, float> ? 1e-5 : 0.0);
}

/// Eigenpairs of the features' scatter, as many as are kept, and a bound of what rounding and the
/// eigensolver did to their values.
struct FeatureSpectrum : Spectrum {
  double rounding = 0;
};

template <class T>
FeatureSpectrum spectrum_of(const typename FeatureSums<T>::Result& features, const Approx& approx,
                            const FitOptions& options) {
  const Index m = features.scatter.rows();
  const Components& asked = options.components;
  const bool counted = asked.kind() == Components::Kind::count;
  require(!counted || asked.soft() || asked.count() <= m, Errc::bad_option,
          "`components={}` is too large: {} has {} feature{}, and no more components",
          asked.count(), text_of(approx), m, m == 1 ? "" : "s");
  FeatureSpectrum s;
  // What landmarks leave out is variance too.
  const double explained = features.scatter.trace();
  s.total = explained + features.left;
  s.noise = features.noise;
  require(features.varies || !options.center, Errc::bad_data,
          "all rows are equal{}, there is no variance to explain", in_precision<T>());
  const auto require_variance = [&](bool seen) {
    require(seen, Errc::bad_data,
            "{}: the variance of the rows does not exceed the rounding of the kernel values, "
            "{:.2g} of their size: the kernel is nearly constant on these rows, or their mean is "
            "large relative to their spread; centre or scale the data, or use a narrower kernel",
            text_of(approx), s.noise / features.trace);
  };
  require_variance(s.total > s.noise);
  require(asked.kind() != Components::Kind::fraction || asked.fraction() * s.total <= explained,
          Errc::bad_option,
          "`components={}`: {} is only certain to explain {:.4f} of the variance; use more "
          "features or fewer `components`",
          asked.fraction(), text_of(approx), explained / s.total);
  // One thread: the same bits for any number of them.
  const SymmetricEigen pairs =
      symmetric_eigen(features.scatter, counted ? std::min(asked.count(), m) : m, 1);
  s.eigenvalues = pairs.values;
  require_variance(s.eigenvalues[0] > 0);
  s.components = pairs.vectors;
  Matrix<double> rest = pairs.vectors * features.scatter;
  rest -= pairs.values.asDiagonal() * pairs.vectors;
  s.residuals = rest.rowwise().norm() / s.eigenvalues[0];

  // The eigensolver's own error is at most a small multiple of m units of the largest.
  s.rounding = features.rounding + static_cast<double>(m) * 0x1p-52 * s.eigenvalues[0] +
               s.residuals.maxCoeff() * s.eigenvalues[0];
  const double lowest = s.eigenvalues[s.eigenvalues.size() - 1];
  require(
      lowest >= -s.rounding && s.eigenvalues.sum() <= s.total + static_cast<double>(m) * s.rounding,
      Errc::not_converged,
      "the features of {} have eigenvalues from {:.4g} to {:.4g} and a trace of {:.4g}, beyond "
      "rounding: please report this with the data",
      text_of(approx), lowest, s.eigenvalues[0], s.total);
  const double allowed = approximate_tolerance<T>(options);
  require(s.rounding <= allowed * s.eigenvalues[0], Errc::not_converged,
          "{}: rounding may change the eigenvalues by {:.2g} of the largest, more than the "
          "tolerance of {:.2g}{}: the kernel is nearly constant on these rows, or their mean is "
          "large relative to their spread; {}centre or scale the data, or use a narrower kernel",
          text_of(approx), s.rounding / s.eigenvalues[0], allowed,
          allowed > options.tolerance ? " of floats" : "",
          s.rounding < 0.05 * s.eigenvalues[0]
              ? fmt::format("use `tolerance={:.0e}`, ", 2 * s.rounding / s.eigenvalues[0])
              : "");
  return s;
}

/// Refuses an error beyond what the approximation sets as its limit.
template <class T>
void require_within_limit(const typename FeatureSums<T>::Result& features, const Approx& approx) {
  const Approximation& error = features.error;
  const auto* cholesky = std::get_if<Cholesky>(&approx);
  const double limit = cholesky && cholesky->rank == 0 ? cholesky->tolerance : error_limit(approx);
  const double reached = error.error + 2 * error.spread;
  // Where landmarks end is decided by shares that leave rounding out.
  const double undecided = LandmarkFeatures<T>::noise(error.rank);
  require(limit == 0 || reached <= limit + undecided, Errc::not_converged,
          "`approx={}`: the error is {:.4g} of the kernel matrix, more than the limit of {:g}; use "
          "more "
          "features",
          text_of(approx), reached, limit);
}

/// Each true eigenvalue lies between the one of the features less `below` and plus `above`.
template <class T>
Certificate certificate_of(const typename FeatureSums<T>::Result& features,
                           const Vector<double>& eigenvalues, double rounding) {
  Certificate out;
  out.rounding = rounding;
  out.confidence = features.confidence;
  for (const double value : eigenvalues) {
    // Kernel matrices have no eigenvalue below 0: an interval that began there would hold no more.
    out.low.push_back(std::max(0.0, value - features.error.below));
    out.high.push_back(value + features.error.above);
  }
  if (features.confidence < 1)
    out.reason =
        "the Frobenius norm of the error, estimated from pairs of 512 rows drawn by their "
        "k(x, x), with three standard errors";
  else if (features.error.estimated) out.reason = "the error of all pairs of rows";
  else out.reason = "the trace error of the landmarks, with a bound on the rounding";
  return out;
}

}  // namespace

template <class T>
FeatureChoice<T> choose_features(SeenRows<T>& rows, const Approx& approx, double budget) {
  const FitOptions& options = rows.options();
  const auto n = static_cast<Index>(rows.passes().rows());
  const ApproxRow& row = row_of(approx);
  const Index wanted = std::min(row.sample(approx), n);
  const double row_bytes = static_cast<double>(rows.cols()) * sizeof(T);
  const Index landmarks = wanted > 0 ? row.features(approx) : 0;  // that are rows of the sample
  const Index most_sampled =
      std::max<Index>(std::max<Index>(1, landmarks), static_cast<Index>(budget / 4 / row_bytes));
  // Rows by which a kernel is checked, or the size of its values seen.
  const bool valid = options.kernel->always_valid();
  const Index seen = !valid || (row.landmarks && wanted == 0) ? standing_for_all : 1;
  RowSample<T> drawn = sample_rows(rows, std::min(std::max(seen, wanted), most_sampled));
  Candidates<T> candidates{.sample = std::move(drawn.rows), .budget = budget};
  const Kernel kernel = std::move(drawn.kernel);
  if (!valid) {
    RowList<T> few(rows.cols(), rows.sparse());
    few.reserve(std::min<Index>(standing_for_all, std::ssize(candidates.sample)));
    for (std::size_t i = 0; i < candidates.sample.size() && few.size() < standing_for_all; ++i)
      few.push_back(candidates.sample[i]);
    require_valid(kernel, few.rows(), options.threads);
  }
  // Of the sample, as many rows as there will be landmarks are counted with these.
  const double sampled = row_bytes * static_cast<double>(std::max<Index>(
                                         0, std::ssize(candidates.sample) - landmarks));
  const auto columns = static_cast<double>(rows.cols());
  const Rows<T>* memory = rows.sparse() ? rows.passes().memory() : nullptr;
  const Facts facts{
      .rows = static_cast<double>(n),
      .columns = columns,
      .entries = memory ? static_cast<double>(memory->entries()) : columns * static_cast<double>(n),
      .number_bytes = sizeof(T),
      .sparse = rows.sparse()};
  const Index fit_in = most_features(budget - sampled, feature_rows(approx, facts, options));
  candidates.most = std::min(n, fit_in);

  FeatureChoice<T> space{kernel, nullptr, nullptr, rows.cols(), options.seed, 0, {}};
  require(row.landmarks || row.features(approx) <= fit_in, Errc::out_of_memory,
          "`approx`: {}(features={}) does not fit in memory, {} would; use a larger `memory`",
          row.text.name, row.features(approx), fit_in);
  row.choose(approx, rows, candidates, space);
  return space;
}

template <class T>
ModelParts<T> parts_of(const FeatureSums<T>& sums, const Approx& approx,
                       const FitOptions& options) {
  auto features = sums.result(options.center, approximate_tolerance<T>(options));
  require_within_limit<T>(features, approx);
  const FeatureSpectrum s = spectrum_of<T>(features, approx, options);
  // The eigensolver's error is in both ends.
  features.error.below += s.rounding - features.rounding;
  features.error.above += s.rounding - features.rounding;
  if (features.error.estimated) {
    features.error.below += features.rounding;
    features.error.above += features.rounding;
  }
  const Index k = kept_components(options.components, s);
  require(k > 0, Errc::bad_data,
          "{}: no component has more variance than rounding, {:.2g} of the first; use a narrower "
          "kernel, or a smaller tolerance",
          text_of(approx), s.noise / s.eigenvalues[0]);
  // Everything below is in the units of the kernel itself.
  const double unit = 1 / features.scale;
  features.error.below *= unit;
  features.error.above *= unit;
  ModelParts<T> parts;
  parts.map = features.map;
  Matrix<double> b = sums.unmapped(s.components.topRows(k));
  fix_signs(b);
  parts.components = b.cast<T>();
  parts.mean = Vector<T>::Zero(features.mean.size());
  if (options.center) parts.mean = features.mean.template cast<T>();
  parts.eigenvalues = s.eigenvalues.head(k) * unit;

  Report& report = parts.report;
  report.method = "kernel-pca";
  report.n_samples = sums.rows();
  report.weight = features.weight;
  report.centered = options.center;
  report.ddof = options.ddof;
  report.total_variance = s.total * unit / (features.weight - options.ddof);
  // Landmarks leave out variance of unknown directions.
  const double squares =
      features.scatter.squaredNorm() / std::pow(features.weight - options.ddof, 2);
  if (features.error.estimated && std::isfinite(squares)) report.total_squares = squares;
  report.certificate = certificate_of<T>(features, parts.eigenvalues, s.rounding * unit);
  // A kernel that is not valid by a theorem was checked on a sample of so many rows only.
  if (!features.error.estimated && !sums.kernel().always_valid() && sums.rows() > standing_for_all)
    add_reason(report.certificate,
               fmt::format("provided that {} is positive semi-definite on all rows, which was seen "
                           "on {} of them",
                           sums.kernel().text(), standing_for_all));
  add_reason(report.certificate, lost_digits(parts, &sums.kernel()));
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

Approx for_rows(const Approx& approx, Index rows) {
  Approx out = approx;
  // The default is for many rows: of fewer, all are landmarks.
  if (auto* nystrom = std::get_if<Nystrom>(&out);
      nystrom && nystrom->landmarks == Nystrom{}.landmarks)
    nystrom->landmarks = std::min(nystrom->landmarks, rows);
  return out;
}

template <class T>
Model<T> fit_approximate(Passes<T>& passes, const Plan& plan, const FitOptions& options,
                         const Schema& schema) {
  require_possible(plan);
  const auto start = std::chrono::steady_clock::now();
  require_finite_rows(passes, options.missing == Missing::mean);
  Standard standard = find_standard(passes, options);
  require(passes.rows() > 0, Errc::bad_data, "{} has no rows", Input(passes.name()));
  require(passes.rows() > 1 || !options.center, Errc::bad_data,
          "one row has no variance: kernel PCA needs at least two");
  require_total_weight(passes.weight(), options.ddof);
  const int exponent = weight_exponent(passes.weight());
  FitOptions with_near_one = options;
  if (exponent != 0) {
    scale_weights(passes, -exponent);
    with_near_one.ddof = 0;
  }

  const Approx approx = for_rows(*plan.approx, static_cast<Index>(passes.rows()));
  const bool moved = move_to_mean(passes, standard, options);
  SeenRows<T> rows(passes, moved || changes_rows(options) ? &standard : nullptr, options);
  FeatureChoice<T> space = choose_features(rows, approx, plan.work);
  if (moved) space.centring = centring_error<T>();
  space.cells = cell_error<T>(standard);
  const bool landmarks = space.landmarks != nullptr;
  const auto features = static_cast<double>(space.features());
  const std::string slower =
      landmarks ? expected_slower(*options.kernel, static_cast<double>(passes.rows()),
                                  static_cast<double>(passes.features()), features)
                : std::string();
  const FeatureSums<T> sums = sum_features(rows, std::move(space), "features", slower);
  ModelParts<T> parts = parts_of(sums, approx, with_near_one);
  if (exponent != 0) restore_weights(parts, exponent, options.ddof);
  store(standard, parts);
  require_representable(parts);
  add_reason(parts.report.certificate, constant_columns(standard.as_constant, "not scaled"));
  parts.feature_names = schema.feature_names;
  parts.label_column = schema.label;
  parts.id_column = schema.id;
  Report& report = parts.report;
  report.weighted = schema.weighted;
  report.plan = plan;
  report.solver.why = plan.chosen.why;
  if (moved) report.solver.why += "; rows centred before the kernel";
  if (report.approximation && !report.approximation->estimated &&
      costs_more_than_exact(*options.kernel, static_cast<double>(passes.rows()),
                            static_cast<double>(passes.features()),
                            static_cast<double>(report.approximation->rank)))
    report.solver.why += "; exact kernel PCA is expected to be faster";
  report.solver.passes = passes.count();
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return Model<T>(std::move(parts));
}

#define MERCER_INSTANTIATE(T)                                                                   \
  template Model<T> fit_approximate(Passes<T>&, const Plan&, const FitOptions&, const Schema&); \
  template FeatureChoice<T> choose_features(SeenRows<T>&, const Approx&, double);               \
  template ModelParts<T> parts_of(const FeatureSums<T>&, const Approx&, const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
