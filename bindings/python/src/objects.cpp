// Objects of a model, matrices of data and explicit features.
#include <mercer/export.hpp>
#include <mercer/feature_space.hpp>
#include <mercer/features.hpp>
#include <mercer/matrices.hpp>

#include "arrays.hpp"
#include "options.hpp"
#include "register.hpp"
#include "work.hpp"

#include <pybind11/stl.h>

#include <string>
#include <vector>

namespace mercer::python {

namespace {

py::tuple tuple_of(NamedMatrix found) {
  const py::object values = found.vector ? py::object(array_of(Vector<double>(found.values.col(0))))
                                         : py::object(array_of(std::move(found.values)));
  return py::make_tuple(values, found.rows, found.columns);
}

template <class T>
py::array matrix_of(const py::object& x, const std::string& what, const Flat<double>& weights,
                    const FitOptions& options) {
  const HeldRows<T> held(x);
  const Weights w(weights.data(), static_cast<std::size_t>(weights.size()));
  return array_of(
      released([&] { return data_matrix(held.rows(), parse_data_matrix(what), options, w); }));
}

template <class T>
py::tuple features_of(const std::string& map, const py::object& x,
                      const std::vector<std::string>& names, int threads) {
  const HeldRows<T> held(x);
  const auto phi = parse_map<T>(map, held.rows().cols(), names);
  py::object values = array_of(released(
      [&] { return map_features(*phi, held.rows(), {.threads = threads, .names = names}); }));
  return py::make_tuple(values, phi->feature_names(names));
}

template <class T>
py::array centred(const std::string& kernel, const py::object& x, int threads) {
  const HeldRows<T> held(x);
  return array_of(Matrix<T>(released([&] {
                              return centred_kernel_matrix(Kernel::parse(kernel), held.rows(),
                                                           {.threads = threads});
                            }).template cast<T>()));
}

template <class T>
void register_export(py::module_& module) {
  module.def(
      "export_object",
      [](const Model<T>& model, const std::string& what, const std::string& names) {
        return tuple_of(export_object(model, parse_object(what), parse_name_style(names)));
      },
      py::arg("model"), py::arg("what"), py::arg("names"));
}

}  // namespace

void register_objects(py::module_& module) {
  register_export<float>(module);
  register_export<double>(module);
  module.def(
      "data_matrix",
      [](const py::object& x, const std::string& what, const Flat<double>& weights,
         const py::kwargs& words) {
        const FitOptions options = fit_options(words);
        return is_float(x) ? matrix_of<float>(x, what, weights, options)
                           : matrix_of<double>(x, what, weights, options);
      },
      py::arg("x"), py::arg("what"), py::arg("weights"));
  module.def(
      "map_features",
      [](const std::string& map, const py::object& x, const std::vector<std::string>& names,
         int threads) {
        return is_float(x) ? features_of<float>(map, x, names, threads)
                           : features_of<double>(map, x, names, threads);
      },
      py::arg("map"), py::arg("x"), py::arg("names"), py::arg("threads"));
  module.def(
      "centred_kernel_matrix",
      [](const std::string& kernel, const py::object& x, int threads) {
        return is_float(x) ? centred<float>(kernel, x, threads)
                           : centred<double>(kernel, x, threads);
      },
      py::arg("kernel"), py::arg("x"), py::arg("threads"));
  module.def(
      "kernel_space",
      [](const std::string& kernel, Index columns) {
        const FeatureSpace space = feature_space(Kernel::parse(kernel), columns);
        return py::make_tuple(space.dimension, space.text);
      },
      py::arg("kernel"), py::arg("columns"));
  module.def(
      "map_space",
      [](const std::string& map, Index columns) {
        const FeatureSpace space = feature_space(*parse_map<double>(map, columns));
        return py::make_tuple(space.dimension, space.text);
      },
      py::arg("map"), py::arg("columns"));
}

}  // namespace mercer::python
