#include "pca/kernel/kernel_pca.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"
#include "data/finite.hpp"
#include "kernels/node.hpp"
#include "kernels/pick_rows.hpp"
#include "kernels/weighted_width.hpp"
#include "model/parts.hpp"
#include "model/score_errors.hpp"
#include "operators/column_means.hpp"
#include "pca/kernel/kernel_certain.hpp"
#include "pca/kernel/moved_rows.hpp"
#include "pca/kernel/seen_rows.hpp"
#include "pca/model_of.hpp"
#include "pca/plan_steps.hpp"
#include "pca/standard.hpp"
#include "pca/weight_scale.hpp"
#include "solvers/dense.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace mercer {

namespace {

/// Rows whose kernel matrix is checked if the kernel is not valid by construction.
constexpr Index checked_rows = 500;

void refuse_invalid(const MercerCheck& check, const std::string& what) {
  if (check.valid()) return;
  if (!check.symmetric)
    fail(Errc::bad_data, "{} is not symmetric: entries ({}, {}) and ({}, {}) differ by {:.3g}",
         what, check.row + 1, check.column + 1, check.column + 1, check.row + 1, check.asymmetry);
  Index heaviest = 0;
  check.witness.cwiseAbs().maxCoeff(&heaviest);
  fail(Errc::invalid_kernel,
       "{} is not positive semi-definite: on {} rows there is a unit vector z with zᵀKz = {:.3g}, "
       "largest at row {} (largest eigenvalue {:.3g}); use another kernel or parameter, or `clip` "
       "to count negative eigenvalues as 0",
       what, check.rows, check.smallest, check.sample[static_cast<std::size_t>(heaviest)] + 1,
       check.largest);
}

/// Refuses what is no kernel matrix. Returns how far the halves of the matrix differ at most.
template <class T>
double check_precomputed(const Rows<T>& k, const FitOptions& options, double& noise) {
  require(!k.sparse(), Errc::bad_data, "a precomputed kernel matrix must be dense");
  require(k.rows() == k.cols(), Errc::bad_data,
          "a precomputed kernel matrix is square, this one is {}×{}", k.rows(), k.cols());
  require_finite(k, false);
  const auto dense = k.dense();
  const double largest = dense.cwiseAbs().maxCoeff();
  // Whoever computed it rounded both halves on their own.
  const double allowed = 1e3 * std::numeric_limits<T>::epsilon() * largest;
  noise = allowed * static_cast<double>(k.rows());
  double asymmetry = 0;
  for (Index i = 0; i < k.rows(); ++i)
    for (Index j = i + 1; j < k.cols(); ++j) {
      const double difference = std::abs(static_cast<double>(dense(i, j)) - dense(j, i));
      asymmetry = std::max(asymmetry, difference);
      require(
          difference <= allowed, Errc::bad_data,
          "the precomputed kernel matrix is not symmetric: entry ({}, {}) is {}, entry ({}, {}) "
          "is {}",
          i + 1, j + 1, dense(i, j), j + 1, i + 1, dense(j, i));
    }
  if (options.clip) return asymmetry;
  const Index n = std::min(k.rows(), checked_rows);
  Matrix<double> sample(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      sample(i, j) = 0.5 * (static_cast<double>(dense(i * k.rows() / n, j * k.rows() / n)) +
                            dense(j * k.rows() / n, i * k.rows() / n));
  MercerCheck check = check_kernel_matrix(sample, {.threads = options.threads});
  if (check.smallest >= -allowed * static_cast<double>(n)) return asymmetry;
  for (Index i = 0; i < n; ++i) check.sample[static_cast<std::size_t>(i)] = i * k.rows() / n;
  refuse_invalid(check, "the precomputed kernel matrix");
  return asymmetry;
}

template <class T>
std::shared_ptr<const Map<T>> map_of(const FitOptions& options, const Kernel* kernel,
                                     const Rows<T>& rows, Matrix<T> copy) {
  if (options.precomputed) return precomputed_map<T>(rows.rows());
  if (copy.size() > 0) return kernel_map<T>(*kernel, std::move(copy));
  if (!rows.sparse()) return kernel_map<T>(*kernel, Matrix<T>(rows.dense()));
  const CsrView<T>& from = rows.csr();
  const std::int64_t begin = from.offsets[0], end = from.offsets[rows.rows()];
  Csr<T> anchors;
  anchors.cols = rows.cols();
  anchors.offsets.clear();
  for (Index i = 0; i <= rows.rows(); ++i) anchors.offsets.push_back(from.offsets[i] - begin);
  anchors.columns.assign(from.columns + begin, from.columns + end);
  anchors.values.assign(from.values + begin, from.values + end);
  return kernel_map<T>(*kernel, std::move(anchors));
}

/// Largest |x|; missing cells aside.
template <class T>
double largest_number(const Rows<T>& rows) {
  double largest = 0;
  for (Index i = 0; i < rows.rows(); ++i) {
    const T* from = rows.sparse() ? rows.csr().values + rows.csr().offsets[i] : rows.row(i);
    const Index entries =
        rows.sparse() ? rows.csr().offsets[i + 1] - rows.csr().offsets[i] : rows.cols();
    for (Index e = 0; e < entries; ++e)
      if (const double v = std::abs(static_cast<double>(from[e])); v > largest) largest = v;
  }
  return largest;
}

template <class T>
Standard rows_standard(const Rows<T>& x, const double* weights, const FitOptions& options) {
  Passes<T> passes(x, weights, options.monitor);
  const bool fill = options.missing == Missing::mean;
  if (options.scale == Scale::none) {
    // The pass that checks the numbers also sums them.
    ColumnMeans means(x.cols(), fill);
    Index first = 0;
    passes.run("rows", [&](const Rows<T>& rows, const double* w) {
      require_finite(rows, fill, first);
      means.add(rows, w, options.threads);
      first += rows.rows();
    });
    Standard out;
    out.mean = means.mean();
    return out;
  }
  require_finite(x, fill);
  const double largest = largest_number(x);
  // Deviations come from squares, which must neither vanish nor overflow.
  if (largest > 1e-140 && largest < 1e140) return find_standard(passes, options);
  passes.normalize();
  Standard out = find_standard(passes, options);
  for (Index j = 0; j < out.mean.size(); ++j) {
    out.mean[j] = std::ldexp(out.mean[j], -passes.exponent());
    if (out.rest.size() > 0) out.rest[j] = std::ldexp(out.rest[j], -passes.exponent());
    const bool constant = out.constant[static_cast<std::size_t>(j)];
    out.scale[j] = constant ? 1.0 : std::ldexp(out.scale[j], -passes.exponent());
  }
  return out;
}

/// Rows of weight 0 are as good as absent, wherever they lie.
std::vector<Index> rows_that_count(const double* weights, Index n) {
  std::vector<Index> rows;
  rows.reserve(static_cast<std::size_t>(n));
  for (Index i = 0; i < n; ++i)
    if (!weights || weights[i] > 0) rows.push_back(i);
  return rows;
}

/// Whether all rows are the same.
template <class T>
bool all_equal(const Rows<T>& rows) {
  for (Index i = 1; i < rows.rows(); ++i) {
    if (!rows.sparse()) {
      if (rows.dense().row(i) != rows.dense().row(0)) return false;
      continue;
    }
    const CsrView<T>& csr = rows.csr();
    const auto row = [&](Index r) {
      std::vector<std::pair<std::int64_t, T>> entries;
      for (std::int64_t e = csr.offsets[r]; e < csr.offsets[r + 1]; ++e)
        if (csr.values[e] != 0) entries.emplace_back(csr.columns[e], csr.values[e]);
      return entries;
    };
    if (row(i) != row(0)) return false;
  }
  return true;
}

/// Rows that are not 0, of a kernel that is 0 for all of them: its values have vanished.
template <class T>
void require_seen(const Tiles<T>& tiles, const Rows<T>& rows) {
  if (tiles.offset.size() > 0 || tiles.diagonal.cwiseAbs().maxCoeff() > 0) return;
  bool zero = true;
  if (rows.sparse()) {
    const CsrView<T>& csr = rows.csr();
    for (std::int64_t i = csr.offsets[0]; i < csr.offsets[rows.rows()]; ++i)
      zero = zero && csr.values[i] == 0;
  } else {
    zero = (rows.dense().array() == 0).all();
  }
  require(zero, Errc::bad_data, "the kernel values underflow: scale the data");
}

/// B = Λ^-½ VᵀU: unit axes in feature space. Centred vectors stay exactly so: Σ b = 0 cancels the
/// mean of a new row's kernel values.
Matrix<double> dual_coefficients(const KernelSpectrum& s, const double* weights, bool center) {
  Matrix<double> b = s.vectors;
  const Index n = b.cols();
  if (weights) {
    const Vector<double> u = Eigen::Map<const Vector<double>>(weights, n).cwiseSqrt();
    b.array().rowwise() *= u.array().transpose();
  }
  if (center) {
    Vector<double> w = Vector<double>::Ones(n);
    if (weights) w = Eigen::Map<const Vector<double>>(weights, n);
    const Vector<double> sums = b.rowwise().sum();
    b.noalias() -= sums / w.sum() * w.transpose();
  }
  b.array().colwise() /= s.eigenvalues.array().sqrt();
  return b;
}

}  // namespace

template <class T>
void require_valid(const Kernel& kernel, const Rows<T>& rows, int threads) {
  if (!kernel.always_valid())
    refuse_invalid(check_kernel(kernel, rows, {.rows = checked_rows, .threads = threads}),
                   fmt::format("the kernel {}", kernel.text()));
}

template <class T>
Model<T> fit_kernel(const Rows<T>& x, Plan plan, const FitOptions& options, const double* weights,
                    const Schema& schema, Team& team) {
  const auto start = std::chrono::steady_clock::now();
  require(x.rows() > 0, Errc::bad_data, "the data have no rows");
  require(x.cols() > 0, Errc::bad_data, "the data have no columns");
  require(x.rows() > 1 || !options.center, Errc::bad_data,
          "one row has no variance: kernel PCA needs at least two");
  const double weight = weights ? Eigen::Map<const Vector<double>>(weights, x.rows()).sum()
                                : static_cast<double>(x.rows());
  require_total_weight(weight, options.ddof);
  if (const int exponent = weights ? weight_exponent(weight) : 0; exponent != 0) {
    std::vector<double> near_one;
    for (Index i = 0; i < x.rows(); ++i) near_one.push_back(std::ldexp(weights[i], -exponent));
    FitOptions with_those = options;
    with_those.ddof = 0;
    ModelParts<T> parts =
        fit_kernel(x, std::move(plan), with_those, near_one.data(), schema, team).parts();
    restore_weights(parts, exponent, options.ddof);
    return Model<T>(std::move(parts));
  }
  if (const std::vector<Index> counted = rows_that_count(weights, x.rows());
      !options.precomputed && static_cast<Index>(counted.size()) < x.rows()) {
    const PickedRows<T> some(x, counted);
    std::vector<double> their_weights;
    for (const Index i : counted) their_weights.push_back(weights[i]);
    const double copied = static_cast<double>(some.rows().entries()) * sizeof(T);
    plan.facts = facts_of(some.rows(), options, plan.facts.budget, plan.facts.speed);
    const double left = plan.work - copied;
    plan = with_work(plan, left - copy_bytes(plan.facts, options), options);
    plan.work = left;
    ModelParts<T> parts =
        fit_kernel(some.rows(), std::move(plan), options, their_weights.data(), schema, team)
            .parts();
    parts.report.n_samples = x.rows();
    return Model<T>(std::move(parts));
  }

  const bool foreseen = changes_rows(options) && !options.precomputed;  // by the plan
  double asymmetry = 0, noise = 0;
  if (options.precomputed) asymmetry = check_precomputed(x, options, noise);
  Standard standard;
  bool moved = false;
  if (!options.precomputed) {
    // What a monitor stops on one rank only, others would wait for. All ranks make these passes,
    // which are short beside those that a checkpoint saves.
    FitOptions before = options;
    before.checkpoint = nullptr;
    if (team.size() > 1) before.monitor = {};
    standard = rows_standard(x, weights, before);
    Passes<T> passes(x, weights, before.monitor);
    moved = move_to_mean(passes, standard, before);
  }
  const bool changes = foreseen || moved;
  Matrix<T> copy = changes ? standard(x) : Matrix<T>();
  const Rows<T> rows = changes ? Rows<T>(copy) : x;

  std::optional<Kernel> kernel;
  if (!options.precomputed) {
    kernel = completed_by_weight(*options.kernel, rows, weights);
    if (!options.clip) require_valid(*kernel, rows, options.threads);
  }
  const CellError cells = cell_error<T>(standard);
  Tiles<T> tiles =
      kernel ? kernel_tiles(*kernel, rows, options.center, false, cells) : matrix_tiles(rows);
  // One half stands for the mean of both.
  if (!kernel) add_error(tiles, {.absolute = 0.5 * asymmetry});
  // Cells that were centred have been rounded once more, to half a unit of their last place.
  const double centring = moved ? centring_error<T>() : 0;
  add_error(tiles, {.diagonal = centring});
  if (kernel) require_seen(tiles, rows);
  const double left = plan.work - static_cast<double>(copy.size()) * sizeof(T);
  if (moved && !foreseen) plan = with_work(std::move(plan), left, options);
  plan.work = left;
  const KernelOrigin origin{
      kernel ? fmt::format("the kernel {}", kernel->text()) : "the precomputed kernel matrix",
      kernel && kernel->always_valid(),
      noise,
      all_equal(rows),
      0,
      std::is_same_v<T, float>,
      weights != nullptr};
  RowRounding rounding{.centring = centring, .cells = cells};
  if (cells.any() && std::is_same_v<T, float>) {
    rounding.wide = [&] { return standard.as<double>(x); };
    rounding.wide_cells = cell_error<double>(standard);
  }
  KernelSpectrum s = certain_spectrum(tiles, kernel ? &*kernel : nullptr, rows, options, weights,
                                      plan, origin, rounding, team);
  if (moved) s.why += "; rows centred before the kernel";

  ModelParts<T> parts;
  parts.map = map_of(options, kernel ? &*kernel : nullptr, rows, std::move(copy));
  Matrix<double> b = dual_coefficients(s, weights, options.center);
  fix_signs(b);
  parts.components = b.cast<T>();
  parts.mean = options.center ? Vector<T>(s.mean.cast<T>()) : Vector<T>(Vector<T>::Zero(x.rows()));
  store(standard, parts);
  require_representable(parts);
  parts.eigenvalues = s.eigenvalues;
  if (!options.precomputed) parts.feature_names = schema.feature_names;
  parts.label_column = schema.label;
  parts.id_column = schema.id;

  Report& report = parts.report;
  report.method = "kernel-pca";
  report.n_samples = x.rows();
  report.weight = weight;
  report.weighted = weights != nullptr;
  report.centered = options.center;
  report.ddof = options.ddof;
  report.total_variance = s.trace / (weight - options.ddof);
  report.solver.name = s.dense ? "dense" : "krylov";
  report.solver.why = s.why;
  report.plan = std::move(plan);
  report.solver.passes = s.passes;
  report.solver.residuals.assign(s.residuals.data(), s.residuals.data() + s.residuals.size());
  report.solver.tolerance = s.tolerance;
  report.solver.converged = true;
  report.certificate = std::move(s.certificate);
  add_reason(report.certificate, constant_columns(standard.as_constant, "not scaled"));
  add_reason(report.certificate, lost_digits(parts, kernel ? &*kernel : nullptr));
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.peak_memory_bytes = peak_memory_bytes();
  return Model<T>(std::move(parts));
}

#define MERCER_INSTANTIATE(T)                                                          \
  template Model<T> fit_kernel(const Rows<T>&, Plan, const FitOptions&, const double*, \
                               const Schema&, Team&);                                  \
  template void require_valid(const Kernel&, const Rows<T>&, int);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
