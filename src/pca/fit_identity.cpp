#include "pca/fit_identity.hpp"

#include <mercer/version.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string_view>
#include <vector>

namespace mercer {

namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

}  // namespace

std::string identity_of(const FitOptions& o, const Schema& schema, const std::string& map,
                        bool single) {
  std::string out;
  const auto line = [&](std::string_view name, const auto& value) {
    out += fmt::format("{}\t{}\n", name, value);
  };
  const Components& c = o.components;
  line("the version of Mercer", MERCER_VERSION);
  line("the precision", single ? "single" : "double");
  line("the number of columns", schema.features);
  line("the column names", fmt::format("{}", fmt::join(schema.feature_names, ",")));
  line("the label column", schema.label);
  line("the id column", schema.id);
  line("the kind of rows", schema.sparse ? "sparse" : "dense");
  line("the map", map);
  line("`components`",
       fmt::format("{}/{}/{}/{}", static_cast<int>(c.kind()), c.count(), c.fraction(), c.soft()));
  line("`keep_null`", o.keep_null);
  line("`kernel`", o.kernel ? o.kernel->text() : "");
  line("`precomputed`", o.precomputed);
  line("`clip`", o.clip);
  line("`approx`", o.approx ? text_of(*o.approx) : "");
  line("`seconds`", o.seconds);
  line("`solver`", static_cast<int>(o.solver));
  line("`tolerance`", o.tolerance);
  line("the centring", o.center);
  line("`scale`", static_cast<int>(o.scale));
  line("`ddof`", o.ddof);
  line("`missing`", static_cast<int>(o.missing));
  line("`keep_rows`", o.keep_rows);
  line("the seed", o.seed);
  return out;
}

std::string first_difference(const std::string& now, const std::string& then) {
  const auto a = lines_of(now), b = lines_of(then);
  for (std::size_t i = 0; i < a.size(); ++i)
    if (i >= b.size() || a[i] != b[i]) return std::string(a[i].substr(0, a[i].find('\t')));
  return {};
}

}  // namespace mercer
