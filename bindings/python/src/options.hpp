#pragma once
// Keyword arguments as the library's options.

#include <mercer/fit.hpp>

#include <pybind11/pybind11.h>

namespace mercer::python {

namespace py = pybind11;

/// `components` is None, a count (that many at most) or a fraction below 1; `threads` are otherwise
/// as many as `thread_limit`. TypeError for a name that FitOptions does not have.
FitOptions fit_options(const py::dict& words);

/// None: as many as BLAS may use, which threadpoolctl and the environment limit.
int thread_limit();

}  // namespace mercer::python
