#include "pca/kernel/approx_table.hpp"

namespace mercer {

namespace {

constexpr TextParameter error_parameter = {
    .name = "error", .domain = domains::fraction, .standard = 0, .neutral = true};

// In the order of `LandmarkChoice`.
constexpr std::string_view landmark_choices[] = {"uniform", "kmeans", "leverage", "cholesky"};
constexpr std::string_view no_or_yes[] = {"no", "yes"};

constexpr TextParameter nystrom_parameters[] = {
    {"landmarks", domains::count, static_cast<double>(Nystrom{}.landmarks)},
    {"by", {.words = landmark_choices}, static_cast<double>(Nystrom{}.by)},
    error_parameter};
constexpr ApproxRow nystrom_row = {
    .text = {"nystrom", nystrom_parameters, "nystrom(landmarks=1000)"},
    .notes = "kernel values at landmarks; any kernel",
    .make = [](std::span<const double> v) -> Approx {
      return Nystrom{static_cast<Index>(v[0]), static_cast<LandmarkChoice>(v[1]), v[2]};
    },
    .values = [](const Approx& a) -> std::vector<std::optional<double>> {
      const auto& n = std::get<Nystrom>(a);
      return {static_cast<double>(n.landmarks), static_cast<double>(n.by), n.error};
    },
};

constexpr TextParameter cholesky_parameters[] = {
    {.name = "rank", .domain = domains::count, .standard = 0, .neutral = true},
    {"tolerance", domains::fraction, Cholesky{}.tolerance},
    error_parameter};
constexpr ApproxRow cholesky_row = {
    .text = {"cholesky", cholesky_parameters, "cholesky(rank=500)"},
    .notes = "landmarks by randomly pivoted Cholesky; any kernel",
    .make = [](std::span<const double> v) -> Approx {
      return Cholesky{static_cast<Index>(v[0]), v[1], v[2]};
    },
    .values = [](const Approx& a) -> std::vector<std::optional<double>> {
      const auto& c = std::get<Cholesky>(a);
      const std::optional<double> tolerance =
          c.rank == 0 ? std::optional(c.tolerance) : std::nullopt;
      return {static_cast<double>(c.rank), tolerance, c.error};
    },
};

constexpr TextParameter fourier_parameters[] = {
    {"features", domains::count, static_cast<double>(Fourier{}.features)},
    {"orthogonal", {.words = no_or_yes}, 1},
    error_parameter};
constexpr ApproxRow fourier_row = {
    .text = {"fourier", fourier_parameters, "fourier(features=2000)"},
    .notes = "random Fourier features; rbf, laplacian, exponential, matern",
    .make = [](std::span<const double> v) -> Approx {
      return Fourier{static_cast<Index>(v[0]), v[1] != 0, v[2]};
    },
    .values = [](const Approx& a) -> std::vector<std::optional<double>> {
      const auto& f = std::get<Fourier>(a);
      return {static_cast<double>(f.features), f.orthogonal ? 1.0 : 0.0, f.error};
    },
};

constexpr TextParameter tensorsketch_parameters[] = {
    {"features", domains::count, static_cast<double>(TensorSketch{}.features)}, error_parameter};
constexpr ApproxRow tensorsketch_row = {
    .text = {"tensorsketch", tensorsketch_parameters, "tensorsketch(features=2048)"},
    .notes = "sketches of features; linear, poly",
    .make = [](std::span<const double> v) -> Approx {
      return TensorSketch{static_cast<Index>(v[0]), v[1]};
    },
    .values = [](const Approx& a) -> std::vector<std::optional<double>> {
      const auto& s = std::get<TensorSketch>(a);
      return {static_cast<double>(s.features), s.error};
    },
};

const ApproxRow& row_of(const Approx& approx) { return *approx_rows()[approx.index()]; }

}  // namespace

std::span<const ApproxRow* const> approx_rows() {
  static constexpr const ApproxRow* rows[] = {&nystrom_row, &cholesky_row, &fourier_row,
                                              &tensorsketch_row};
  static_assert(std::size(rows) == std::variant_size_v<Approx>);
  return rows;
}

Approx parse_approx(std::string_view text) {
  const auto [row, values] = read_form("approximation", text, approx_rows());
  return row->make(values);
}

std::string text_of(const Approx& approx) {
  const ApproxRow& row = row_of(approx);
  std::vector<double> values;
  for (const std::optional<double>& value : row.values(approx))
    values.push_back(value.value_or(open_value));
  return text_of_form(row.text, values);
}

std::span<const ApproxEntry> approx_table() {
  static const std::vector<ApproxEntry> entries = [] {
    std::vector<ApproxEntry> all;
    for (const ApproxRow* row : approx_rows())
      all.push_back({std::string(row->text.name), parameter_list(row->text),
                     std::string(row->notes), example_of(row->text)});
    return all;
  }();
  return entries;
}

double error_limit(const Approx& approx) {
  return std::visit([](const auto& a) { return a.error; }, approx);
}

void require_valid(const Approx& approx) {
  const ApproxRow& row = row_of(approx);
  const std::vector<std::optional<double>> values = row.values(approx);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (values[i])
      require_values({row.text.name, row.text.parameters.subspan(i, 1)}, {{*values[i]}});
}

}  // namespace mercer
