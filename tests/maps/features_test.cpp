#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/feature_space.hpp>
#include <mercer/features.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mercer::features_test {

using test::error_of;
using test::has;

TEST(Features, M_T1_products_of_features_are_the_kernel_matrix) {
  const Matrix<double> x = test::Random(4).normal(9, 3);
  const auto phi = parse_map<double>("polynomial(degree=3)", 3);
  const Matrix<double> f = map_features(*phi, Rows<double>(x), {.threads = 2});
  for (Index i = 0; i < 9; ++i)
    for (Index j = 0; j < 9; ++j)
      EXPECT_NEAR(f.row(i).dot(f.row(j)), std::pow(1 + x.row(i).dot(x.row(j)), 3),
                  1e-12 * f.row(i).norm() * f.row(j).norm());
}

TEST(Features, M_T1_name_the_row_that_is_not_finite_or_overflows) {
  Matrix<float> x = Matrix<float>::Ones(3, 2);
  const auto phi = parse_map<float>("monomials(degree=2)", 2);
  x(2, 1) = 1e30F;
  Error error = error_of([&] { map_features(*phi, Rows<float>(x), {.first = 10}); });
  EXPECT_EQ(error.code(), Errc::bad_data);
  EXPECT_TRUE(
      has(error.what(), "row 13: the feature 'x2^2' of monomials(degree=2) overflows; scale"))
      << "1e30 is finite, its square is not";
  x(1, 0) = std::numeric_limits<float>::quiet_NaN();
  error = error_of([&] { map_features(*phi, Rows<float>(x)); });
  EXPECT_TRUE(has(error.what(), "row 2, column 1 is nan"));
  error = error_of([&] { map_features(*phi, Rows<float>(Matrix<float>::Ones(1, 3).eval())); });
  EXPECT_TRUE(has(error.what(), "rows of 3 columns, but monomials(degree=2) takes 2"));
}

/// C(n, k) in long double, by the product.
long double choose(int n, int k) {
  long double c = 1;
  for (int i = 1; i <= k; ++i) c = c * static_cast<long double>(n - k + i) / i;
  return c;
}

TEST(FeatureSpace, M_T2_size_of_polynomial_kernels_is_a_binomial_coefficient) {
  for (const int d : {1, 2, 3, 7, 20})
    for (const int p : {1, 2, 3, 5}) {
      const FeatureSpace up_to = feature_space(kernels::poly({.degree = p, .coef0 = 1}), d);
      EXPECT_EQ(up_to.dimension, static_cast<double>(choose(p + d, d)));
      EXPECT_EQ(up_to.most_components(1e9, true), up_to.dimension - 1) << "without the constant";
      const FeatureSpace exactly = feature_space(kernels::poly({.degree = p, .coef0 = 0}), d);
      EXPECT_EQ(exactly.dimension, static_cast<double>(choose(p + d - 1, p)));
      EXPECT_EQ(exactly.most_components(1e9, true), exactly.dimension);
      EXPECT_EQ(feature_space(*polynomial_map<double>(d, p)).dimension, up_to.dimension);
      EXPECT_EQ(feature_space(*monomial_map<double>(d, p)).dimension, exactly.dimension);
    }
  EXPECT_EQ(feature_space(kernels::poly({.degree = 2}), 2).text,
            "D = 6 features (degree ≤ 2 of 2 columns)");
  EXPECT_EQ(feature_space(*monomial_map<float>(2, 2)).text,
            "D = 3 features (degree 2 of 2 columns)");
  EXPECT_EQ(feature_space(*plain_map<double>(2, 2)).text,
            "D = 5 features (degree 1 to 2 of 2 columns)");
  EXPECT_EQ(feature_space(*squares_map<double>(4)).text, "D = 4 features (squares of 4 columns)");
}

TEST(FeatureSpace, M_T2_sizes_beyond_64_bits_are_rounded_and_not_wrapped) {
  const FeatureSpace space = feature_space(kernels::poly({.degree = 20}), 1000);
  const auto exact = static_cast<double>(choose(1020, 20));
  EXPECT_GT(exact, 1e40);
  EXPECT_NEAR(space.dimension / exact, 1, 1e-10);
  EXPECT_TRUE(has(space.text, "D = 5.06e+41 features")) << space.text;
}

TEST(FeatureSpace, M_T2_the_gaussian_kernel_has_infinitely_many_and_rows_limit_the_components) {
  for (const char* text : {"rbf(gamma=1)", "2*rbf", "linear*laplacian(gamma=2) + poly(degree=2)"}) {
    const FeatureSpace space = feature_space(Kernel::parse(text), 2);
    EXPECT_TRUE(space.infinite()) << text;
    EXPECT_EQ(space.most_components(150, true), 149);
    EXPECT_EQ(space.most_components(150, false), 150);
  }
  EXPECT_EQ(feature_space(kernels::linear(), 5).dimension, 5);
  EXPECT_FALSE(feature_space(kernels::sigmoid(), 5).known());
  const auto own = Kernel::function("own", [](auto a, auto b) { return a[0] * b[0]; });
  EXPECT_FALSE(feature_space(own, 5).known());
}

}  // namespace mercer::features_test
