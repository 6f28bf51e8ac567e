// T² and SPE limits: the share of new rows beyond them.
#include "calibrate.hpp"

#include <mercer/fit.hpp>
#include <mercer/kernel.hpp>
#include <mercer/score.hpp>

namespace calibrate {

namespace {

constexpr Index new_rows = 200;  // for each fit

using Sample = std::function<Matrix<double>(Draw&, Index n)>;

Sample gaussian(Index d, bool steep) {
  Vector<double> deviations = Vector<double>::Ones(d);
  if (steep)
    for (Index j = 0; j < d; ++j) deviations[j] = std::pow(3.0, -0.5 * static_cast<double>(j));
  return [=](Draw& draw, Index n) {
    return Matrix<double>(draw.normal(n, d) * deviations.asDiagonal());
  };
}

Matrix<double> ring(Draw& draw, Index n) {
  Matrix<double> x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * M_PI * draw.uniform(), radius = 3 + 0.2 * draw.normal();
    x.row(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return x;
}

Matrix<double> clusters(Draw& draw, Index n) {
  Matrix<double> x = 0.5 * draw.normal(n, 3);
  for (Index i = 0; i < n; ++i)
    if (const int c = draw.below(3); c > 0) x(i, c - 1) += 3;
  return x;
}

Matrix<double> exponential(Draw& draw, Index n) {
  Matrix<double> x(n, 2);
  for (double& cell : x.reshaped()) cell = -std::log(1 - draw.uniform());
  return x;
}

/// Four degrees of freedom.
Matrix<double> student(Draw& draw, Index n) {
  Matrix<double> x = draw.normal(n, 2);
  for (Index i = 0; i < n; ++i) x.row(i) /= draw.normal(1, 4).norm() / 2;
  return x;
}

Matrix<double> cubes(Draw& draw, Index n) { return draw.normal(n, 4).array().cube(); }

struct Setting {
  std::string name;
  Sample sample;
  Index rows;
  double level;
  mercer::FitOptions fit;
  Index good = 0;  // reference rows
};

std::vector<double> beyond(const Setting& s, std::uint64_t seed) {
  Draw draw(seed);
  mercer::FitOptions options = s.fit;
  options.threads = 1;
  const auto model = mercer::fit(s.sample(draw, s.rows), options);
  const mercer::Scorer scorer(model, {.threads = 1});
  const mercer::ScoreLimits limits =
      s.good > 0 ? mercer::limits_of(scorer(s.sample(draw, s.good)), s.level)
                 : scorer.limits(s.level);
  if (!limits.t2 && !limits.spe) return {refused, refused};
  const mercer::RowScores rows = scorer(s.sample(draw, new_rows));
  const auto share = [](const Vector<double>& values, const std::optional<double>& limit) {
    return limit ? static_cast<double>((values.array() > *limit).count()) / new_rows : refused;
  };
  return {share(rows.t2, limits.t2), share(rows.spe, limits.spe)};
}

}  // namespace

std::vector<Case> limits_cases() {
  std::vector<Setting> all;
  const auto linear = [&](Index n, Index d, Index k, bool steep, double level) {
    all.push_back({"linear, " + std::string(steep ? "steep" : "flat") + " spectrum, " +
                       std::to_string(n) + " × " + std::to_string(d) + ", k = " + std::to_string(k),
                   gaussian(d, steep),
                   n,
                   level,
                   {.components = k}});
  };
  linear(6, 3, 1, false, 0.99);
  linear(6, 3, 1, false, 0.4);
  linear(10, 3, 1, true, 0.65);
  linear(20, 4, 2, false, 0.9);
  linear(27, 3, 1, true, 0.65);
  linear(27, 3, 1, true, 0.9);
  linear(27, 5, 1, false, 0.95);
  linear(27, 5, 4, false, 0.95);
  linear(27, 5, 2, true, 0.95);
  linear(40, 10, 3, true, 0.99);
  linear(50, 10, 1, false, 0.99);
  linear(40, 60, 3, false, 0.95);
  linear(100, 10, 9, true, 0.95);
  linear(1000, 10, 3, false, 0.99);
  linear(1000, 10, 9, false, 0.95);
  linear(10'000, 5, 2, false, 0.99);
  linear(10'000, 5, 1, true, 0.95);
  mercer::FitOptions scaled{.components = 3};
  scaled.scale = mercer::Scale::std;
  all.push_back({"linear, z-scores, 100 × 10, k = 3", gaussian(10, true), 100, 0.95, scaled});
  const auto rbf = [](Index k) {
    return mercer::FitOptions{.components = k, .kernel = mercer::kernels::rbf({.gamma = 0.5})};
  };
  all.push_back({"rbf, 100 rows on a ring, k = 6", ring, 100, 0.95, rbf(6)});
  all.push_back({"rbf, 200 rows on a ring, k = 6", ring, 200, 0.95, rbf(6)});
  all.push_back({"rbf, 200 rows in clusters, k = 4", clusters, 200, 0.95, rbf(4)});
  all.push_back({"rbf, 300 Gaussian rows, k = 5", gaussian(3, false), 300, 0.99, rbf(5)});
  all.push_back({"rbf, 200 rows of exponential numbers, k = 3", exponential, 200, 0.95, rbf(3)});
  all.push_back({"rbf, 250 rows of Student's t, k = 4", student, 250, 0.95, rbf(4)});
  all.push_back(
      {"linear, cubes of Gaussian numbers, 99 good rows", cubes, 60, 0.99, {.components = 2}, 99});
  all.push_back({"rbf, 60 rows on a ring, 19 good rows", ring, 60, 0.95, rbf(4), 19});
  all.push_back({"linear, 10 good rows", gaussian(4, false), 60, 0.99, {.components = 2}, 10});

  std::vector<Case> out;
  for (Setting& s : all) {
    const auto percent = static_cast<int>(std::round(100 * s.level));
    s.name += ", " + std::to_string(percent) + " %";
    out.push_back({"limits",
                   s.name,
                   {{"T², " + s.name, Judge::rate, 1 - s.level},
                    {"SPE, " + s.name, Judge::rate, 1 - s.level}},
                   [s](std::uint64_t seed) { return beyond(s, seed); }});
  }
  return out;
}

}  // namespace calibrate
