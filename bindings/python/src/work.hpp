#pragma once
// Computing without the interpreter: other Python threads run meanwhile, Ctrl-C and callbacks are
// handled a few times per second.

#include <mercer/progress.hpp>
#include <mercer/rows.hpp>

#include <pybind11/pybind11.h>

#include <algorithm>

namespace mercer::python {

namespace py = pybind11;

/// A monitor that lets Python handle its signals and calls `callback(what, done, total, unit,
/// note)` unless that is None. What either raises ends the work and comes out as itself.
Monitor monitor_of(const py::object& callback);

/// Raises what a signal handler raises, KeyboardInterrupt for Ctrl-C.
void check_signals();

/// Runs `work` with the interpreter released.
template <class Work>
auto released(const Work& work) {
  const py::gil_scoped_release release;
  return work();
}

/// Runs work(first, count) over parts of n rows of some `flops` each, none of which takes much
/// longer than a second, with a look at signals in between.
template <class Work>
void in_parts(Index n, double flops, const Work& work) {
  const auto most = static_cast<Index>(std::min(1e18, 2e10 / std::max(flops, 1.0)));
  const Index step = std::max<Index>(4096, most / 4096 * 4096);
  for (Index i = 0; i < n; i += step) {
    released([&] { work(i, std::min(step, n - i)); });
    if (i + step < n) check_signals();
  }
}

}  // namespace mercer::python
