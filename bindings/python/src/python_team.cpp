#include "python_team.hpp"

#include "core/team.hpp"
#include "register.hpp"

#include <mercer/error.hpp>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace mercer::python {

namespace {

/// Memory of the library as Python sees it, until this object ends.
class View {
 public:
  View(void* data, std::size_t bytes, bool readonly)
      : view_(py::memoryview::from_memory(bytes > 0 ? data : &nothing_,
                                          static_cast<py::ssize_t>(bytes), readonly)) {}
  View(const View&) = delete;
  View& operator=(const View&) = delete;
  /// The memory is not the transport's to keep.
  ~View() {
    if (PyObject* done = PyObject_CallMethod(view_.ptr(), "release", nullptr)) Py_DECREF(done);
    else PyErr_Clear();  // an array of it is still there: a reference that the transport leaks
  }
  const py::memoryview& operator*() const { return view_; }

 private:
  static inline char nothing_ = 0;
  py::memoryview view_;
};

/// "ValueError: message", the first line of it.
std::string one_line(const py::error_already_set& error) {
  auto text = fmt::format("{}: {}", std::string(py::str(error.type().attr("__name__"))),
                          std::string(py::str(error.value())));
  return text.substr(0, text.find('\n'));
}

}  // namespace

PythonTeam::PythonTeam(py::object transport)
    : transport_(std::move(transport)),
      rank_(transport_.attr("rank").cast<int>()),
      size_(transport_.attr("size").cast<int>()),
      here_(transport_.attr("processes_here").cast<int>()) {}

void PythonTeam::call(const char* function,
                      const std::function<void(const py::object&)>& arguments) const {
  const py::gil_scoped_acquire acquire;
  try {
    arguments(transport_.attr(function));
  } catch (const py::error_already_set& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) throw Error(Errc::interrupted, "interrupted");
    throw Error(Errc::io, fmt::format("{} of rank {} of the team failed: {}", function, rank_,
                                      one_line(error)));
  }
}

void PythonTeam::send(int to, const void* data, std::size_t bytes) {
  call("send", [&](const py::object& send) {
    const View out(const_cast<void*>(data), bytes, true);  // NOLINT: it is read only
    send(to, *out);
  });
  count(bytes, 1);
}

void PythonTeam::receive(int from, void* data, std::size_t bytes) {
  call("receive", [&](const py::object& receive) {
    const View in(data, bytes, false);
    receive(from, *in);
  });
}

void PythonTeam::exchange(int to, const void* out, std::size_t out_bytes, int from, void* in,
                          std::size_t in_bytes) {
  call("exchange", [&](const py::object& exchange) {
    const View sent(const_cast<void*>(out), out_bytes, true);  // NOLINT: it is read only
    const View received(in, in_bytes, false);
    exchange(to, *sent, from, *received);
  });
  if (out_bytes > 0) count(out_bytes, 1);
}

void PythonTeam::broadcast(int root, void* data, std::size_t bytes) {
  call("broadcast", [&](const py::object& broadcast) {
    const View all(data, bytes, rank_ == root);
    broadcast(root, *all);
  });
  if (rank_ == root) count(bytes * static_cast<std::size_t>(size_ - 1), size_ - 1);
}

void PythonTeam::count(std::size_t bytes, int messages) {
  traffic_.bytes += static_cast<double>(bytes);
  traffic_.messages += messages;
}

std::unique_ptr<PythonTeam> team_of(const py::object& transport) {
  return transport.is_none() ? nullptr : std::make_unique<PythonTeam>(transport);
}

void together(PythonTeam* team, const std::function<void()>& work) {
  if (team) agree(*team, work);
  else work();
}

Monitor monitor_of_rank(Monitor monitor) {
  return [monitor = std::move(monitor)](const Progress& progress) {
    try {
      return monitor(progress);
    } catch (const py::error_already_set& error) {
      const py::gil_scoped_acquire acquire;
      if (error.matches(PyExc_KeyboardInterrupt)) return false;
      throw Error(Errc::bad_data, "progress: " + one_line(error));
    }
  };
}

void register_team(py::module_& module) {
  module.def(
      "all_of",
      [](const py::object& transport, std::int64_t mine) {
        PythonTeam team(transport);
        return all_of(team, mine);
      },
      py::arg("team"), py::arg("mine"), "The numbers of all ranks, in their order.");
}

}  // namespace mercer::python
