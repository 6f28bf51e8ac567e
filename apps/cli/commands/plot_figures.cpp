#include "commands/plot_figures.hpp"

#include "model/parts.hpp"

#include <mercer/figures.hpp>
#include <mercer/map.hpp>

#include <fmt/format.h>

#include <limits>

namespace mercer::cli {

namespace {

/// The rows themselves as numbers, and `options` with what is known of them.
template <class T, class NumbersOf>
Matrix<double> drawn_inputs(const Model<T>& model, const PlotFlags& flags, PlotOptions& options,
                            const NumbersOf& numbers_of) {
  if (keeps_holes(parse_missing(flags.rows.missing)))
    throw UsageError(
        fmt::format("--missing {} is not supported by --kind {}: use --missing drop, or impute the "
                    "values",
                    flags.rows.missing, flags.kind));
  const DrawnRows rows =
      drawn_rows(model, flags, model.inputs(),
                 [&](const Rows<T>& x, const ReadOptions&) { return numbers_of(x); });
  options.labels = rows.labels();
  options.of_rows = rows.seen();
  return rows.numbers();
}

template <class T>
Matrix<double> drawn_inputs(const Model<T>& model, const PlotFlags& flags, PlotOptions& options) {
  return drawn_inputs(model, flags, options, [](const Rows<T>& x) {
    Matrix<T> dense(x.rows(), x.cols());
    identity_map<T>(x.cols())->apply(x, dense);
    return Matrix<double>(dense.template cast<double>());
  });
}

}  // namespace

template <class T>
std::string draw_axes(const Model<T>& model, const PlotFlags& flags, const PlotOptions& asked) {
  PlotOptions options = asked;
  const Matrix<double> rows = drawn_inputs(model, flags, options);
  return axes_svg(model, rows, options);
}

template <class T>
std::string draw_probe(const Model<T>& model, const PlotFlags&, const PlotOptions& options) {
  return probe_svg(model, options);
}

template <class T>
std::string draw_lift(const Model<T>& model, const PlotFlags& flags, const PlotOptions& asked) {
  PlotOptions options = asked;
  const Matrix<double> rows = drawn_inputs(model, flags, options);
  return naming(flags.rows.data, [&] { return lift_svg(model, rows, options); });
}

template <class T>
std::string draw_kernel(const Model<T>& model, const PlotFlags& flags, const PlotOptions& asked) {
  PlotOptions options = asked;
  const Preprocess before = preprocess(model.parts());  // the kernel takes z-scores
  const Matrix<double> rows = drawn_inputs(
      model, flags, options, [&](const Rows<T>& x) { return before.template as<double>(x); });
  return naming(flags.rows.data, [&] {
    return kernel_svg(Kernel::parse(model.map().kernel()), Rows<double>(rows), flags.center,
                      options);
  });
}

template <class T>
std::string draw_images(const Model<T>& model, const PlotFlags& flags, const PlotOptions& options) {
  const Index width =
      flags.image_width.empty()
          ? 0
          : parse_integer("--image-width", flags.image_width, 1, std::numeric_limits<Index>::max());
  return images_svg(model, width, options);
}

#define MERCER_INSTANTIATE(T)                                                              \
  template std::string draw_axes(const Model<T>&, const PlotFlags&, const PlotOptions&);   \
  template std::string draw_probe(const Model<T>&, const PlotFlags&, const PlotOptions&);  \
  template std::string draw_lift(const Model<T>&, const PlotFlags&, const PlotOptions&);   \
  template std::string draw_kernel(const Model<T>&, const PlotFlags&, const PlotOptions&); \
  template std::string draw_images(const Model<T>&, const PlotFlags&, const PlotOptions&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer::cli
