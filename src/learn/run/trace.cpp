#include <mercer/trace.hpp>

#include <fmt/format.h>

#include <initializer_list>
#include <limits>

namespace mercer {

namespace {

constexpr Index plain = 7;  // columns before the modes

std::vector<std::string> numbers_of_run(Index modes, Index neurons, bool ode) {
  std::vector<std::string> names = {"step",     "time",    "eta", "norm", "output_variance",
                                    "rayleigh", "lyapunov"};
  if (modes == 0) return names;
  const auto add = [&](Index j, std::initializer_list<const char*> all) {
    for (const char* name : all) names.push_back(fmt::format("{}_{}", name, j));
  };
  if (!ode) {
    for (Index j = 1; j <= modes; ++j) add(j, {"theta", "angle"});
    for (Index j = 1; j <= modes; ++j) add(j, {"alpha"});
    names.emplace_back("lyapunov_sign");
    return names;
  }
  for (Index j = 1; j <= modes; ++j) add(j, {"theta", "ode_theta", "angle"});
  for (Index j = 1; j <= modes; ++j) add(j, {"alpha", "ode_alpha", "ode_angle"});
  names.emplace_back("lyapunov_sign");
  names.emplace_back("ode_norm");
  for (Index j = 1; j <= neurons; ++j) names.push_back(fmt::format("span_angle_{}", j));
  return names;
}

std::vector<double> values_of_run(const TraceRow& row) {
  std::vector<double> values = {static_cast<double>(row.step), row.time,     row.eta,     row.norm,
                                row.output_variance,           row.rayleigh, row.lyapunov};
  if (row.modes.empty()) return values;
  if (!row.ode) {
    for (const TraceRow::Mode& m : row.modes) values.insert(values.end(), {m.theta, m.angle});
    for (const TraceRow::Mode& m : row.modes) values.push_back(m.alpha);
    values.push_back(row.lyapunov_sign);
    return values;
  }
  for (const TraceRow::Mode& m : row.modes)
    values.insert(values.end(), {m.theta, m.ode_theta, m.angle});
  for (const TraceRow::Mode& m : row.modes)
    values.insert(values.end(), {m.alpha, m.ode_alpha, m.ode_angle});
  values.push_back(row.lyapunov_sign);
  values.push_back(row.ode_norm);
  values.insert(values.end(), row.span_angles.begin(), row.span_angles.end());
  return values;
}

TraceRow row_of_run(const double* values, Index modes, Index neurons, bool ode) {
  TraceRow row;
  row.step = static_cast<std::int64_t>(values[0]);
  row.time = values[1];
  row.eta = values[2];
  row.norm = values[3];
  row.output_variance = values[4];
  row.rayleigh = values[5];
  row.lyapunov = values[6];
  row.ode = ode;
  if (modes == 0) return row;
  const double* theta = values + plain;
  if (!ode) {
    constexpr double absent = std::numeric_limits<double>::quiet_NaN();
    for (Index j = 0; j < modes; ++j)
      row.modes.push_back(
          {theta[2 * j], absent, theta[2 * j + 1], theta[2 * modes + j], absent, absent});
    row.lyapunov_sign = theta[3 * modes];
    row.ode_norm = absent;
    row.span_angles.assign(static_cast<std::size_t>(neurons), absent);
    return row;
  }
  const double* alpha = theta + 3 * modes;
  for (Index j = 0; j < modes; ++j, theta += 3, alpha += 3)
    row.modes.push_back({theta[0], theta[1], theta[2], alpha[0], alpha[1], alpha[2]});
  row.lyapunov_sign = *alpha++;
  row.ode_norm = *alpha++;
  row.span_angles.assign(alpha, alpha + neurons);
  return row;
}

}  // namespace

std::vector<std::string> trace_columns(Index modes, Index neurons, bool ode, Index weight_rows,
                                       Index weight_columns) {
  std::vector<std::string> names = numbers_of_run(modes, neurons, ode);
  for (Index j = 1; j <= weight_rows; ++j)
    for (Index i = 1; i <= weight_columns; ++i) names.push_back(fmt::format("w{}_{}", j, i));
  return names;
}

std::vector<std::string> trace_columns(const TraceRow& row) {
  return trace_columns(static_cast<Index>(row.modes.size()),
                       static_cast<Index>(row.span_angles.size()), row.ode, row.weights.rows(),
                       row.weights.cols());
}

std::vector<double> trace_values(const TraceRow& row) {
  std::vector<double> values = values_of_run(row);
  values.insert(values.end(), row.weights.data(), row.weights.data() + row.weights.size());
  return values;
}

TraceRow trace_row(const double* values, Index modes, Index neurons, bool ode, Index weight_rows,
                   Index weight_columns) {
  TraceRow row = row_of_run(values, modes, neurons, ode);
  const auto before = numbers_of_run(modes, neurons, ode).size();
  row.weights = Eigen::Map<const Matrix<double>>(values + before, weight_rows, weight_columns);
  return row;
}

}  // namespace mercer
