#pragma once
// `mercer learn --compare RULE,RULE`.

#include <mercer/learn.hpp>

#include <string>

namespace mercer::cli {

struct CompareOutput {
  std::string trace;  ///< file for one row per step, thinned; empty: none
  bool json = false, quiet = false;
};

void compare(Source<double>& source, const std::string& rules, const LearnOptions& options,
             const CompareOutput& output);

/// "hebb-normalized,oja" as two names; a `UsageError` otherwise.
std::pair<std::string, std::string> two_rules(const std::string& text);

}  // namespace mercer::cli
