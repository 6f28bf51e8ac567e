#include "model/description.hpp"

#include "core/json_text.hpp"
#include "core/require.hpp"
#include "model/safetensors.hpp"

#include <algorithm>
#include <limits>

namespace mercer {

namespace {

using Json = nlohmann::json;

// Column names come from files in any encoding and must match again at transform, byte for byte.
// JSON holds only UTF-8, so other names are stored as if each byte were one character.
constexpr const char* as_utf8 = "utf-8";
constexpr const char* as_bytes = "bytes";

bool is_utf8(const std::string& text) {
  try {
    Json(text).dump();
    return true;
  } catch (const Json::type_error&) {
    return false;
  }
}

std::string widen(const std::string& bytes) {
  std::string text;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      text += c;
    } else {
      text += static_cast<char>(0xC0 | (byte >> 6));
      text += static_cast<char>(0x80 | (byte & 0x3F));
    }
  }
  return text;
}

/// Undoes `widen`; characters beyond 255 cannot come from it.
std::string narrow(const std::string& text, const std::string& file) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto first = static_cast<unsigned char>(text[i]);
    if (first < 0x80) {
      bytes += text[i];
      continue;
    }
    if (first > 0xC3 || i + 1 == text.size()) safetensors::damaged(file, "its names are not bytes");
    const auto second = static_cast<unsigned char>(text[++i]);
    bytes += static_cast<char>(((first & 0x03) << 6) | (second & 0x3F));
  }
  return bytes;
}

/// Reads the members of one JSON object, and complains of the first that is wrong.
class Members {
 public:
  Members(const Json& object, const std::string& file) : object_(object), file_(file) {
    if (!object.is_object()) safetensors::damaged(file, "its description is not an object");
  }

  bool has(const char* key) const { return object_.contains(key); }
  const Json& operator()(const char* key) const {
    const auto found = object_.find(key);
    if (found == object_.end()) wrong(key, "is missing");
    return *found;
  }
  std::string text(const char* key) const { return text((*this)(key), key); }
  bool truth(const char* key) const {
    const Json& value = (*this)(key);
    if (!value.is_boolean()) wrong(key, "is neither true nor false");
    return value.get<bool>();
  }
  double number(const char* key) const { return number((*this)(key), key); }
  double number_or_null(const char* key) const {
    const Json& value = (*this)(key);
    return value.is_null() ? 0 : number(value, key);
  }
  const Json& list(const char* key) const {
    const Json& value = (*this)(key);
    if (!value.is_array()) wrong(key, "is not a list");
    return value;
  }
  std::int64_t count(const char* key, std::int64_t most) const {
    const Json& value = (*this)(key);
    if (!value.is_number_unsigned() ||
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(most))
      wrong(key, "is not a count");
    return value.get<std::int64_t>();
  }
  std::vector<std::string> texts(const char* key) const {
    std::vector<std::string> all;
    for (const Json& value : list(key)) all.push_back(text(value, key));
    return all;
  }
  std::vector<double> numbers(const char* key) const {
    std::vector<double> all;
    for (const Json& value : list(key)) all.push_back(number(value, key));
    return all;
  }

 private:
  [[noreturn]] void wrong(const char* key, const char* how) const {
    safetensors::damaged(file_, fmt::format("'{}' {}", key, how));
  }
  std::string text(const Json& value, const char* key) const {
    if (!value.is_string()) wrong(key, "is not text");
    return value.get<std::string>();
  }
  double number(const Json& value, const char* key) const {
    if (!value.is_number()) wrong(key, "is not a number");
    return value.get<double>();
  }

  const Json& object_;
  const std::string& file_;
};

}  // namespace

nlohmann::ordered_json solver_json(const SolverReport& s) {
  return {{"name", s.name},           {"why", s.why},
          {"passes", s.passes},       {"residuals", s.residuals},
          {"tolerance", s.tolerance}, {"converged", s.converged}};
}

nlohmann::ordered_json certificate_json(const Certificate& c) {
  return {{"rounding", c.rounding}, {"confidence", c.confidence}, {"reason", c.reason}};
}

nlohmann::ordered_json approximation_json(const Approximation& a) {
  nlohmann::ordered_json out{{"name", a.name}, {"text", a.text}, {"rank", a.rank}};
  out[a.estimated ? "frobenius_error_ratio" : "trace_error_ratio"] = a.error;
  if (a.estimated) out["standard_error"] = a.spread;
  out["eigenvalue_below"] = a.below;
  out["eigenvalue_above"] = a.above;
  return out;
}

nlohmann::ordered_json merged_json(const MergeReport& m) {
  return {{"models", m.models}, {"missing_variance", m.missing_variance}};
}

nlohmann::ordered_json choice_json(const ComponentChoice& c) {
  return {{"method", c.method}, {"reason", c.reason},     {"permutations", c.permutations},
          {"rows", c.rows},     {"p_values", c.p_values}, {"excess", c.excess}};
}

nlohmann::ordered_json relations_json(const std::vector<Relation>& relations) {
  nlohmann::ordered_json out = nlohmann::ordered_json::array();
  for (const Relation& r : relations) {
    nlohmann::ordered_json one{{"coefficients", r.coefficients},
                               {"constant", r.constant},
                               {"deviation", r.deviation},
                               {"residual", r.residual}};
    if (!r.errors.empty()) one["standard_errors"] = r.errors;
    out.push_back(std::move(one));
  }
  return out;
}

nlohmann::ordered_json imputation_json(const Imputation& i) {
  return {{"cells", i.cells}, {"iterations", i.iterations}, {"change", i.change}};
}

namespace {

nlohmann::ordered_json method_json(const PlannedMethod& m) {
  const auto known = [](double value) {
    return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
  };
  return {
      {"method", m.method}, {"why", m.why}, {"passes", known(m.passes)}, {"flops", known(m.flops)}};
}

PlannedMethod method_from(const Members& from) {
  PlannedMethod m{.method = from.text("method"), .why = from.text("why")};
  m.passes = from.number_or_null("passes");
  m.flops = from.number_or_null("flops");
  return m;
}

}  // namespace

nlohmann::ordered_json plan_json(const PlanReport& p) {
  nlohmann::ordered_json out = method_json(p.chosen);
  out["rows"] = p.rows;
  out["rejected"] = nlohmann::ordered_json::array();
  for (const PlannedMethod& m : p.rejected) out["rejected"].push_back(method_json(m));
  return out;
}

std::string description_text(const Description& d) {
  const bool utf8 = is_utf8(d.label_column) && is_utf8(d.id_column) && is_utf8(d.map) &&
                    std::all_of(d.feature_names.begin(), d.feature_names.end(), is_utf8) &&
                    std::all_of(d.map_columns.begin(), d.map_columns.end(), is_utf8);
  const auto name = [&](const std::string& text) { return utf8 ? text : widen(text); };
  const auto list = [&](const std::vector<std::string>& texts) {
    nlohmann::ordered_json names = nlohmann::ordered_json::array();
    for (const std::string& text : texts) names.push_back(name(text));
    return names;
  };
  const Report& r = d.report;
  nlohmann::ordered_json words{{"method", r.method}, {"map", name(d.map)}};
  if (!d.kernel.empty()) words["kernel"] = d.kernel;
  if (d.inputs > 0) words["inputs"] = d.inputs;
  words.update({{"names_are", utf8 ? as_utf8 : as_bytes},
                {"feature_names", list(d.feature_names)},
                {"label", name(d.label_column)},
                {"id", name(d.id_column)},
                {"n_samples", r.n_samples},
                {"weight", r.weight},
                {"weighted", r.weighted},
                {"centered", r.centered},
                {"ddof", r.ddof},
                {"total_variance", r.total_variance},
                {"solver", solver_json(r.solver)},
                {"certificate", certificate_json(r.certificate)}});
  if (!d.map_columns.empty()) words["map_columns"] = list(d.map_columns);
  if (r.rank > 0) words["rank"] = r.rank;
  if (!r.relations.empty()) words["relations"] = relations_json(r.relations);
  if (r.total_squares > 0) words["total_squares"] = r.total_squares;
  if (r.approximation) words["approximation"] = approximation_json(*r.approximation);
  if (r.merged.models > 0) words["merged"] = merged_json(r.merged);
  if (r.chosen) words["components_chosen"] = choice_json(*r.chosen);
  if (r.imputation) words["imputation"] = imputation_json(*r.imputation);
  if (r.plan) words["plan"] = plan_json(*r.plan);
  return json_text(words);
}

Description parse_description(std::string_view text, std::size_t values, int version,
                              const std::string& file) {
  constexpr int deepest = 8;  // leaves room for keys that later versions add
  const Json root = safetensors::parse_json(text, deepest, values);
  if (root.is_discarded()) safetensors::damaged(file, "its description is not valid JSON");
  const Members get(root, file);
  const Members solver(get("solver"), file);
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max();

  Description d;
  d.map = get.text("map");
  if (get.has("kernel")) d.kernel = get.text("kernel");
  if (get.has("inputs")) d.inputs = get.count("inputs", any);
  d.feature_names = get.texts("feature_names");
  d.label_column = get.text("label");
  d.id_column = get.text("id");
  if (get.has("map_columns")) d.map_columns = get.texts("map_columns");
  if (get.text("names_are") == as_bytes) {
    for (std::string& name : d.feature_names) name = narrow(name, file);
    for (std::string& name : d.map_columns) name = narrow(name, file);
    d.map = narrow(d.map, file);
    d.label_column = narrow(d.label_column, file);
    d.id_column = narrow(d.id_column, file);
  }
  d.report.method = get.text("method");
  d.report.n_samples = get.count("n_samples", any);
  d.report.weight = get.number("weight");
  d.report.weighted = get.truth("weighted");
  d.report.centered = get.truth("centered");
  d.report.ddof = static_cast<int>(get.count("ddof", 1));
  d.report.total_variance = get.number("total_variance");
  if (get.has("total_squares")) d.report.total_squares = get.number("total_squares");
  if (get.has("merged")) {
    const Members merged(get("merged"), file);
    d.report.merged.models =
        static_cast<int>(merged.count("models", std::numeric_limits<int>::max()));
    d.report.merged.missing_variance = merged.number("missing_variance");
  }
  if (get.has("rank")) d.report.rank = static_cast<Index>(get.count("rank", any));
  if (get.has("relations"))
    for (const Json& value : get.list("relations")) {
      const Members from(value, file);
      d.report.relations.push_back({.coefficients = from.numbers("coefficients"),
                                    .constant = from.number("constant"),
                                    .deviation = from.number("deviation"),
                                    .residual = from.number("residual"),
                                    .errors = {}});
    }
  constexpr std::int64_t most = std::numeric_limits<int>::max();
  if (get.has("components_chosen")) {
    const Members from(get("components_chosen"), file);
    d.report.chosen = ComponentChoice{from.text("method"),
                                      from.text("reason"),
                                      static_cast<int>(from.count("permutations", most)),
                                      from.count("rows", any),
                                      from.numbers("p_values"),
                                      from.number("excess")};
  }
  if (get.has("imputation")) {
    const Members from(get("imputation"), file);
    d.report.imputation =
        Imputation{from.count("cells", any), static_cast<int>(from.count("iterations", most)),
                   from.number("change")};
  }
  if (get.has("plan")) {
    const Members from(get("plan"), file);
    PlanReport plan{method_from(from), from.text("rows"), {}};
    for (const Json& value : from.list("rejected"))
      plan.rejected.push_back(method_from(Members(value, file)));
    d.report.plan = std::move(plan);
  }
  d.report.solver.name = solver.text("name");
  d.report.solver.why = solver.text("why");
  d.report.solver.passes =
      static_cast<int>(solver.count("passes", std::numeric_limits<int>::max()));
  d.report.solver.residuals = solver.numbers("residuals");
  d.report.solver.tolerance = solver.number("tolerance");
  d.report.solver.converged = solver.truth("converged");
  if (get.has("approximation")) {
    const Members from(get("approximation"), file);
    Approximation a;
    a.name = from.text("name");
    a.text = from.text("text");
    a.rank = static_cast<Index>(from.count("rank", any));
    a.estimated = from.has("frobenius_error_ratio");
    a.error = from.number(a.estimated ? "frobenius_error_ratio" : "trace_error_ratio");
    if (a.estimated) a.spread = from.number("standard_error");
    a.below = from.number("eigenvalue_below");
    a.above = from.number("eigenvalue_above");
    d.report.approximation = std::move(a);
  }
  if (version > 1) {
    const Members from(get("certificate"), file);
    d.report.certificate.rounding = from.number("rounding");
    d.report.certificate.confidence = from.number("confidence");
    d.report.certificate.reason = from.text("reason");
  } else {
    d.report.certificate.reason = "the model file is of format 1, which has no intervals";
  }
  return d;
}

}  // namespace mercer
