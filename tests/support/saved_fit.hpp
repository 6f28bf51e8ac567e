#pragma once
// Fits that save their passes, on any number of ranks, and are stopped.

#include "support/team_fit.hpp"
#include "support/temp_dir.hpp"

#include <mercer/fit.hpp>
#include <mercer/fit_checkpoint.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace mercer::test {

inline constexpr int never = std::numeric_limits<int>::max();

/// For messages.
inline std::string shown(const std::string& result) {
  return result.size() < 600 ? result : "a model";
}

struct Outcome {
  std::vector<std::string> models;  // their bytes, or the message of the error, of each rank
  int calls = 0;                    // of the monitor of the last rank
  int passes = 0, passes_read = 0;  // on rank 0
  bool stopped() const { return models.front() == "interrupted"; }
  std::string message() const { return shown(models.front()); }
};

/// One rank is plain `fit`. The monitor of the last rank stops the fit at its call number `stop`.
template <class T, class Fit>
Outcome run_on(int ranks, Index n, FitOptions options, const std::string& folder, bool resume,
               int stop, const Fit& fit_rows) {
  Outcome out;
  out.models.resize(static_cast<std::size_t>(ranks));
  const auto cuts = cuts_of(n, ranks, static_cast<Shares>(ranks % 3));
  const auto one = [&](Team* team) {
    const int rank = team ? team->rank() : 0;
    FitOptions mine = options;
    mine.team = team;
    int calls = 0;
    mine.monitor = [&](const Progress&) { return ++calls < stop || rank + 1 < ranks; };
    FitCheckpoint checkpoint(folder, resume);
    mine.checkpoint = &checkpoint;
    const auto at = static_cast<std::size_t>(rank);
    try {
      out.models[at] = fit_rows(cuts[at], cuts[at + 1] - cuts[at], mine).serialize();
      checkpoint.remove();
    } catch (const Error& error) {
      out.models[at] = error.what();
    }
    if (rank + 1 == ranks) out.calls = calls;
    if (rank > 0) return;
    out.passes = checkpoint.passes();
    out.passes_read = checkpoint.passes_read();
  };
  if (ranks == 1) one(nullptr);
  else with_team(ranks, [&](Team& team) { one(&team); });
  return out;
}

template <class T>
auto rows_fit(const Rows<T>& x) {
  return [x](Index first, Index count, const FitOptions& options) {
    return fit(x.middle(first, count), options);
  };
}

inline void expect_models(const Outcome& run, const std::string& expected,
                          const std::string& what) {
  for (const std::string& model : run.models)
    ASSERT_TRUE(model == expected) << what << ": " << difference(model, expected);
}

inline std::size_t lines_in(const std::string& folder) {
  const std::string list = slurp(folder + "/passes");
  return static_cast<std::size_t>(std::ranges::count(list, '\n'));
}

/// Krylov, of some ten passes.
inline FitOptions kernel_options() {
  FitOptions options{
      .components = 8, .kernel = Kernel::parse("rbf(gamma=0.5)"), .solver = Solver::krylov};
  options.memory = std::size_t{1} << 29;
  return options;
}

}  // namespace mercer::test
