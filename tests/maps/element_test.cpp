// Element-wise maps and a user's own.
#include "maps/from_text.hpp"

#include <mercer/error.hpp>
#include <mercer/fit.hpp>
#include <mercer/map.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::element_test {

TEST(SquaresMap, M_B4_turns_a_circle_into_a_line) {
  Matrix<double> x(100, 2);
  for (Index i = 0; i < 100; ++i) x.row(i) << 3 * std::cos(0.7 * i), 3 * std::sin(0.7 * i);
  const auto phi = squares_map<double>(2);
  Matrix<double> f(100, 2);
  phi->apply(x, f);
  const Vector<double> variances = fit(f).explained_variance();
  EXPECT_GT(variances[0], 1);
  if (variances.size() > 1) EXPECT_LE(variances[1], 1e-12);
  EXPECT_EQ(phi->feature_names({"u", "v"}), (std::vector<std::string>{"u^2", "v^2"}));
}

TEST(MonomialMap, M_B5_turns_a_conic_into_a_plane) {
  Matrix<double> x(200, 2);
  for (Index i = 0; i < 200; ++i) {
    const double u = 4 * std::cos(0.3 * i), v = std::sin(0.3 * i);
    x.row(i) << u - v, u + 2 * v;
  }
  const auto phi = monomial_map<double>(2, 2);
  Matrix<double> f(200, 3);
  phi->apply(x, f);
  const Vector<double> variances = fit(f).explained_variance();
  EXPECT_LE(variances.size() > 2 ? variances[2] : 0, 1e-12 * variances[0]);
  EXPECT_GT(variances[1], 1e-3 * variances[0]);
}

TEST(FunctionMap, M_B4_applies_a_function_of_the_user_to_dense_and_sparse_rows) {
  const auto phi = function_map<float>("radius_and_sum", 3, 2, [](auto x, auto f) {
    f[0] = std::hypot(x[0], x[1], x[2]);
    f[1] = x[0] + x[1] + x[2];
  });
  EXPECT_EQ(phi->text(), "function(radius_and_sum)");
  EXPECT_EQ(phi->feature_names({"a", "b", "c"}), (std::vector<std::string>{"f1", "f2"}));
  Csr<float> csr;
  csr.cols = 3;
  csr.offsets = {0, 2, 3};
  csr.columns = {0, 2, 1};
  csr.values = {3, 4, -2};
  Matrix<float> x(2, 3), expected(2, 2), dense(2, 2), sparse(2, 2);
  x << 3, 0, 4, 0, -2, 0;
  expected << 5, 7, 2, -2;
  phi->apply(x, dense);
  phi->apply(csr, sparse);
  EXPECT_EQ(dense, expected);
  EXPECT_EQ(sparse, expected);
}

TEST(FunctionMap, cannot_be_read_back_and_says_why) {
  try {
    map_from_text<double>("function(rings)", 2);
    FAIL() << "a function appeared from nowhere";
  } catch (const Error& e) {
    EXPECT_NE(std::string(e.what()).find("a user-defined function"), std::string::npos)
        << e.what();
  }
}

TEST(FunctionMap, needs_a_name_sizes_and_a_function) {
  const auto one = [](auto, auto f) { f[0] = 1; };
  EXPECT_THROW(function_map<double>("", 1, 1, one), Error);
  EXPECT_THROW(function_map<double>("a b", 1, 1, one), Error);
  EXPECT_THROW(function_map<double>("a", 0, 1, one), Error);
  EXPECT_THROW(function_map<double>("a", 1, 0, one), Error);
  EXPECT_THROW(function_map<double>("a", 1, 1, nullptr), Error);
}

}  // namespace mercer::element_test
