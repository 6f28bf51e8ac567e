#include "learn/rules/hebbian_state.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"
#include "core/roundoff.hpp"
#include "solvers/dense.hpp"

#include <algorithm>
#include <numeric>

namespace mercer {

std::vector<Index> Hebbian::State::by_energy() const {
  std::vector<Index> order(static_cast<std::size_t>(components()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index i, Index j) { return energy[i] > energy[j]; });
  return order;
}

Matrix<double> Hebbian::State::orthonormal_components() const {
  Matrix<double> b = settled(), sorted(b.rows(), b.cols());
  orthonormal_rows(b);
  const std::vector<Index> order = by_energy();
  for (Index j = 0; j < b.rows(); ++j) sorted.row(j) = b.row(order[static_cast<std::size_t>(j)]);
  return sorted;
}

Model<double> Hebbian::model() const {
  const State& s = *state_;
  require(s.steps > 0, Errc::bad_data, "{}",
          s.waiting > 0
              ? fmt::format("{} rows are fewer than a mini-batch of {}; flush() learns them",
                            s.waiting, s.options.batch)
          : s.rows > 0 ? fmt::format("the weight of all {} rows is 0", s.rows)
                       : std::string("no rows to learn from"));
  require(s.total > 0, Errc::bad_data, "the rows have no variance");
  const Index k = s.components();
  const std::vector<Index> order = s.by_energy();
  const Matrix<double> b = s.orthonormal_components();
  for (Index j = 0; j < k; ++j)
    require(b.row(j).squaredNorm() > 0, Errc::not_converged,
            "the weights of component {} depend linearly on the previous ones; learn fewer "
            "components, or from more rows",
            order[static_cast<std::size_t>(j)] + 1);
  // Shares of the variance of the same rows with the same weights, which add up to at most 1; but
  // for the rounding of sums of squares that are all positive.
  const double share = s.recent_total > 0 ? s.energy.sum() / s.recent_total : 0;
  require(
      share <= 1 + 1e-9, Errc::not_converged,
      "the components have {:.6f} of the variance, which is impossible; please report this with "
      "the command and the data",
      share);
  const Vector<double> variances =
      s.recent_total > 0 ? Vector<double>(s.energy * (s.total / s.recent_total)) : s.energy;
  ModelParts<double> parts;
  parts.map = s.map;
  parts.components.resize(k, s.features());
  parts.eigenvalues.resize(k);
  const double weight = s.weight;
  for (Index j = 0; j < k; ++j) {
    parts.components.row(j) = b.row(j);
    parts.eigenvalues[j] = weight * variances[order[static_cast<std::size_t>(j)]];
  }
  fix_signs(parts.components);
  parts.mean = s.mean + s.mean_lost;
  if (const LinearMap<double>* linear = s.map->linear()) {
    parts.map = linear->inner;
    parts.components = parts.components * linear->a;
    parts.mean = linear->inverse * parts.mean;
    fix_signs(parts.components);
  } else if (s.options.centre == LearnedMean::running) {
    parts.mean_rest = lost_by_sum(s.mean, s.mean_lost);
  }
  if (!s.map->is_identity())
    parts.input_mean =
        (s.input_sum + s.input_lost) / (s.weight + s.pending_weights.head(s.waiting).sum());

  Report& report = parts.report;
  report.method = s.options.rule;
  report.n_samples = s.rows;
  report.weight = weight;
  report.weighted = s.weighted;
  report.centered = s.options.centre != LearnedMean::none;
  report.ddof = 0;
  report.total_variance = s.total;
  report.solver.name = s.options.rule;
  report.solver.why = s.rule->has_rate
                          ? fmt::format("{} steps at rate {}", s.steps, s.options.rate.text())
                          : fmt::format("{} steps", s.steps);
  report.solver.passes = 1;
  report.solver.converged = false;  // not checked here: `learn` does
  report.certificate.reason =
      "learned row by row; learn() computes standard errors for a converged run";
  report.peak_memory_bytes = peak_memory_bytes();
  return Model<double>(std::move(parts));
}

std::int64_t Hebbian::rows() const { return state_->rows; }
std::int64_t Hebbian::skipped() const { return state_->skipped; }
double Hebbian::row_weight() const { return state_->weight; }
std::int64_t Hebbian::steps() const { return state_->steps; }
double Hebbian::time() const { return state_->time; }
double Hebbian::rate() const { return state_->eta; }
Matrix<double> Hebbian::weights() const { return state_->weights(); }
Vector<double> Hebbian::mean() const { return state_->mean + state_->mean_lost; }
Vector<double> Hebbian::output_variances() const { return state_->covariance.diagonal(); }
double Hebbian::total_variance() const { return state_->total; }

}  // namespace mercer
