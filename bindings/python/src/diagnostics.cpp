// Loadings, gradients, and the distances of rows from a model.
#include <mercer/score.hpp>

#include "arrays.hpp"
#include "register.hpp"
#include "spelling.hpp"
#include "work.hpp"

#include <mercer/gradient.hpp>
#include <mercer/loadings.hpp>

#include <pybind11/stl.h>

#include <optional>
#include <utility>
#include <vector>

namespace mercer::python {

namespace {

py::object matrix_or_none(Matrix<double>&& matrix) {
  return matrix.size() > 0 ? py::object(array_of(std::move(matrix))) : py::object(py::none());
}

py::dict dict_of(Loadings found) {
  py::dict out;
  out["names"] = found.names;
  out["loadings"] = array_of(std::move(found.loadings));
  out["contributions"] = array_of(std::move(found.contributions));
  out["correlations"] = matrix_or_none(std::move(found.correlations));
  out["cos2"] = matrix_or_none(std::move(found.cos2));
  return out;
}

struct Scored {
  RowScores rows;
  ScoreLimits limits;
  std::vector<Flag> flags;
  std::optional<double> explained;
  std::string no_spe;
};

py::dict dict_of(const Scored& found, const Vector<double>& eigenvalues) {
  const RowScores& rows = found.rows;
  const bool has_spe = found.no_spe.empty();
  Vector<std::int64_t> flags(static_cast<Index>(found.flags.size()));
  for (Index i = 0; i < flags.size(); ++i)
    flags[i] = static_cast<std::int64_t>(found.flags[static_cast<std::size_t>(i)]);
  py::dict out;
  out["t2"] = array_of(rows.t2);
  out["spe"] = has_spe ? py::object(array_of(rows.spe)) : py::object(py::none());
  out["flags"] = array_of(flags);
  out["t2_limit"] = found.limits.t2;
  out["spe_limit"] = found.limits.spe;
  out["t2_limit_from"] = in_parameters(found.limits.t2_from);
  out["spe_limit_from"] = in_parameters(has_spe ? found.limits.spe_from : found.no_spe);
  out["contributions"] = array_of(rows.contributions(eigenvalues));
  out["cos2"] = matrix_or_none(rows.cos2());
  out["explained"] = found.explained;
  return out;
}

template <class T>
py::dict score(const Model<T>& model, const py::object& x, double level,
               const py::object& reference, int threads) {
  const HeldRows<T> held(x);
  std::optional<HeldRows<T>> good;
  if (!reference.is_none()) good.emplace(reference);
  const Monitor monitor = monitor_of(py::none());
  const Scored found = released([&] {
    const Scorer<T> scorer(model, {.threads = threads, .monitor = monitor});
    Scored out;
    out.rows = scorer(held.rows());
    out.no_spe = scorer.no_spe();
    out.limits = good ? limits_of(scorer(good->rows()), level) : scorer.limits(level);
    out.flags = flagged(out.rows, out.limits);
    ScoreTotals totals;
    totals.add(out.rows);
    if (totals.complete) out.explained = totals.explained();
    return out;
  });
  return dict_of(found, model.eigenvalues());
}

template <class T>
void register_one(py::module_& module) {
  module.def(
      "loadings", [](const Model<T>& model) { return dict_of(loadings(model)); }, py::arg("model"));
  module.def(
      "gradient",
      [](const Model<T>& model, const py::object& x, Index component, int threads) {
        const HeldRows<T> held(x);
        const RunOptions how{.threads = threads, .monitor = monitor_of(py::none())};
        return array_of(released([&] { return gradient(model, held.rows(), component, how); }));
      },
      py::arg("model"), py::arg("x"), py::arg("component"), py::arg("threads"));
  module.def("score", &score<T>, py::arg("model"), py::arg("x"), py::arg("level"),
             py::arg("reference"), py::arg("threads"));
}

}  // namespace

void register_diagnostics(py::module_& module) {
  register_one<float>(module);
  register_one<double>(module);
}

}  // namespace mercer::python
