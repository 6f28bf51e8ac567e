#include "options.hpp"

#include "core/parallel.hpp"
#include "work.hpp"

#include <algorithm>
#include <string>

extern "C" int openblas_get_num_threads();

namespace mercer::python {

namespace {

Components components_of(const py::handle& asked) {
  if (asked.is_none()) return {};
  if (py::isinstance<py::float_>(asked)) return variance_fraction(asked.cast<double>());
  return at_most(asked.cast<Index>());
}

Solver solver_of(const std::string& name) {
  for (const SolverEntry& entry : solver_table())
    if (entry.name == name) return entry.solver;
  throw py::value_error("there is no solver '" + name + "'");
}

}  // namespace

FitOptions fit_options(const py::dict& words) {
  FitOptions o;
  o.threads = thread_limit();
  for (const auto& [key, value] : words) {
    const auto name = key.cast<std::string>();
    if (name == "components") o.components = components_of(value);
    else if (name == "kernel") o.kernel = Kernel::parse(value.cast<std::string>());
    else if (name == "precomputed") o.precomputed = value.cast<bool>();
    else if (name == "keep_null") o.keep_null = value.cast<bool>();
    else if (name == "columns" || name == "team") continue;       // of the map; of the rows
    else if (name == "checkpoint" || name == "resume") continue;  // of this fit
    else if (name == "clip") o.clip = value.cast<bool>();
    else if (name == "approx") o.approx = parse_approx(value.cast<std::string>());
    else if (name == "solver") o.solver = solver_of(value.cast<std::string>());
    else if (name == "tolerance") o.tolerance = value.cast<double>();
    else if (name == "center") o.center = value.cast<bool>();
    else if (name == "scale") o.scale = value.cast<bool>() ? Scale::std : Scale::none;
    else if (name == "ddof") o.ddof = value.cast<int>();
    else if (name == "memory") o.memory = value.cast<std::size_t>();
    else if (name == "threads") o.threads = value.cast<int>();
    else if (name == "seed") o.seed = value.cast<std::uint64_t>();
    else if (name == "monitor") o.monitor = monitor_of(py::reinterpret_borrow<py::object>(value));
    else throw py::type_error("fit has no option '" + name + "'");
  }
  return o;
}

int thread_limit() { return std::clamp(openblas_get_num_threads(), 1, thread_count(0)); }

}  // namespace mercer::python
