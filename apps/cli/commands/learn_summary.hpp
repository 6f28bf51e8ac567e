#pragma once
// What `mercer learn` prints: the summary of a run, its JSON, and the conditions of a rate.

#include "commands/learn_options.hpp"

#include <mercer/learn.hpp>

#include <string>

namespace mercer::cli {

/// The Robbins–Monro conditions of a rate.
void explain_rate(const Rate& rate, double forgetting, bool json);

/// The report of the model, and of the run.
std::string learned_json(const Learned& learned, const LearnFlags& flags);

/// The summary, on standard error where standard output has data.
void show_learned(const Learned& learned, const LearnFlags& flags, const Source<double>& source);

}  // namespace mercer::cli
