#pragma once
/// \file
/// Two learning rules on the same rows: how far apart one step takes them, and the whole run.
///
///     mercer::LearnOptions options{.learner = {.rate = mercer::Rate::constant(0.01)}};
///     auto gap = mercer::compare_rules(rows, "hebb-normalized", "oja", options);
///     gap.mean_gap_per_step;                // falls as η²: a quarter at half the rate
///     gap.scaled_gap;                       // the same over η², which does not depend on η
///
/// At every step both rules start from the weights w of the first one. With |w| = 1 normalised Hebb
/// and Oja differ by the terms that Oja's expansion leaves out:
///
///     |w_hebb − w_oja| = ½ η² y² √((‖x‖² − y²)(‖x‖² + 3y²)) + O(η³)
///
/// Both rules are also run separately; these runs differ by O(η). A step costs O(k·D).

#include <mercer/learn.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mercer {

/// One step of a comparison.
struct RuleGap {
  std::int64_t step = 0;
  double time = 0, eta = 0;  ///< of the first rule
  double gap_per_step = 0;   ///< ‖W₁ − W₂‖ after this step from the same weights
  double gap = 0;            ///< of the two runs
  double first_norm = 0, second_norm = 0;  ///< of their first weight vectors
};

struct RuleComparison {
  std::string first, second, rate;
  std::int64_t steps = 0;
  double time = 0;
  double mean_gap_per_step = 0, largest_gap_per_step = 0;
  double scaled_gap = 0;  ///< mean of the gap per step over η²
  double expected_gap = 0;  ///< of hebb-normalized and oja: ½ E[y²√((‖x‖²−y²)(‖x‖²+3y²))]; else NaN
  double largest_gap = 0, last_gap = 0;  ///< of the two runs
  double angle = 0;                      ///< between their first weight vectors at the end, degrees
  std::vector<RuleGap> trace;            ///< thinned evenly to at most 1024 rows, the last included
};

/// Uses the map, landmarks, scale, order, epochs (0: one) and memory of the options; of its learner
/// the number of components, rate, mean, limit, start and seed. Throws `Errc::bad_option` for rules
/// without a rate, mini-batches, forgetting, and kernels without landmarks; `Errc::not_converged`
/// when a run diverges.
RuleComparison compare_rules(Source<double>& source, const std::string& first,
                             const std::string& second, const LearnOptions& options = {});
RuleComparison compare_rules(const Rows<double>& rows, const std::string& first,
                             const std::string& second, const LearnOptions& options = {});

}  // namespace mercer
