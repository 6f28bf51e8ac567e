#include <mercer/trace.hpp>

#include <fmt/format.h>

namespace mercer {

namespace {
constexpr Index plain = 7;  // columns before the modes
}

std::vector<std::string> trace_columns(Index modes) {
  std::vector<std::string> names = {"step",     "time",     "eta", "norm", "output_variance",
                                    "rayleigh", "lyapunov"};
  const auto add = [&](const char* a, const char* b, const char* c) {
    for (Index j = 1; j <= modes; ++j)
      for (const char* name : {a, b, c}) names.push_back(fmt::format("{}_{}", name, j));
  };
  add("theta", "ode_theta", "angle");
  add("alpha", "ode_alpha", "span_angle");
  if (modes > 0) names.emplace_back("lyapunov_sign");
  return names;
}

std::vector<double> trace_values(const TraceRow& row) {
  std::vector<double> values = {static_cast<double>(row.step), row.time,     row.eta,     row.norm,
                                row.output_variance,           row.rayleigh, row.lyapunov};
  for (const TraceRow::Mode& m : row.modes)
    values.insert(values.end(), {m.theta, m.ode_theta, m.angle});
  for (const TraceRow::Mode& m : row.modes)
    values.insert(values.end(), {m.alpha, m.ode_alpha, m.span_angle});
  if (!row.modes.empty()) values.push_back(row.lyapunov_sign);
  return values;
}

TraceRow trace_row(const double* values, Index modes) {
  TraceRow row{.step = static_cast<std::int64_t>(values[0]),
               .time = values[1],
               .eta = values[2],
               .norm = values[3],
               .output_variance = values[4],
               .rayleigh = values[5],
               .lyapunov = values[6],
               .lyapunov_sign = 0,
               .modes = {}};
  for (Index j = 0; j < modes; ++j) {
    const double* a = values + plain + 3 * j;
    const double* b = a + 3 * modes;
    row.modes.push_back({a[0], a[1], a[2], b[0], b[1], b[2]});
  }
  if (modes > 0) row.lyapunov_sign = values[plain + 6 * modes];
  return row;
}

}  // namespace mercer
