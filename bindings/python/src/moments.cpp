// Sums of parts of the rows.
#include <mercer/part_moments.hpp>

#include "arrays.hpp"
#include "register.hpp"
#include "work.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

namespace mercer::python {

namespace {

Components components_of(const py::object& asked) {
  if (asked.is_none()) return all_components();
  if (py::isinstance<py::float_>(asked)) return asked.cast<double>();
  return asked.cast<Index>();
}

}  // namespace

void register_moments(py::module_& module) {
  py::class_<PartMoments>(module, "PartMoments")
      .def(py::init([](Index features, std::vector<std::string> names, bool center, bool scale,
                       int ddof, std::string map, int threads) {
        Schema schema;
        schema.features = features;
        schema.feature_names = std::move(names);
        return PartMoments(std::move(schema), {.center = center,
                                               .scale = scale ? Scale::std : Scale::none,
                                               .ddof = ddof,
                                               .map = std::move(map),
                                               .threads = threads});
      }))
      .def("update",
           [](PartMoments& part, const py::object& x, const std::optional<Flat<double>>& weights) {
             const HeldRows<double> held(x);
             const Weights w =
                 weights ? Weights(weights->data(), static_cast<std::size_t>(weights->size()))
                         : Weights();
             released([&] {
               part.update(held.rows(), w);
               return 0;
             });
           })
      .def("merge", &PartMoments::merge)
      .def("model",
           [](const PartMoments& part, const py::object& components) {
             const Components asked = components_of(components);
             return released([&] { return part.model(asked); });
           })
      .def("to_bytes", [](const PartMoments& part) { return py::bytes(part.to_bytes()); })
      .def_static("from_bytes",
                  [](const py::bytes& bytes, const std::string& name) {
                    return PartMoments::from_bytes(std::string_view(bytes), name);
                  })
      .def("save", &PartMoments::save)
      .def_static("load", &PartMoments::load)
      .def_property_readonly("features", [](const PartMoments& p) { return p.schema().features; })
      .def_property_readonly("feature_names",
                             [](const PartMoments& p) { return p.schema().feature_names; })
      .def_property_readonly("parts", &PartMoments::parts)
      .def_property_readonly("rows", &PartMoments::rows)
      .def_property_readonly("weight", &PartMoments::weight);
}

}  // namespace mercer::python
