#include "rows/preimage_rows.hpp"

#include "flags/help.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace mercer::cli {

void add_preimage_flags(CLI::App& command, PreImageFlags& flags, bool with_distances) {
  const std::string group = "Pre-images";
  add_text(command, "--method", flags.method, "NAME",
           "auto, exact, ridge, fixed-point or distances (auto: the best the model has)", group);
  add_text(command, "--alpha", flags.alpha, "X", "ridge: regularisation (by leave-one-out error)",
           group);
  add_text(command, "--penalty", flags.penalty, "X",
           "fixed-point: how strongly rows are held at the ridge's (0.1)", group);
  if (with_distances)
    add_text(command, "--distances", flags.distances, "FILE",
             "how good each row is: distance, converged, outside (.csv .tsv .npy)", group);
}

PreImageOptions preimage_options(const PreImageFlags& flags, int threads) {
  PreImageOptions options;
  try {
    options.method = parse_preimage_method(flags.method);
  } catch (const Error&) {
    throw UsageError(fmt::format(
        "--method '{}' is unknown: auto, exact, ridge, fixed-point or distances", flags.method));
  }
  if (flags.start != "ridge" && flags.start != "row")
    throw UsageError(fmt::format("--start '{}' is unknown: ridge or row", flags.start));
  if (flags.start == "row") options.start = PreImageStart::row;
  if (!flags.alpha.empty()) options.alpha = parse_positive("--alpha", flags.alpha);
  if (flags.penalty == "0") options.penalty = 0;
  else if (!flags.penalty.empty()) options.penalty = parse_positive("--penalty", flags.penalty);
  options.threads = threads;
  return options;
}

std::string preimage_words(const std::string& how, Index count, double sum, Index outside,
                           Index not_converged) {
  return fmt::format(
      "pre-images by {}\nmean distance {:.3g} in feature space, of a spread of 1; {} of {} rows "
      "outside the data, {} not converged\n",
      how, sum / static_cast<double>(count), outside, count, not_converged);
}

}  // namespace mercer::cli
