#include "pca/linear/fit_linear.hpp"

#include "core/memory.hpp"
#include "model/parts.hpp"
#include "pca/linear/solver_row.hpp"
#include "pca/linear/spectrum.hpp"
#include "pca/model_of.hpp"
#include "pca/plan_steps.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>

#include <chrono>
#include <string>
#include <utility>

namespace mercer {

template <class T>
Model<T> fit_linear(Passes<T>& passes, Plan plan, const FitOptions& options, const Schema& schema) {
  require_possible(plan);
  const auto start = std::chrono::steady_clock::now();
  std::string why = plan.chosen.why;
  bool rescued = false;
  ModelParts<T> parts;
  const auto take = [&] {
    Spectrum s = find_spectrum(plan.solver, passes, options, plan.work);
    rescued = s.rescued;
    parts = parts_of<T>(std::move(s), passes.rows(), passes.weight(), options);
  };
  try {
    take();
  } catch (const Error& error) {
    if (!plan.otherwise ||
        (error.code() != Errc::not_converged && error.code() != Errc::bad_option))
      throw;
    why = fmt::format("{} did not reach the tolerance", linear_solver(plan.solver)->what);
    plan.solver = *plan.otherwise;
    take();
  }
  parts.feature_names = schema.feature_names;
  parts.label_column = schema.label;
  parts.id_column = schema.id;

  Report& report = parts.report;
  report.weighted = schema.weighted;
  report.solver.name = name_of(plan.solver);
  report.solver.why = why;
  if (rescued) report.solver.why += "; small variances by a QR of the centred rows";
  if (passes.exponent() != 0)
    report.solver.why += fmt::format("; rows scaled by 2^{} during the fit", passes.exponent());
  report.solver.passes = passes.count();
  report.plan = std::move(plan);
  report.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  report.peak_memory_bytes = peak_memory_bytes();
  return Model<T>(std::move(parts));
}

template Model<float> fit_linear(Passes<float>&, Plan, const FitOptions&, const Schema&);
template Model<double> fit_linear(Passes<double>&, Plan, const FitOptions&, const Schema&);

}  // namespace mercer
