// The polynomial maps, each held against its kernel.
#include "maps/from_text.hpp"
#include "support/random.hpp"

#include <mercer/error.hpp>
#include <mercer/map.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::graded_test {

using test::Random;

template <class T>
Matrix<T> image(const Map<T>& phi, const Rows<T>& x) {
  Matrix<T> out = Matrix<T>::Constant(x.rows(), phi.features(), std::nan(""));
  phi.apply(x, out);
  return out;
}

/// C(n, k) by Pascal's triangle.
Index choose(Index n, Index k) {
  return k == 0 || k == n ? 1 : choose(n - 1, k - 1) + choose(n - 1, k);
}

template <class T>
class PolynomialMaps : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(PolynomialMaps, Precisions);

/// Largest error of ΦΦᵀ, relative to the size of the terms that are summed.
template <class T, class Kernel>
void expect_kernel(const Map<T>& phi, const Matrix<T>& x, Kernel kernel) {
  const Matrix<T> f = image(phi, Rows<T>(x));
  ASSERT_TRUE(f.allFinite());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.rows(); ++j) {
      const double got = f.row(i).template cast<double>().dot(f.row(j).template cast<double>());
      const double inner = x.row(i).template cast<double>().dot(x.row(j).template cast<double>());
      const double size = static_cast<double>(f.row(i).norm()) * f.row(j).norm();
      EXPECT_NEAR(got, kernel(inner), 20 * size * std::numeric_limits<T>::epsilon());
    }
}

TYPED_TEST(PolynomialMaps, M_B2_monomials_of_one_degree_have_the_kernel_of_a_power) {
  for (const Index d : {1, 2, 3, 7})
    for (const int degree : {1, 2, 3, 5}) {
      const auto phi = monomial_map<TypeParam>(d, degree);
      EXPECT_EQ(phi->inputs(), d);
      EXPECT_EQ(phi->features(), choose(degree + d - 1, degree));
      const Matrix<TypeParam> x = Random(1).normal(6, d).cast<TypeParam>();
      expect_kernel(*phi, x, [&](double inner) { return std::pow(inner, degree); });
    }
}

TYPED_TEST(PolynomialMaps, M_B3_monomials_up_to_a_degree_have_the_kernel_one_plus_inner_product) {
  for (const Index d : {1, 2, 3, 7})
    for (const int degree : {1, 2, 3, 5}) {
      const auto phi = polynomial_map<TypeParam>(d, degree);
      EXPECT_EQ(phi->features(), choose(degree + d, d));
      const Matrix<TypeParam> x = Random(2).normal(6, d).cast<TypeParam>();
      expect_kernel(*phi, x, [&](double inner) { return std::pow(1 + inner, degree); });
    }
  EXPECT_EQ(polynomial_map<TypeParam>(2, 2)->features(), 6);
}

TYPED_TEST(PolynomialMaps, M_B2_the_example_in_the_plane) {
  Matrix<TypeParam> x(1, 2), expected(1, 3);
  x << 3, 5;
  expected << 9, std::sqrt(TypeParam(2)) * 15, 25;
  const Matrix<TypeParam> f = image(*monomial_map<TypeParam>(2, 2), Rows<TypeParam>(x));
  EXPECT_EQ(f(0, 0), 9);
  EXPECT_EQ(f(0, 2), 25);
  EXPECT_LE((f - expected).norm(), 32 * std::numeric_limits<TypeParam>::epsilon());
}

TYPED_TEST(PolynomialMaps, M_B4_plain_monomials_are_as_they_are_and_named) {
  Matrix<TypeParam> x(1, 3), expected(1, 19);
  x << 2, 3, 5;
  expected << 2, 3, 5, 4, 6, 10, 9, 15, 25, 8, 12, 20, 18, 30, 50, 27, 45, 75, 125;
  const auto phi = plain_map<TypeParam>(3, 3);
  EXPECT_EQ(image(*phi, Rows<TypeParam>(x)), expected);
  const std::vector<std::string> names = {
      "a",     "b",     "c",     "a^2",   "a*b",   "a*c", "b^2",   "b*c",   "c^2", "a^3",
      "a^2*b", "a^2*c", "a*b^2", "a*b*c", "a*c^2", "b^3", "b^2*c", "b*c^2", "c^3"};
  EXPECT_EQ(phi->feature_names({"a", "b", "c"}), names);
}

TYPED_TEST(PolynomialMaps, names_follow_the_features) {
  const std::vector<std::string> inputs = {"x1", "x2"};
  const std::vector<std::string> two = {"x1^2", "sqrt(2)*x1*x2", "x2^2"};
  EXPECT_EQ(monomial_map<TypeParam>(2, 2)->feature_names(inputs), two);
  const std::vector<std::string> up_to_two = {"1",    "sqrt(2)*x1",    "sqrt(2)*x2",
                                              "x1^2", "sqrt(2)*x1*x2", "x2^2"};
  EXPECT_EQ(polynomial_map<TypeParam>(2, 2)->feature_names(inputs), up_to_two);
}

TYPED_TEST(PolynomialMaps, M_T1_names_of_weighted_features_contain_the_weight) {
  // Each name, evaluated by hand, is the feature: (1 + x)³ and (x + y + z)⁴.
  const std::vector<std::string> cubic = {"1", "sqrt(3)*t", "sqrt(3)*t^2", "t^3"};
  EXPECT_EQ(polynomial_map<TypeParam>(1, 3)->feature_names({"t"}), cubic);
  const auto quartic = monomial_map<TypeParam>(3, 4)->feature_names({"x", "y", "z"});
  ASSERT_EQ(quartic.size(), 15u);
  EXPECT_EQ(quartic[0], "x^4");
  EXPECT_EQ(quartic[1], "2*x^3*y");          // 4!/3! = 4
  EXPECT_EQ(quartic[3], "sqrt(6)*x^2*y^2");  // 4!/(2! 2!)
  EXPECT_EQ(quartic[4], "sqrt(12)*x^2*y*z");
  const auto high = monomial_map<TypeParam>(2, 30)->feature_names({"x", "y"});
  EXPECT_EQ(high[15], "sqrt(155117520)*x^15*y^15");
}

TYPED_TEST(PolynomialMaps, take_sparse_rows_strides_and_places_among_other_columns) {
  Csr<TypeParam> csr;
  csr.cols = 4;
  csr.offsets = {0, 2, 2, 3};
  csr.columns = {0, 3, 1};
  csr.values = {2, 3, -1};
  Matrix<TypeParam> x = Matrix<TypeParam>::Zero(3, 6);
  x(0, 1) = 2, x(0, 4) = 3, x(2, 2) = -1;
  const Rows<TypeParam> inside(x.data() + 1, 3, 4, 6);
  for (const auto& phi : {monomial_map<TypeParam>(4, 3), polynomial_map<TypeParam>(4, 3),
                          plain_map<TypeParam>(4, 2), squares_map<TypeParam>(4)}) {
    const Matrix<TypeParam> f = image(*phi, inside);
    EXPECT_EQ(image(*phi, Rows<TypeParam>(csr)), f) << phi->text();
    Matrix<TypeParam> wide = Matrix<TypeParam>::Constant(3, phi->features() + 2, 7);
    phi->apply(inside, wide.middleCols(1, phi->features()));
    EXPECT_EQ(wide.middleCols(1, phi->features()), f);
    EXPECT_TRUE((wide.leftCols(1).array() == 7).all() && (wide.rightCols(1).array() == 7).all());
  }
}

TYPED_TEST(PolynomialMaps, are_found_by_their_text) {
  for (const auto& phi : {monomial_map<TypeParam>(5, 4), polynomial_map<TypeParam>(5, 30),
                          plain_map<TypeParam>(5, 2), squares_map<TypeParam>(5)}) {
    const auto again = map_from_text<TypeParam>(phi->text(), 5);
    ASSERT_NE(again, nullptr) << phi->text();
    EXPECT_EQ(again->text(), phi->text());
    EXPECT_EQ(again->features(), phi->features());
  }
  EXPECT_EQ(map_from_text<TypeParam>(" monomials ( degree = 3 ) ", 2)->text(),
            "monomials(degree=3)");
}

TYPED_TEST(PolynomialMaps, stay_accurate_at_the_highest_degree) {
  Matrix<TypeParam> x(2, 1);
  x << TypeParam(1.5), TypeParam(-0.5);
  expect_kernel(*monomial_map<TypeParam>(1, 30), x,
                [](double inner) { return std::pow(inner, 30); });
}

}  // namespace mercer::graded_test
