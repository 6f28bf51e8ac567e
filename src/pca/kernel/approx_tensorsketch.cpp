#include "pca/kernel/approx_row.hpp"

#include <mercer/map.hpp>

namespace mercer {

namespace {

constexpr TextParameter tensorsketch_parameters[] = {
    {"features", domains::count, static_cast<double>(TensorSketch{}.features)}, error_parameter};

}  // namespace

extern const ApproxRow tensorsketch_approx = {
    .text = {"tensorsketch", tensorsketch_parameters, "tensorsketch(features=2048)"},
    .notes = "sketches of features; linear, poly",
    .make = [](std::span<const double> v) -> Approx {
      return TensorSketch{static_cast<Index>(v[0]), v[1]};
    },
    .values = [](const Approx& a) -> std::vector<std::optional<double>> {
      const auto& s = std::get<TensorSketch>(a);
      return {static_cast<double>(s.features), s.error};
    },
    .features = [](const Approx& a) { return std::get<TensorSketch>(a).features; },
    .choose =
        []<class T>(const Approx& a, SeenRows<T>& rows, const Candidates<T>& candidates,
                    FeatureChoice<T>& space) {
          space.map = tensor_sketch_map<T>(
              space.kernel, rows.cols(), std::get<TensorSketch>(a).features,
              {.seed = space.seed, .memory = static_cast<std::size_t>(candidates.budget)});
        },
};

}  // namespace mercer
