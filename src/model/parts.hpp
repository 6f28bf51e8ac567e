#pragma once

#include "data/preprocess.hpp"

#include <mercer/model.hpp>

#include <string>

namespace mercer {

/// What is wrong with the parts of a model, as a clause; empty when nothing is.
template <class T>
std::string problem(const ModelParts<T>& parts);

/// What the model does to rows before φ; for linear models, where φ is the identity, x − m and the
/// scale with it.
template <class T>
Preprocess preprocess(const ModelParts<T>& parts);

/// The parts that make `preprocess` of it, in the precision of the model.
template <class T>
void store(const Preprocess& from, ModelParts<T>& parts);

/// The first k components and what belongs to each of them.
template <class T>
ModelParts<T> first_components(const ModelParts<T>& parts, Index k);

/// Is it exact kernel PCA of rows that weigh the same, which are its anchors?
template <class T>
bool anchors_are_its_rows(const ModelParts<T>& parts) {
  const Report& report = parts.report;
  return parts.map->space() != Space::features && report.method == "kernel-pca" &&
         !report.approximation && !report.weighted && report.n_samples == parts.components.cols();
}

}  // namespace mercer
