#include <mercer/merge.hpp>

#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "core/roundoff.hpp"
#include "linalg/blas.hpp"
#include "linalg/lapack.hpp"
#include "pca/intervals.hpp"
#include "pca/invariants.hpp"
#include "pca/linear/merge_check.hpp"
#include "pca/linear/spectrum.hpp"
#include "solvers/dense.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// A share of the total variance that is rounding: what a model leaves over beyond this was
/// discarded.
constexpr double rounding_share = 1e-11;
/// Of the eigenpairs of the merged factor; an SVD does better.
constexpr double merge_tolerance = 1e-10;

double denominator(const Report& report) { return report.weight - report.ddof; }

/// ‖S − Ŝ‖ at most: what the components of a model do not hold of its scatter matrix.
template <class T>
double missing_scatter(const Model<T>& model) {
  const Report& report = model.report();
  const double total = report.total_variance * denominator(report);
  const double left = total - model.eigenvalues().sum();
  if (left <= rounding_share * total) return 0;
  const double largest = model.eigenvalues()[model.outputs() - 1] +
                         report.merged.missing_variance * denominator(report);
  return std::min(left, largest);
}

/// The same, without taking anything for rounding: a bound that is proven.
template <class T>
double not_held(const Model<T>& model) {
  const Report& report = model.report();
  // A model that was merged itself may lack variance in directions that it has.
  double lacking = 0;
  for (std::size_t j = 0; j < report.certificate.high.size() && report.merged.models > 0; ++j)
    lacking =
        std::max(lacking, report.certificate.high[j] - model.eigenvalues()[static_cast<Index>(j)]);
  if (model.outputs() == model.components().cols()) return lacking;
  const double k = static_cast<double>(model.outputs()), error = report.certificate.rounding;
  const double left =
      report.total_variance * denominator(report) - model.eigenvalues().sum() + (k + 1) * error;
  const double largest = model.eigenvalues()[model.outputs() - 1] + lacking + error;
  // What a model leaves out has no negative eigenvalue. The trace of a model that was read from a
  // file is as it was written there, in as many digits as an invariant of every fit allows.
  const double slack = (rounding_share + 4 * std::numeric_limits<T>::epsilon()) *
                       report.total_variance * denominator(report);
  require(left >= -slack, Errc::bad_data,
          "the eigenvalues of a model exceed its trace by {:.3e}, more than rounding explains "
          "({:.1e}); fit it again",
          -left, slack);
  return std::min(std::max(0.0, left), largest);
}

/// What is known of the error of a model's scatter matrix, as its components make it up again,
/// apart from what they do not hold: ‖S − BᵀMB‖ is at most the rounding of S, twice the norm of all
/// residuals, and what rounding the components to T did to it. False: not known.
template <class T>
bool add_error_of(const Model<T>& model, RoundingBound& error) {
  const Report& r = model.report();
  if (r.certificate.low.empty()) return false;
  const Vector<double>& values = model.eigenvalues();
  double residuals = 0;
  for (const double residual : r.solver.residuals) residuals += residual * residual;
  const double own = r.certificate.rounding + 2 * std::sqrt(residuals) * values[0] +
                     (2.1 * std::numeric_limits<T>::epsilon() +
                      roundings(4 * static_cast<double>(model.inputs()) + 16).proven) *
                         values.sum();
  error = error + RoundingBound{own, own};
  return true;
}

/// Rows F with FᵀF = Σ Ŝ_i + Σ W_i (m_i − m)(m_i − m)ᵀ, given out a model at a time.
template <class T>
class Factor {
 public:
  Factor(const std::vector<Model<T>>& models, const std::vector<std::vector<Index>>& orders)
      : models_(models), orders_(orders) {
    for (const Model<T>& model : models) {
      weight_ += model.report().weight;
      rows_ += rows_of(model);
    }
    // About the first of them: differences of means that are far from 0 are exact.
    Vector<double> from_first = rest_of(0);
    for (std::size_t i = 1; i < models.size(); ++i)
      from_first += models[i].report().weight / weight_ *
                    ((mean_of(i) - mean_of(0)) + (rest_of(i) - rest_of(0)));
    rest_ = lost_by_sum(mean_of(0), from_first);
    mean_ = mean_of(0) + from_first;
  }

  Index features() const { return models_[0].components().cols(); }
  /// Bound on what rounding the means to T did to the shifts' part of the scatter matrix.
  double error_of_shifts() const {
    double error = 0, average = 0;
    for (std::size_t i = 0; i < models_.size(); ++i)
      average += models_[i].report().weight / weight_ * mean_of(i).norm();
    for (std::size_t i = 0; i < models_.size(); ++i) {
      const double w = models_[i].report().weight;
      const double off = std::numeric_limits<T>::epsilon() * (mean_of(i).norm() + average) +
                         8 * std::numeric_limits<double>::epsilon() * mean_.norm();
      const double length = (mean_of(i) - mean_).norm();
      if (models_[i].report().centered) error += w * (2 * length + off) * off;
    }
    return error;
  }
  Index rows() const { return rows_; }
  double weight() const { return weight_; }
  const Vector<double>& mean() const { return mean_; }
  /// What the mean lost when it was rounded to T; empty if no model contains its own.
  Vector<T> mean_rest() const {
    if (std::ranges::all_of(models_, [](const Model<T>& m) { return m.mean_rest().size() == 0; }))
      return {};
    const Vector<double> stored = mean_.template cast<T>().template cast<double>();
    return ((mean_ - stored) + rest_).template cast<T>();
  }
  std::size_t models() const { return models_.size(); }

  /// Columns as the first model has them.
  Matrix<double> ordered(std::size_t i, const Matrix<double>& x) const {
    if (orders_[i].empty()) return x;
    Matrix<double> out(x.rows(), x.cols());
    for (std::size_t j = 0; j < orders_[i].size(); ++j)
      out.col(static_cast<Index>(j)) = x.col(orders_[i][j]);
    return out;
  }

  /// The rows of model i; the last one is the shift of its mean, where there is one.
  Matrix<double> rows(std::size_t i) const {
    const Model<T>& model = models_[i];
    const Index k = model.outputs();
    Matrix<double> out(rows_of(model), features());
    out.topRows(k) = model.eigenvalues().cwiseSqrt().asDiagonal() *
                     ordered(i, model.components().template cast<double>());
    if (model.report().centered)
      out.row(k) = std::sqrt(model.report().weight) *
                   ((mean_of(i) - mean_) + (rest_of(i) - rest_)).transpose();
    return out;
  }

 private:
  static Index rows_of(const Model<T>& model) {
    return model.outputs() + (model.report().centered ? 1 : 0);
  }
  Vector<double> mean_of(std::size_t i) const {
    return ordered(i, models_[i].mean().template cast<double>().transpose()).transpose();
  }
  Vector<double> rest_of(std::size_t i) const {
    const Vector<T>& rest = models_[i].mean_rest();
    if (rest.size() == 0) return Vector<double>::Zero(features());
    return ordered(i, rest.template cast<double>().transpose()).transpose();
  }

  const std::vector<Model<T>>& models_;
  const std::vector<std::vector<Index>>& orders_;
  Index rows_ = 0;
  double weight_ = 0;
  Vector<double> mean_, rest_;
};

/// The factor itself, or where that is taller than wide its triangle.
template <class T>
Matrix<double> condensed(const Factor<T>& factor, Reporter& report) {
  const Index d = factor.features();
  if (factor.rows() <= d) {
    Matrix<double> all(factor.rows(), d);
    Index at = 0;
    for (std::size_t i = 0; i < factor.models(); ++i) {
      const Matrix<double> rows = factor.rows(i);
      all.middleRows(at, rows.rows()) = rows;
      at += rows.rows();
    }
    return all;
  }
  Triangle triangle(d);
  for (std::size_t i = 0; i < factor.models(); ++i) {
    const Matrix<double> rows = factor.rows(i);
    report(static_cast<double>(i));
    for (Index at = 0; at < rows.rows();) {
      const Index n = std::min(triangle.capacity(), rows.rows() - at);
      std::copy_n(rows.row(at).data(), n * d, triangle.rows());
      triangle.push(n);
      at += n;
    }
  }
  return triangle.factor();
}

/// Eigenpairs of FᵀF with their residuals.
Spectrum decomposed(const Matrix<double>& factor, double epsilon, int threads) {
  Spectrum s;
  RightSvd svd = right_svd(factor, threads);
  s.eigenvalues = svd.values.cwiseAbs2();
  s.components = std::move(svd.vectors);
  require(s.eigenvalues.allFinite() && s.eigenvalues[0] > 0, Errc::bad_data,
          "the models have no variance");
  const Matrix<double> image = (s.components * factor.transpose()) * factor;
  s.errors = (image - s.eigenvalues.asDiagonal() * s.components).rowwise().norm();
  require_converged(s.errors, merge_tolerance, s.eigenvalues[0]);
  s.residuals = s.errors / s.eigenvalues[0];
  const double lost = 8 * epsilon * svd.values[0];
  s.noise = lost * lost * static_cast<double>(factor.cols());
  return s;
}

/// If models contain the variances of their columns: Σ_i S_i,jj + Σ_i W_i (m_ij − m_j)².
template <class T>
Vector<double> merged_columns(const std::vector<Model<T>>& models, const Factor<T>& factor) {
  Vector<double> scatter = Vector<double>::Zero(factor.features());
  for (std::size_t i = 0; i < models.size(); ++i) {
    if (models[i].column_variance().size() != factor.features()) return {};
    scatter += denominator(models[i].report()) *
               factor.ordered(i, models[i].column_variance().transpose()).transpose();
    if (models[i].report().centered)
      scatter += factor.rows(i).bottomRows(1).cwiseAbs2().transpose();
  }
  return scatter;
}

/// Intervals of the first k: what the models are off by themselves, and for the upper ends what
/// they do not hold. Their errors add up, so there is no likely bound that is smaller.
template <class T>
Certificate certified_merge(const std::vector<Model<T>>& models, const Factor<T>& factor,
                            const Spectrum& s, Index k) {
  Certificate out;
  RoundingBound error;
  double missing = 0;
  for (const Model<T>& model : models) {
    missing += not_held(model);
    if (!add_error_of(model, error)) {
      out.reason = "a merged model has no intervals";
      return out;
    }
    out.confidence = std::min(out.confidence, model.report().certificate.confidence);
  }
  const double own =
      factor.error_of_shifts() +
      roundings(16 * static_cast<double>(factor.features() + factor.rows()) + 64).proven * s.total;
  error = error + RoundingBound{own, own};
  const double confidence = out.confidence;
  out = intervals_of({.values = s.eigenvalues, .residuals = s.errors, .matrix = error}, k, 1);
  out.confidence = confidence;
  for (double& high : out.high) high += missing;
  if (confidence < 1) out.reason = "the lowest confidence of the merged models";
  return out;
}

std::string sentence(std::size_t models, double missing) {
  if (missing == 0) return fmt::format("{} models with all their components: exact", models);
  return fmt::format("{} models; each variance is exact or up to {:.3g} larger", models, missing);
}

}  // namespace

template <class T>
Model<T> merge(const std::vector<Model<T>>& models, const MergeOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const auto orders = require_mergeable(models, options.names);
  Reporter progress(options.monitor, "merging", "models", static_cast<double>(models.size()));
  progress(0);
  const Factor<T> factor(models, orders);
  const BlasThreads one(1);
  const Matrix<double> rows = condensed(factor, progress);
  Spectrum s = decomposed(rows, std::numeric_limits<T>::epsilon(), options.threads);

  ModelParts<T> parts = models[0].parts();
  Report& report = parts.report;
  report.n_samples = 0;
  report.weight = factor.weight();
  report.seconds = 0;
  report.rank = 0;  // relations of one part need not hold for the others
  report.relations.clear();
  double missing = 0;
  for (const Model<T>& model : models) {
    const Report& r = model.report();
    report.n_samples += r.n_samples;
    report.weighted = report.weighted || r.weighted;
    s.total += r.total_variance * denominator(r);
    missing += missing_scatter(model);
    if (parts.label_column != model.label_column()) parts.label_column.clear();
    if (parts.id_column != model.id_column()) parts.id_column.clear();
    if (parts.feature_names.empty()) parts.feature_names = model.feature_names();
  }
  for (std::size_t i = 0; i < models.size() && report.centered; ++i)
    s.total += factor.rows(i).bottomRows(1).squaredNorm();
  if (parts.input_mean.size() > 0) {
    Vector<double> mean = Vector<double>::Zero(parts.input_mean.size());
    for (const Model<T>& model : models)
      mean += model.report().weight / factor.weight() * model.input_mean().template cast<double>();
    parts.input_mean = mean.cast<T>();
  }

  const Index k = kept_components(options.components, s);
  Matrix<double> components = s.components.topRows(k);
  fix_signs(components);
  parts.components = components.cast<T>();
  parts.mean = factor.mean().template cast<T>();
  parts.mean_rest = factor.mean_rest();
  parts.eigenvalues = s.eigenvalues.head(k);
  report.total_variance = s.total / denominator(report);
  // The directions that the models left out are unknown.
  report.total_squares =
      missing == 0 ? s.eigenvalues.squaredNorm() / std::pow(denominator(report), 2) : 0;
  if (!std::isfinite(report.total_squares)) report.total_squares = 0;
  report.merged.models = static_cast<int>(models.size());
  report.merged.missing_variance = missing / denominator(report);
  report.certificate = certified_merge(models, factor, s, k);
  parts.column_variance = merged_columns(models, factor) / denominator(report);
  // The trace is as exact as those of the models, whose components are rounded to T.
  const double total_error = (rounding_share + 4 * std::numeric_limits<T>::epsilon()) * s.total +
                             report.certificate.rounding;
  require_invariants({.values = parts.eigenvalues,
                      .low = report.certificate.low,
                      .high = report.certificate.high,
                      .total = s.total,
                      .error = total_error},
                     "merge");
  report.solver = {.name = "merge",
                   .why = sentence(models.size(), report.merged.missing_variance),
                   .passes = 0,
                   .residuals = {s.residuals.data(), s.residuals.data() + k},
                   .tolerance = merge_tolerance,
                   .converged = true};
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.peak_memory_bytes = peak_memory_bytes();
  return Model<T>(std::move(parts));
}

template Model<float> merge(const std::vector<Model<float>>&, const MergeOptions&);
template Model<double> merge(const std::vector<Model<double>>&, const MergeOptions&);

}  // namespace mercer
