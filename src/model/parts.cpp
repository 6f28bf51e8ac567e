#include "model/parts.hpp"

#include "data/finite.hpp"

#include <algorithm>
#include <cmath>

namespace mercer {

namespace {

template <class List>
bool has(const List& list, Index size) {
  return static_cast<Index>(list.size()) == size;
}

bool possible(double number) { return std::isfinite(number) && number >= 0; }

bool descends(const Vector<double>& values) {
  for (Index j = 0; j < values.size(); ++j)
    if (!possible(values[j]) || (j > 0 && values[j] > values[j - 1])) return false;
  return true;
}

/// Loosely: the test is for models made up by hand, not for rounding, and may not take long.
template <class T>
bool is_orthonormal(const Matrix<T>& b) {
  constexpr T tolerance = T(1e-3);
  for (Index i = 0; i < b.rows(); ++i)
    if (!(std::abs(b.row(i).norm() - 1) <= tolerance)) return false;
  if (b.rows() * b.rows() > 100'000'000 / b.cols()) return true;
  Matrix<T> gram = b * b.transpose();
  gram.diagonal().setZero();
  return gram.cwiseAbs().maxCoeff() <= tolerance;
}

/// Maps other than the identity need them to impute and to standardise; kernel values are not
/// standardised.
template <class T>
bool input_mean_fits(const ModelParts<T>& p) {
  const Space space = p.map->space();
  if (space == Space::input) return has(p.input_mean, 0);
  return has(p.input_mean, p.map->inputs()) ||
         (space == Space::precomputed && has(p.input_mean, 0));
}

std::string certificate_problem(const Certificate& c, const Vector<double>& eigenvalues) {
  if (!possible(c.rounding)) return "its rounding bound is invalid";
  if (!(c.confidence > 0 && c.confidence <= 1)) return "its confidence is not between 0 and 1";
  if (c.low.empty() && c.high.empty()) return {};
  if (!has(c.low, eigenvalues.size()) || !has(c.high, eigenvalues.size()))
    return "it does not have one interval per eigenvalue";
  for (Index j = 0; j < eigenvalues.size(); ++j) {
    const auto i = static_cast<std::size_t>(j);
    if (!std::isfinite(c.low[i]) || !std::isfinite(c.high[i]) || !(c.low[i] <= eigenvalues[j]) ||
        !(eigenvalues[j] <= c.high[i]))
      return "an interval does not contain its eigenvalue";
  }
  return {};
}

std::string report_problem(const Report& r, Index k) {
  for (const double number : {r.weight, r.total_variance, r.total_squares, r.seconds,
                              r.solver.tolerance, r.merged.missing_variance})
    if (!possible(number)) return "its report has an invalid number";
  for (const double residual : r.solver.residuals)
    if (!possible(residual)) return "a residual is invalid";
  if (!r.solver.residuals.empty() && !has(r.solver.residuals, k))
    return "it does not have one residual per component";
  if (r.approximation)
    for (const double number : {r.approximation->error, r.approximation->spread,
                                r.approximation->below, r.approximation->above})
      if (!possible(number)) return "the error of its approximation is invalid";
  for (const Relation& relation : r.relations)
    if (!possible(relation.deviation) || !possible(relation.residual) ||
        !std::isfinite(relation.constant) ||
        !std::ranges::all_of(relation.coefficients, [](double c) { return std::isfinite(c); }))
      return "a relation has an invalid number";
  if (r.n_samples < 1 || r.weight == 0) return "it was fitted to no rows";
  if (r.ddof != 0 && r.ddof != 1) return "ddof is neither 0 nor 1";
  if (r.solver.passes < 0 || r.merged.models < 0 || r.peak_memory_bytes < 0)
    return "its report has a negative count";
  return {};
}

}  // namespace

template <class T>
std::string problem(const ModelParts<T>& p) {
  if (!p.map) return "it has no map";
  if (p.components.size() == 0) return "it has no components";
  if (!has(p.mean, p.components.cols()) || p.map->features() != p.components.cols())
    return "its mean and components differ in length";
  if (!has(p.mean_rest, 0) && !has(p.mean_rest, p.mean.size()))
    return "its mean and the rest of it differ in length";
  if (!has(p.scale, 0) && !has(p.scale, p.map->inputs()))
    return "it does not have one scale per feature";
  if (!input_mean_fits(p)) return "it does not have one input mean per column";
  if (!has(p.input_rest, 0) && !has(p.input_rest, p.input_mean.size()))
    return "its input mean and the rest of it differ in length";
  if (p.rows.size() > 0 && (p.rows.cols() != p.map->inputs() || p.map->is_identity()))
    return "the rows it stores are not those of its map";
  if (p.map->space() == Space::precomputed && !has(p.scale, 0)) return "it scales kernel values";
  if (!has(p.eigenvalues, p.components.rows()))
    return "it does not have one eigenvalue per component";
  if (!p.feature_names.empty() && !has(p.feature_names, p.map->inputs()))
    return "it does not have one name per feature";
  if (!p.components.allFinite() || !p.mean.allFinite() || !p.mean_rest.allFinite() ||
      !p.scale.allFinite() || !p.input_mean.allFinite() || !p.input_rest.allFinite() ||
      !p.rows.allFinite() || !all_finite(p.map->anchors()))
    return "not all of its numbers are finite";
  if (p.scale.size() > 0 && !(p.scale.minCoeff() > 0)) return "a scale is not positive";
  if (!descends(p.eigenvalues)) return "its eigenvalues are not descending and non-negative";
  if (p.map->is_identity() && !is_orthonormal(p.components))
    return "its components are not orthonormal";
  if (!has(p.column_variance, 0) && !has(p.column_variance, p.map->inputs()))
    return "it does not have one variance per column";
  for (Index j = 0; j < p.column_variance.size(); ++j)
    if (!possible(p.column_variance[j])) return "the variance of a column is invalid";
  for (const Relation& relation : p.report.relations)
    if (!has(relation.coefficients, p.components.cols()))
      return "a relation does not have one coefficient per feature";
  if (p.report.rank < 0 || p.report.rank > p.components.cols()) return "its rank is invalid";
  const std::string wrong = certificate_problem(p.report.certificate, p.eigenvalues);
  return wrong.empty() ? report_problem(p.report, p.components.rows()) : wrong;
}

template <class T>
Preprocess preprocess(const ModelParts<T>& p) {
  const bool linear = p.map->is_identity();
  Preprocess out{.mean = (linear ? p.mean : p.input_mean).template cast<double>(),
                 .rest = (linear ? p.mean_rest : p.input_rest).template cast<double>(),
                 .scale = p.scale.template cast<double>()};
  if (linear && p.scale.size() == 0) out.scale.setOnes(p.mean.size());
  return out;
}

template <class T>
void store(const Preprocess& from, ModelParts<T>& parts) {
  parts.input_mean = from.mean.cast<T>();
  parts.scale = from.scale.cast<T>();
  parts.input_rest.resize(0);
  if (from.scale.size() > 0 && from.rest.size() > 0)
    parts.input_rest =
        ((from.mean - parts.input_mean.template cast<double>()) + from.rest).template cast<T>();
}

template <class T>
ModelParts<T> first_components(const ModelParts<T>& all, Index k) {
  // All components of wide rows are as large as the rows: only those that are asked for are copied.
  ModelParts<T> parts{.map = all.map,
                      .components = all.components.topRows(k),
                      .mean = all.mean,
                      .mean_rest = all.mean_rest,
                      .scale = all.scale,
                      .input_mean = all.input_mean,
                      .input_rest = all.input_rest,
                      .rows = all.rows,
                      .eigenvalues = all.eigenvalues.head(k),
                      .column_variance = all.column_variance,
                      .feature_names = all.feature_names,
                      .label_column = all.label_column,
                      .id_column = all.id_column,
                      .report = all.report};
  for (std::vector<double>* list : {&parts.report.solver.residuals, &parts.report.certificate.low,
                                    &parts.report.certificate.high})
    if (!list->empty()) list->resize(static_cast<std::size_t>(k));
  return parts;
}

#define MERCER_INSTANTIATE(T)                             \
  template std::string problem(const ModelParts<T>&);     \
  template Preprocess preprocess(const ModelParts<T>&);   \
  template void store(const Preprocess&, ModelParts<T>&); \
  template ModelParts<T> first_components(const ModelParts<T>&, Index);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
