#include "simd/strip_products.hpp"

#include "simd/every_target.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace mercer::strip_products_test {

TEST(StripProducts, column_products_are_right_from_the_diagonal_on) {
  test::on_every_target([] {
    test::Random random(1);
    for (const Index d : {1, 5, 8, 23, 24, 25, 47, 48, 71, 72, 73, 100, 145})
      for (const Index n : {1, 7, 64, 256}) {
        const Index stride = d + 3;
        const Matrix<double> a = random.normal(n, stride);
        Matrix<double> c = Matrix<double>::Ones(d, stride);
        for (Index from = 0; from < d; from += strip_rows_of_c)
          add_column_products(a.data(), n, d, stride, from, std::min(strip_rows_of_c, d - from),
                              c.data(), stride);
        const Matrix<double> expected = a.leftCols(d).transpose() * a.leftCols(d);
        for (Index i = 0; i < d; ++i) {
          for (Index j = i; j < d; ++j) ASSERT_NEAR(c(i, j), 1 + expected(i, j), 1e-12 * (1 + n));
          for (Index j = d; j < stride; ++j) ASSERT_EQ(c(i, j), 1) << "beyond the columns";
        }
      }
  });
}

TEST(StripProducts, products_of_rows_are_subtracted_whatever_the_sizes) {
  test::on_every_target([] {
    test::Random random(2);
    for (const Index d : {1, 3, 24, 31, 77})
      for (const Index n : {1, 4, 8, 13, 128})
        for (const Index m : {1, 3, 48, 64, 256}) {
          const Matrix<double> a = random.normal(n, m + 2), b = random.normal(d, m + 1);
          Matrix<double> c = Matrix<double>::Ones(n, d + 1);
          subtract_row_products({a.data(), m + 2, 1}, n, m, {b.data(), m + 1, 1}, d, c.data(),
                                d + 1);
          const Matrix<double> expected = a.leftCols(m) * b.leftCols(m).transpose();
          ASSERT_LE((c.leftCols(d) - (Matrix<double>::Ones(n, d) - expected)).cwiseAbs().maxCoeff(),
                    1e-12 * (1 + m));
          ASSERT_EQ(c.col(d), Vector<double>::Ones(n)) << "beyond the columns";

          const Matrix<double> across = b.transpose();  // the same numbers, in the other order
          Matrix<double> back = c;
          add_row_products({a.data(), m + 2, 1}, n, m, {across.data(), 1, d}, d, back.data(),
                           d + 1);
          ASSERT_LE((back.array() - 1).abs().maxCoeff(), 1e-12 * (1 + m));
        }
  });
}

TEST(StripProducts, an_entry_has_the_same_bits_wherever_it_is) {
  test::on_every_target([] {
    test::Random random(3);
    const Index n = 61, m = 64, d = 90;
    const Matrix<double> a = random.normal(n, m), b = random.normal(d, m);
    Matrix<double> all = random.normal(n, d);
    Matrix<double> single = all;
    subtract_row_products({a.data(), m, 1}, n, m, {b.data(), m, 1}, d, all.data(), d);
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < d; ++j)
        subtract_row_products({a.data() + i * m, m, 1}, 1, m, {b.data() + j * m, m, 1}, 1,
                              &single(i, j), d);
    EXPECT_EQ(all, single);

    Matrix<double> stripes = Matrix<double>::Zero(m, m), rows = stripes;
    add_column_products(a.data(), n, m, m, 0, m, stripes.data(), m);
    for (Index i = 0; i < m; ++i) add_column_products(a.data(), n, m, m, i, 1, rows.data(), m);
    for (Index i = 0; i < m; ++i)
      for (Index j = i; j < m; ++j) ASSERT_EQ(stripes(i, j), rows(i, j)) << i << ", " << j;
  });
}

}  // namespace mercer::strip_products_test
