#include <mercer/fit.hpp>

#include "core/memory.hpp"
#include "core/require.hpp"
#include "fit/choose.hpp"
#include "fit/passes.hpp"
#include "fit/spectrum.hpp"
#include "operators/centred.hpp"
#include "solvers/dense.hpp"

#include <mercer/data.hpp>
#include <mercer/moments.hpp>

#include <chrono>
#include <cmath>

namespace mercer {

namespace {

void validate(const FitOptions& o) {
  const Components& c = o.components;
  require(c.kind() != Components::Kind::count || c.count() > 0, Errc::bad_option,
          "-k {} keeps nothing: ask for at least one component", c.count());
  require(c.kind() != Components::Kind::fraction || (c.fraction() > 0 && c.fraction() <= 1),
          Errc::bad_option, "-k {} is no fraction of the variance: it must lie between 0 and 1",
          c.fraction());
  require(o.tolerance > 0 && o.tolerance < 1, Errc::bad_option,
          "--tolerance {} must lie between 0 and 1", o.tolerance);
  require(o.ddof == 0 || o.ddof == 1, Errc::bad_option, "--ddof {} must be 0 or 1", o.ddof);
  require(o.threads >= 0, Errc::bad_option, "--threads {} must not be negative", o.threads);
  require(o.center || o.missing != Missing::mean, Errc::bad_option,
          "--missing mean needs centring; leave the rows out instead (--missing drop)");
}

void validate_weights(const double* weights, Index n) {
  for (Index i = 0; weights && i < n; ++i)
    require(weights[i] >= 0 && std::isfinite(weights[i]), Errc::bad_data,
            "the weight of row {} is {}; weights must be numbers of 0 or more", i + 1, weights[i]);
}

double budget(const FitOptions& options) {
  return options.memory > 0 ? static_cast<double>(options.memory)
                            : 0.8 * static_cast<double>(available_memory_bytes());
}

template <class T>
Model<T> solve(Passes<T>& passes, const Size& size, const FitOptions& options, Schema schema,
               double working_budget) {
  const auto start = std::chrono::steady_clock::now();
  const Choice choice = choose_solver(size, options, working_budget);
  const bool gram = choice.solver == Solver::gram, svd = choice.solver == Solver::svd;
  Spectrum s = gram  ? by_gram(passes, options)
               : svd ? by_svd(passes, options)
                     : by_covariance(passes, options);
  const Index k = kept_components(options.components, s);

  ModelParts<T> parts;
  parts.map = identity_map<T>(passes.features());
  Matrix<double> components = s.components.topRows(k);
  fix_signs(components);
  parts.components = components.cast<T>();
  parts.mean = s.mean.cast<T>();
  parts.scale = s.scale.cast<T>();
  parts.eigenvalues = s.eigenvalues.head(k);
  parts.feature_names = std::move(schema.feature_names);
  parts.label_column = std::move(schema.label);
  parts.id_column = std::move(schema.id);

  Report& report = parts.report;
  report.n_samples = passes.rows();
  report.weight = passes.weight();
  report.weighted = schema.weighted;
  report.centered = options.center;
  report.ddof = options.ddof;
  report.total_variance = s.total / (passes.weight() - options.ddof);
  report.solver.name = gram ? "gram" : svd ? "svd" : "covariance";
  report.solver.why = choice.why;
  if (s.by_qr && !svd) report.solver.why += "; small variances by a QR of the centred rows";
  report.solver.passes = passes.count() + (passes.memory() && gram ? 2 : 0);
  report.solver.residuals.assign(s.residuals.data(), s.residuals.data() + k);
  report.solver.tolerance = options.tolerance;
  report.solver.converged = true;
  report.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.peak_memory_bytes = peak_memory_bytes();
  return Model<T>(std::move(parts));
}

template <class T>
Model<T> fit_in_memory(const Rows<T>& x, const FitOptions& options, const double* weights,
                       Schema schema, double working_budget) {
  validate_weights(weights, x.rows());
  schema.weighted = weights != nullptr;
  const Size size{.rows = static_cast<double>(x.rows()),
                  .cols = static_cast<double>(x.cols()),
                  .entries = static_cast<double>(x.entries()),
                  .sparse = x.sparse(),
                  .in_memory = true,
                  .bytes = sizeof(T)};
  require(x.cols() > 0, Errc::bad_data, "the data have no columns");
  Passes<T> passes(x, weights, options.monitor);
  return solve(passes, size, options, std::move(schema), working_budget);
}

/// Bytes a source will take once it is read, or 0 when that cannot be told.
template <class T>
double expected_bytes(Source<T>& source) {
  return static_cast<double>(source.expected_rows()) *
         static_cast<double>(source.schema().features) * sizeof(T);
}

}  // namespace

template <class T>
Model<T> fit(const Rows<T>& x, const FitOptions& options, const double* weights) {
  validate(options);
  return fit_in_memory(x, options, weights, Schema{}, budget(options));
}

template <class T>
Model<T> fit(Source<T>& source, const FitOptions& options) {
  validate(options);
  const double allowed = budget(options), bytes = expected_bytes(source);
  // Half for the rows, half for the work.
  const bool keep = !source.can_rewind() || source.schema().sparse || bytes <= allowed / 2;
  if (keep) {
    if (const auto all = source.whole())
      return fit_in_memory(all->rows, options, all->weights, source.schema(), allowed - bytes);
    const Table<T> table = read_all(source, static_cast<std::size_t>(allowed));
    return fit_in_memory(table.rows(), options,
                         table.weights.empty() ? nullptr : table.weights.data(), table.schema,
                         allowed - bytes);
  }
  const Size size{.rows = static_cast<double>(source.expected_rows()),
                  .cols = static_cast<double>(source.schema().features),
                  .entries = bytes / sizeof(T),
                  .sparse = false,
                  .in_memory = false,
                  .bytes = sizeof(T)};
  Passes<T> passes(source);
  return solve(passes, size, options, source.schema(), allowed);
}

template <class T>
Vector<double> variance_along(Source<T>& source, const Matrix<double>& directions,
                              const FitOptions& options) {
  validate(options);
  const Index d = source.schema().features, m = directions.rows();
  require(directions.cols() == d, Errc::bad_option,
          "a direction has {} numbers, but the data have {} columns", directions.cols(), d);
  Matrix<double> q = directions;
  for (Index i = 0; i < m; ++i) {
    const double norm = q.row(i).norm();
    require(norm > 0 && std::isfinite(norm), Errc::bad_option,
            "direction {} has length {}: it must point somewhere", i + 1, norm);
    q.row(i) /= norm;
  }
  // Projections about the first row, so that a large mean costs no digits.
  Passes<T> passes(source);
  Vector<double> origin = Vector<double>::Zero(d);
  Moments projected(m);
  bool started = false;
  passes.run("variance", [&](const Rows<T>& rows, const double* weights) {
    constexpr Index block = 1024;
    if (!started && options.center && !rows.sparse())
      origin = Eigen::Map<const Vector<T>>(rows.row(0), d).template cast<double>();
    started = true;
    Matrix<double> x(std::min(block, rows.rows()), d);
    for (Index i = 0; i < rows.rows(); i += block) {
      const Index n = std::min(block, rows.rows() - i);
      centred_block(rows.middle(i, n), 0, d, {.centre = origin.data()}, x.data(), d);
      const Matrix<double> y = x.topRows(n) * q.transpose();
      projected.add(Rows<double>(y), weights ? weights + i : nullptr, 1);
    }
  });
  require(passes.weight() > options.ddof, Errc::bad_data,
          "{} has too few rows for a variance with ddof = {}", source.name(), options.ddof);
  const Vector<double> scatter = projected.scatter_diagonal(options.center);
  for (Index i = 0; i < m; ++i)
    require(std::isfinite(scatter[i]), Errc::bad_data,
            "{} holds a NaN, an infinity or numbers too large to square", source.name());
  return scatter / (passes.weight() - options.ddof);
}

template <class T>
Vector<double> variance_along(const Rows<T>& x, const Matrix<double>& directions,
                              const FitOptions& options) {
  return variance_along(*from_memory(x), directions, options);
}

#define MERCER_INSTANTIATE(T)                                                               \
  template Model<T> fit(const Rows<T>&, const FitOptions&, const double*);                  \
  template Model<T> fit(Source<T>&, const FitOptions&);                                     \
  template Vector<double> variance_along(Source<T>&, const Matrix<double>&,                 \
                                         const FitOptions&);                                \
  template Vector<double> variance_along(const Rows<T>&, const Matrix<double>&,             \
                                         const FitOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
