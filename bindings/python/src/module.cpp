// The extension module `mercer._mercer`: the library's functions over NumPy arrays. The estimators
// above it are Python.
#include "options.hpp"
#include "register.hpp"
#include "spelling.hpp"

#include <mercer/error.hpp>
#include <mercer/seed.hpp>
#include <mercer/version.hpp>

namespace mercer::python {

namespace {

PyObject* exception_of(Errc code) {
  switch (code) {
    case Errc::io:
      return PyExc_OSError;
    case Errc::out_of_memory:
      return PyExc_MemoryError;
    case Errc::not_converged:
      return PyExc_RuntimeError;
    case Errc::interrupted:
      return PyExc_KeyboardInterrupt;
    default:
      return PyExc_ValueError;
  }
}

}  // namespace

PYBIND11_MODULE(_mercer, module) {
  // Lives as long as the interpreter: a translator has no captures, and no end.
  static PyObject* invalid_kernel = nullptr;
  invalid_kernel = PyErr_NewException("mercer._mercer.InvalidKernel", PyExc_ValueError, nullptr);
  module.attr("InvalidKernel") = pybind11::handle(invalid_kernel);
  pybind11::register_exception_translator([](std::exception_ptr error) {
    try {
      std::rethrow_exception(error);
    } catch (const Error& e) {
      PyErr_SetString(e.code() == Errc::invalid_kernel ? invalid_kernel : exception_of(e.code()),
                      in_parameters(e.what()).c_str());
    }
  });
  module.def("in_parameters", &in_parameters, pybind11::arg("message"),
             "A message of the library, in the names of parameters.");
  module.attr("__version__") = MERCER_VERSION;
  module.attr("default_seed") = default_seed;
  module.def("thread_limit", &thread_limit, "Threads that BLAS may use.");
  register_model(module);
  register_fit(module);
  register_incremental(module);
  register_moments(module);
  register_kernels(module);
  register_objects(module);
  register_learn(module);
  register_plots(module);
  register_diagnostics(module);
  register_probe(module);
  register_team(module);
  register_features(module);
  register_eigs(module);
  register_datasets(module);
}

}  // namespace mercer::python
