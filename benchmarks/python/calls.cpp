// The calls of the library that Python's estimators make, for jobs.py: each returns its seconds.
#include "bench.hpp"

#include <mercer/mercer.hpp>

#include <exception>
#include <limits>

using namespace mercer;

namespace {

template <class Call>
double seconds_of(Call&& call) {
  try {
    return bench::best(1, call);
  } catch (const std::exception&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace

extern "C" {

double fit_pca(const double* x, long rows, long cols, long k, double* values) {
  return seconds_of([&] {
    const auto model = fit(Rows<double>(x, rows, cols, cols), {.components = k});
    Vector<double>::Map(values, k) = model.explained_variance();
  });
}

double transform_pca(const double* x, long rows, long cols, long k, double*) {
  const Rows<double> all(x, rows, cols, cols);
  const auto model = fit(all, {.components = k});
  return seconds_of([&] { model.transform(all); });
}

double fit_kernel_pca(const double* x, long rows, long cols, long k, double* values) {
  const Kernel kernel = kernels::rbf({.gamma = 1.0 / static_cast<double>(cols)});
  return seconds_of([&] {
    const auto model = fit(Rows<double>(x, rows, cols, cols),
                           {.components = k, .kernel = kernel, .tolerance = 1e-8});
    Vector<double>::Map(values, k) = model.eigenvalues();
  });
}

}  // extern "C"
