// Kernel features whose sums are made elsewhere: what the engines of other systems need of a kernel
// and of an approximation, and the model that belongs to the sums.
#include <mercer/approx.hpp>
#include <mercer/features.hpp>
#include <mercer/kernel.hpp>
#include <mercer/map.hpp>
#include <mercer/model.hpp>

#include "arrays.hpp"
#include "register.hpp"
#include "work.hpp"

#include <pybind11/stl.h>

#include <string>
#include <utility>

namespace mercer::python {

namespace {

py::dict approximation_dict(const std::string& text) {
  const Approx approx = parse_approx(text);
  py::dict out;
  out["text"] = text_of(approx);
  out["error"] = error_limit(approx);
  if (const auto* nystrom = std::get_if<Nystrom>(&approx)) {
    constexpr const char* choices[] = {"uniform", "kmeans", "leverage", "cholesky"};
    out["name"] = "nystrom";
    out["landmarks"] = nystrom->landmarks;
    out["by"] = choices[static_cast<int>(nystrom->by)];
  } else if (const auto* cholesky = std::get_if<Cholesky>(&approx)) {
    out["name"] = "cholesky";
    out["rank"] = cholesky->rank;
    out["tolerance"] = cholesky->tolerance;
  } else if (const auto* fourier = std::get_if<Fourier>(&approx)) {
    out["name"] = "fourier";
    out["features"] = fourier->features;
  } else {
    out["name"] = "tensorsketch";
  }
  return out;
}

/// A model with the frequencies of random Fourier features. Its component is the first feature;
/// what it is for is `features`.
Model<double> fourier_features(const std::string& kernel, Index columns, const std::string& approx,
                               std::uint64_t seed) {
  const auto how = std::get<Fourier>(parse_approx(approx));
  ModelParts<double> parts;
  parts.map = fourier_map<double>(Kernel::parse(kernel), columns, how.features,
                                  {.orthogonal = how.orthogonal, .seed = seed});
  parts.components = Matrix<double>::Identity(1, parts.map->features());
  parts.mean = Vector<double>::Zero(parts.map->features());
  parts.input_mean = Vector<double>::Zero(columns);
  parts.eigenvalues = Vector<double>::Zero(1);
  parts.report.method = "kernel-pca";
  parts.report.centered = false;
  parts.report.ddof = 0;
  parts.report.weight = 1;
  parts.report.n_samples = 1;
  return Model<double>(std::move(parts));
}

/// Kernel PCA from the PCA of features: B and m are those of the map.
Model<double> model_of_features(const Model<double>& features, const Model<double>& pca,
                                const Flat<double>& components, const Flat<double>& mean,
                                const Flat<double>& input_mean, const py::dict& error) {
  const auto number = [&](const char* name) { return error[name].cast<double>(); };
  ModelParts<double> parts = pca.parts();
  parts.map = features.parts().map;
  parts.components =
      Eigen::Map<const Matrix<double>>(components.data(), components.shape(0), components.shape(1));
  parts.mean = Eigen::Map<const Vector<double>>(mean.data(), mean.size());
  parts.mean_rest.resize(0);
  parts.input_mean = Eigen::Map<const Vector<double>>(input_mean.data(), input_mean.size());
  parts.column_variance.resize(0);
  parts.eigenvalues = Vector<double>(parts.eigenvalues.head(parts.components.rows()));
  parts.feature_names.clear();

  Report& report = parts.report;
  report.method = "kernel-pca";
  report.total_variance += number("left") / (report.weight - report.ddof);
  report.total_squares = 0;
  report.rank = 0;
  report.relations.clear();
  report.solver.residuals.resize(static_cast<std::size_t>(parts.components.rows()));
  report.solver.why = error["why"].cast<std::string>();
  report.certificate = {};
  report.certificate.reason = error["reason"].cast<std::string>();
  Approximation a;
  a.name = error["name"].cast<std::string>();
  a.text = error["text"].cast<std::string>();
  a.rank = parts.map->features();
  a.error = number("error");
  a.spread = number("spread");
  a.estimated = error["estimated"].cast<bool>();
  a.below = number("below");
  a.above = number("above");
  report.approximation = std::move(a);
  return Model<double>(std::move(parts));
}

}  // namespace

void register_features(py::module_& module) {
  module.def("approximation", &approximation_dict, py::arg("text"),
             "The parameters of an approximation by name.");
  module.def(
      "kernel_diagonal",
      [](const std::string& kernel, const py::object& x) {
        const HeldRows<double> held(x);
        return array_of(released([&] { return Kernel::parse(kernel).diagonal(held.rows()); }));
      },
      py::arg("kernel"), py::arg("x"), "k(x, x) of each row.");
  module.def("fourier_features", &fourier_features, py::arg("kernel"), py::arg("columns"),
             py::arg("approximation"), py::arg("seed"));
  module.def(
      "features_of",
      [](const Model<double>& model, const py::object& x, int threads) {
        const HeldRows<double> held(x);
        return array_of(
            released([&] { return map_features(model.map(), held.rows(), {.threads = threads}); }));
      },
      py::arg("model"), py::arg("x"), py::arg("threads"), "The map of a model, of rows.");
  module.def("model_of_features", &model_of_features, py::arg("features"), py::arg("pca"),
             py::arg("components"), py::arg("mean"), py::arg("input_mean"), py::arg("error"));
}

}  // namespace mercer::python
