#pragma once
// An approximation of kernel PCA as a row of the table in approx_table.cpp; `approx_fourier.cpp` is
// a template.

#include "core/text_form.hpp"
#include "pca/kernel/feature_sums.hpp"
#include "pca/kernel/landmarks.hpp"

#include <mercer/approx.hpp>

#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace mercer {

/// Sets the landmarks or the map of a space, which has the kernel; one generic lambda, for both
/// precisions.
struct ChooseFeatures {
  template <class Choose>
  constexpr ChooseFeatures(Choose choose) : floats(choose), doubles(choose) {}

  template <class T>
  using Function = void (*)(const Approx&, SeenRows<T>&, const Candidates<T>&, FeatureChoice<T>&);

  template <class T>
  void operator()(const Approx& approx, SeenRows<T>& rows, const Candidates<T>& candidates,
                  FeatureChoice<T>& space) const {
    if constexpr (std::is_same_v<T, float>) floats(approx, rows, candidates, space);
    else doubles(approx, rows, candidates, space);
  }

  Function<float> floats;
  Function<double> doubles;
};

struct ApproxRow {
  TextForm text;
  std::string_view notes;
  Approx (*make)(std::span<const double> values);
  /// Of each parameter; none for one that the others rule out.
  std::vector<std::optional<double>> (*values)(const Approx&);
  bool landmarks = false;            ///< kernel values at landmarks, rather than a map
  double passes = 3;                 ///< means, a sample and the features
  Index (*features)(const Approx&);  ///< as requested; 0: determined by a tolerance
  /// Rows to choose from; 0: those that the kernel is checked on.
  Index (*sample)(const Approx&) = [](const Approx&) { return Index{0}; };
  ChooseFeatures choose;
};

const ApproxRow& row_of(const Approx& approx);

/// The last parameter of every approximation.
inline constexpr TextParameter error_parameter = {
    .name = "error", .domain = domains::fraction, .standard = 0, .neutral = true};

}  // namespace mercer
