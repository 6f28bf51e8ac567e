#include "pca/linear/part_difference.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace mercer {

namespace {

const std::string* missing_name(const std::vector<std::string>& names,
                                const std::vector<std::string>& others) {
  for (const std::string& name : names)
    if (std::ranges::find(others, name) == others.end()) return &name;
  return nullptr;
}

std::string weights_text(const Schema& schema) {
  if (!schema.weighted) return "no weights";
  return schema.weight.empty() ? "weights" : fmt::format("weights from '{}'", schema.weight);
}

}  // namespace

std::string difference(const Schema& a, const Schema& b) {
  const auto &names = a.feature_names, &others = b.feature_names;
  if (!names.empty() && !others.empty() && names != others) {
    if (const std::string* name = missing_name(names, others))
      return fmt::format("only the first has the column '{}'", *name);
    if (const std::string* name = missing_name(others, names))
      return fmt::format("only the second has the column '{}'", *name);
    if (names.size() == others.size()) {
      const auto place = std::ranges::mismatch(names, others);
      return fmt::format(
          "column {} is '{}' in the first and '{}' in the second; give all parts "
          "the same order",
          place.in1 - names.begin() + 1, *place.in1, *place.in2);
    }
  }
  if (a.features != b.features)
    return fmt::format("one has {} columns, the other {}", a.features, b.features);
  if (a.weighted != b.weighted || a.weight != b.weight)
    return fmt::format("the first has {}, the second {}", weights_text(a), weights_text(b));
  return {};
}

std::string difference(const PartOptions& a, const PartOptions& b) {
  if (a.map != b.map)
    return fmt::format("the first has {}, the second {}",
                       a.map.empty() ? "no map" : fmt::format("the map {}", a.map),
                       b.map.empty() ? "no map" : fmt::format("the map {}", b.map));
  if (a.center != b.center) return "only one of them is centred";
  if (a.scale != b.scale)
    return a.scale == Scale::std ? "only the first is of z-scores"
                                 : "only the second is of z-scores";
  if (a.ddof != b.ddof)
    return fmt::format("the first has `ddof={}`, the second `ddof={}`", a.ddof, b.ddof);
  return {};
}

}  // namespace mercer
