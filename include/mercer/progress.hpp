#pragma once
/// \file
/// Progress and cancellation of long computations.
///
///     mercer::FitOptions options;
///     options.monitor = [](const mercer::Progress& p) {
///       draw_bar(p.what, p.done / p.total);
///       return !stop_button_pressed;      // false: the call throws Error{Errc::interrupted}
///     };

#include <functional>
#include <string_view>

namespace mercer {

struct Progress {
  std::string_view what;  ///< current step: "reading", "covariance", …
  double done = 0;
  double total = 0;         ///< 0 when unknown
  std::string_view unit;    ///< unit of `done`: "rows", "bytes", …
  std::string_view note{};  ///< short remark; often empty
};

/// Called at most a few times per second and step, always from the calling thread. Returning false
/// stops the computation with `Errc::interrupted`. An empty monitor never stops it.
using Monitor = std::function<bool(const Progress&)>;

}  // namespace mercer
