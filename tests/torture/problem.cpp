#include "torture/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace mercer::torture {

namespace {

using Random = std::mt19937_64;

int pick(Random& random, int from, int to) {
  return from + static_cast<int>(random() % static_cast<std::uint64_t>(to - from + 1));
}
bool chance(Random& random, double p) { return static_cast<double>(random() >> 11) * 0x1p-53 < p; }
double power_of_ten(Random& random, int from, int to) {
  return std::pow(10.0, pick(random, from, to));
}

/// One thing that rows may suffer, and its name.
struct Change {
  const char* name;
  void (*apply)(Problem&, Random&);
};

void each_cell(Problem& p, Random& random, double (*draw)(Random&)) {
  for (Index i = 0; i < p.x.size(); ++i) p.x.data()[i] = draw(random);
}
double gaussian(Random& random) { return std::normal_distribution<double>()(random); }

const Change starts[] = {
    {"normal", [](Problem& p, Random& r) { each_cell(p, r, gaussian); }},
    {"grid", [](Problem& p,
                Random& r) { each_cell(p, r, [](Random& q) { return 10.0 * pick(q, 0, 6); }); }},
    {"binary",
     [](Problem& p, Random& r) {
       each_cell(p, r, [](Random& q) { return static_cast<double>(pick(q, 0, 1)); });
     }},
    {"rank one",
     [](Problem& p, Random& r) {
       for (Index i = 0; i < p.x.rows(); ++i) {
         const double a = gaussian(r);
         for (Index j = 0; j < p.x.cols(); ++j) p.x(i, j) = a * static_cast<double>(j + 1);
       }
     }},
    {"flat spectrum",
     [](Problem& p, Random&) {
       p.x.setZero();
       for (Index i = 0; i < p.x.rows(); ++i)
         p.x(i, i % p.x.cols()) = (i / p.x.cols()) % 2 == 0 ? 1 : -1;
     }},
};

const Change changes[] = {
    {"duplicates",
     [](Problem& p, Random& r) {
       for (Index i = 1; i < p.x.rows(); ++i)
         if (chance(r, 0.5)) p.x.row(i) = p.x.row(pick(r, 0, static_cast<int>(i) - 1));
     }},
    {"far clusters",
     [](Problem& p, Random& r) {
       const double far = power_of_ten(r, 2, p.single ? 4 : 8);
       for (Index i = 0; i < p.x.rows(); ++i) p.x.row(i).array() += i % 2 == 0 ? far : -far;
     }},
    {"near pairs",
     [](Problem& p, Random& r) {
       const double near = power_of_ten(r, p.single ? -4 : -9, -2);
       for (Index i = 1; i < p.x.rows(); i += 2) {
         p.x.row(i) = p.x.row(i - 1);
         p.x(i, 0) += near;
       }
     }},
    {"far mean",
     [](Problem& p, Random& r) {
       const double mean = power_of_ten(r, 1, p.single ? 4 : 12);
       p.x.array() += mean;
     }},
    {"far constant column",
     [](Problem& p, Random& r) { p.x.col(0).setConstant(power_of_ten(r, 1, p.single ? 6 : 15)); }},
    {"dominant rows",
     [](Problem& p, Random& r) {
       const double large = power_of_ten(r, 2, 5);
       for (Index i = 0; i < std::min<Index>(3, p.x.rows()); ++i) p.x.row(i) *= large;
     }},
    {"columns of other sizes",
     [](Problem& p, Random& r) {
       for (Index j = 0; j < p.x.cols(); ++j) p.x.col(j) *= power_of_ten(r, -6, 6);
     }},
    {"zero-weight sentinels",
     [](Problem& p, Random& r) {
       p.weights.assign(static_cast<std::size_t>(p.x.rows()), 1.0);
       for (Index i = 0; i < p.x.rows(); ++i)
         if (chance(r, 0.2)) {
           p.weights[static_cast<std::size_t>(i)] = 0;
           p.x.row(i).setConstant(p.single ? 1e6 : 1e9);
         }
     }},
    {"weights",
     [](Problem& p, Random& r) {
       p.weights.resize(static_cast<std::size_t>(p.x.rows()));
       for (double& w : p.weights) w = chance(r, 0.3) ? 2 : pick(r, 1, 8) * 0.25;
     }},
    {"equal rows",
     [](Problem& p, Random&) {
       for (Index i = 1; i < p.x.rows(); ++i) p.x.row(i) = p.x.row(0);
     }},
    {"powers of two",
     [](Problem& p, Random& r) {
       const int exponent = p.single ? pick(r, -30, 30) : pick(r, -400, 400);
       for (Index i = 0; i < p.x.size(); ++i) p.x.data()[i] = std::ldexp(p.x.data()[i], exponent);
     }},
};

KernelSpec make_kernel(Random& random, double scale) {
  using Shape = KernelSpec::Shape;
  KernelSpec k;
  k.shape = static_cast<Shape>(pick(random, 0, 5));
  // Mostly a width that fits the rows, sometimes absurd ones.
  const double wide =
      chance(random, 0.3) ? power_of_ten(random, -8, 8) : power_of_ten(random, -2, 1);
  if (k.shape == Shape::rbf) k.gamma = wide / (scale * scale);
  if (k.shape == Shape::laplacian) k.gamma = wide / scale;
  if (k.shape == Shape::rational_quadratic) k.length = wide * scale;
  k.degree = pick(random, 1, 3);
  k.coef0 = pick(random, 0, 1);
  if (chance(random, 0.2)) k.factor = 0.5;
  if (chance(random, 0.1) && k.shape != Shape::linear) k.linear_part = 0.25;
  return k;
}

/// Standard deviation about the median of the first column: outliers and sentinels may not decide.
double typical_size(const Problem& p) {
  std::vector<double> sizes;
  for (Index i = 1; i < p.x.rows(); ++i) {
    const double s = (p.x.row(i) - p.x.row(i - 1)).norm();
    if (s > 0) sizes.push_back(s);
  }
  if (sizes.empty()) return 1;
  std::sort(sizes.begin(), sizes.end());
  return sizes[sizes.size() / 2];
}

bool in_range(const Problem& p) {
  const double largest = p.x.cwiseAbs().maxCoeff();
  return largest < (p.single ? 1e30 : 1e140) && p.x.allFinite();
}

}  // namespace

std::string KernelSpec::text() const {
  std::string inner;
  switch (shape) {
    case Shape::linear:
      inner = "linear()";
      break;
    case Shape::rbf:
      inner = fmt::format("rbf(gamma={})", gamma);
      break;
    case Shape::laplacian:
      inner = fmt::format("laplacian(gamma={})", gamma);
      break;
    case Shape::poly:
      inner = fmt::format("poly(degree={}, coef0={})", degree, coef0);
      break;
    case Shape::cosine:
      inner = "cosine()";
      break;
    case Shape::rational_quadratic:
      inner = fmt::format("rational_quadratic(alpha=1, length={})", length);
      break;
  }
  if (factor != 1) inner = fmt::format("{}*{}", factor, inner);
  if (linear_part != 0) inner += fmt::format(" + {}*linear()", linear_part);
  return inner;
}

Problem make_problem(std::uint64_t seed) {
  Random random(seed * 0x9E3779B97F4A7C15U + 1);
  Problem p;
  p.seed = seed;
  p.single = chance(random, 0.25);
  p.center = !chance(random, 0.1);
  const int rows = chance(random, 0.2) ? pick(random, 2, 4) : pick(random, 5, 32);
  const int cols = chance(random, 0.6) ? pick(random, 1, 3) : pick(random, 4, 8);
  p.x.resize(rows, cols);
  const Change& start = starts[random() % std::size(starts)];
  start.apply(p, random);
  p.recipe = start.name;
  for (int more = pick(random, 0, 2); more > 0; --more) {
    const Change& change = changes[random() % std::size(changes)];
    const Problem before = p;
    change.apply(p, random);
    if (!in_range(p)) p = before;
    else p.recipe += fmt::format(", {}", change.name);
  }
  if (p.single)
    for (Index i = 0; i < p.x.size(); ++i)
      p.x.data()[i] = static_cast<double>(static_cast<float>(p.x.data()[i]));
  if (chance(random, 0.6)) p.kernel = make_kernel(random, typical_size(p));
  switch (pick(random, 0, 3)) {
    case 0:
      p.components = at_most(1);
      break;
    case 1:
      p.components = at_most(3);
      break;
    case 2:
      p.components = variance_fraction(0.9);
      break;
    default:
      p.components = all_components();
  }
  return p;
}

std::string csv_of(const Problem& p) {
  std::string out;
  for (Index j = 0; j < p.x.cols(); ++j) out += fmt::format("{}x{}", j > 0 ? "," : "", j + 1);
  out += p.weights.empty() ? "\n" : ",weight\n";
  for (Index i = 0; i < p.x.rows(); ++i) {
    for (Index j = 0; j < p.x.cols(); ++j) out += fmt::format("{}{}", j > 0 ? "," : "", p.x(i, j));
    if (!p.weights.empty()) out += fmt::format(",{}", p.weights[static_cast<std::size_t>(i)]);
    out += '\n';
  }
  return out;
}

std::string command_of(const Problem& p, const std::string& file) {
  std::string out = fmt::format("mercer fit {}", file);
  if (p.kernel) out += fmt::format(" --kernel '{}'", p.kernel->text());
  switch (p.components.kind()) {
    case Components::Kind::count:
      out += fmt::format(" -k {}", p.components.count());
      break;
    case Components::Kind::fraction:
      out += fmt::format(" -k {}", p.components.fraction());
      break;
    default:
      out += " -k all";
  }
  if (p.single) out += " --precision float";
  if (!p.center) out += " --no-center";
  if (!p.weights.empty()) out += " --weights weight";
  return out;
}

}  // namespace mercer::torture
