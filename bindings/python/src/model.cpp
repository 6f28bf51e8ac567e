// `Model32` and `Model64`: a fitted model of either precision.
#include <mercer/model.hpp>

#include "arrays.hpp"
#include "complete.hpp"
#include "map_of.hpp"
#include "register.hpp"
#include "work.hpp"

#include <mercer/relations.hpp>
#include <mercer/score.hpp>

#include <pybind11/stl.h>

#include <algorithm>
#include <string>
#include <vector>

namespace mercer::python {

namespace {

template <class T>
py::array transform(const Model<T>& model, const py::object& x, int threads) {
  const HeldRows<T> held(x);
  const Rows<T>& rows = held.rows();
  const Index n = rows.rows(), k = model.outputs();
  py::array_t<T> out({n, k});
  Eigen::Map<Matrix<T>> scores(out.mutable_data(), n, k);
  const double flops =
      2.0 * static_cast<double>(model.map().features()) * static_cast<double>(k + model.inputs());
  in_parts(n, flops, [&](Index first, Index count) {
    model.transform(rows.middle(first, count), scores.middleRows(first, count),
                    {.threads = threads});
  });
  return out;
}

template <class T>
py::array inverse(const Model<T>& model, const py::object& scores, int threads) {
  const HeldRows<T> held(scores);
  return array_of(
      released([&] { return model.inverse(held.rows().dense(), {.threads = threads}); }));
}

template <class T>
py::object anchors(const py::object& self) {
  const Rows<T> rows = self.cast<const Model<T>&>().map().anchors();
  if (!rows.sparse())
    return view_of(rows.dense().data(), rows.rows(), rows.cols(), rows.stride(), self);
  const CsrView<T>& csr = rows.csr();
  const Index entries = rows.entries();
  return py::make_tuple(py::array_t<std::int64_t>(rows.rows() + 1, csr.offsets),
                        py::array_t<std::int32_t>(entries, csr.columns + csr.offsets[0]),
                        py::array_t<T>(entries, csr.values + csr.offsets[0]), rows.cols());
}

/// The first k components and what belongs to them, by scikit-learn's names.
template <class T>
py::dict attributes(const Model<T>& model, Index k) {
  const Vector<double> variances = model.explained_variance().head(k);
  const Vector<double> ratios = model.explained_variance_ratio().head(k);
  const Vector<double> roots = model.eigenvalues().head(k).cwiseSqrt();
  const Matrix<T>& b = model.components();
  const Report& report = model.report();
  const Index left = std::min<Index>(report.n_samples, b.cols()) - k;
  const double noise = std::max(0.0, report.total_variance - variances.sum());
  py::dict out;
  out["n_components_"] = k;
  out["components_"] = array_of(Matrix<T>(b.topRows(k)));
  out["explained_variance_"] = array_of(Vector<T>(variances.cast<T>()));
  out["explained_variance_ratio_"] = array_of(Vector<T>(ratios.cast<T>()));
  out["singular_values_"] = array_of(Vector<T>(roots.cast<T>()));
  out["mean_"] = array_of(model.mean());
  out["noise_variance_"] = left > 0 ? noise / static_cast<double>(left) : 0.0;
  return out;
}

/// k×2, or None where nothing is certain.
template <class T>
py::object intervals(const Model<T>& model) {
  const Certificate& certificate = model.report().certificate;
  if (certificate.low.empty()) return py::none();
  Matrix<double> out(model.outputs(), 2);
  for (Index j = 0; j < out.rows(); ++j) {
    out(j, 0) = certificate.low[static_cast<std::size_t>(j)];
    out(j, 1) = certificate.high[static_cast<std::size_t>(j)];
  }
  return array_of(std::move(out));
}

/// {"terms": {name: coefficient}, …}; names of the columns that the model does not know.
template <class T>
py::dict relation_dict(const Model<T>& model, const Relation& r,
                       const std::vector<std::string>& columns) {
  const std::vector<std::string> names = term_names(model, columns);
  py::dict terms, errors, out;
  for (std::size_t j = 0; j < names.size(); ++j) {
    if (r.coefficients[j] == 0) continue;
    terms[py::str(names[j])] = r.coefficients[j];
    if (!r.errors.empty()) errors[py::str(names[j])] = r.errors[j];
  }
  out["terms"] = terms;
  out["constant"] = r.constant;
  out["residual"] = r.residual;
  out["deviation"] = r.deviation;
  if (!r.errors.empty()) out["standard_errors"] = errors;
  out["text"] = to_text(r, names);
  return out;
}

template <class T>
py::list relation_list(const Model<T>& model, const std::vector<std::string>& columns) {
  py::list out;
  for (const Relation& r : relations(model)) out.append(relation_dict(model, r, columns));
  return out;
}

template <class T>
Model<T> named(const Model<T>& model, std::vector<std::string> names) {
  ModelParts<T> parts = model.parts();
  parts.feature_names = std::move(names);
  return Model<T>(std::move(parts));
}

/// φ(x) = k(x, L) and y = Bφ: features of Nyström's method as a model.
template <class T>
Model<T> landmark_model(const std::string& kernel, const py::object& landmarks,
                        const Flat<double>& normalization, std::int64_t rows) {
  const HeldRows<T> held(landmarks);
  const Rows<T>& l = held.rows();
  ModelParts<T> parts;
  const Kernel k = Kernel::parse(kernel);
  if (l.sparse()) {
    Csr<T> csr;
    csr.cols = l.cols();
    csr.offsets.assign(l.csr().offsets, l.csr().offsets + l.rows() + 1);
    csr.columns.assign(l.csr().columns, l.csr().columns + l.entries());
    csr.values.assign(l.csr().values, l.csr().values + l.entries());
    parts.map = kernel_map<T>(k, std::move(csr));
  } else {
    parts.map = kernel_map<T>(k, Matrix<T>(l.dense()));
  }
  const Index n = l.rows();
  parts.components =
      Eigen::Map<const Matrix<double>>(normalization.data(), normalization.shape(0), n)
          .template cast<T>();
  parts.mean = Vector<T>::Zero(n);
  parts.input_mean = Vector<T>::Zero(l.cols());
  parts.eigenvalues = Vector<double>::Zero(parts.components.rows());
  parts.report.method = "nystroem";
  parts.report.n_samples = rows;
  parts.report.weight = static_cast<double>(rows);
  parts.report.centered = false;
  parts.report.ddof = 0;
  return Model<T>(std::move(parts));
}

/// A kernel that only Python can evaluate: a file has its name.
Kernel python_kernel(const std::string& name) {
  return Kernel::function(name, [name](auto, auto) -> double {
    throw Error(Errc::bad_option, "the kernel function '" + name + "' is evaluated by Python");
  });
}

/// A model of kernel values, as one of a function of these rows: what is saved.
template <class T>
Model<T> function_model(const Model<T>& model, const py::object& x, const std::string& name) {
  const HeldRows<T> held(x);
  ModelParts<T> parts = model.parts();
  parts.map = kernel_map<T>(python_kernel(name), Matrix<T>(held.rows().dense()));
  parts.input_mean = Vector<T>::Zero(held.rows().cols());
  return Model<T>(std::move(parts));
}

/// And back: a model that scores kernel values computed by Python.
template <class T>
Model<T> similarity_model(const Model<T>& model) {
  ModelParts<T> parts = model.parts();
  parts.map = precomputed_map<T>(model.map().features());
  parts.input_mean.resize(0);
  parts.feature_names.clear();
  return Model<T>(std::move(parts));
}

/// Of the bytes of a file: `kernels` are names of functions that Python evaluates, `maps` their
/// tuples (name, function, inputs, features).
template <class T>
Model<T> read_model(std::string_view bytes, const std::string& name,
                    const std::vector<std::string>& kernels, const py::list& maps) {
  LoadOptions<T> own;
  for (const std::string& kernel : kernels) own.kernels.push_back(python_kernel(kernel));
  for (const py::handle& item : maps) {
    const auto map = py::reinterpret_borrow<py::tuple>(item);
    own.maps.push_back(map_of<T>(py::make_tuple(map[0], map[1], map[3]), map[2].cast<Index>()));
  }
  return Model<T>::deserialize(bytes, name, own);
}

template <class T>
void register_model(py::module_& module, const char* name) {
  using M = Model<T>;
  py::class_<M>(module, name)
      .def("transform", &transform<T>, py::arg("x"), py::arg("threads") = 0)
      .def("inverse", &inverse<T>, py::arg("scores"), py::arg("threads") = 0)
      .def_property_readonly("inputs", &M::inputs)
      .def_property_readonly("outputs", &M::outputs)
      .def_property_readonly("components",
                             [](const py::object& self) {
                               const Matrix<T>& b = self.cast<const M&>().components();
                               return view_of(b.data(), b.rows(), b.cols(), b.cols(), self);
                             })
      .def_property_readonly("mean", [](const M& m) { return array_of(m.mean()); })
      .def_property_readonly("scale", [](const M& m) { return array_of(m.scale()); })
      .def_property_readonly("eigenvalues", [](const M& m) { return array_of(m.eigenvalues()); })
      .def_property_readonly("eigenvalue_intervals", &intervals<T>)
      .def_property_readonly("explained_variance",
                             [](const M& m) { return array_of(m.explained_variance()); })
      .def_property_readonly("explained_variance_ratio",
                             [](const M& m) { return array_of(m.explained_variance_ratio()); })
      .def_property_readonly("total_variance", [](const M& m) { return m.report().total_variance; })
      .def_property_readonly("n_samples", [](const M& m) { return m.report().n_samples; })
      .def_property_readonly("centered", [](const M& m) { return m.report().centered; })
      .def_property_readonly("method", [](const M& m) { return m.report().method; })
      .def_property_readonly("space", [](const M& m) { return name_of(m.map().space()); })
      .def_property_readonly("map", [](const M& m) { return m.map().text(); })
      .def_property_readonly("kernel", [](const M& m) { return m.map().kernel(); })
      .def_property_readonly("feature_names", &M::feature_names)
      .def_property_readonly("anchors", &anchors<T>)
      .def_property_readonly("rank", [](const M& m) { return m.report().rank; })
      .def("relations", &relation_list<T>, py::arg("columns"))
      .def(
          "smallest_relation",
          [](const M& m, const std::vector<std::string>& columns) {
            return relation_dict(m, smallest_relation(m), columns);
          },
          py::arg("columns"))
      .def("attributes", &attributes<T>, py::arg("components"))
      .def("json", [](const M& m) { return to_json(m); })
      .def("with_components", &with_components<T>, py::arg("components"),
           "Its first components, or more of them that have no variance.")
      .def("named", &named<T>, py::arg("feature_names"))
      .def("of_function", &function_model<T>, py::arg("x"), py::arg("name"))
      .def("of_similarities", &similarity_model<T>)
      .def("lost_digits", [](const M& m) { return lost_digits(m); })
      .def("bytes", [](const M& m) { return py::bytes(m.serialize()); })
      .def("save", &M::save, py::arg("path"), py::call_guard<py::gil_scoped_release>())
      .def(py::pickle([](const M& m) { return py::bytes(m.serialize()); },
                      [](const py::bytes& bytes) {
                        return M::deserialize(static_cast<std::string_view>(bytes));
                      }));
}

}  // namespace

void register_model(py::module_& module) {
  register_model<float>(module, "Model32");
  register_model<double>(module, "Model64");
  module.def(
      "load",
      [](const std::string& path, const std::vector<std::string>& functions) {
        std::vector<Kernel> kernels;
        for (const std::string& name : functions) kernels.push_back(python_kernel(name));
        return load_any(path, kernels);
      },
      py::arg("path"), py::arg("functions") = std::vector<std::string>{});
  module.def(
      "read_model",
      [](const py::bytes& bytes, const std::string& name, bool single,
         const std::vector<std::string>& kernels, const py::list& maps) -> AnyModel {
        const auto text = static_cast<std::string_view>(bytes);
        if (single) return read_model<float>(text, name, kernels, maps);
        return read_model<double>(text, name, kernels, maps);
      },
      py::arg("bytes"), py::arg("name"), py::arg("single"), py::arg("kernels"), py::arg("maps"),
      "The model of a file's bytes, with functions by their names.");
  module.def(
      "to_single", [](const Model<double>& m) { return Model<float>::deserialize(m.serialize()); },
      py::arg("model"), "The same model in single precision.");
  module.def(
      "landmark_model",
      [](const std::string& kernel, const py::object& landmarks, const Flat<double>& b,
         std::int64_t rows) -> AnyModel {
        if (is_float(landmarks)) return landmark_model<float>(kernel, landmarks, b, rows);
        return landmark_model<double>(kernel, landmarks, b, rows);
      },
      py::arg("kernel"), py::arg("landmarks"), py::arg("normalization"), py::arg("rows"));
}

}  // namespace mercer::python
