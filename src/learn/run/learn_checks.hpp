#pragma once
// When a run is checked for convergence, and when that ends it.

#include "learn/run/checkpoint.hpp"

#include <mercer/learn.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace mercer {

/// Checks are half as far apart again each time: where rates fall as 1/n, what a run still turns in
/// a fixed number of rows would become small without its coming to an end.
class ConvergenceChecks {
 public:
  /// `rows` of an epoch, 0 if unknown. In memory and without a number of epochs, a run ends by
  /// itself.
  ConvergenceChecks(const LearnOptions& options, bool in_memory, std::int64_t rows);

  const Convergence& latest() const { return latest_; }
  const std::string& note() const { return note_; }               ///< for the monitor
  const std::optional<LearnStop>& stop() const { return stop_; }  ///< none: the run goes on
  std::int64_t next() const { return next_; }                     ///< rows at the next check
  bool none() const { return checks_ == 0; }

  void take(Convergence found, std::int64_t rows);
  /// No step was taken since the run began.
  void skip(std::int64_t rows);
  /// At the end of the run. A check soon after another sees little turning.
  void take_last(Convergence found, std::int64_t rows);

  void save(Checkpoint& to) const;
  /// Throws `std::out_of_range` if something is missing.
  void restore(const Checkpoint& from, Index components);

 private:
  LearnStop reason() const {
    return latest_.converged ? LearnStop::converged : LearnStop::not_moving;
  }

  double until_;
  bool requested_;      // `until`, by the caller
  const char* remedy_;  // of the rule, or null
  std::int64_t first_, next_;
  std::int64_t checks_ = 0, calm_ = 0;
  std::int64_t taken_at_ = 0;  // rows at the last one
  Convergence latest_;
  std::string note_;
  std::optional<LearnStop> stop_;
};

}  // namespace mercer
