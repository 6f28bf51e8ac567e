#include "pca/kernel/moved_rows.hpp"

#include "core/roundoff.hpp"
#include "kernels/node.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mercer {

template <class T>
bool move_to_mean(Passes<T>& passes, Standard& standard, const FitOptions& options) {
  if (!options.center || !options.kernel || passes.sparse() || standard.scale.size() > 0 ||
      options.kernel->node()->moved() != Moved::centred)
    return false;
  double squares = 0, scatter = 0;
  passes.run("squares", [&](const Rows<T>& rows, const double* weights) {
    for (Index i = 0; i < rows.rows(); ++i) {
      const double w = weights ? weights[i] : 1;
      if (w == 0) continue;  // at any distance
      for (Index j = 0; j < rows.cols(); ++j) {
        const auto value = static_cast<double>(rows.row(i)[j]);
        if (std::isnan(value)) continue;  // a missing cell lies on the mean
        const double about = value - standard.mean[j];
        squares += w * value * value;
        scatter += w * about * about;
      }
    }
  });
  const auto d = static_cast<double>(passes.features());
  const double step = sizeof(T) == sizeof(float) ? std::numeric_limits<float>::epsilon() / 2.0 : 0;
  const double tolerance = std::max(options.tolerance, sizeof(T) == sizeof(float) ? 1e-5 : 0.0);
  // Products of d terms, and the sums over rows that centre the kernel matrix: some 256 roundings
  // for each of the products.
  const double rounding = (256 * d * unit_roundoff + step) * squares;
  const double smallest = scatter / std::min(d, static_cast<double>(passes.rows()));
  if (!(rounding > tolerance / 16 * smallest)) return false;
  standard.mean = standard.mean.template cast<T>().template cast<double>();  // as the model has it
  standard.scale = Vector<double>::Ones(passes.features());
  return true;
}

template bool move_to_mean(Passes<float>&, Standard&, const FitOptions&);
template bool move_to_mean(Passes<double>&, Standard&, const FitOptions&);

}  // namespace mercer
