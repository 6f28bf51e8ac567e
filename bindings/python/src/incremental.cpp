// `Incremental32` and `Incremental64`: moments of batches, with a model at any time.
#include <mercer/incremental.hpp>

#include "arrays.hpp"
#include "options.hpp"
#include "register.hpp"
#include "work.hpp"

#include <pybind11/stl.h>

#include <vector>

namespace mercer::python {

namespace {

template <class T>
void register_one(py::module_& module, const char* name) {
  using Pca = IncrementalPca<T>;
  py::class_<Pca>(module, name)
      .def(py::init([](Index features, const py::kwargs& words) {
             return Pca(features, fit_options(words));
           }),
           py::arg("features"))
      .def(
          "update",
          [](Pca& pca, const py::object& x) {
            const HeldRows<T> held(x);
            const Rows<T>& rows = held.rows();
            const double d = static_cast<double>(rows.cols());
            in_parts(rows.rows(), d * d,
                     [&](Index first, Index count) { pca.update(rows.middle(first, count)); });
          },
          py::arg("x"))
      .def("model", &Pca::model, py::call_guard<py::gil_scoped_release>())
      .def_property_readonly("rows", [](const Pca& pca) { return pca.moments().rows(); })
      .def_property_readonly("mean", [](const Pca& pca) { return array_of(pca.moments().mean()); })
      .def_property_readonly("variance",
                             [](const Pca& pca) {
                               const Moments& m = pca.moments();
                               return array_of(Vector<double>(m.scatter_diagonal() / m.weight()));
                             })
      .def_property_readonly("total",
                             [](const Pca& pca) { return pca.moments().scatter_diagonal().sum(); })
      .def("save_state",
           [](const Pca& pca) {
             const std::vector<double> state = pca.save_state();
             return py::array_t<double>(static_cast<py::ssize_t>(state.size()), state.data());
           })
      .def("load_state", [](Pca& pca, const Flat<double>& state) {
        pca.load_state({state.data(), state.data() + state.size()});
      });
}

}  // namespace

void register_incremental(py::module_& module) {
  register_one<float>(module, "Incremental32");
  register_one<double>(module, "Incremental64");
}

}  // namespace mercer::python
