#pragma once
// A bar on standard error for what takes longer than a second, with rate and time left.

#include "terminal/terminal.hpp"

#include <mercer/progress.hpp>

#include <chrono>
#include <string>

namespace mercer::cli {

class ProgressBar {
 public:
  /// Draws only when `visible` and standard error is a terminal.
  explicit ProgressBar(bool visible);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  /// Draws; returns whether to continue: false after Ctrl-C.
  Monitor monitor();

  /// Takes the bar off the screen.
  void erase();

 private:
  using Clock = std::chrono::steady_clock;
  void draw(const Progress& progress);

  Terminal terminal_;
  bool asked_, noted_ = false;  // for words; said once
  bool visible_;
  bool drawn_ = false;
  std::string what_;
  Clock::time_point start_;
};

/// One line: what, bar and percentage when the total is known, rate, time left.
std::string progress_line(const Progress& progress, double seconds, const Terminal& terminal);

}  // namespace mercer::cli
