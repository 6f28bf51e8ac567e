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

/// All functions that may take longer than a second have a `monitor` in their options. Called at
/// most a few times per second and step, always from the calling thread. Returning false stops the
/// computation with `Errc::interrupted`. An empty monitor never stops it.
using Monitor = std::function<bool(const Progress&)>;

/// What all work has that needs no other options.
///
///     auto gram = mercer::kernels::rbf({.gamma = 1}).matrix(x, {.threads = 2});
struct RunOptions {
  int threads = 0;  ///< 0: one per core
  Monitor monitor{};
};

}  // namespace mercer
