#include "learn/run/learn_exact.hpp"

#include "core/require.hpp"
#include "core/weights.hpp"
#include "pca/mapped_source.hpp"
#include "solvers/dense.hpp"

#include <limits>

namespace mercer {

namespace {

/// R + δδᵀ: about a given point instead of the mean, which is δ away.
void move_origin(Exact& exact, const Vector<double>& delta) {
  const Vector<double> inside = exact.vectors * delta;
  const Vector<double> outside = delta - exact.vectors.transpose() * inside;
  const double rest = outside.norm();
  const Index r = exact.values.size(), p = r + (rest > 1e-12 * delta.norm() ? 1 : 0);
  Vector<double> d(p);
  d.head(r) = inside;
  Matrix<double> axes(p, delta.size());
  axes.topRows(r) = exact.vectors;
  if (p > r) {
    d[r] = rest;
    axes.row(r) = outside.transpose() / rest;
  }
  Matrix<double> small = d * d.transpose();
  small.diagonal().head(r) += exact.values;
  const Eigenpairs pairs = dense_eigenpairs(small, p, 1e-8, 1);
  // Σλqqᵀ + δδᵀ has no eigenvalue below 0 but for the rounding of the largest.
  const double rounding =
      64 * static_cast<double>(p) * std::numeric_limits<double>::epsilon() * pairs.values[0];
  require(pairs.values.minCoeff() >= -rounding, Errc::not_converged,
          "a second moment has the eigenvalue {:.3g}; please report this with the command and the "
          "data",
          pairs.values.minCoeff());
  exact.values = (pairs.values.array() < 0).select(0.0, pairs.values);
  exact.vectors = pairs.vectors * axes;
}

}  // namespace

Exact exact_pairs(const Rows<double>* memory, const double* weights, Source<double>& source,
                  const std::shared_ptr<const Map<double>>& map, const Standard* standard,
                  const LearnOptions& options) {
  const auto borrowed =
      memory ? from_memory(*memory, as_weights(weights, memory->rows())) : nullptr;
  Source<double>& rows = memory ? *borrowed : source;
  FitOptions fitting;
  fitting.center = options.learner.centre != LearnedMean::none;
  fitting.ddof = 0;
  fitting.memory = options.memory;
  fitting.threads = options.learner.threads;
  fitting.monitor = options.monitor;
  const bool as_they_are = map->is_identity() && !standard;
  const auto features =
      as_they_are ? nullptr : mapped_source(rows, *map, standard, options.learner.threads);
  const Model<double> model = fit(features ? *features : rows, fitting);
  Exact exact;
  exact.values = model.eigenvalues() / model.report().weight;
  exact.vectors = model.components();
  exact.rows = static_cast<Index>(model.report().n_samples);
  exact.mean = options.learner.centre == LearnedMean::running ? model.mean()
               : options.learner.centre == LearnedMean::known
                   ? options.learner.mean
                   : Vector<double>(Vector<double>::Zero(model.components().cols()));
  if (options.learner.centre == LearnedMean::known)
    move_origin(exact, model.mean() - options.learner.mean);
  return exact;
}

}  // namespace mercer
