// Plots as SVG text: what `mercer plot` and `mercer contour` write for the same model and rows.
#include <mercer/picture.hpp>

#include "arrays.hpp"
#include "register.hpp"
#include "trace_of.hpp"
#include "work.hpp"

#include <mercer/figures.hpp>

#include <pybind11/stl.h>

#include <string>
#include <utility>
#include <vector>

namespace mercer::python {

namespace {

PlotOptions plot_options(const py::dict& words, int width = 640, int height = 480) {
  PlotOptions o;
  o.width = width;
  o.height = height;
  for (const auto& [key, value] : words) {
    const auto name = key.cast<std::string>();
    if (name == "title") o.title = value.cast<std::string>();
    else if (name == "width") o.width = value.cast<int>();
    else if (name == "height") o.height = value.cast<int>();
    else if (name == "components") o.components = value.cast<std::vector<Index>>();
    else if (name == "labels") o.labels = value.cast<std::vector<std::string>>();
    else if (name == "ids") o.names = value.cast<std::vector<std::string>>();
    else if (name == "ellipses") o.ellipses = value.cast<bool>();
    else throw py::type_error("a plot has no option '" + name + "'");
  }
  return o;
}

ContourOptions contour_options(const py::dict& words) {
  ContourOptions o;
  for (const auto& [key, value] : words) {
    const auto name = key.cast<std::string>();
    if (name == "components") o.chosen = value.cast<std::vector<Index>>();
    else if (name == "labels") o.labels = value.cast<std::vector<std::string>>();
    else if (name == "levels") o.levels = value.cast<int>();
    else if (name == "size") o.size = value.cast<int>();
    else if (name == "threads") o.threads = value.cast<int>();
    else throw py::type_error("contour lines have no option '" + name + "'");
  }
  return o;
}

template <class T>
Matrix<double> dense(const Rows<T>& rows) {
  Matrix<T> out(rows.rows(), rows.cols());
  identity_map<T>(rows.cols())->apply(rows, out);
  return out.template cast<double>();
}

/// What a kernel takes: z-scores if the model has a scale.
template <class T>
Matrix<double> kernel_inputs(const Model<T>& model, const Rows<T>& rows) {
  Matrix<double> out = dense(rows);
  if (model.scale().size() == 0) return out;
  out.rowwise() -= model.input_mean().template cast<double>().transpose();
  if (model.input_rest().size() > 0)
    out.rowwise() -= model.input_rest().template cast<double>().transpose();
  out.array().rowwise() /= model.scale().template cast<double>().transpose().array();
  return out;
}

template <class T>
std::string kernel_picture(const Model<T>& model, const py::object& x, bool center,
                           const py::dict& words) {
  const Space space = model.map().space();
  if (model.map().kernel().empty() || space == Space::precomputed)
    throw py::value_error(
        "kind='kernel' draws a kernel that is an expression; this model has none");
  const HeldRows<T> held(x);
  const PlotOptions options = plot_options(words, 820, 430);
  return released([&] {
    const Matrix<double> rows = kernel_inputs(model, held.rows());
    return kernel_svg(Kernel::parse(model.map().kernel()), Rows<double>(rows), center, options);
  });
}

template <class T>
void register_scores(py::module_& module, const char* name,
                     std::string (*draw)(const Model<T>&, const MatrixRef<T>&,
                                         const PlotOptions&)) {
  module.def(
      name,
      [draw](const Model<T>& model, const py::object& x, int threads, const py::dict& words) {
        const HeldRows<T> held(x);
        const PlotOptions options = plot_options(words);
        const TransformOptions how{.threads = threads, .monitor = monitor_of(py::none())};
        return released([&] {
          const Matrix<T> scores = model.transform(held.rows(), how);
          return draw(model, scores, options);
        });
      },
      py::arg("model"), py::arg("x"), py::arg("threads"), py::arg("words"));
}

template <class T>
void register_plain(py::module_& module, const char* name,
                    std::string (*draw)(const Model<T>&, const PlotOptions&)) {
  module.def(
      name,
      [draw](const Model<T>& model, const py::dict& words) {
        const PlotOptions options = plot_options(words);
        return released([&] { return draw(model, options); });
      },
      py::arg("model"), py::arg("words"));
}

/// The plot, and why it lacks a limit.
template <class T>
std::pair<std::string, std::string> t2spe_picture(const Model<T>& model, const py::object& x,
                                                  double level, const py::object& reference,
                                                  int threads, const py::dict& words) {
  const HeldRows<T> held(x);
  const PlotOptions options = plot_options(words);
  const py::object good = reference.is_none() ? x : reference;
  const HeldRows<T> good_rows(good);
  const bool from_good = !reference.is_none();
  const Monitor monitor = monitor_of(py::none());
  return released([&] {
    const Scorer<T> scorer(model, {.threads = threads, .monitor = monitor});
    const ScoreLimits limits =
        from_good ? limits_of(scorer(good_rows.rows()), level) : scorer.limits(level);
    std::string missing;
    if (!limits.t2 && !limits.spe) missing = "no limits: " + limits.t2_from;
    else if (!limits.t2) missing = "no T2 limit: " + limits.t2_from;
    else if (!limits.spe && scorer.no_spe().empty()) missing = "no SPE limit: " + limits.spe_from;
    return std::pair(t2spe_svg(scorer(held.rows()), limits, options), missing);
  });
}

template <class T>
void register_model_plots(py::module_& module) {
  register_plain<T>(module, "scree_svg", &scree_svg<T>);
  register_plain<T>(module, "loadings_svg", &loadings_svg<T>);
  register_plain<T>(module, "circle_svg", &circle_svg<T>);
  register_plain<T>(module, "probe_svg", &probe_svg<T>);
  register_scores<T>(module, "scores_svg", &scores_svg<T>);
  register_scores<T>(module, "biplot_svg", &biplot_svg<T>);
  module.def("t2spe_svg", &t2spe_picture<T>, py::arg("model"), py::arg("x"), py::arg("level"),
             py::arg("reference"), py::arg("threads"), py::arg("words"));
  module.def(
      "axes_svg",
      [](const Model<T>& model, const py::object& x, const py::dict& words) {
        const HeldRows<T> held(x);
        const PlotOptions options = plot_options(words);
        return released([&] { return axes_svg(model, dense(held.rows()), options); });
      },
      py::arg("model"), py::arg("x"), py::arg("words"));
  module.def(
      "lift_svg",
      [](const Model<T>& model, const py::object& x, const py::dict& words) {
        const HeldRows<T> held(x);
        const PlotOptions options = plot_options(words, 820, 430);
        return released([&] { return lift_svg(model, dense(held.rows()), options); });
      },
      py::arg("model"), py::arg("x"), py::arg("words"));
  module.def("kernel_svg", &kernel_picture<T>, py::arg("model"), py::arg("x"), py::arg("center"),
             py::arg("words"));
  module.def(
      "images_svg",
      [](const Model<T>& model, Index image_width, const py::dict& words) {
        const PlotOptions options = plot_options(words, 640, 640);
        return released([&] { return images_svg(model, image_width, options); });
      },
      py::arg("model"), py::arg("image_width"), py::arg("words"));
  module.def(
      "contour_svg",
      [](const Model<T>& model, const py::object& x, const py::dict& words) {
        ContourOptions options = contour_options(words);
        if (!x.is_none()) options.points = dense(HeldRows<double>(x).rows());
        options.monitor = monitor_of(py::none());
        return released([&] { return contour_svg(model, options); });
      },
      py::arg("model"), py::arg("x"), py::arg("words"));
}

}  // namespace

void register_plots(py::module_& module) {
  register_model_plots<float>(module);
  register_model_plots<double>(module);
  module.def(
      "run_svg",
      [](const py::dict& trace, const std::string& title, int size) {
        return run_svg(trace_of(trace), {.title = title, .size = size});
      },
      py::arg("trace"), py::arg("title"), py::arg("size"));
  module.def(
      "weights_svg",
      [](const py::dict& trace, const py::dict& words) {
        return weights_svg(trace_of(trace), plot_options(words));
      },
      py::arg("trace"), py::arg("words"));
  module.def(
      "alpha_svg",
      [](const py::dict& trace, const py::dict& words) {
        return alpha_svg(trace_of(trace), plot_options(words));
      },
      py::arg("trace"), py::arg("words"));
}

}  // namespace mercer::python
