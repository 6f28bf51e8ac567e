// Parallel analysis where there is nothing to find: how often it finds something all the same.
// 19 permutations have 20 possible p-values, each as likely as the others; `found` counts those of
// 0.05. Bounds are 4 standard deviations of the binomial distribution from the nominal rate.
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace mercer::test::significance_null_test {

constexpr int replicates = 300;
constexpr double nominal = 0.05 * replicates;
const double four_deviations = 4 * std::sqrt(nominal * 0.95);

struct Data {
  Matrix<double> x;
  std::vector<double> weights{};
};

/// How many of the replicates have a first p-value of at most 0.05, and each p-value's count.
struct Nulls {
  int found = 0;
  std::vector<int> counts = std::vector<int>(20, 0);
};
template <class Draw>
Nulls nulls_of(const Draw& draw, FitOptions options, std::uint64_t seed) {
  Random random(seed);
  Nulls nulls;
  options.threads = 1;
  for (int i = 0; i < replicates; ++i) {
    const Data data = draw(random);
    options.seed = 1000 + 100 * static_cast<std::uint64_t>(i);
    const auto choice =
        significance(Rows<double>(data.x), options, {.permutations = 19}, data.weights);
    nulls.found += significant_components(choice) > 0;
    ++nulls.counts[static_cast<std::size_t>(std::lround(20 * choice.p_values[0])) - 1];
  }
  return nulls;
}

/// One row in the given category of `levels`, as indicators.
void put_category(Matrix<double>& x, Index row, Index first, Index level, Index levels) {
  for (Index l = 0; l < levels; ++l) x(row, first + l) = l == level ? 1 : 0;
}

TEST(SignificanceNull, M_P7_p_values_are_uniform_where_columns_are_independent) {
  const auto noise = [](Random& random) { return Data{random.normal(40, 4)}; };
  for (const Scale scale : {Scale::none, Scale::std}) {
    const Nulls nulls = nulls_of(noise, {.scale = scale}, 31);
    EXPECT_NEAR(nulls.found, nominal, four_deviations);
    // χ² with 19 degrees of freedom: above 50.8 once in 10,000.
    double chi2 = 0;
    for (const int count : nulls.counts) chi2 += std::pow(count - nominal, 2) / nominal;
    EXPECT_LE(chi2, 50.8);
  }
}

TEST(SignificanceNull, M_P7_independent_categories_are_chance) {
  const auto colours = [](Random& random) {
    Data data{Matrix<double>(80, 12)};
    for (Index i = 0; i < 80; ++i) {
      put_category(data.x, i, 0, static_cast<Index>(random.bits() % 3), 3);
      put_category(data.x, i, 3, static_cast<Index>(random.bits() % 4), 4);
      data.x(i, 7) = random.normal();
      put_category(data.x, i, 8, static_cast<Index>(random.bits() % 2), 2);
      put_category(data.x, i, 10, static_cast<Index>(random.bits() % 2), 2);
    }
    return data;
  };
  for (const Scale scale : {Scale::none, Scale::std})
    EXPECT_NEAR(nulls_of(colours, {.scale = scale}, 32).found, nominal, four_deviations);
}

TEST(SignificanceNull, M_P7_categories_that_go_together_are_found) {
  Random random(33);
  Matrix<double> x(80, 8);
  for (Index i = 0; i < 80; ++i) {
    const auto level = static_cast<Index>(random.bits() % 4);
    put_category(x, i, 0, level, 4);
    put_category(x, i, 4, random.uniform() < 0.8 ? level : static_cast<Index>(random.bits() % 4),
                 4);
  }
  EXPECT_GE(significant_components(significance(Rows<double>(x))), 1);
}

TEST(SignificanceNull, M_P7_missing_categories_and_cells_are_chance) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const auto holes = [&](Random& random) {
    Data data{random.normal(60, 7)};
    for (Index i = 0; i < 60; ++i) {
      put_category(data.x, i, 4, static_cast<Index>(random.bits() % 3), 3);
      if (random.uniform() < 0.2) data.x.row(i).segment(4, 3).setConstant(nan);
      for (Index j = 0; j < 4; ++j)
        if (random.uniform() < 0.1) data.x(i, j) = nan;
    }
    return data;
  };
  EXPECT_NEAR(nulls_of(holes, {.missing = Missing::mean}, 34).found, nominal, four_deviations);
}

TEST(SignificanceNull, M_P7_weighted_rows_are_chance) {
  // Few weights, many weights, and weights that tell how far out a row lies.
  const auto few = [](Random& random) {
    Data data{random.normal(60, 4)};
    for (int i = 0; i < 60; ++i) data.weights.push_back(i % 3 == 0 ? 5 : 1);
    return data;
  };
  const auto many = [](Random& random) {
    Data data{random.normal(60, 4)};
    for (int i = 0; i < 60; ++i) data.weights.push_back(std::exp(random.normal()));
    return data;
  };
  const auto precise = [](Random& random) {
    Data data{random.normal(60, 4)};
    for (Index i = 0; i < 60; ++i) {
      data.weights.push_back(i % 2 == 0 ? 1 : 0.05);
      if (i % 2 == 1) data.x.row(i) *= 4;
    }
    return data;
  };
  EXPECT_NEAR(nulls_of(few, {}, 35).found, nominal, four_deviations);
  EXPECT_NEAR(nulls_of(many, {}, 36).found, nominal, four_deviations);
  EXPECT_NEAR(nulls_of(precise, {}, 37).found, nominal, four_deviations);
}

TEST(SignificanceNull, M_P7_kernels_find_nothing_in_noise) {
  const auto noise = [](Random& random) { return Data{random.normal(24, 3)}; };
  EXPECT_NEAR(nulls_of(noise, {.kernel = kernels::rbf({.gamma = 0.3})}, 38).found, nominal,
              four_deviations);
  EXPECT_NEAR(nulls_of(noise, {.kernel = Kernel::parse("rbf")}, 39).found, nominal,
              four_deviations);
}

}  // namespace mercer::test::significance_null_test
