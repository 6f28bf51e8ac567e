#pragma once
// The objects of a model as values of an option.

#include "flags/values.hpp"

#include <mercer/export.hpp>

#include <vector>

namespace mercer::cli {

inline std::vector<OptionValue> object_values() {
  std::vector<OptionValue> values;
  for (const ObjectEntry& entry : object_table())
    values.push_back({entry.name, entry.notes + " (" + entry.models + ")"});
  return values;
}

}  // namespace mercer::cli
