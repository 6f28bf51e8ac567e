#pragma once

#include <mercer/model.hpp>

#include <string>

namespace mercer {

/// What is wrong with the parts of a model, as a clause; empty when nothing is.
template <class T>
std::string problem(const ModelParts<T>& parts);

}  // namespace mercer
