// Kernel matrices and the Mercer check.
#include <mercer/kernel.hpp>

#include "arrays.hpp"
#include "register.hpp"
#include "work.hpp"

#include <pybind11/stl.h>

#include <string>

namespace mercer::python {

namespace {

template <class T>
py::array matrix(const std::string& text, const py::object& x, const py::object& y, int threads) {
  const HeldRows<T> rows(x);
  if (y.is_none())
    return array_of(released([&] {
      return Kernel::parse(text).completed(rows.rows()).matrix(rows.rows(), {.threads = threads});
    }));
  const HeldRows<T> others(y);
  return array_of(released([&] {
    const Kernel kernel = Kernel::parse(text).completed(others.rows());
    return kernel.matrix(rows.rows(), others.rows(), {.threads = threads});
  }));
}

py::dict dict_of(const MercerCheck& check) {
  py::dict out;
  out["valid"] = check.valid();
  out["symmetric"] = check.symmetric;
  out["positive"] = check.positive;
  out["n_checked"] = check.rows;
  out["n_rows"] = check.of;
  out["asymmetry"] = check.asymmetry;
  out["smallest"] = check.smallest;
  out["largest"] = check.largest;
  out["noise"] = check.noise;
  out["witness"] = array_of(check.witness);
  out["sample"] = py::cast(check.sample);
  return out;
}

template <class T>
py::dict check(const std::string& text, const py::object& x, Index at_most, int threads) {
  const HeldRows<T> rows(x);
  return dict_of(released([&] {
    return check_kernel(Kernel::parse(text).completed(rows.rows()), rows.rows(),
                        {.rows = at_most, .threads = threads});
  }));
}

}  // namespace

void register_kernels(py::module_& module) {
  module.def(
      "kernel_matrix",
      [](const std::string& kernel, const py::object& x, const py::object& y, int threads) {
        return is_float(x) ? matrix<float>(kernel, x, y, threads)
                           : matrix<double>(kernel, x, y, threads);
      },
      py::arg("kernel"), py::arg("x"), py::arg("y") = py::none(), py::arg("threads") = 0);
  module.def(
      "check_kernel",
      [](const std::string& kernel, const py::object& x, Index at_most, int threads) {
        return is_float(x) ? check<float>(kernel, x, at_most, threads)
                           : check<double>(kernel, x, at_most, threads);
      },
      py::arg("kernel"), py::arg("x"), py::arg("at_most") = 1000, py::arg("threads") = 0);
  module.def(
      "check_kernel_matrix",
      [](const py::object& k, int threads) {
        const HeldRows<double> held(k);
        const Matrix<double> matrix = held.rows().dense();
        return dict_of(released([&] { return check_kernel_matrix(matrix, {.threads = threads}); }));
      },
      py::arg("k"), py::arg("threads") = 0);
  module.def(
      "kernel_text",
      [](const std::string& kernel, const py::object& x) {
        if (is_float(x)) return Kernel::parse(kernel).completed(HeldRows<float>(x).rows()).text();
        return Kernel::parse(kernel).completed(HeldRows<double>(x).rows()).text();
      },
      py::arg("kernel"), py::arg("x"),
      "The expression with every parameter that it leaves to the data.");
  module.def("kernel_parameters", [](const std::string& kernel) {
    py::dict out;
    for (const KernelParameter& p : Kernel::parse(kernel).parameters())
      out[p.name.c_str()] = p.value;
    return out;
  });
  module.def("kernel_with", [](const std::string& kernel, const std::string& name, double value) {
    return Kernel::parse(kernel).with(name, value).text();
  });
  module.def("kernel_is_valid",
             [](const std::string& kernel) { return Kernel::parse(kernel).always_valid(); });
  module.def("kernel_names", [] {
    std::vector<std::string> names;
    for (const KernelEntry& entry : kernel_table()) names.push_back(entry.name);
    return names;
  });
}

}  // namespace mercer::python
