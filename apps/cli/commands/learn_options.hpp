#pragma once
// The flags of `mercer learn`, and the options of the library that they mean.

#include "flags/options.hpp"
#include "flags/values.hpp"

#include <mercer/learn.hpp>

#include <string>
#include <vector>

namespace mercer::cli {

struct LearnFlags {
  RowFlags rows;
  RunFlags run;
  std::string rule = "gha", components = "1", rate = "auto", batch = "1", epochs, order = "auto";
  std::string mean = "running", forget, limit, scale = "none", memory, until, until_angle;
  std::string start, compare, ddof;
  std::string kernel, map, landmarks;
  std::string model, model_every, trace, trace_every, plot, checkpoint, checkpoint_every;
  bool theory = false, theorem = false, trace_weights = false, resume = false, explain_rate = false,
       json = false, no_plot = false;
};

/// Of --order.
std::vector<OptionValue> order_values();

LearnOptions learn_options(const LearnFlags& flags, const Monitor& monitor);

/// --compare has no model, and no run that could be continued.
void check_compare(const LearnFlags& flags);

/// Says before the work what could only fail after it.
void check_outputs(const LearnFlags& flags);

}  // namespace mercer::cli
