#include "rows/preimage_rows.hpp"

#include "flags/help.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

namespace mercer::cli {

std::vector<OptionValue> preimage_method_values() {
  using enum PreImageMethod;
  const auto row = [](PreImageMethod method, const char* notes) {
    return OptionValue{std::string(name_of(method)), notes};
  };
  return {row(automatic, "exact where possible, then fixed-point, then ridge"),
          row(exact, "exact inverse; linear models and maps that include x"),
          row(ridge, "a regression from scores to rows"),
          row(fixed_point, "Gaussian kernels: penalised, from the ridge estimate"),
          row(distances, "kernels of |x - y|: from distances to neighbours")};
}

void add_preimage_flags(CLI::App& command, PreImageFlags& flags, bool with_distances) {
  const std::string group = "Pre-images";
  add_choice(command, "--method", flags.method, "NAME", preimage_method_values(),
             "how pre-images are computed", group);
  add_text(command, "--alpha", flags.alpha, "X", "ridge: regularisation", group)
      ->default_str("by leave-one-out error");
  add_text(command, "--penalty", flags.penalty, "X",
           "fixed-point: penalty on the distance to the ridge estimate; 0: none", group)
      ->default_str("0.1");
  if (with_distances)
    add_text(command, "--distances", flags.distances, "FILE",
             "save the quality of each row: distance, converged, outside (.csv .tsv .npy)", group);
}

PreImageOptions preimage_options(const PreImageFlags& flags, int threads) {
  PreImageOptions options;
  options.method = parse_preimage_method(flags.method);
  if (flags.start == "row") options.start = PreImageStart::row;
  if (!flags.alpha.empty()) options.alpha = parse_positive("--alpha", flags.alpha);
  if (flags.penalty == "0") options.penalty = 0;
  else if (!flags.penalty.empty()) options.penalty = parse_positive("--penalty", flags.penalty);
  options.threads = threads;
  return options;
}

CountMemory decoder_memory(const PreImageFlags& flags) {
  return [options = preimage_options(flags, 1)](MemoryBudget& budget, const ModelSize& model) {
    hold_decoder(budget, model, options);
  };
}

std::string preimage_words(const std::string& how, Index count, double sum, Index outside,
                           Index not_converged) {
  return fmt::format(
      "pre-images by {}\n"
      "mean distance {:.3g} in feature space, relative to the spread; {} of {} rows outside the "
      "data, {} not converged\n",
      how, sum / static_cast<double>(count), outside, count, not_converged);
}

}  // namespace mercer::cli
