#include "pca/kernel/approx_row.hpp"

#include <mercer/map.hpp>

namespace mercer {

namespace {

constexpr std::string_view no_or_yes[] = {"no", "yes"};

constexpr TextParameter fourier_parameters[] = {
    {"features", domains::count, static_cast<double>(Fourier{}.features)},
    {"orthogonal", {.words = no_or_yes}, 1},
    error_parameter};

}  // namespace

extern const ApproxRow fourier_approx = {
    .text = {"fourier", fourier_parameters, "fourier(features=2000)"},
    .notes = "random Fourier features; rbf, laplacian, exponential, matern",
    .make = [](std::span<const double> v) -> Approx {
      return Fourier{static_cast<Index>(v[0]), v[1] != 0, v[2]};
    },
    .values = [](const Approx& a) -> std::vector<std::optional<double>> {
      const auto& f = std::get<Fourier>(a);
      return {static_cast<double>(f.features), f.orthogonal ? 1.0 : 0.0, f.error};
    },
    .features = [](const Approx& a) { return std::get<Fourier>(a).features; },
    .choose =
        []<class T>(const Approx& a, SeenRows<T>& rows, const Candidates<T>& candidates,
                    FeatureChoice<T>& space) {
          const auto& how = std::get<Fourier>(a);
          space.map = fourier_map<T>(space.kernel, rows.cols(), how.features,
                                     {.orthogonal = how.orthogonal,
                                      .seed = space.seed,
                                      .memory = static_cast<std::size_t>(candidates.budget)});
        },
};

}  // namespace mercer
