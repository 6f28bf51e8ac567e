// Eigenpairs and models of an operator that Python multiplies with.
#include <mercer/eigs.hpp>

#include "arrays.hpp"
#include "options.hpp"
#include "register.hpp"
#include "work.hpp"

#include <mercer/fit_operator.hpp>

#include <cstdint>

namespace mercer::python {

namespace {

/// `product(V)` is A·V for an array of n×b.
class PythonOperator {
 public:
  PythonOperator(Index n, const py::function& product) : n_(n), product_(product) {}

  Index size() const { return n_; }
  void apply(const Matrix<double>& v, Matrix<double>& out) const {
    const py::gil_scoped_acquire acquire;
    const Flat<double> image = product_(py::array_t<double>({v.rows(), v.cols()}, v.data()));
    if (image.ndim() != 2 || image.shape(0) != v.rows() || image.shape(1) != v.cols())
      throw py::value_error("the product with an array of shape (" + std::to_string(v.rows()) +
                            ", " + std::to_string(v.cols()) + ") has another shape");
    out = Eigen::Map<const Matrix<double>>(image.data(), v.rows(), v.cols());
  }

 private:
  Index n_;
  const py::function& product_;
};

/// K, or JKJ, with the rest of what a model needs.
class PythonKernelMatrix : public PythonOperator {
 public:
  PythonKernelMatrix(Index n, const py::function& product, double trace, Vector<double> mean)
      : PythonOperator(n, product), trace_(trace), mean_(std::move(mean)) {}

  double trace() const { return trace_; }
  const Vector<double>& mean() const { return mean_; }

 private:
  double trace_;
  Vector<double> mean_;
};

Model<double> operator_model(Index n, const py::function& product, double trace, bool centered,
                             const Flat<double>& mean, const py::kwargs& words) {
  const FitOptions options = fit_options(words);
  PythonKernelMatrix k(n, product, trace,
                       Eigen::Map<const Vector<double>>(mean.data(), mean.size()));
  return released([&] { return centered ? fit(k, options) : fit(Centered(k), options); });
}

py::tuple eigenpairs(Index n, const py::function& product, Index k, bool smallest, double tolerance,
                     int max_passes, std::size_t memory, int threads, std::uint64_t seed,
                     const py::object& monitor) {
  const EigsOptions options{.smallest = smallest,
                            .tolerance = tolerance,
                            .max_passes = max_passes,
                            .memory = memory,
                            .threads = threads,
                            .seed = seed,
                            .monitor = monitor_of(monitor)};
  Eigs found = released([&] { return eigs(PythonOperator(n, product), k, options); });
  return py::make_tuple(array_of(found.values), array_of(std::move(found.vectors)),
                        array_of(found.residuals), found.passes, found.beyond, found.confidence);
}

}  // namespace

void register_eigs(py::module_& module) {
  module.def("eigs", &eigenpairs, py::arg("n"), py::arg("product"), py::arg("k"),
             py::arg("smallest"), py::arg("tolerance"), py::arg("max_passes"), py::arg("memory"),
             py::arg("threads"), py::arg("seed"), py::arg("monitor"));
  module.def("fit_operator", &operator_model, py::arg("n"), py::arg("product"), py::arg("trace"),
             py::arg("centered"), py::arg("mean"));
}

}  // namespace mercer::python
