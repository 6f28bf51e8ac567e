// The data sets of the lectures.
#include <mercer/datasets.hpp>

#include "arrays.hpp"
#include "register.hpp"
#include "work.hpp"

#include <pybind11/stl.h>

#include <optional>
#include <string>
#include <vector>

namespace mercer::python {

void register_datasets(py::module_& module) {
  module.def(
      "data",
      [](const std::string& name, Index rows, std::optional<double> noise, std::uint64_t seed) {
        Table<double> table = released(
            [&] { return datasets::make(name, {.rows = rows, .noise = noise, .seed = seed}); });
        py::list labels;
        for (std::size_t i = 0; i < table.labels.size(); ++i)
          labels.append(std::string(table.labels[i]));
        return py::make_tuple(array_of(std::move(table.x)), labels);
      },
      py::arg("name"), py::arg("rows"), py::arg("noise"), py::arg("seed"));
  module.def("data_names", [] {
    std::vector<std::string> names;
    for (const datasets::Entry& entry : datasets::table()) names.push_back(entry.name);
    return names;
  });
}

}  // namespace mercer::python
