#include "trace_of.hpp"

#include "arrays.hpp"

#include <algorithm>
#include <string>

namespace mercer::python {

py::dict trace_dict(const std::vector<TraceRow>& trace) {
  py::dict out;
  if (trace.empty()) return out;
  const std::vector<std::string> names = trace_columns(trace.front());
  Matrix<double> columns(static_cast<Index>(names.size()), static_cast<Index>(trace.size()));
  for (Index i = 0; i < columns.cols(); ++i) {
    const std::vector<double> values = trace_values(trace[static_cast<std::size_t>(i)]);
    columns.col(i) = Eigen::Map<const Vector<double>>(values.data(), columns.rows());
  }
  for (Index j = 0; j < columns.rows(); ++j)
    out[py::str(names[static_cast<std::size_t>(j)])] =
        array_of(Vector<double>(columns.row(j).transpose()));
  return out;
}

std::vector<TraceRow> trace_of(const py::dict& columns) {
  std::vector<std::string> given;
  for (const auto& item : columns) given.push_back(item.first.cast<std::string>());
  const auto begun_with = [&](std::string_view stem) {
    return static_cast<Index>(
        std::ranges::count_if(given, [&](const std::string& n) { return n.starts_with(stem); }));
  };
  const Index modes = begun_with("theta_"), neurons = begun_with("span_angle_");
  const bool ode = modes == 0 || begun_with("ode_theta_") > 0;
  const Index per_neuron = begun_with("w1_");  // w1_1, w1_2, … of the first neuron
  const Index weight_rows =
      per_neuron == 0 ? 0
                      : static_cast<Index>(std::ranges::count_if(given, [](const std::string& n) {
                          return n.starts_with("w") && n.ends_with("_1");
                        }));
  const std::vector<std::string> names =
      trace_columns(modes, neurons, ode, weight_rows, per_neuron);
  Matrix<double> values;
  for (std::size_t j = 0; j < names.size(); ++j) {
    const std::string& name = names[j];
    if (!columns.contains(name)) throw py::value_error("the trace has no column '" + name + "'");
    const auto column = columns[name.c_str()].cast<Flat<double>>();
    if (j == 0) values.resize(column.size(), static_cast<Index>(names.size()));
    if (column.ndim() != 1 || column.size() != values.rows())
      throw py::value_error("column '" + name + "' of the trace is not a list of " +
                            std::to_string(values.rows()) + " numbers like '" + names[0] + "'");
    values.col(static_cast<Index>(j)) =
        Eigen::Map<const Vector<double>>(column.data(), column.size());
  }
  std::vector<TraceRow> trace;
  for (Index i = 0; i < values.rows(); ++i)
    trace.push_back(trace_row(values.row(i).data(), modes, neurons, ode, weight_rows, per_neuron));
  return trace;
}

}  // namespace mercer::python
