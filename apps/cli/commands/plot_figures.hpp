#pragma once
// The kinds of `mercer plot` that show the figures of the lectures.

#include "commands/plot_flags.hpp"

#include <mercer/trace.hpp>

#include <string>
#include <vector>

namespace mercer::cli {

template <class T>
std::string draw_axes(const Model<T>& model, const PlotFlags& flags, const PlotOptions& options);
template <class T>
std::string draw_probe(const Model<T>& model, const PlotFlags& flags, const PlotOptions& options);
template <class T>
std::string draw_lift(const Model<T>& model, const PlotFlags& flags, const PlotOptions& options);
template <class T>
std::string draw_kernel(const Model<T>& model, const PlotFlags& flags, const PlotOptions& options);
template <class T>
std::string draw_images(const Model<T>& model, const PlotFlags& flags, const PlotOptions& options);

}  // namespace mercer::cli
