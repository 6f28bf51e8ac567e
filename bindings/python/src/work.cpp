#include "work.hpp"

#include <string>

namespace mercer::python {

void check_signals() {
  if (PyErr_CheckSignals() != 0) throw py::error_already_set();
}

Monitor monitor_of(const py::object& callback) {
  // The pointer is borrowed: monitors are copied and destroyed without the interpreter.
  PyObject* const function = callback.is_none() ? nullptr : callback.ptr();
  return [function](const Progress& p) {
    const py::gil_scoped_acquire acquire;
    check_signals();
    if (!function) return true;
    const py::object answer = py::reinterpret_borrow<py::function>(function)(
        std::string(p.what), p.done, p.total, std::string(p.unit), std::string(p.note));
    return !(answer.ptr() == Py_False);
  };
}

}  // namespace mercer::python
