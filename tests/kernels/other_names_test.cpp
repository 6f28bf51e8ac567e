// Kernels as the lectures write them.
#include "support/errors.hpp"

#include <mercer/kernel.hpp>

#include <gtest/gtest.h>

namespace mercer::other_names_test {

std::string canonical(const char* text) { return Kernel::parse(text).text(); }

TEST(KernelNames, M_T4_the_lectures_names_print_in_canonical_form) {
  EXPECT_EQ(canonical("(1+x.y)^2"), "poly(degree=2, coef0=1)");
  EXPECT_EQ(canonical("( x.y + 1 ) ^ 2"), "poly(degree=2, coef0=1)");
  EXPECT_EQ(canonical("(x.y)^3"), "poly(degree=3, coef0=0)");
  EXPECT_EQ(canonical("x.y^3"), "poly(degree=3, coef0=0)");
  EXPECT_EQ(canonical("(0.5*x.y + 1 + 2)^2"), "poly(degree=2, coef0=3, gamma=0.5)");
  EXPECT_EQ(canonical("(2*(x.y + 1))^2"), "poly(degree=2, coef0=2, gamma=2)");
  EXPECT_EQ(canonical("x.y"), Kernel::parse("linear()").text());
  EXPECT_EQ(canonical("1 + x.y"), Kernel::parse("1 + linear()").text());
  EXPECT_EQ(canonical("3*(1+x.y)^2"), Kernel::parse("3*poly(degree=2)").text());
  EXPECT_EQ(canonical("gaussian(sigma=2)"), "rbf(gamma=0.125)");
  EXPECT_EQ(canonical("gaussian"), Kernel::parse("rbf").text());
  EXPECT_EQ(canonical("polynomial(degree=4, coef0=0)"), "poly(degree=4, coef0=0)");
}

TEST(KernelNames, M_T4_other_powers_stay_what_they_were) {
  EXPECT_EQ(canonical("(1 + linear())^2"), Kernel::parse("(constant(value=1) + linear())^2").text());
  EXPECT_EQ(canonical("(x.y*x.y + 1)^2"), Kernel::parse("(linear()*linear() + 1)^2").text());
  EXPECT_EQ(canonical("(x.y + rbf(gamma=1))^2"),
            Kernel::parse("(linear() + rbf(gamma=1))^2").text());
  EXPECT_TRUE(test::has(test::error_of([] { Kernel::parse("(1 + x.z)^2"); }).what(),
                        "the inner product is x.y"));
}

TEST(KernelNames, M_T4_the_square_of_one_plus_the_inner_product_is_36) {
  const Matrix<double> x{{1, 2}}, y{{3, 1}};
  EXPECT_DOUBLE_EQ(Kernel::parse("(1+x.y)^2").matrix(Rows<double>(x), Rows<double>(y))(0, 0), 36);
}

}  // namespace mercer::other_names_test
