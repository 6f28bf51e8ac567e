#include "pca/model_of.hpp"

#include "core/require.hpp"
#include "model/relations.hpp"
#include "pca/intervals.hpp"
#include "pca/invariants.hpp"
#include "pca/standard.hpp"
#include "solvers/dense.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace mercer {

namespace {

/// What is certain of the first k eigenvalues; throws when that is less than the tolerance asks
/// for.
Certificate certified(const Spectrum& s, Index k, const FitOptions& options) {
  const FoundEigenvalues found = found_of(s);
  require_within(found, k, options.tolerance);
  Certificate out = intervals_of(found, k, options.tolerance);
  if (s.confidence < 1) {
    out.reason = out.confidence < 1 ? s.missed + "; " + out.reason : s.missed;
    out.confidence += s.confidence - 1;  // either may fail
  }
  return out;
}

/// Of the trace: the sum of as many entries as there are columns, each off by its own rounding,
/// which together are no more than what the bound on the matrix is made of.
double error_of_total(const Spectrum& s, const Certificate& certificate) {
  const double columns = static_cast<double>(s.mean.size());
  if (!s.by_qr) return s.rounding.proven + 2 * columns * unit_roundoff * s.total;
  return (2 * std::sqrt(s.total) + s.of_factor.proven) * s.of_factor.proven + certificate.rounding;
}

/// What the mean lost as a number of T; empty where no column is off by 64ε of its deviation.
template <class T>
Vector<T> rest_of_mean(const Spectrum& s, const Vector<T>& mean, double denominator) {
  if (s.rest.size() == 0) return {};
  const Vector<double> rest = (s.mean - mean.template cast<double>()) + s.rest;
  Vector<double> scaled = rest;
  if (s.scale.size() > 0) scaled.array() /= s.scale.array();
  constexpr double most = 64 * std::numeric_limits<T>::epsilon();
  for (Index j = 0; j < rest.size(); ++j) {
    const double scatter = s.column_scatter.size() > 0 ? s.column_scatter[j] : s.eigenvalues[0];
    if (scaled[j] * scaled[j] * denominator > most * most * scatter) return rest.cast<T>();
  }
  return {};
}

/// Whether a column that varies may have been lost beside a larger one.
bool may_hide_columns(const Spectrum& s) {
  double least = std::numeric_limits<double>::infinity(), most = 0;
  for (Index j = 0; j < s.column_scatter.size(); ++j) {
    if (!(s.column_scatter[j] > s.column_noise[j])) continue;
    least = std::min(least, s.column_scatter[j]);
    most = std::max(most, s.column_scatter[j]);
  }
  return least < 1e-14 * most;
}

/// The rank, and the relations of the other directions: of all directions of more rows than
/// columns.
template <class T>
void take_relations(const Spectrum& s, std::int64_t rows, double weight, bool centred,
                    Report& report) {
  const Index d = s.mean.size();
  if (s.components.rows() != d || s.eigenvalues.size() != d || rows < d + (centred ? 1 : 0)) return;
  report.rank = rank_of(s);
  if (report.rank == d || s.column_scatter.size() != d) return;
  if (s.factor.cols() != d) {
    if (may_hide_columns(s)) report.rank = 0;  // not known
    return;
  }
  const Vector<double> ones = Vector<double>::Ones(d), zeros = Vector<double>::Zero(d);
  FoundRelations found = relations_of({.r = s.factor,
                                       .mean = s.mean,
                                       .rest = s.rest.size() == d ? s.rest : zeros,
                                       .divisors = s.scale.size() > 0 ? s.scale : ones,
                                       .weight = weight,
                                       .rows = static_cast<double>(rows),
                                       .epsilon = std::numeric_limits<T>::epsilon()});
  report.rank = found.rank;
  report.relations = std::move(found.relations);
}

}  // namespace

template <class T>
ModelParts<T> parts_of(Spectrum s, std::int64_t rows, double weight, const FitOptions& options,
                       const Certificate* known) {
  const Index k = kept_components(options.components, s);
  ModelParts<T> parts;
  take_relations<T>(s, rows, weight, options.center, parts.report);
  if (parts.report.relations.size() > most_relations) parts.report.relations.resize(most_relations);
  parts.map = identity_map<T>(s.mean.size());
  // In place: where rows are fewer than columns, all components are as large as the data.
  s.components.conservativeResize(k, Eigen::NoChange);
  fix_signs(s.components);
  if constexpr (std::is_same_v<T, double>) parts.components = std::move(s.components);
  else parts.components = s.components.template cast<T>();
  s.components.resize(0, 0);
  parts.mean = s.mean.cast<T>();
  parts.mean_rest = rest_of_mean<T>(s, parts.mean, weight - options.ddof);
  parts.scale = s.scale.cast<T>();
  parts.eigenvalues = s.eigenvalues.head(k);

  Report& report = parts.report;
  report.n_samples = rows;
  report.weight = weight;
  report.centered = options.center;
  report.ddof = options.ddof;
  report.total_variance = s.total / (weight - options.ddof);
  const double squares = s.squares / std::pow(weight - options.ddof, 2);
  report.total_squares = std::isfinite(squares) ? squares : 0;
  report.solver.residuals.assign(s.residuals.data(), s.residuals.data() + k);
  report.solver.tolerance = options.tolerance;
  report.solver.converged = true;
  report.certificate = known ? *known : certified(s, k, options);
  add_reason(report.certificate, constant_columns(s.as_constant, "left out"));
  add_reason(report.certificate, constant_columns(s.as_exact, "taken as exact"));
  report.certificate.low.resize(static_cast<std::size_t>(k));
  report.certificate.high.resize(static_cast<std::size_t>(k));

  const double error = error_of_total(s, report.certificate);
  require_invariants({.values = parts.eigenvalues,
                      .low = report.certificate.low,
                      .high = report.certificate.high,
                      .total = s.total,
                      .error = error},
                     "linear PCA");
  if (options.components.kind() == Components::Kind::fraction)
    require_fraction(s.eigenvalues, k, options.components.fraction(), s.total, error, "linear PCA");
  if (s.column_scatter.size() > 0)
    // No column varies by less than nothing: what lies below 0 here is within the rounding error,
    // which the solvers have checked, and 0 is nearer to the truth.
    parts.column_variance = s.column_scatter.cwiseMax(0) / (weight - options.ddof);
  return parts;
}

template <class T>
void require_representable(const ModelParts<T>& parts) {
  const bool finite = parts.components.allFinite() && parts.mean.allFinite() &&
                      parts.scale.allFinite() && parts.input_mean.allFinite();
  require(finite, Errc::bad_data,
          "the means or components of the model exceed the range of {} precision ({:.1e}); scale "
          "the data{}",
          sizeof(T) == sizeof(float) ? "single" : "double",
          static_cast<double>(std::numeric_limits<T>::max()),
          sizeof(T) == sizeof(float) ? ", or use double precision" : "");
}

template void require_representable(const ModelParts<float>&);
template void require_representable(const ModelParts<double>&);

template ModelParts<float> parts_of(Spectrum, std::int64_t, double, const FitOptions&,
                                    const Certificate*);
template ModelParts<double> parts_of(Spectrum, std::int64_t, double, const FitOptions&,
                                     const Certificate*);

}  // namespace mercer
