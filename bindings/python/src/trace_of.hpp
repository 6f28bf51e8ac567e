#pragma once
// Traces of learning runs as Python has them: arrays by the names of their columns.

#include <mercer/trace.hpp>

#include <pybind11/pybind11.h>

#include <vector>

namespace mercer::python {

pybind11::dict trace_dict(const std::vector<TraceRow>& trace);

/// And back; other columns are ignored. ValueError if one is missing or has another length.
std::vector<TraceRow> trace_of(const pybind11::dict& columns);

}  // namespace mercer::python
