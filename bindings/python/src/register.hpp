#pragma once
// One function a source file: what it adds to the module.

#include <pybind11/pybind11.h>

namespace mercer::python {

void register_model(pybind11::module_& module);
void register_fit(pybind11::module_& module);
void register_incremental(pybind11::module_& module);
void register_moments(pybind11::module_& module);
void register_kernels(pybind11::module_& module);
void register_datasets(pybind11::module_& module);
void register_eigs(pybind11::module_& module);
void register_objects(pybind11::module_& module);
void register_learn(pybind11::module_& module);
void register_plots(pybind11::module_& module);
void register_diagnostics(pybind11::module_& module);
void register_probe(pybind11::module_& module);
void register_team(pybind11::module_& module);
void register_features(pybind11::module_& module);

}  // namespace mercer::python
