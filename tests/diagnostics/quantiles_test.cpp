#include "diagnostics/quantiles.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::quantiles_test {

// Tables: R's qchisq and qf, to all their digits.
TEST(Quantiles, chi2_tails_agree_with_tables) {
  const double table[][3] = {{0.95, 1.0, 3.841458820694124},   {0.99, 1.0, 6.6348966010212145},
                             {0.99, 10.0, 23.209251158954356}, {0.999, 100.0, 149.44925277903886},
                             {0.99, 2.5, 10.311244391741496},  {0.01, 3.0, 0.11483180189911707},
                             {0.99, 1e5, 101043.31473677837},  {0.9999, 0.3, 11.5418188045436}};
  for (const auto& [level, degrees, value] : table)
    // 1e5 degrees of freedom: log Q is a difference of numbers near 5e5, which are rounded to
    // 1e-10.
    EXPECT_NEAR(gamma_q(degrees / 2, value / 2) / (1 - level), 1, degrees < 1e4 ? 1e-12 : 3e-9)
        << level << " " << degrees;
}

TEST(Quantiles, f_agrees_with_tables) {
  const double table[][4] = {{0.95, 1, 1, 161.44763879758827},
                             {0.99, 2, 10, 7.559432157547899},
                             {0.99, 5, 170, 3.1266628111550414},
                             {0.999, 10, 3, 129.24668157507836},
                             {0.99, 64, 1733, 1.4695991305111997},
                             {0.99, 1, 1, 4052.1806954768217},
                             {0.5, 4, 4, 1.0},
                             {0.9, 3, 1e6, 2.0838016813825977}};
  for (const auto& [level, d1, d2, value] : table)
    // A million degrees of freedom cost digits: logarithms of Γ are differences of large numbers.
    EXPECT_NEAR(f_quantile(level, d1, d2) / value, 1, d2 < 1e4 ? 1e-12 : 1e-10)
        << level << " " << d1 << " " << d2;
}

TEST(Quantiles, closed_forms_hold) {
  for (const double level : {0.001, 0.3, 0.9, 0.999999}) {
    EXPECT_NEAR(gamma_q(1, -std::log1p(-level)) / (1 - level), 1, 1e-9);
    // F(2, d): P = 1 − (1 + 2x/d)^(−d/2)
    const double x = f_quantile(level, 2, 7);
    EXPECT_NEAR(1 - std::pow(1 + 2 * x / 7, -3.5), level, 1e-12);
  }
  EXPECT_NEAR(gamma_q(1, 3), std::exp(-3.0), 1e-15);
  EXPECT_NEAR(gamma_q(0.5, 4), std::erfc(2.0), 1e-15);
  EXPECT_NEAR(beta_i(1, 3, 0.2), 1 - std::pow(0.8, 3), 1e-15);
  EXPECT_NEAR(beta_i(2, 1, 0.9), 0.81, 1e-15);
}

TEST(Quantiles, distributions_are_monotonic_between_0_and_1) {
  EXPECT_EQ(gamma_q(3, 0), 1);
  EXPECT_EQ(beta_i(2, 3, 0), 0);
  EXPECT_EQ(beta_i(2, 3, 1), 1);
  for (const double a : {0.1, 1.0, 30.0, 5000.0}) {
    double last = 1;
    for (double x = a / 8; x < 4 * a; x *= 1.05) {
      EXPECT_LE(gamma_q(a, x), last + 1e-13);
      last = gamma_q(a, x);
    }
  }
}

}  // namespace mercer::quantiles_test
