#pragma once
// One pass that draws rows by what landmarks see of them: candidates for more landmarks. The draw
// and the sums beside it do not depend on threads, ranks or how the rows are cut into batches.

#include "pca/kernel/landmark_features.hpp"
#include "pca/kernel/sampled_rows.hpp"
#include "pca/kernel/seen_rows.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

/// How many rows are drawn, and by what: by the share u of each row that the landmarks leave out
/// or, where there is a ridge λ, by u/λ + ‖L⁻¹φ‖².
struct DrawRule {
  Index count = 0;
  std::uint64_t seed = 0;
  double ridge = 0;
  Matrix<double> factor{};  ///< L

  template <class Use>
  void members(Use&& use) {
    use(count, seed, ridge, factor);
  }
};

template <class T>
struct RowDraw {
  std::vector<SampledRow<T>> rows;  ///< as they were drawn; u of each goes along
  double trace = 0, rest = 0;       ///< Σ w·k(x, x), and Σ w·u of it
  Vector<double> explained;         ///< Σ w·φ² of each landmark
};

/// `what`, `note`: for the monitor.
template <class T>
RowDraw<T> draw_rows(SeenRows<T>& rows, const LandmarkFeatures<T>& landmarks, const DrawRule& rule,
                     const std::string& what, std::string_view note = {});

/// The part of another rank.
template <class T>
void serve_draws(Passes<T>& passes, const FitOptions& options, const std::string& with);

}  // namespace mercer
