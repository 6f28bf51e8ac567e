#include <mercer/feature_space.hpp>

#include "core/require.hpp"
#include "kernels/node.hpp"
#include "kernels/row.hpp"
#include "maps/binomial.hpp"
#include "maps/graded.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>

namespace mercer {

namespace {

/// Kernels whose matrix has full rank on any number of suitable rows.
constexpr std::array<std::string_view, 7> infinite_kernels = {
    "rbf", "laplacian", "exponential", "matern", "rational_quadratic", "chi2", "additive_chi2"};

/// C(n, k) where 64 bits do not hold it: exp of logarithms, right to some 1e-12 of itself.
double large_binomial(double n, double k) {
  return std::exp(std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1));
}

double binomial_or_more(Index n, Index k) {
  const Index exact = binomial(n, k);
  return exact < too_many ? static_cast<double>(exact)
                          : large_binomial(static_cast<double>(n), static_cast<double>(k));
}

std::string columns_text(Index inputs) {
  return fmt::format("{} column{}", inputs, inputs == 1 ? "" : "s");
}

std::string features_text(double dimension, const std::string& why) {
  const std::string size =
      !(dimension < 1e15) ? fmt::format("{:.2e}", dimension) : fmt::format("{:.0f}", dimension);
  return fmt::format("D = {} feature{} ({})", size, dimension == 1 ? "" : "s", why);
}

/// Monomials of these degrees: `D = 6 features (degree ≤ 2 of 2 columns)`.
FeatureSpace graded_space(Index inputs, int lowest, int highest) {
  FeatureSpace out;
  out.constant = lowest == 0;
  if (lowest == highest) {
    out.dimension = binomial_or_more(highest + inputs - 1, highest);
    out.text =
        features_text(out.dimension, fmt::format("degree {} of {}", highest, columns_text(inputs)));
    return out;
  }
  out.dimension = binomial_or_more(highest + inputs, highest);
  for (int degree = 0; degree < lowest; ++degree)
    out.dimension -= binomial_or_more(degree + inputs - 1, degree);
  const std::string degrees = lowest == 0 ? fmt::format("degree ≤ {}", highest)
                                          : fmt::format("degree {} to {}", lowest, highest);
  out.text = features_text(out.dimension, fmt::format("{} of {}", degrees, columns_text(inputs)));
  return out;
}

FeatureSpace unknown_space() {
  return {.dimension = std::numeric_limits<double>::quiet_NaN(), .text = ""};
}

}  // namespace

double FeatureSpace::most_components(double rows, bool centered) const {
  const double of_rows = centered ? rows - 1 : rows;
  if (!known()) return of_rows;
  return std::min(of_rows, dimension - (centered && constant ? 1 : 0));
}

FeatureSpace feature_space(const Kernel& kernel, Index inputs) {
  require(inputs >= 1, Errc::bad_option, "a feature space of {} columns", inputs);
  const auto node = kernel.node();
  bool infinite = false, only_named = true;
  std::vector<std::string_view> names;
  node->with_leaves([&](const KernelNode& leaf) {
    if (const auto view = leaf.leaf()) names.push_back(view->row.text.name);
    else only_named = false;
    return leaf.shared_from_this();
  });
  for (const std::string_view name : names)
    infinite = infinite || std::ranges::find(infinite_kernels, name) != infinite_kernels.end();
  if (infinite && only_named && kernel.always_valid())
    return {.dimension = std::numeric_limits<double>::infinity(),
            .text = "D is infinite: N rows have up to N - 1 components"};
  if (!only_named || !kernel.complete()) return unknown_space();
  if (const auto p = node->polynomial()) {
    if (p->coef0 < 0) return unknown_space();
    return graded_space(inputs, p->coef0 > 0 ? 0 : p->degree, p->degree);
  }
  if (names.size() == 1 && names[0] == "cosine")
    return {.dimension = static_cast<double>(inputs),
            .text = features_text(static_cast<double>(inputs), "rows of length 1")};
  return unknown_space();
}

template <class T>
FeatureSpace feature_space(const Map<T>& map) {
  if (!map.kernel().empty()) {
    try {
      return feature_space(Kernel::parse(map.kernel()), map.inputs());
    } catch (const Error&) {  // a function of another program
      return unknown_space();
    }
  }
  if (map.space() == Space::precomputed) return unknown_space();
  if (const auto* graded = dynamic_cast<const GradedMap<T>*>(&map)) {
    FeatureSpace out = graded_space(map.inputs(), graded->lowest(), graded->highest());
    out.constant = graded->has_constant();
    if (static_cast<double>(map.features()) > out.dimension)
      out.text = features_text(static_cast<double>(map.features()),
                               fmt::format("{} of {}", map.text(), columns_text(map.inputs())));
    out.dimension = static_cast<double>(map.features());
    return out;
  }
  const auto size = static_cast<double>(map.features());
  return {
      .dimension = size,
      .text = features_text(size, fmt::format("{} of {}", map.text(), columns_text(map.inputs())))};
}

template FeatureSpace feature_space(const Map<float>&);
template FeatureSpace feature_space(const Map<double>&);

}  // namespace mercer
