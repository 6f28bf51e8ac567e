// fit and merge, in the precision of the rows.
#include <mercer/fit.hpp>

#include "arrays.hpp"
#include "core/budget.hpp"
#include "map_of.hpp"
#include "options.hpp"
#include "pca/select/significance.hpp"
#include "python_team.hpp"
#include "register.hpp"
#include "spelling.hpp"
#include "work.hpp"

#include <mercer/fit_checkpoint.hpp>
#include <mercer/merge.hpp>
#include <mercer/team_plan.hpp>

#include <pybind11/stl.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace mercer::python {

namespace {

using Names = std::vector<std::string>;

/// What the expressions of a map call the columns; empty: x1 … xd.
Names columns_of(const py::kwargs& words) {
  return words.contains("columns") ? words["columns"].cast<Names>() : Names();
}

template <class T>
Model<T> fit_rows(const py::object& x, const py::object& given, const FitOptions& options,
                  const Names& columns, PythonTeam* team) {
  std::optional<HeldRows<T>> held;
  std::shared_ptr<const Map<T>> map;
  together(team, [&] {
    held.emplace(x);
    map = map_of<T>(given, held->rows().cols(), columns);
  });
  const Rows<T>& rows = held->rows();
  return released([&] { return map ? fit(rows, map, options) : fit(rows, options); });
}

/// Options of a fit over the team of `words`, if it has one.
FitOptions options_of(const py::kwargs& words, PythonTeam* team) {
  FitOptions options;
  together(team, [&] { options = fit_options(words); });
  if (!team) return options;
  options.team = team;
  if (options.monitor) options.monitor = monitor_of_rank(std::move(options.monitor));
  if (options.memory == 0)
    options.memory = Budget().bytes() / static_cast<std::size_t>(team->processes_here());
  return options;
}

/// The plan of that fit, or of the same over a team: its JSON and its text.
template <class T>
std::pair<std::string, std::string> plan_rows(const py::object& x, const py::object& given,
                                              const FitOptions& options, const Names& columns,
                                              const std::optional<TeamFacts>& team) {
  const HeldRows<T> held(x);
  const auto map = map_of<T>(given, held.rows().cols(), columns);
  return released([&] {
    Plan planned = map ? plan(*from_memory(held.rows()), map, options) : plan(held.rows(), options);
    if (team) {
      Facts facts = planned.facts;
      facts.in_memory = false;
      facts.budget = static_cast<double>(options.memory ? options.memory : Budget().bytes());
      TeamPlan shared = team_plan(facts, options, *team);
      shared.plan.refusal = in_parameters(shared.plan.refusal);
      return std::pair(to_json(shared), to_text(shared));
    }
    planned.refusal = in_parameters(planned.refusal);
    return std::pair(to_json(planned), to_text(planned));
  });
}

std::pair<std::string, std::string> plan_any(const py::object& x, const py::object& map,
                                             const std::optional<int>& ranks,
                                             const std::string& network, const py::kwargs& words) {
  const FitOptions options = fit_options(words);
  const Names columns = columns_of(words);
  std::optional<TeamFacts> team;
  if (ranks) team = TeamFacts{.ranks = *ranks};
  if (team && !network.empty()) team->network = parse_network(network, "network");
  return is_float(x) ? plan_rows<float>(x, map, options, columns, team)
                     : plan_rows<double>(x, map, options, columns, team);
}

AnyModel fit_any(const py::object& x, const py::object& map, const py::kwargs& words) {
  const auto team = team_of(words.attr("get")("team"));
  FitOptions options = options_of(words, team.get());
  std::optional<FitCheckpoint> checkpoint;
  if (words.contains("checkpoint"))
    checkpoint.emplace(words["checkpoint"].cast<std::string>(), words["resume"].cast<bool>());
  options.checkpoint = checkpoint ? &*checkpoint : nullptr;
  const auto fitted = [&]<class T>(T) -> AnyModel {
    return fit_rows<T>(x, map, options, columns_of(words), team.get());
  };
  AnyModel model = is_float(x) ? fitted(float()) : fitted(double());
  if (checkpoint) checkpoint->remove();
  return model;
}

template <class T>
Model<T> merge_models(const std::vector<Model<T>>& models, const py::object& components,
                      const std::vector<std::string>& names, int threads) {
  MergeOptions options;
  if (!components.is_none()) options.components = at_most(components.cast<Index>());
  options.names = names;
  options.threads = threads;
  return released([&] { return merge<T>(models, options); });
}

}  // namespace

void register_fit(py::module_& module) {
  module.def("fit", &fit_any, py::arg("x"), py::arg("map") = "",
             "Fits rows: an array, or (indptr, indices, data, columns).");
  module.def("plan", &plan_any, py::arg("x"), py::arg("map") = "", py::arg("ranks") = py::none(),
             py::arg("network") = "",
             "The plan of `fit` with the same arguments, as JSON and as text; with `ranks` that of "
             "so many processes.");
  module.def("merge", &merge_models<float>, py::arg("models"), py::arg("components") = py::none(),
             py::arg("names") = std::vector<std::string>(), py::arg("threads") = 0);
  module.def("merge", &merge_models<double>, py::arg("models"), py::arg("components") = py::none(),
             py::arg("names") = std::vector<std::string>(), py::arg("threads") = 0);
  module.def("cut_by_minka", &cut_by_minka<float>, py::arg("model"));
  module.def("cut_by_minka", &cut_by_minka<double>, py::arg("model"));
}

}  // namespace mercer::python
