// Hebbian learning: whole runs over rows in memory, and learners that take batches.
#include <mercer/learn.hpp>

#include "arrays.hpp"
#include "register.hpp"
#include "spelling.hpp"
#include "trace_of.hpp"
#include "work.hpp"

#include <mercer/compare_rules.hpp>
#include <mercer/hebbian.hpp>

#include <pybind11/stl.h>

#include <string>

namespace mercer::python {

namespace {

/// One row per component; a flat list of numbers is one row.
Matrix<double> start_of(const py::handle& value) {
  const auto array = Flat<double>::ensure(value);
  if (!array || array.ndim() < 1 || array.ndim() > 2)
    throw py::value_error("start is not a list of numbers, or one per component");
  const Index rows = array.ndim() == 2 ? array.shape(0) : 1;
  const Index columns = array.shape(array.ndim() - 1);
  return Eigen::Map<const Matrix<double>>(array.data(), rows, columns);
}

py::dict dict_of(const StepPrediction& p, const std::optional<std::int64_t>& reached) {
  py::dict out;
  out["angle"] = p.angle;
  out["start_angle"] = p.start_angle;
  out["time"] = p.time;
  out["steps"] = p.steps;
  out["rate"] = p.rate;
  out["why"] = p.why;
  out["reached"] = reached ? py::object(py::int_(*reached)) : py::object(py::none());
  out["better_rate"] = p.better_rate.empty() ? py::object(py::none()) : py::str(p.better_rate);
  out["better_steps"] =
      p.better_rate.empty() ? py::object(py::none()) : py::object(py::float_(p.better_steps));
  return out;
}

py::dict dict_of(const Theorem& t) {
  py::list conditions;
  for (const TheoremCondition& c : t.conditions) {
    py::dict one;
    one["number"] = c.number;
    one["name"] = c.name;
    one["statement"] = c.statement;
    one["finding"] = std::string(name_of(c.finding));
    one["evidence"] = in_parameters(c.evidence);
    conditions.append(one);
  }
  py::dict out;
  out["rule"] = t.rule;
  out["rate"] = t.rate;
  out["holds"] = t.holds();
  out["conclusion"] = t.conclusion;
  out["conditions"] = conditions;
  out["eigenvalues"] = array_of(t.eigenvalues);
  out["jacobian"] = array_of(t.jacobian);
  out["time_constants"] = array_of(t.time_constants);
  out["gap"] = t.gap;
  out["multiplicity"] = t.multiplicity;
  out["steps"] = t.steps;
  out["angle"] = t.angle;
  return out;
}

LearnerOptions learner_options(const py::dict& words) {
  LearnerOptions o;
  for (const auto& [key, value] : words) {
    const auto name = key.cast<std::string>();
    if (name == "rule") o.rule = value.cast<std::string>();
    else if (name == "components") o.components = value.cast<Index>();
    else if (name == "rate") o.rate = Rate::parse(value.cast<std::string>());
    else if (name == "batch") o.batch = value.cast<Index>();
    else if (name == "center")
      o.centre = value.cast<bool>() ? LearnedMean::running : LearnedMean::none;
    else if (name == "limit") o.limit = value.cast<double>();
    else if (name == "start") o.start = start_of(value);
    else if (name == "forgetting") o.forgetting = value.cast<double>();
    else if (name == "seed") o.seed = value.cast<std::uint64_t>();
    else if (name == "threads") o.threads = value.cast<int>();
    else throw py::type_error("a learner has no option '" + name + "'");
  }
  return o;
}

py::tuple learn_rows(const py::object& x, const py::dict& learner, int epochs, double until,
                     bool shuffle, const py::dict& more, const py::object& callback) {
  const HeldRows<double> held(x);
  LearnOptions options;
  options.learner = learner_options(learner);
  options.epochs = epochs;
  options.until = until;
  options.order = shuffle ? Order::shuffled : Order::as_it_comes;
  for (const auto& [key, value] : more) {
    const auto name = key.cast<std::string>();
    if (name == "until_angle") options.until_angle = value.cast<double>();
    else if (name == "theory") options.theory = value.cast<bool>();
    else if (name == "theorem") options.theorem = value.cast<bool>();
    else if (name == "trace_weights") options.trace_weights = value.cast<bool>();
    else if (name == "ddof") options.ddof = value.cast<int>();
    else if (name == "kernel") options.kernel = Kernel::parse(value.cast<std::string>());
    else if (name == "landmarks") options.landmarks = value.cast<Index>();
    else throw py::type_error("a run has no option '" + name + "'");
  }
  options.monitor = monitor_of(callback);
  Learned learned = released([&] { return learn(held.rows(), options); });
  if (learned.stop == LearnStop::interrupted) throw Error(Errc::interrupted, "interrupted");
  py::dict run;
  run["epochs"] = learned.epochs;
  run["rows"] = learned.rows;
  run["steps"] = learned.steps;
  run["converged"] = learned.convergence.converged;
  run["state"] = std::string(name_of(learned.convergence.state));
  run["text"] = learned.convergence.text;
  run["trace"] = trace_dict(learned.trace);
  if (learned.prediction) run["prediction"] = dict_of(*learned.prediction, learned.reached);
  if (learned.theorem) run["theorem"] = dict_of(*learned.theorem);
  return py::make_tuple(std::move(learned.model), run);
}

py::dict compare(const py::object& x, const std::string& first, const std::string& second,
                 const py::dict& learner, int epochs, bool shuffle) {
  const HeldRows<double> held(x);
  LearnOptions options;
  options.learner = learner_options(learner);
  options.epochs = epochs;
  options.order = shuffle ? Order::shuffled : Order::as_it_comes;
  const RuleComparison c =
      released([&] { return compare_rules(held.rows(), first, second, options); });
  const auto column = [&](double RuleGap::*member) {
    Vector<double> out(static_cast<Index>(c.trace.size()));
    for (Index i = 0; i < out.size(); ++i) out[i] = c.trace[static_cast<std::size_t>(i)].*member;
    return array_of(out);
  };
  py::dict trace;
  Vector<double> steps(static_cast<Index>(c.trace.size()));
  for (Index i = 0; i < steps.size(); ++i)
    steps[i] = static_cast<double>(c.trace[static_cast<std::size_t>(i)].step);
  trace["step"] = array_of(steps);
  trace["time"] = column(&RuleGap::time);
  trace["eta"] = column(&RuleGap::eta);
  trace["gap_per_step"] = column(&RuleGap::gap_per_step);
  trace["gap"] = column(&RuleGap::gap);
  trace["first_norm"] = column(&RuleGap::first_norm);
  trace["second_norm"] = column(&RuleGap::second_norm);
  py::dict out;
  out["steps"] = c.steps;
  out["time"] = c.time;
  out["mean_gap_per_step"] = c.mean_gap_per_step;
  out["largest_gap_per_step"] = c.largest_gap_per_step;
  out["scaled_gap"] = c.scaled_gap;
  out["expected_gap"] = c.expected_gap;
  out["largest_gap"] = c.largest_gap;
  out["last_gap"] = c.last_gap;
  out["angle"] = c.angle;
  out["trace"] = trace;
  return out;
}

}  // namespace

void register_learn(py::module_& module) {
  module.def("learn", &learn_rows, py::arg("x"), py::arg("learner"), py::arg("epochs") = 0,
             py::arg("until") = 0.0, py::arg("shuffle") = true, py::arg("more") = py::dict(),
             py::arg("monitor") = py::none());
  module.def("compare_rules", &compare, py::arg("x"), py::arg("first"), py::arg("second"),
             py::arg("learner"), py::arg("epochs") = 0, py::arg("shuffle") = true);
  module.def("steps_of_rate",
             [](const std::string& rate, double time) { return Rate::parse(rate).steps(time); });
  module.def("rate_conditions", [](const std::string& text) {
    const Rate rate = Rate::parse(text);
    py::list conditions;
    for (const RobbinsMonro::Condition& c : rate.conditions().conditions)
      conditions.append(py::make_tuple(c.text, c.holds, in_parameters(c.why)));
    return conditions;
  });
  py::class_<Hebbian>(module, "Hebbian")
      .def(py::init([](Index features, const py::dict& learner) {
             return Hebbian(identity_map<double>(features), learner_options(learner));
           }),
           py::arg("features"), py::arg("learner"))
      .def(
          "update",
          [](Hebbian& learner, const py::object& x) {
            const HeldRows<double> held(x);
            const Rows<double>& rows = held.rows();
            const double flops = 100.0 * static_cast<double>(rows.cols());
            in_parts(rows.rows(), flops,
                     [&](Index first, Index count) { learner.update(rows.middle(first, count)); });
          },
          py::arg("x"))
      .def("model", &Hebbian::model, py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("rows", &Hebbian::rows)
      .def_property_readonly("steps", &Hebbian::steps)
      .def_property_readonly("weights", [](const Hebbian& h) { return array_of(h.weights()); })
      .def("save_state", [](const Hebbian& h) { return py::bytes(h.save_state()); })
      .def("load_state", [](Hebbian& h, const std::string& state) { h.load_state(state); });
  module.def("rules", [] {
    std::vector<std::string> names;
    for (const RuleEntry& entry : rule_table()) names.push_back(entry.name);
    return names;
  });
}

}  // namespace mercer::python
