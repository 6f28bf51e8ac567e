// Hebbian learning: whole runs over rows in memory, and learners that take batches.
#include <mercer/learn.hpp>

#include "arrays.hpp"
#include "register.hpp"
#include "work.hpp"

#include <mercer/hebbian.hpp>

#include <pybind11/stl.h>

#include <string>

namespace mercer::python {

namespace {

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
    else if (name == "forgetting") o.forgetting = value.cast<double>();
    else if (name == "seed") o.seed = value.cast<std::uint64_t>();
    else if (name == "threads") o.threads = value.cast<int>();
    else throw py::type_error("a learner has no option '" + name + "'");
  }
  return o;
}

py::tuple learn_rows(const py::object& x, const py::dict& learner, int epochs, double until,
                     bool shuffle, const py::object& callback) {
  const HeldRows<double> held(x);
  LearnOptions options;
  options.learner = learner_options(learner);
  options.epochs = epochs;
  options.until = until;
  options.order = shuffle ? Order::shuffled : Order::as_it_comes;
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
  return py::make_tuple(std::move(learned.model), run);
}

}  // namespace

void register_learn(py::module_& module) {
  module.def("learn", &learn_rows, py::arg("x"), py::arg("learner"), py::arg("epochs") = 0,
             py::arg("until") = 0.0, py::arg("shuffle") = true, py::arg("monitor") = py::none());
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
