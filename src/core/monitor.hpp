#pragma once
// Calls a monitor at most ten times per second, and turns its "stop" into an error.

#include <mercer/error.hpp>
#include <mercer/matrix.hpp>
#include <mercer/progress.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

namespace mercer {

class Reporter {
 public:
  Reporter(const Monitor& monitor, std::string_view what, std::string_view unit, double total)
      : monitor_(monitor), progress_{what, 0, total, unit} {}

  void total(double total) { progress_.total = total; }
  /// A note next to the count; must live until the next call.
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

/// Work on rows that can be cut anywhere: all at once without a monitor; else in pieces of some 1e9
/// flops, with a call of the monitor before each.
template <class Work>
void in_pieces(Index rows, double flops_per_row, const Monitor& monitor, std::string_view what,
               const Work& work) {
  if (rows <= 0) return;
  if (!monitor) return work(Index{0}, rows);
  Reporter report(monitor, what, "rows", static_cast<double>(rows));
  const auto piece = static_cast<Index>(std::max(1024.0, 1e9 / std::max(flops_per_row, 1.0)));
  for (Index first = 0; first < rows; first += piece) {
    report(static_cast<double>(first));
    work(first, std::min(piece, rows - first));
  }
}

/// Progress of work that several threads share. All of them count what they have done; the thread
/// that made it calls the monitor.
class SharedReporter {
 public:
  SharedReporter(const Monitor& monitor, std::string_view what, std::string_view unit, double total)
      : report_(monitor, what, unit, total), active_(static_cast<bool>(monitor)) {}

  /// So much more is done. False: the work is stopped, and the caller should end. On the thread
  /// that made this, stopping is an error instead.
  bool add(double more) {
    if (!active_) return true;
    const double done = done_.fetch_add(more) + more;
    if (std::this_thread::get_id() != owner_) return !stopped_;
    try {
      report_(done);
    } catch (...) {
      stopped_ = true;
      throw;
    }
    return true;
  }

 private:
  Reporter report_;
  bool active_;
  std::thread::id owner_ = std::this_thread::get_id();
  std::atomic<double> done_{0};
  std::atomic<bool> stopped_{false};
};

/// Work on rows in pieces that are the same with and without a monitor, so that the results are
/// too; calls the monitor before each.
template <class Work>
void in_equal_pieces(Index rows, SharedReporter& report, const Work& work) {
  constexpr Index piece = 512;
  for (Index first = 0; first < rows; first += piece) {
    const Index count = std::min(piece, rows - first);
    report.add(static_cast<double>(count));
    work(first, count);
  }
}

}  // namespace mercer
