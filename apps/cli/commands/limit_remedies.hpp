#pragma once
// What to do where there are no limits of T² or SPE.

#include "diagnostics/limits.hpp"

#include <mercer/model.hpp>
#include <mercer/score.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <string>

namespace mercer::cli {

/// The largest lower level at which the model has the limits that it lacks; 0: none.
template <class T>
double lower_level(const Model<T>& model, const Scorer<T>& scorer, const ScoreLimits& lacking) {
  const Index kept = std::max(model.rows().rows(), model.map().anchors().rows());
  double most = 0;
  for (const double carried :
       {level_of_left_out_limits(kept),
        level_of_gaussian_limits(model.report().n_samples, model.outputs())}) {
    if (!(carried > most && carried < lacking.level)) continue;
    const ScoreLimits limits = scorer.limits(carried);
    const bool spe = lacking.spe || limits.spe || !scorer.no_spe().empty();
    if (limits.t2 && spe) most = carried;
  }
  return most;
}

/// A lower level that the rows carry, rows that are known to be good, rows kept in the model: those
/// of these that would work for the limits that are lacking. `good`: rows of --reference; 0: there
/// was none.
template <class T>
std::string limit_remedies(const Model<T>& model, const Scorer<T>& scorer,
                           const ScoreLimits& lacking, Index good) {
  const double level = lacking.level;
  const double carried =
      good > 0 ? level_of_good_limits(good) : lower_level(model, scorer, lacking);
  std::string text = carried > 0 ? fmt::format("use --flag {:g}, or give", carried) : "give";
  text +=
      fmt::format(" {} or more rows known to be good (--reference)", rows_for_good_limits(level));
  const Report& r = model.report();
  const Index kept = rows_for_left_out_limits(level);
  if (good == 0 && r.approximation && r.merged.models == 0 && scorer.no_spe().empty() &&
      !r.weighted && r.n_samples >= kept)
    text += fmt::format(", or fit with --keep-rows {}", kept);
  return text;
}

}  // namespace mercer::cli
