#pragma once
// Calls a monitor at most ten times a second, and turns its "stop" into an error.

#include <mercer/error.hpp>
#include <mercer/progress.hpp>

#include <chrono>

namespace mercer {

class Reporter {
 public:
  Reporter(const Monitor& monitor, std::string_view what, std::string_view unit, double total)
      : monitor_(monitor), progress_{what, 0, total, unit} {}

  void total(double total) { progress_.total = total; }
  /// What to say beside the count; must live until the next call.
  void note(std::string_view note) { progress_.note = note; }

  void operator()(double done) {
    if (!monitor_) return;
    const auto now = std::chrono::steady_clock::now();
    if (now < due_) return;
    due_ = now + std::chrono::milliseconds(100);
    progress_.done = done;
    if (!monitor_(progress_)) throw Error(Errc::interrupted, "interrupted");
  }

 private:
  const Monitor& monitor_;
  Progress progress_;
  std::chrono::steady_clock::time_point due_{};
};

}  // namespace mercer
