// The variance of rows along directions.
#include <mercer/fit.hpp>

#include "arrays.hpp"
#include "options.hpp"
#include "register.hpp"
#include "work.hpp"

namespace mercer::python {

namespace {

/// Beyond, the smallest variance of all directions is not computed: None.
constexpr Index most_features_for_all = 2000;

template <class T>
py::dict probe(const py::object& x, const Flat<double>& directions, FitOptions options) {
  const HeldRows<T> held(x);
  const Matrix<double> q =
      Eigen::Map<const Matrix<double>>(directions.data(), directions.shape(0), directions.shape(1));
  const bool all = held.rows().cols() <= most_features_for_all;
  options.monitor = monitor_of(py::none());
  options.components = all ? all_components() : Components(1);
  Vector<double> along, variances;
  double total = 0;
  released([&] {
    const Model<T> model = fit(held.rows(), options);
    variances = model.explained_variance();
    total = model.report().total_variance;
    along = variance_along(held.rows(), q, options);
  });
  py::dict out;
  out["variances"] = array_of(along);
  out["ratios"] = array_of(Vector<double>(along / total));
  out["largest"] = variances[0];
  // Fewer components than columns: the rest of the space has no variance.
  const double smallest =
      variances.size() < held.rows().cols() ? 0 : variances[variances.size() - 1];
  out["smallest"] = all ? py::object(py::float_(smallest)) : py::object(py::none());
  out["total"] = total;
  return out;
}

}  // namespace

void register_probe(py::module_& module) {
  module.def(
      "probe",
      [](const py::object& x, const Flat<double>& directions, const py::kwargs& words) {
        const FitOptions options = fit_options(words);
        return is_float(x) ? probe<float>(x, directions, options)
                           : probe<double>(x, directions, options);
      },
      py::arg("x"), py::arg("directions"));
}

}  // namespace mercer::python
