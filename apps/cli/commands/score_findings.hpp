#pragma once
// The result of `mercer score`, as text and as JSON.

#include "terminal/terminal.hpp"

#include <mercer/score.hpp>
#include <mercer/team.hpp>

#include <string>
#include <vector>

namespace mercer::cli {

struct Beyond {
  Index row;  // from 1
  std::string id, label;
  double t2, spe;
  Flag flag;

  template <class Use>
  void members(Use&& use) {
    use(row, id, label, t2, spe, flag);
  }
};

/// The summary of all rows.
struct Findings {
  Index components = 0;       // of the model
  double fitted = 0;          // the share of the variance that these explained in the fit
  std::string no_spe;         // why there is none; empty: there is
  std::string remedies{};     // where a limit is missing
  std::string lost_digits{};  // what rounding does to the scores; empty: little
  ScoreTotals totals;
  Index t2 = 0, spe = 0, any = 0;  // beyond which limit
  Index dropped = 0;               // rows with missing values
  std::vector<Beyond> listed;      // at most `most_listed`
};

constexpr std::size_t most_listed = 1000;

/// The findings of all processes on the first one, as if it had read all rows. `own_dropped`: each
/// process has counted the rows that it dropped itself.
void collect(Team& team, Findings& found, bool own_dropped);

std::string json_of(const Findings& found, const ScoreLimits& limits);

/// `list`: name the rows beyond a limit.
std::string words_of(const Findings& found, const ScoreLimits& limits, const std::string& data,
                     bool list, const Terminal& out);

}  // namespace mercer::cli
