#include "fit/model_of.hpp"

#include "solvers/dense.hpp"

#include <cmath>

namespace mercer {

template <class T>
ModelParts<T> parts_of(const Spectrum& s, std::int64_t rows, double weight,
                       const FitOptions& options) {
  const Index k = kept_components(options.components, s);
  ModelParts<T> parts;
  parts.map = identity_map<T>(s.mean.size());
  Matrix<double> components = s.components.topRows(k);
  fix_signs(components);
  parts.components = components.cast<T>();
  parts.mean = s.mean.cast<T>();
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
  return parts;
}

template ModelParts<float> parts_of(const Spectrum&, std::int64_t, double, const FitOptions&);
template ModelParts<double> parts_of(const Spectrum&, std::int64_t, double, const FitOptions&);

}  // namespace mercer
