#pragma once
// The JSON part of a model file: everything but the arrays.

#include <mercer/model.hpp>

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// The version of model files that this library writes, and the latest that it reads.
inline constexpr int model_format_version = 2;

struct Description {
  std::string map;
  std::string kernel;  ///< empty: none, and not written
  Index inputs = 0;    ///< 0: as many as features, and not written
  /// What the expressions of the map call the columns; empty: as `feature_names`, and not written.
  std::vector<std::string> map_columns{};
  std::vector<std::string> feature_names;
  std::string label_column;
  std::string id_column;
  Report report;
};

nlohmann::ordered_json solver_json(const SolverReport& solver);
nlohmann::ordered_json certificate_json(const Certificate& certificate);
nlohmann::ordered_json approximation_json(const Approximation& approximation);
nlohmann::ordered_json merged_json(const MergeReport& merged);
nlohmann::ordered_json choice_json(const ComponentChoice& choice);
nlohmann::ordered_json relations_json(const std::vector<Relation>& relations);
nlohmann::ordered_json imputation_json(const Imputation& imputation);
/// Without numbers that depend on the machine: equal runs give equal files.
nlohmann::ordered_json plan_json(const PlanReport& plan);

/// One JSON object. Numbers must be finite.
std::string description_text(const Description& description);

/// And back: unknown keys are skipped, everything else must be there and of its type. At most
/// `values` JSON values. `version` is that of the file: later ones have more that must be there.
/// Throws `Errc::bad_file` naming `file`.
Description parse_description(std::string_view text, std::size_t values, int version,
                              const std::string& file);

}  // namespace mercer
