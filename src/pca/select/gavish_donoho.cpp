#include "core/require.hpp"
#include "pca/select/significance.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace mercer {

namespace {

/// The share of the Marchenko–Pastur law below x. With t = a + (b − a) sin²θ its density is smooth
/// up to both ends.
double share_below(double x, double beta) {
  const double a = (1 - std::sqrt(beta)) * (1 - std::sqrt(beta));
  const double b = (1 + std::sqrt(beta)) * (1 + std::sqrt(beta));
  // x lies between a and b but for rounding at the ends.
  const double end = std::asin(std::sqrt(std::clamp((x - a) / (b - a), 0.0, 1.0)));
  constexpr int steps = 400;  // of Simpson's rule; even
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double s = std::sin(end * i / steps), c = std::cos(end * i / steps);
    const double t = a + (b - a) * s * s;
    const double root = (b - a) * s * c;  // √((t − a)(b − t))
    const double density = t > 0 ? root * root / t : (b - a) * c * c;
    sum += density * (i == 0 || i == steps ? 1 : i % 2 ? 4 : 2);
  }
  return sum * end / steps / 3 / (std::numbers::pi * beta);
}

double median(double beta) {
  double low = (1 - std::sqrt(beta)) * (1 - std::sqrt(beta));
  double high = (1 + std::sqrt(beta)) * (1 + std::sqrt(beta));
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (share_below(middle, beta) < 0.5 ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

double gavish_donoho_threshold(double beta) {
  require(beta > 0 && beta <= 1, Errc::bad_option, "β = {} must lie between 0 and 1", beta);
  const double known =
      std::sqrt(2 * (beta + 1) + 8 * beta / (beta + 1 + std::sqrt(beta * beta + 14 * beta + 1)));
  return known / std::sqrt(median(beta));
}

template <class T>
Model<T> cut_by_gavish_donoho(const Model<T>& all) {
  const Report& report = all.report();
  const auto rows = static_cast<double>(report.n_samples - (report.centered ? 1 : 0));
  const auto cols = static_cast<double>(all.inputs());
  const double shorter = std::min(rows, cols), beta = shorter / std::max(rows, cols);
  // Singular values that the fit left out as rounding are zeros.
  Vector<double> values = Vector<double>::Zero(static_cast<Index>(shorter));
  values.head(all.outputs()) = all.eigenvalues().cwiseSqrt();
  const auto middle = values.size() / 2;
  const double typical =
      values.size() % 2 ? values[middle] : (values[middle] + values[middle - 1]) / 2;
  require(typical > 0, Errc::bad_data,
          "half of the singular values are 0, so the noise cannot be estimated; give a number of "
          "components (`components`)");
  const double threshold = gavish_donoho_threshold(beta) * typical;
  const Index kept = (values.array() > threshold).count();
  require(kept > 0, Errc::bad_data,
          "no singular value is above {:.4g}, the threshold for noise; to keep components anyway, "
          "give a number (`components=2`)",
          threshold);
  return with_first(all, kept, "gavish-donoho",
                    fmt::format("{} singular value{} above {:.4g}, {:.3f} times the median", kept,
                                kept == 1 ? " is" : "s are", threshold, threshold / typical));
}

template Model<float> cut_by_gavish_donoho(const Model<float>&);
template Model<double> cut_by_gavish_donoho(const Model<double>&);

}  // namespace mercer
