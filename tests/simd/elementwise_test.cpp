#include "simd/elementwise.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

#include <cmath>
#include <limits>

namespace mercer::elementwise_test {

/// Units in the last place between a number of type T and the truth.
template <class T>
double ulps(T got, long double truth) {
  const T near = static_cast<T>(std::fabs(truth));
  const long double unit =
      std::max(std::nextafter(near, std::numeric_limits<T>::infinity()) - near,
               std::numeric_limits<T>::min() * std::numeric_limits<T>::epsilon());
  return static_cast<double>(std::fabs(static_cast<long double>(got) - truth) / unit);
}

template <class T>
Vector<T> mapped(const Formula<T>& formula, const Vector<T>& z) {
  Vector<T> out(z.size());
  EXPECT_TRUE(apply(formula, Sweep<T>{1, z.size(), z.data(), z.size(), out.data(), z.size()}));
  return out;
}

/// Numbers between 0 and `high`, dense near 0 too.
template <class T>
Vector<T> numbers(double high) {
  test::Random random(3);
  Vector<T> z(20'011);
  for (Index i = 0; i < z.size(); ++i)
    z[i] = static_cast<T>(i % 3 == 0 ? high * std::pow(random.uniform(), 12)
                                     : high * random.uniform());
  z[0] = 0;
  return z;
}

/// The largest error over `z`; `bound(z)` ulps are allowed.
template <class T, class Truth, class Bound>
void check(const char* name, const Formula<T>& f, const Vector<T>& z, Truth truth, Bound bound) {
  const Vector<T> y = mapped(f, z);
  double worst = 0;
  for (Index i = 0; i < z.size(); ++i) {
    const long double exact = truth(static_cast<long double>(z[i]));
    if (std::fabs(exact) < 4 * std::numeric_limits<T>::min()) continue;  // flushed to 0
    const double error = ulps(y[i], exact);
    worst = std::max(worst, error);
    ASSERT_LE(error, bound(static_cast<double>(z[i]))) << name << "(" << z[i] << ") = " << y[i];
  }
  ::testing::Test::RecordProperty(name, std::to_string(worst));
  if (std::getenv("MERCER_SHOW_ULPS"))
    std::printf("%-12s %s %-8s %.2f ulp\n", hwy::TargetName(hwy::SupportedTargets()),
                sizeof(T) == 4 ? "float " : "double", name, worst);
}

template <class T>
void check_functions() {
  const auto constant = [](double ulp) { return [ulp](double) { return ulp; }; };
  const double far = sizeof(T) == 4 ? 87 : 708;
  check<T>(
      "exp", {Function::exp}, numbers<T>(far), [](long double z) { return std::exp(-z); },
      constant(1.5));
  // The argument −az is rounded once: half an ulp of it is |az|/2 ulps of the result.
  check<T>(
      "exp(-az)", {Function::exp, T(0.3)}, numbers<T>(30),
      [](long double z) { return std::exp(-T(0.3) * z); }, [](double z) { return 1.5 + 0.3 * z; });
  check<T>(
      "exp_root", {Function::exp_root}, numbers<T>(50),
      [](long double z) { return std::exp(-std::sqrt(z)); }, constant(6));
  check<T>(
      "matern3", {Function::matern3}, numbers<T>(50),
      [](long double z) { return (1 + std::sqrt(z)) * std::exp(-std::sqrt(z)); }, constant(8));
  check<T>(
      "matern5", {Function::matern5}, numbers<T>(50),
      [](long double z) {
        const long double s = std::sqrt(z);
        return (1 + s + s * s / 3) * std::exp(-s);
      },
      constant(9));
  check<T>(
      "reciprocal", {Function::reciprocal, T(2)}, numbers<T>(1e6),
      [](long double z) { return 1 / (1 + 2 * z); }, constant(1.5));
  check<T>(
      "rational", {Function::rational, T(0.5), T(1.5)}, numbers<T>(1e3),
      [](long double z) { return std::pow(1 + 0.5L * z, -1.5L); },
      [](double z) { return 4 + 3 * 1.5 * std::log1p(0.5 * z); });
  const Vector<T> z = numbers<T>(20);
  const auto tanh = [](long double v) { return std::tanh(v); };
  check<T>("tanh", {Function::tanh}, z, tanh, constant(4.5));
  check<T>("tanh", {Function::tanh}, Vector<T>(-z), tanh, constant(4.5));
  for (const int n : {1, 2, 3, 4, 5, 7, 16, 31})
    check<T>(
        "power", {Function::power, T(1), T(0), n}, numbers<T>(8),
        [n](long double v) { return std::pow(v, static_cast<long double>(n)); }, constant(n));
}

TEST(Elementwise, every_function_is_right_to_a_few_ulps) {
  test::on_every_target([] {
    check_functions<double>();
    check_functions<float>();
  });
}

TEST(Elementwise, exp_is_exactly_one_at_zero_and_zero_far_away) {
  test::on_every_target([] {
    const Vector<double> y = mapped<double>({Function::exp, 2}, Vector<double>{{0, 1e4, 1e300}});
    EXPECT_EQ(y, (Vector<double>{{1, 0, 0}}));
    const Vector<float> f = mapped<float>({Function::exp, 2}, Vector<float>{{0, 1e3F, 1e30F}});
    EXPECT_EQ(f, (Vector<float>{{1, 0, 0}}));
    const Vector<double> m = mapped<double>({Function::matern5, 1e200}, Vector<double>{{0, 1e300}});
    EXPECT_EQ(m, (Vector<double>{{1, 0}}));
  });
}

template <class T>
void check_distances() {
  test::Random random(1);
  for (Index cols = 1; cols <= 19; ++cols) {
    const Matrix<T> in = random.normal(3, cols + 2).cast<T>();
    const Vector<T> r = random.normal(3, 1).cwiseAbs().cast<T>();
    const Vector<T> c = random.normal(cols, 1).cwiseAbs().cast<T>();
    Matrix<T> out = Matrix<T>::Constant(3, cols + 1, T(-1));
    EXPECT_TRUE(
        apply<T>({}, {3, cols, in.data(), cols + 2, out.data(), cols + 1, r.data(), c.data()}));
    for (Index i = 0; i < 3; ++i) {
      for (Index j = 0; j < cols; ++j)
        EXPECT_NEAR(out(i, j), std::max(T(0), r[i] + c[j] - 2 * in(i, j)),
                    4 * std::numeric_limits<T>::epsilon());
      EXPECT_EQ(out(i, cols), -1);  // nothing beyond is touched
    }
  }
}

TEST(Elementwise, squared_distances_come_from_inner_products_and_are_never_negative) {
  test::on_every_target([] {
    check_distances<double>();
    check_distances<float>();
  });
}

TEST(Elementwise, what_is_not_finite_is_noticed_anywhere_in_the_tile) {
  test::on_every_target([] {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    for (Index at = 0; at < 11; ++at)
      for (const double bad : {infinity, -infinity, std::nan("")}) {
        Vector<double> z = Vector<double>::Ones(11);
        z[at] = bad;
        EXPECT_FALSE(apply<double>({Function::exp}, {1, 11, z.data(), 11, z.data(), 11}));
        Vector<double> sum = Vector<double>::Ones(11);
        z[at] = bad;
        EXPECT_FALSE(add_tile<double>({1, 11, z.data(), 11, sum.data(), 11}));
      }
    Vector<double> big = Vector<double>::Constant(5, 1e200);
    EXPECT_FALSE(apply<double>({Function::power, 1, 0, 2}, {1, 5, big.data(), 5, big.data(), 5}));
  });
}

TEST(Elementwise, tiles_are_added_and_multiplied) {
  test::on_every_target([] {
    test::Random random(1);
    const Matrix<float> a = random.normal(5, 13).cast<float>(),
                        b = random.normal(5, 13).cast<float>();
    Matrix<float> sum = a, product = a;
    EXPECT_TRUE(add_tile<float>({5, 13, b.data(), 13, sum.data(), 13}));
    EXPECT_TRUE(multiply_tile<float>({5, 13, b.data(), 13, product.data(), 13}));
    EXPECT_EQ(sum, a + b);
    EXPECT_EQ(product, a.cwiseProduct(b));
  });
}

}  // namespace mercer::elementwise_test
