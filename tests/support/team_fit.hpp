#pragma once
// The same fit on one process and on teams of threads.

#include "support/thread_team.hpp"

#include <mercer/error.hpp>
#include <mercer/fit.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace mercer::test {

/// How rows are shared.
enum class Shares { even, growing, some_empty };

inline std::vector<Index> cuts_of(Index n, int ranks, Shares shares) {
  std::vector<Index> cuts{0};
  for (int r = 1; r < ranks; ++r) {
    Index at = n * r / ranks;
    if (shares == Shares::growing) at = n * r * r / (ranks * ranks);
    if (shares == Shares::some_empty && r % 2 == 1) at = cuts.back();
    cuts.push_back(std::max(at, cuts.back()));
  }
  cuts.push_back(n);
  return cuts;
}

/// Where two models differ first, for a message.
inline std::string difference(const std::string& a, const std::string& b) {
  if (std::min(a.size(), b.size()) < 400) return a.size() < b.size() ? a : b;
  const std::size_t checksum = 200;  // after which headers say what differs
  std::size_t at = checksum;
  while (at < a.size() && at < b.size() && a[at] == b[at]) ++at;
  const std::size_t from = at < 60 ? 0 : at - 60;
  return "…" + a.substr(from, 120) + "… is not …" + b.substr(from, 120) + "…";
}

/// The bytes of the model on every rank, or the message of the error.
template <class T>
std::vector<std::string> fits_on_team(int ranks, Shares shares, const Rows<T>& x,
                                      const FitOptions& options,
                                      const std::vector<double>& weights = {}) {
  std::vector<std::string> out(static_cast<std::size_t>(ranks));
  const std::vector<Index> cuts = cuts_of(x.rows(), ranks, shares);
  with_team(ranks, [&](Team& team) {
    const auto rank = static_cast<std::size_t>(team.rank());
    const Index first = cuts[rank], count = cuts[rank + 1] - first;
    FitOptions mine = options;
    mine.team = &team;
    const Weights w = weights.empty()
                          ? Weights()
                          : Weights(weights.data() + first, static_cast<std::size_t>(count));
    try {
      out[rank] = fit(x.middle(first, count), mine, w).serialize();
    } catch (const Error& error) {
      out[rank] = error.what();
    }
  });
  return out;
}

}  // namespace mercer::test
