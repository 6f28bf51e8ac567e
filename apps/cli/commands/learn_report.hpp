#pragma once
// The stability theorem and the predicted number of steps, as text and as JSON.

#include <mercer/compare_rules.hpp>
#include <mercer/theorem.hpp>

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace mercer::cli {

std::string theorem_lines(const Theorem& theorem);
/// `reached`: the run's own step at that angle.
std::string prediction_lines(const StepPrediction& prediction, std::int64_t steps,
                             const std::optional<std::int64_t>& reached);
/// A note before a run that is too short; empty where it is long enough.
std::string prediction_note(const StepPrediction& prediction, std::int64_t steps);
std::string comparison_lines(const RuleComparison& comparison);

nlohmann::ordered_json theorem_json(const Theorem& theorem);
nlohmann::ordered_json prediction_json(const StepPrediction& prediction,
                                       const std::optional<std::int64_t>& reached);
nlohmann::ordered_json comparison_json(const RuleComparison& comparison);

}  // namespace mercer::cli
