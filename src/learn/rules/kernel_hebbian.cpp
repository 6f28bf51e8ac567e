#include "learn/rules/kernel_hebbian_state.hpp"

#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "core/require.hpp"
#include "core/weights.hpp"
#include "data/finite.hpp"
#include "kernels/weighted_width.hpp"
#include "operators/column_means.hpp"
#include "simd/hebbian_step.hpp"
#include "solvers/dense.hpp"

#include <cmath>
#include <limits>

namespace mercer {

namespace {

/// Outputs beyond this many times the longest row mean weights that explode.
constexpr double largest = 1e3;
/// ‖Φ̃(x)‖² = k(x, x) − 2 mean + grand where the means are sums over N rows: its rounding, relative
/// to the largest k(x, x).
double rounding_of(Index rows) {
  return (64 + static_cast<double>(rows)) * std::numeric_limits<double>::epsilon();
}

}  // namespace

KernelHebbian::State::State(const Kernel& k, const Rows<double>& rows, KernelHebbianOptions o,
                            const double* row_weights)
    : options(std::move(o)), kernel(k), rate(options.rate), random(options.seed) {
  const Index count = rows.rows();
  require(count >= 2, Errc::bad_data, "kernel Hebbian learning needs at least two rows, not {}",
          count);
  require(options.components >= 1, Errc::bad_option, "`components={}` must be at least 1",
          options.components);
  require(options.components < count, Errc::bad_option,
          "`components={}` is too large: {} rows have at most {} components", options.components,
          count, count - 1);
  x.resize(count, rows.cols());
  identity_map<double>(rows.cols())->apply(rows, x);
  for (Index i = 0; i < count; ++i)
    require(all_finite(x.row(i).data(), x.cols()), Errc::bad_data,
            "row {} has a missing or infinite cell; remove the row or fill in a number", i + 1);
  weighted = row_weights != nullptr;
  weights = Vector<double>::Ones(count);
  for (Index i = 0; weighted && i < count; ++i) {
    require(row_weights[i] >= 0 && std::isfinite(row_weights[i]), Errc::bad_data,
            "the weight of row {} is {}; weights must be numbers of 0 or more", i + 1,
            row_weights[i]);
    weights[i] = row_weights[i];
  }
  require(weights.sum() > 1, Errc::bad_data,
          "the row weights add up to {:g}; variances over N-1 need more than 1", weights.sum());
  share = weights / weights.sum();
  kernel = completed_by_weight(kernel, Rows<double>(x), row_weights);
  kernel.require_domain(Rows<double>(x));

  const double bytes = 8 * static_cast<double>(count) * static_cast<double>(count);
  mean = Vector<double>::Zero(count);
  if (bytes <= static_cast<double>(options.memory)) {
    kept = kernel.matrix(Rows<double>(x), {options.threads, options.monitor});
    mean = kept * share;
    grand = mean.dot(share);
    for (Index i = 0; i < count; ++i)
      kept.row(i).array() -= mean.transpose().array() + (mean[i] - grand);
    squares = kept.diagonal();
  } else {
    Vector<double> sums(count);
    each_block(natural_order(), [&](const Index* at, const std::vector<const double*>& pointers) {
      for (std::size_t r = 0; r < pointers.size(); ++r)
        sums[at[r]] = Eigen::Map<const Vector<double>>(pointers[r], count).dot(share);
    });
    mean = sums;
    grand = mean.dot(share);
    squares = kernel.diagonal(Rows<double>(x)).array() - 2 * mean.array() + grand;
  }
  // Rules multiply squared lengths, which are values of the kernel, with each other.
  constexpr double largest_value = 1e140, smallest_value = 1e-140;
  const double reach = kernel.diagonal(Rows<double>(x)).cwiseAbs().maxCoeff();
  require(reach <= largest_value, Errc::bad_data,
          "values of the kernel {} reach {:.2g}, more than the limit of {:g}: scale the data",
          kernel.text(), reach, largest_value);
  const double rounding = rounding_of(count) * reach;
  for (Index i = 0; i < count; ++i) {
    require(
        squares[i] >= -rounding, Errc::invalid_kernel,
        "row {} has the squared length {:.3g} about the mean in feature space: the kernel {} is "
        "not positive semidefinite on these rows",
        i + 1, squares[i], kernel.text());
    if (squares[i] < 0) squares[i] = 0;  // within the rounding of the sum that it is
  }
  require(squares.dot(share) > rounding, Errc::bad_data,
          "the rows have no variance in feature space");
  require(squares.dot(share) >= smallest_value, Errc::bad_data,
          "the variance in feature space is {:.2g}, less than the limit of {:g}: scale the data",
          squares.dot(share), smallest_value);
  // Weights of length about 1: a random combination of the rows.
  a = Matrix<double>::NullaryExpr(options.components, count, [&] { return random.normal(); });
  a /= std::sqrt(squares.sum());
  covariance = Matrix<double>::Zero(options.components, options.components);
}

KernelHebbian::KernelHebbian(const Kernel& kernel, const Rows<double>& x,
                             KernelHebbianOptions options, Weights row_weights)
    : state_(std::make_unique<State>(kernel, x, std::move(options),
                                     weights_of(row_weights, x.rows()))) {}
KernelHebbian::~KernelHebbian() = default;
KernelHebbian::KernelHebbian(KernelHebbian&&) noexcept = default;
KernelHebbian& KernelHebbian::operator=(KernelHebbian&&) noexcept = default;

void KernelHebbian::epoch() {
  State& s = *state_;
  std::vector<Index> order = s.natural_order();
  if (s.options.shuffle)
    for (std::size_t i = order.size() - 1; i > 0; --i)
      std::swap(order[i], order[s.random.below(i + 1)]);
  update(order);
}

void KernelHebbian::update(std::span<const Index> order) {
  State& s = *state_;
  const Index n = s.n(), k = s.options.components;
  for (const Index i : order)
    require(i >= 0 && i < n, Errc::bad_option, "there is no row {} of {}", i, n);
  // Sanger's step with e_i in the place of x: in feature space the row is one of the N.
  Vector<double> unit = Vector<double>::Zero(n), y(k), next(k);
  std::vector<double> scratch(static_cast<std::size_t>(hebbian_scratch(k)));
  const double mean_square = s.squares.dot(s.share), floor = 1e-12 * mean_square;
  Reporter report(s.options.monitor, "learning", "rows", static_cast<double>(order.size()));
  s.each_block(order, [&](const Index* rows, const std::vector<const double*>& sections) {
    report(static_cast<double>(rows - order.data()));
    outputs(s.a.data(), k, n, sections[0], y.data(), scratch.data());
    for (std::size_t r = 0; r < sections.size(); ++r) {
      const double square = s.squares[rows[r]], output = y.squaredNorm();
      ++s.steps;
      // Rows at the mean have outputs of rounding.
      require(output <= static_cast<double>(k) * largest * largest * (square + floor),
              Errc::not_converged,
              "step {}: with the rate {:.3g} the weights diverge; stay well below {:.2g}, one over "
              "the mean square of the rows in feature space, or use `rate=auto`",
              s.steps, s.eta, 1 / mean_square);
      // A row of weight 0 is met, and nothing is learned from it.
      s.eta = 0;
      if (const double own = s.weights[rows[r]]; own > 0) {
        s.eta = own * s.rate.next({.square = square,
                                   .output = output,
                                   .longest = square * y.cwiseAbs2().maxCoeff(),
                                   .gradient = square * output,
                                   .rows = 1,
                                   .weight = own});
        require(std::isfinite(s.eta) && s.eta >= 0, Errc::not_converged,
                "step {}: the rate {} is {}", s.steps, s.options.rate.text(), s.eta);
        s.time += s.eta;
        if (s.first_square >= 0) {
          const double first = y[0] * y[0], c = 1 - s.eta * first;
          s.first_square =
              c * c * s.first_square + 2 * c * s.eta * first + s.eta * s.eta * first * square;
        }
        const double before = s.learned / (s.learned + own);
        s.learned += own;
        s.covariance += (1 - before * before * before) * (y * y.transpose() - s.covariance);
      }
      const bool more = r + 1 < sections.size();
      unit[rows[r]] = 1;
      sanger_step(s.a.data(), k, n, unit.data(), y.data(), s.eta, more ? sections[r + 1] : nullptr,
                  next.data(), scratch.data());
      unit[rows[r]] = 0;
      std::swap(y, next);
    }
  });
  require(s.a.allFinite(), Errc::not_converged, "step {}: with the rate {:.3g} the weights diverge",
          s.steps, s.eta);
}

KernelHebbian::State::Components KernelHebbian::State::components() const {
  const Index k = options.components;
  const Matrix<double> y = outputs_of(a);
  const Matrix<double> gram = y * a.transpose();
  // Gram–Schmidt in feature space, twice as always: t·W has orthonormal rows.
  Matrix<double> t = Matrix<double>::Identity(k, k);
  for (Index j = 0; j < k; ++j) {
    auto row = t.row(j);
    for (int pass = 0; pass < 2; ++pass)
      for (Index i = 0; i < j; ++i) row -= row.dot(gram * t.row(i).transpose()) * t.row(i);
    const double square = row.dot(gram * row.transpose());
    require(square > 1e-20 * gram(j, j), Errc::not_converged,
            "the weights of component {} depend linearly on the previous ones; learn fewer "
            "components, or for more epochs",
            j + 1);
    row /= std::sqrt(square);
  }
  const Matrix<double> b = t * a;
  const Vector<double> mu = (t * y).cwiseAbs2() * weights;
  std::vector<Index> order(static_cast<std::size_t>(k));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index i, Index j) { return mu[i] > mu[j]; });
  Components out{Matrix<double>(k, n()), Vector<double>(k)};
  for (Index j = 0; j < k; ++j) {
    out.b.row(j) = b.row(order[static_cast<std::size_t>(j)]);
    out.variances[j] = mu[order[static_cast<std::size_t>(j)]];
  }
  return out;
}

Model<double> KernelHebbian::model() const {
  const State& s = *state_;
  const Index n = s.n();
  require(s.steps > 0, Errc::bad_data, "no rows were learned yet: call epoch() first");
  const State::Components found = s.components();
  ModelParts<double> parts;
  parts.map = kernel_map<double>(s.kernel, s.x);
  // Φ̃ is Φ less its mean: coefficients of Φ add up to 0.
  parts.components = found.b - found.b.rowwise().sum() * s.share.transpose();
  parts.eigenvalues = found.variances;
  fix_signs(parts.components);
  parts.mean = s.mean;
  ColumnMeans means(s.x.cols());
  means.add(Rows<double>(s.x), s.weights.data(), 1);
  parts.input_mean = means.mean();
  Report& report = parts.report;
  report.method = "kernel-hebbian";
  report.n_samples = n;
  report.weight = s.weights.sum();
  report.weighted = s.weighted;
  report.total_variance = s.squares.dot(s.weights) / (report.weight - 1);
  report.solver.name = "gha";
  report.solver.why = fmt::format("{} steps at rate {}", s.steps, s.options.rate.text());
  report.solver.passes = static_cast<int>(s.steps / n);
  const double all = s.squares.dot(s.weights), share = parts.eigenvalues.sum() / all;
  require(
      share <= 1 + 1e-9, Errc::not_converged,
      "the components have {:.6f} of the variance, which is impossible; please report this with "
      "the command and the data",
      share);
  report.solver.converged = false;  // not checked here: `learn` does
  report.certificate.reason = "learned; learn() computes intervals for a converged run";
  report.peak_memory_bytes = peak_memory_bytes();
  return Model<double>(std::move(parts));
}

std::int64_t KernelHebbian::steps() const { return state_->steps; }
double KernelHebbian::time() const { return state_->time; }
double KernelHebbian::rate() const { return state_->eta; }
const Matrix<double>& KernelHebbian::coefficients() const { return state_->a; }
Vector<double> KernelHebbian::output_variances() const { return state_->covariance.diagonal(); }
double KernelHebbian::total_variance() const { return state_->squares.dot(state_->share); }

}  // namespace mercer
