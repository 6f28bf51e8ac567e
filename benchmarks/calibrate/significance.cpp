// -k auto where there is nothing to find: how often components are kept, and the p-values.
#include "calibrate.hpp"

#include <mercer/kernel.hpp>
#include <mercer/significance.hpp>

namespace calibrate {

namespace {

struct Null {
  Matrix<double> x;
  std::vector<double> weights{};
};

Null noise(Draw& draw) { return {draw.normal(60, 5)}; }
Null small(Draw& draw) { return {draw.normal(40, 3)}; }

Null weighted(Draw& draw) {
  Null null{draw.normal(60, 4)};
  for (int i = 0; i < 60; ++i) null.weights.push_back(std::exp(draw.normal()));
  return null;
}

/// Weights that tell how far out a row lies.
Null precise(Draw& draw) {
  Null null{draw.normal(60, 4)};
  for (Index i = 0; i < 60; ++i) {
    if (i % 2) null.x.row(i) *= 4;
    null.weights.push_back(i % 2 ? 0.05 : 1.0);
  }
  return null;
}

/// Indicators of categories of 3, 4 and 2 kinds, as --onehot makes them, and a number.
Null categories(Draw& draw) {
  Null null{Matrix<double>::Zero(80, 10)};
  for (Index i = 0; i < 80; ++i) {
    null.x(i, draw.below(3)) = 1;
    null.x(i, 3 + draw.below(4)) = 1;
    null.x(i, 7 + draw.below(2)) = 1;
    null.x(i, 9) = draw.normal();
  }
  return null;
}

Null holes(Draw& draw) {
  Null null = noise(draw);
  for (double& cell : null.x.reshaped())
    if (draw.uniform() < 0.1) cell = refused;
  return null;
}

double first_p(const Null& null, mercer::FitOptions options, std::uint64_t seed) {
  options.threads = 1;
  options.seed = seed;
  const mercer::MatrixRef<double> rows(null.x);
  return mercer::significance(mercer::Rows<double>(rows), options, {}, null.weights).p_values.at(0);
}

}  // namespace

std::vector<Case> significance_cases() {
  using mercer::FitOptions;
  const mercer::Kernel narrow = mercer::kernels::rbf({.gamma = 0.3});
  FitOptions scaled, filled, wide;
  scaled.scale = mercer::Scale::std;
  filled.missing = mercer::Missing::mean;
  wide.kernel = mercer::Kernel::parse("rbf");
  const struct {
    const char* name;
    Null (*make)(Draw&);
    FitOptions options;
  } all[] = {
      {"60 × 5 Gaussian", noise, {}},
      {"60 × 5 Gaussian, z-scores", noise, scaled},
      {"row weights", weighted, {}},
      {"row weights that go with the spread", precise, {}},
      {"three categories and a number", categories, {}},
      {"10 % missing cells, `--missing mean`", holes, filled},
      {"rbf, gamma = 0.3, 40 × 3", small, {.kernel = narrow}},
      {"rbf, median width, 40 × 3", small, wide},
  };
  std::vector<Case> out;
  for (const auto& c : all)
    out.push_back({"significance",
                   c.name,
                   {{std::string("kept, ") + c.name, Judge::rate, 0.05},
                    {std::string("p-values, ") + c.name, Judge::uniform, 0}},
                   [make = c.make, options = c.options](std::uint64_t seed) {
                     Draw draw(seed);
                     const double p = first_p(make(draw), options, seed);
                     return std::vector<double>{p <= 0.05 ? 1.0 : 0.0, p};
                   }});
  return out;
}

}  // namespace calibrate
