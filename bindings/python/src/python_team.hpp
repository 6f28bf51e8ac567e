#pragma once
// A team whose transport is a Python object, `mercer.Team`.

#include <mercer/progress.hpp>
#include <mercer/team.hpp>

#include <pybind11/pybind11.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace mercer::python {

namespace py = pybind11;

/// Calls the functions of the object with memoryviews, which are valid until the function returns.
/// What it raises is an Error of one line. Made and destroyed with the interpreter held.
class PythonTeam final : public Team {
 public:
  explicit PythonTeam(py::object transport);

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  int processes_here() const { return here_; }  ///< on this machine, which share its memory
  Traffic traffic() const override { return traffic_; }

  void send(int to, const void* data, std::size_t bytes) override;
  void receive(int from, void* data, std::size_t bytes) override;
  void exchange(int to, const void* out, std::size_t out_bytes, int from, void* in,
                std::size_t in_bytes) override;
  void broadcast(int root, void* data, std::size_t bytes) override;

 private:
  void call(const char* function, const std::function<void(const py::object&)>& arguments) const;
  void count(std::size_t bytes, int messages);

  py::object transport_;
  int rank_, size_, here_;
  Traffic traffic_;
};

/// Null for None.
std::unique_ptr<PythonTeam> team_of(const py::object& transport);

/// Runs `work`, where there is a team on all ranks: what one of them throws, all throw.
void together(PythonTeam* team, const std::function<void()>& work);

/// A monitor that throws nothing but errors of the library, which reach the other ranks.
Monitor monitor_of_rank(Monitor monitor);

}  // namespace mercer::python
