#include <mercer/impute.hpp>

#include "core/monitor.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "pca/select/step_memory.hpp"
#include "pca/validate.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace mercer {

namespace {

struct Hole {
  Index row, column;
};

/// Where cells are missing. Every row and every column must have an observed cell.
template <class T>
std::vector<Hole> holes_of(const Matrix<T>& x) {
  std::vector<Hole> holes;
  std::vector<Index> in_column(static_cast<std::size_t>(x.cols()), 0);
  for (Index i = 0; i < x.rows(); ++i) {
    const auto before = holes.size();
    for (Index j = 0; j < x.cols(); ++j) {
      require(!std::isinf(x(i, j)), Errc::bad_data,
              "row {}, column {} is infinite; remove the row or fill in a number", i + 1, j + 1);
      if (!std::isnan(x(i, j))) continue;
      holes.push_back({i, j});
      ++in_column[static_cast<std::size_t>(j)];
    }
    require(holes.size() - before < static_cast<std::size_t>(x.cols()), Errc::bad_data,
            "row {} is entirely missing: drop it", i + 1);
  }
  for (Index j = 0; j < x.cols(); ++j)
    require(in_column[static_cast<std::size_t>(j)] < x.rows(), Errc::bad_data,
            "column {} is entirely missing: `exclude` it", j + 1);
  return holes;
}

/// Mean and deviation of the observed cells.
template <class T>
void fill_with_means(Matrix<T>& x, const std::vector<Hole>& holes, const double* weights,
                     Vector<double>& deviation) {
  Vector<double> mean = Vector<double>::Zero(x.cols()), square = mean, weight = mean;
  const auto each = [&](const auto& visit) {
    for (Index i = 0; i < x.rows(); ++i)
      for (Index j = 0; j < x.cols(); ++j)
        if (!std::isnan(x(i, j)))
          visit(j, weights ? weights[i] : 1.0, static_cast<double>(x(i, j)));
  };
  each([&](Index j, double w, double value) {
    weight[j] += w;
    mean[j] += w * value;
  });
  // A column whose cells all have weight 0 has a mean of 0.
  mean = mean.cwiseQuotient(weight.cwiseMax(1e-300));
  each([&](Index j, double w, double value) { square[j] += w * std::pow(value - mean[j], 2); });
  deviation = square.cwiseQuotient(weight.cwiseMax(1e-300)).cwiseSqrt();
  for (const Hole& hole : holes) x(hole.row, hole.column) = static_cast<T>(mean[hole.column]);
}

/// (λ − σ²)/λ of each component, σ² the mean of the variances that are left out.
template <class T>
Vector<T> shrinkage(const Model<T>& model) {
  const Vector<double> variance = model.explained_variance();
  const auto left = static_cast<double>(model.inputs() - model.outputs());
  const double rest = model.report().total_variance - variance.sum();
  require(
      rest >= -1e-9 * model.report().total_variance, Errc::not_converged,
      "`missing=em`: {} components have {:g} more variance than the rows; use fewer (`components`)",
      model.outputs(), -rest);
  // The mean of what is left out is not above the last component that is kept, nor below 0: what
  // is cut off here is rounding.
  const double noise = std::max(0.0, rest) / left;
  return (1 - noise / variance.array()).cwiseMax(0).matrix().template cast<T>();
}

}  // namespace

template <class T>
Imputed<T> impute(const Rows<T>& x, const FitOptions& fit, const ImputeOptions& options,
                  Weights given) {
  const double* weights = weights_of(given, x.rows());
  FitOptions inner = settled(fit);
  inner.missing = Missing::em;
  validate(inner);
  require(fit.components.count() < x.cols(), Errc::bad_option,
          "`missing=em`: `components={}` must be below the number of columns, {}",
          fit.components.count(), x.cols());
  inner = within_imputation<T>(inner, x.rows(), rows_with_holes(x), x.cols());
  Imputed<T> out;
  out.x.resize(x.rows(), x.cols());
  identity_map<T>(x.cols())->apply(x, out.x);
  const std::vector<Hole> holes = holes_of(out.x);
  out.report.cells = static_cast<std::int64_t>(holes.size());
  if (holes.empty()) return out;
  Vector<double> deviation;
  fill_with_means(out.x, holes, weights, deviation);

  std::vector<Index> rows;  // those with holes
  for (const Hole& hole : holes)
    if (rows.empty() || rows.back() != hole.row) rows.push_back(hole.row);
  Matrix<T> some(static_cast<Index>(rows.size()), x.cols());
  inner.missing = Missing::error;
  inner.monitor = {};
  Reporter report(fit.monitor, "filling cells", "iterations", 0);
  double last = 0;
  for (int iteration = 1; iteration <= options.iterations; ++iteration) {
    report(iteration);
    const Model<T> model = mercer::fit(Rows<T>(out.x), inner, given);
    for (std::size_t r = 0; r < rows.size(); ++r)
      some.row(static_cast<Index>(r)) = out.x.row(rows[r]);
    Matrix<T> scores = model.transform(some, {.threads = fit.threads});
    scores.array().rowwise() *= shrinkage(model).array().transpose();
    const Matrix<T> told = model.inverse(scores, {.threads = fit.threads});
    double largest = 0;
    Index at = -1, row = -1;
    for (const Hole& hole : holes) {
      if (hole.row != row) ++at, row = hole.row;
      T& cell = out.x(hole.row, hole.column);
      const T value = told(at, hole.column);
      const double spread = deviation[hole.column];
      if (spread > 0) largest = std::max(largest, std::abs(double(value) - double(cell)) / spread);
      cell = value;
    }
    // Changes fall by a constant factor ρ; the remaining ones add up to ρ/(1 − ρ) of the last.
    const double rho = last > 0 ? std::min(largest / last, 0.999) : 0.999;
    out.report.change = largest * rho / (1 - rho);
    out.report.iterations = iteration;
    last = largest;
    if (out.report.change <= options.tolerance || largest == 0) return out;
  }
  fail(Errc::not_converged,
       "`missing=em`: after {} iterations missing values may still be {:.2g} standard deviations "
       "from their limit (tolerance {:.2g}); use fewer components (`components`), or drop rows and "
       "columns with few observed values",
       out.report.iterations, out.report.change, options.tolerance);
}

template <class T>
Model<T> fit(const Imputed<T>& rows, const FitOptions& options, Weights weights,
             const Schema& schema) {
  FitOptions complete = options;
  complete.missing = Missing::error;
  // The caller may still have the rows as they were.
  if (options.memory > 0 && options.missing == Missing::em)
    complete.memory = within_imputation<T>(options, rows.x.rows(), 0, rows.x.cols()).memory;
  ModelParts<T> parts = fit(Rows<T>(rows.x), complete, weights).parts();
  if (rows.report.cells > 0) {
    parts.report.imputation = rows.report;
    std::string& reason = parts.report.certificate.reason;
    if (!reason.empty()) reason += "; ";
    reason += fmt::format(
        "intervals are of the imputed rows, which are about {:.0e} standard deviations from the "
        "limit of the iteration",
        rows.report.change);
  }
  parts.feature_names = schema.feature_names;
  parts.label_column = schema.label;
  parts.id_column = schema.id;
  return Model<T>(std::move(parts));
}

#define MERCER_INSTANTIATE(T)                                                                   \
  template Imputed<T> impute(const Rows<T>&, const FitOptions&, const ImputeOptions&, Weights); \
  template Model<T> fit(const Imputed<T>&, const FitOptions&, Weights, const Schema&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
