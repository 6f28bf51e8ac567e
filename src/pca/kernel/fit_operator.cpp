// Kernel PCA of a centred matrix that is given by its products.
#include <mercer/fit_operator.hpp>

#include "core/memory.hpp"
#include "core/monitor.hpp"
#include "core/require.hpp"
#include "kernels/pick_rows.hpp"
#include "pca/kernel/kernel_certificate.hpp"
#include "pca/kernel/kernel_problem.hpp"
#include "pca/model_of.hpp"
#include "pca/validate.hpp"
#include "solvers/krylov.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace mercer {

namespace {

using Kind = Components::Kind;

void validate_for_operator(const FitOptions& o) {
  validate(o);
  require(!o.kernel && !o.precomputed && !o.approx && o.seconds == 0, Errc::bad_option,
          "`kernel`, `precomputed`, `approx` and `seconds` are for rows: an operator already "
          "has its kernel values");
  require(o.center, Errc::bad_option, "an operator that is to be fitted is centred");
  require(!o.checkpoint, Errc::bad_option,
          "`checkpoint` is for rows: nothing tells whether an operator is the same when the fit "
          "continues");
  require(o.scale == Scale::none && o.missing == Missing::error && o.keep_rows == 0,
          Errc::bad_option, "`scale`, `missing` and `keep_rows` are for rows, not for operators");
  require(o.solver == Solver::automatic, Errc::bad_option, "`solver`: operators have krylov only");
  const Kind kind = o.components.kind();
  require(kind == Kind::all || kind == Kind::count || kind == Kind::fraction, Errc::bad_option,
          "`components`: an operator has no columns to choose a number by; use a count or a "
          "fraction");
}

/// Products are taken to be right to this share of the largest eigenvalue.
double noise_of(Index n, double largest) {
  return 64 * static_cast<double>(n) * 0x1p-52 * std::abs(largest);
}

/// Of JKJv as computed by sums of n products, and of the means of its centring: |K| has no entry
/// above its diagonal, so its norm is at most tr K = `size`.
RoundingBound rounding_of_products(Index n, double size) {
  constexpr double unit = 0x1p-53;
  const auto count = static_cast<double>(n);
  return {(2 * count + 8) * unit * size, (2 * std::sqrt(count) + 8) * unit * size};
}

struct Pairs {
  KrylovResult found;
  double trace = 0;
};

Pairs solve(const detail::CenteredProduct& a, const FitOptions& options,
            const KernelOrigin& origin) {
  const Index n = a.size, most = most_components(n, options);
  const Components& asked = options.components;
  const Index first = std::min(asked.kind() == Kind::count ? asked.count() : Index{32}, most);
  BlockKrylov how{.tolerance = options.tolerance, .seed = options.seed};
  if (options.memory > 0) how = within_memory(how, n, first, options.memory);
  Reporter report(options.monitor, "operator", "passes", 0);
  const Completeness complete{.norms = [] { return MatrixNorms{}; }, .lower_end = true};
  const KrylovRun run{.threads = options.threads,
                      .monitor = [&](int pass, double) { report(pass); },
                      .complete = &complete};
  report(0);
  Pairs out;
  const auto enough = [&](const Vector<double>& values) {
    out.trace = a.trace();
    require(std::isfinite(out.trace), Errc::bad_data, "the trace of the operator is {}", out.trace);
    // Products are squared, and sums of squares are again.
    require(out.trace == 0 || (std::abs(out.trace) < 1e140 && std::abs(out.trace) > 1e-140),
            Errc::bad_data,
            "the trace of the operator is {:.3g}: scale it to between 1e-140 and 1e140", out.trace);
    return std::min(kept_components(asked, values, out.trace, noise_of(n, values[0]),
                                    values.size() == n, false, origin),
                    most);
  };
  out.found = krylov_eigenpairs_until(n, a.apply, first, enough, how, run);
  return out;
}

/// What must hold of a matrix of inner products.
void check(const Pairs& pairs, Index n, double tolerance) {
  const Vector<double>& values = pairs.found.pairs.values;
  const double slack = std::max(noise_of(n, values[0]), tolerance * values[0]);
  require(pairs.found.smallest >= -slack, Errc::invalid_kernel,
          "the operator is not positive semi-definite: it has an eigenvalue of {:.3g} or less "
          "(the largest is {:.3g})",
          pairs.found.smallest, values[0]);
  const double sum = values.sum();
  require(sum <= pairs.trace + static_cast<double>(values.size() + 1) * slack, Errc::bad_data,
          "{} eigenvalues of the operator add up to {:.6g}, and its trace is given as {:.6g}",
          values.size(), sum, pairs.trace);
}

std::shared_ptr<const Map<double>> map_for(const detail::CenteredProduct& a, const Kernel* kernel,
                                           const Rows<double>& rows, bool has_mean) {
  if (!kernel) return has_mean ? precomputed_map<double>(a.size) : operator_map<double>(a.size);
  require(rows.rows() == a.size, Errc::bad_data, "the operator has {} rows, {} are given", a.size,
          rows.rows());
  require(has_mean, Errc::bad_data, "an operator without its mean cannot score new rows");
  Matrix<double> anchors(rows.rows(), rows.cols());
  identity_map<double>(rows.cols())->apply(rows, anchors);
  return kernel_map<double>(*kernel, std::move(anchors));
}

}  // namespace

Model<double> detail::fit_operator(const CenteredProduct& a, const Kernel* kernel,
                                   const Rows<double>& rows, const FitOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  validate_for_operator(options);
  const Index n = a.size;
  require(n >= 2, Errc::bad_data, "an operator of {} rows has no variance", n);
  Pairs pairs = solve(a, options, {.what = "the operator"});
  check(pairs, n, options.tolerance);
  const Eigenpairs& p = pairs.found.pairs;
  const Vector<double> mean = a.mean();
  require(mean.size() == 0 || (mean.size() == n && mean.allFinite()), Errc::bad_data,
          "the mean of the operator has {} finite numbers or none, not {}", n, mean.size());

  ModelParts<double> parts;
  parts.map = map_for(a, kernel, rows, mean.size() > 0);
  parts.components = p.vectors;
  parts.components.colwise() -= p.vectors.rowwise().mean();  // Σ b = 0, as it is but for rounding
  parts.components.array().colwise() /= p.values.array().sqrt();
  fix_signs(parts.components);
  parts.mean = mean.size() > 0 ? mean : Vector<double>(Vector<double>::Zero(n));
  if (kernel) parts.input_mean = Vector<double>::Zero(rows.cols());
  require_representable(parts);
  parts.eigenvalues = p.values;

  Report& report = parts.report;
  report.method = "kernel-pca";
  report.n_samples = n;
  report.weight = static_cast<double>(n);
  report.ddof = options.ddof;
  report.total_variance = pairs.trace / (report.weight - options.ddof);
  const Vector<double> relative = p.residuals / p.values[0];
  report.solver = {.name = "krylov",
                   .why = "an operator was given",
                   .passes = pairs.found.passes,
                   .residuals = {relative.data(), relative.data() + relative.size()},
                   .tolerance = options.tolerance,
                   .converged = true};
  // No eigenvalue of a positive semi-definite matrix exceeds its trace.
  const double ceiling = std::min(pairs.found.ceiling, pairs.trace + noise_of(n, p.values[0]));
  report.certificate =
      certified(p.values, p.residuals, ceiling, rounding_of_products(n, pairs.trace + mean.sum()),
                pairs.found.confidence, options.tolerance);
  std::string& reason = report.certificate.reason;
  reason += reason.empty() ? "" : "; ";
  reason += "products with the operator are assumed to be as accurate as sums of n products";
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.peak_memory_bytes = peak_memory_bytes();
  return Model<double>(std::move(parts));
}

}  // namespace mercer
