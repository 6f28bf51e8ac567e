#pragma once
// A run against its theory in a terminal: small charts of modes and angles, two side by side.

#include "terminal/terminal.hpp"

#include <mercer/trace.hpp>

#include <string>
#include <vector>

namespace mercer::cli {

/// The run in colour (letters where there is none), the ODE in grey (dots).
std::string run_charts(const std::vector<TraceRow>& trace, const Terminal& terminal);

}  // namespace mercer::cli
