#pragma once
// Maps as Python names them: by their text, or as functions of arrays.

#include <mercer/map.hpp>

#include <pybind11/pybind11.h>

#include <memory>
#include <string>
#include <vector>

namespace mercer::python {

/// `map` is a text, empty for none, or the tuple (name, function, features) of a function that
/// takes an array of n×inputs and returns one of n×features. Called from several threads, one at a
/// time.
template <class T>
std::shared_ptr<const Map<T>> map_of(const pybind11::object& map, Index inputs,
                                     const std::vector<std::string>& columns = {});

}  // namespace mercer::python
