#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/fit.hpp>
#include <mercer/gradient.hpp>

#include <gtest/gtest.h>

#include <functional>
#include <limits>

namespace mercer::gradient_test {

using test::Random;
using Real = long double;

/// ∂k(x, a)/∂x_j by its formula, in long double.
using Derivative = std::function<Real(const Real* x, const Real* a, Index d, Index j)>;

Real squared_distance(const Real* x, const Real* a, Index d) {
  Real sum = 0;
  for (Index i = 0; i < d; ++i) sum += (x[i] - a[i]) * (x[i] - a[i]);
  return sum;
}
Real inner(const Real* x, const Real* a, Index d) {
  Real sum = 0;
  for (Index i = 0; i < d; ++i) sum += x[i] * a[i];
  return sum;
}
Derivative rbf_slope(Real gamma) {
  return [gamma](const Real* x, const Real* a, Index d, Index j) {
    return -2 * gamma * (x[j] - a[j]) * std::exp(-gamma * squared_distance(x, a, d));
  };
}

/// Σ_i B_ci ∂k(z, a_i)/∂z_j / scale_j at every row.
Matrix<double> by_formula(const Model<double>& model, const Matrix<double>& x, Index c,
                          const Derivative& slope) {
  const Index d = x.cols();
  const auto anchors = model.map().anchors().dense();
  const bool scaled = model.scale().size() > 0;
  Matrix<double> out(x.rows(), d);
  for (Index r = 0; r < x.rows(); ++r) {
    std::vector<Real> z(static_cast<std::size_t>(d)), a(static_cast<std::size_t>(d));
    for (Index j = 0; j < d; ++j)
      z[static_cast<std::size_t>(j)] =
          scaled ? (Real(x(r, j)) - model.input_mean()[j]) / model.scale()[j] : Real(x(r, j));
    for (Index j = 0; j < d; ++j) {
      Real sum = 0;
      for (Index i = 0; i < anchors.rows(); ++i) {
        for (Index l = 0; l < d; ++l) a[static_cast<std::size_t>(l)] = anchors(i, l);
        sum += Real(model.components()(c, i)) * slope(z.data(), a.data(), d, j);
      }
      out(r, j) = static_cast<double>(scaled ? sum / model.scale()[j] : sum);
    }
  }
  return out;
}

void expect_equal(const Matrix<double>& got, const Matrix<double>& wanted, double tolerance) {
  const double largest = wanted.cwiseAbs().maxCoeff();
  EXPECT_LE((got - wanted).cwiseAbs().maxCoeff(), tolerance * largest);
}

struct Case {
  const char* name;
  Kernel kernel;
  Derivative slope;
};

std::vector<Case> cases() {
  return {
      {"rbf", kernels::rbf({.gamma = 0.3}), rbf_slope(0.3L)},
      // A hundred times narrower than the data: long steps would see nothing of it.
      {"narrow rbf", kernels::rbf({.gamma = 4000.0}), rbf_slope(4000)},
      {"poly", kernels::poly({.degree = 3, .coef0 = 1, .gamma = 0.5}),
       [](const Real* x, const Real* a, Index d, Index j) {
         const Real t = Real(0.5) * inner(x, a, d) + 1;
         return Real(1.5) * t * t * a[j];
       }},
      {"sum of products", 2 * kernels::rbf({.gamma = 0.3}) * kernels::linear() + kernels::linear(),
       [](const Real* x, const Real* a, Index d, Index j) {
         const Real k = std::exp(-Real(0.3L) * squared_distance(x, a, d));
         return 2 * (rbf_slope(0.3L)(x, a, d, j) * inner(x, a, d) + k * a[j]) + a[j];
       }}};
}

TEST(Gradient, of_kernel_models_is_that_of_the_formula) {
  Random random(3);
  const Matrix<double> x = random.normal(40, 3), probes = random.normal(6, 3);
  // Where the narrow one lives: half its width from rows.
  const Matrix<double> near = x.topRows(6) + 0.008 * random.normal(6, 3);
  for (const Case& c : cases())
    for (const Scale scale : {Scale::none, Scale::std}) {
      SCOPED_TRACE(c.name);
      const auto model = fit(x, {.components = 3, .kernel = c.kernel, .scale = scale});
      const bool narrow = std::string(c.name) == "narrow rbf";
      for (const Index component : {0, 2})
        for (const Matrix<double>& at : {narrow ? near : x, narrow ? near : probes})
          expect_equal(gradient(model, at, component), by_formula(model, at, component, c.slope),
                       1e-8);
    }
}

TEST(Gradient, of_a_laplacian_kernel_averages_the_sides_of_a_kink) {
  Random random(4);
  const Matrix<double> x = random.normal(30, 2);
  const auto model = fit(x, {.components = 2, .kernel = kernels::laplacian({.gamma = 0.5})});
  const Derivative slope = [](const Real* p, const Real* a, Index d, Index j) {
    Real sum = 0;
    for (Index i = 0; i < d; ++i) sum += std::abs(p[i] - a[i]);
    const Real sign = p[j] > a[j] ? 1 : p[j] < a[j] ? -1 : 0;
    return -Real(0.5) * sign * std::exp(-Real(0.5) * sum);
  };
  expect_equal(gradient(model, x, 0), by_formula(model, x, 0, slope), 1e-12);
  // Beside a kink, nearer than any step that a difference could take, the slope is that of one
  // side.
  for (const double beside : {1e-3, -1e-8, 1e-13}) {
    const Matrix<double> near = (x.array() + beside).matrix();
    expect_equal(gradient(model, near, 0), by_formula(model, near, 0, slope), 1e-12);
  }
}

/// k(x, a) by its formula.
using Value = std::function<Real(const Real* x, const Real* a, Index d)>;

/// Central differences of the formula in long double, twice extrapolated: 1e-10 or better where the
/// kernel is smooth.
Derivative by_differences(const Value& value) {
  return [value](const Real* x, const Real* a, Index d, Index j) {
    const auto at = [&](Real step) {
      std::vector<Real> p(x, x + d);
      p[static_cast<std::size_t>(j)] += step;
      const Real ahead = value(p.data(), a, d);
      p[static_cast<std::size_t>(j)] -= 2 * step;
      return (ahead - value(p.data(), a, d)) / (2 * step);
    };
    const Real h = 1e-4L;
    return (4 * at(h / 2) - at(h)) / 3;
  };
}

TEST(Gradient, of_every_kernel_is_the_derivative_of_its_formula) {
  const auto root = [](const Real* x, const Real* a, Index d) {
    return std::sqrt(squared_distance(x, a, d));
  };
  const auto matern = [=](Real nu) {
    return [=](const Real* x, const Real* a, Index d) {
      const Real s = std::sqrt(2 * nu) * root(x, a, d) / 2;
      return (1 + s + (nu > 2 ? s * s / 3 : 0)) * std::exp(-s);
    };
  };
  const auto counts = [](const Real* x, const Real* a, Index d, bool product) {
    Real sum = 0;
    for (Index i = 0; i < d; ++i)
      sum += (product ? 2 * x[i] * a[i] : (x[i] - a[i]) * (x[i] - a[i])) / (x[i] + a[i]);
    return sum;
  };
  struct Formula {
    const char* text;
    Value value;
  };
  const std::vector<Formula> all = {
      {"exponential(gamma=0.5)",
       [=](const Real* x, const Real* a, Index d) { return std::exp(-root(x, a, d) / 2); }},
      {"matern(nu=1.5, length=2)", matern(1.5L)},
      {"matern(nu=2.5, length=2)", matern(2.5L)},
      {"rational_quadratic(alpha=1, length=1)",
       [](const Real* x, const Real* a, Index d) {
         return 1 / (1 + squared_distance(x, a, d) / 2);
       }},
      {"rational_quadratic(alpha=2, length=1)",
       [](const Real* x, const Real* a, Index d) {
         return std::pow(1 + squared_distance(x, a, d) / 4, -2.0L);
       }},
      {"cosine",
       [](const Real* x, const Real* a, Index d) {
         return inner(x, a, d) / std::sqrt(inner(x, x, d) * inner(a, a, d));
       }},
      {"chi2(gamma=0.5)", [=](const Real* x, const Real* a,
                              Index d) { return std::exp(-counts(x, a, d, false) / 2); }},
      {"additive_chi2",
       [=](const Real* x, const Real* a, Index d) { return counts(x, a, d, true); }},
      {"(rbf(gamma=0.5) + 2)^3", [](const Real* x, const Real* a, Index d) {
         return std::pow(std::exp(-squared_distance(x, a, d) / 2) + 2, 3.0L);
       }}};
  Random random(11);
  const Matrix<double> x = random.normal(30, 3).cwiseAbs();
  const Matrix<double> at = (random.normal(8, 3).cwiseAbs().array() + 0.01).matrix();
  for (const Formula& f : all) {
    SCOPED_TRACE(f.text);
    const auto model = fit(x, {.components = 2, .kernel = Kernel::parse(f.text)});
    expect_equal(gradient(model, at, 1), by_formula(model, at, 1, by_differences(f.value)), 1e-8);
  }
}

TEST(Gradient, of_a_function_of_a_program_is_found_by_differences) {
  Random random(12);
  const Matrix<double> x = random.normal(20, 2);
  const Kernel own = Kernel::function("own", [](auto p, auto q) {
    double sum = 0;
    for (std::size_t i = 0; i < p.size(); ++i) sum += (p[i] - q[i]) * (p[i] - q[i]);
    return std::exp(-0.3 * sum);
  });
  const auto model = fit(x, {.components = 1, .kernel = own});
  expect_equal(gradient(model, x, 0), by_formula(model, x, 0, rbf_slope(0.3L)), 1e-8);
}

TEST(Gradient, of_linear_pca_is_the_component) {
  Random random(6);
  const Matrix<double> x = random.normal(30, 4);
  const auto model = fit(x, {.components = 2, .scale = Scale::std});
  const Matrix<double> g = gradient(model, x, 1);
  for (Index i = 0; i < 30; ++i)
    for (Index j = 0; j < 4; ++j)
      EXPECT_NEAR(g(i, j), model.components()(1, j) / model.scale()[j], 1e-15);
}

TEST(Gradient, of_an_explicit_map_is_that_of_its_monomials) {
  Random random(7);
  const Matrix<double> x = random.normal(50, 2);
  const auto model = fit(x, monomial_map<double>(2, 2), {.components = 2});
  const Matrix<double> g = gradient(model, x, 0);
  const auto b = model.components().row(0);  // of x1², √2·x1x2, x2²
  for (Index i = 0; i < 50; ++i) {
    const double u = x(i, 0), v = x(i, 1), root = std::sqrt(2.0);
    EXPECT_NEAR(g(i, 0), 2 * b[0] * u + root * b[1] * v, 1e-9);
    EXPECT_NEAR(g(i, 1), 2 * b[2] * v + root * b[1] * u, 1e-9);
  }
}

TEST(Gradient, of_a_float_model_is_found_in_double) {
  Random random(8);
  const Matrix<double> x = random.normal(40, 3);
  const Matrix<float> f = x.cast<float>();
  const FitOptions options{.components = 1, .tolerance = 1e-5};
  FitOptions rbf = options;
  rbf.kernel = kernels::rbf({.gamma = 0.3});
  const auto model = fit(f, rbf);
  const Model<double> same = Model<double>::deserialize(model.serialize());
  const Matrix<double> wanted = gradient(same, Matrix<double>(f.cast<double>()), 0);
  EXPECT_TRUE(gradient(model, f, 0) == wanted);
}

TEST(Gradient, far_from_all_anchors_nothing_moves) {
  Random random(9);
  const auto model =
      fit(random.normal(20, 2), {.components = 1, .kernel = kernels::rbf({.gamma = 1.0})});
  Matrix<double> far(1, 2);
  far << 1e3, -1e3;
  EXPECT_EQ(gradient(model, far, 0).norm(), 0);
}

TEST(Gradient, bad_input_is_refused) {
  Random random(10);
  const Matrix<double> x = random.normal(20, 2).cwiseAbs();
  const auto model = fit(x, {.components = 2, .kernel = kernels::chi2(1)});
  test::expect_error(Errc::bad_option, {"no component 3", "has 2"}, [&] { gradient(model, x, 2); });
  test::expect_error(Errc::bad_data, {"3 columns", "fitted to 2"},
                     [&] { gradient(model, Matrix<double>(random.normal(2, 3)), 0); });
  Matrix<double> edge = x.topRows(2);
  edge(1, 0) = 0;
  test::expect_error(Errc::bad_data, {"row 2", "column 1", "chi2"},
                     [&] { gradient(model, edge, 0); });
  edge(1, 0) = std::numeric_limits<double>::quiet_NaN();
  test::expect_error(Errc::bad_data, {"row 2, column 1"}, [&] { gradient(model, edge, 0); });
  const Matrix<double> k = kernels::rbf({.gamma = 1.0}).matrix(Rows<double>(x));
  const auto similarities = fit(k, {.components = 1, .precomputed = true});
  test::expect_error(Errc::bad_option, {"kernel matrix"}, [&] { gradient(similarities, k, 0); });
}

}  // namespace mercer::gradient_test
