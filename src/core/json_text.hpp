#pragma once
// JSON as text, with every number in the shortest form that reads back exactly. (The JSON
// library's own printer is a digit too long once in a few thousand numbers.)

#include <nlohmann/json.hpp>

#include <string>

namespace mercer {

/// `indent` < 0: one line. Lists of plain values stay on one line in any case. Numbers that JSON
/// cannot hold become null; bytes that are not UTF-8 become U+FFFD.
std::string json_text(const nlohmann::ordered_json& value, int indent = -1);

}  // namespace mercer
