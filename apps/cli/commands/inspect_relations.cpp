#include "commands/inspect_relations.hpp"

#include "core/json_text.hpp"

#include <mercer/relations.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

namespace mercer::cli {

namespace {

constexpr int relation_digits = 12;

nlohmann::ordered_json relation_json(const Relation& r, const std::vector<std::string>& names) {
  nlohmann::ordered_json terms = nlohmann::ordered_json::array();
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (r.coefficients[j] == 0) continue;
    nlohmann::ordered_json term{{"term", names[j]}, {"coefficient", r.coefficients[j]}};
    if (!r.errors.empty()) term["standard_error"] = r.errors[j];
    terms.push_back(std::move(term));
  }
  return {{"terms", std::move(terms)},
          {"constant", r.constant},
          {"deviation", r.deviation},
          {"residual", r.residual}};
}

std::string relation_text(const Relation& r, const std::vector<std::string>& names) {
  const bool exact = r.errors.empty();
  std::string out = to_text(r, names, exact ? relation_digits : 6) + "\n";
  if (exact) return out + fmt::format("    residual {:.2g}, relative to the terms\n", r.residual);
  out +=
      fmt::format("    standard deviation of the left side {:.4g} ({:.2g} relative to the terms)\n",
                  r.deviation, r.residual);
  for (std::size_t j = 0; j < names.size(); ++j)
    out += fmt::format("    {:>14.8g} +- {:.2g}  {}\n", r.coefficients[j], r.errors[j], names[j]);
  return out;
}

}  // namespace

template <class T>
void show_relations(const Model<T>& model, const ColumnFlags& flags) {
  const Report& report = model.report();
  std::vector<Relation> list = relations(model);
  const bool exact = !list.empty();
  if (!exact) list.push_back(smallest_relation(model));
  const std::vector<std::string> names = term_names(model);
  if (flags.json) {
    nlohmann::ordered_json out{{"exact", exact},
                               {"rank", report.rank},
                               {"n_terms", model.map().features()},
                               {"relations", nlohmann::ordered_json::array()}};
    for (const Relation& r : list) out["relations"].push_back(relation_json(r, names));
    return print(json_text(out, 2) + "\n");
  }
  const Terminal terminal_out = terminal(STDOUT_FILENO);
  std::string text =
      exact ? fmt::format("rank {} of {}; all rows satisfy\n", report.rank, model.map().features())
            : "no exact relation; the component of the least variance is\n";
  for (const Relation& r : list) text += relation_text(r, names);
  for (std::size_t at; !terminal_out.unicode && (at = text.find("·")) != std::string::npos;)
    text.replace(at, std::string_view("·").size(), "*");
  print(text);
}

template void show_relations(const Model<float>&, const ColumnFlags&);
template void show_relations(const Model<double>&, const ColumnFlags&);

}  // namespace mercer::cli
