// How many components: by permutations, and by the threshold for white noise.
#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace mercer::test::significance_test {

/// `factors` strong directions in noise.
Matrix<double> with_factors(Index n, Index d, Index factors, std::uint64_t seed) {
  Random random(seed);
  const Matrix<double> loads = random.normal(factors, d), noise = random.normal(n, d);
  return random.normal(n, factors) * loads + noise;
}

TEST(Significance, finds_the_factors_that_were_planted) {
  for (const Index factors : {1, 3, 5}) {
    const Matrix<double> x = with_factors(300, 20, factors, 7 + factors);
    const auto model = fit(x, {.components = significant(), .scale = Scale::std});
    EXPECT_EQ(model.outputs(), factors);
    const ComponentChoice& chosen = *model.report().chosen;
    EXPECT_EQ(chosen.method, "parallel analysis");
    ASSERT_GT(static_cast<Index>(chosen.p_values.size()), factors);
    for (Index j = 0; j < factors; ++j) EXPECT_EQ(chosen.p_values[j], 0.01);  // 1 of 100
    EXPECT_GT(chosen.p_values[factors], 0.05);
    // Otherwise it is the model that a count gives.
    const auto counted = fit(x, {.components = factors, .scale = Scale::std});
    EXPECT_EQ(model.components(), counted.components());
    EXPECT_EQ(model.eigenvalues(), counted.eigenvalues());
  }
}

TEST(Significance, many_factors_are_looked_for_beyond_the_first_sixteen) {
  Random random(3);
  Matrix<double> x = random.normal(400, 60);
  for (Index j = 0; j < 20; ++j) {  // twenty groups of three columns that go together
    x.col(3 * j + 1) = x.col(3 * j) + 0.3 * x.col(3 * j + 1);
    x.col(3 * j + 2) = x.col(3 * j) + 0.3 * x.col(3 * j + 2);
  }
  const auto choice = significance(Rows<double>(x), {.scale = Scale::std}, {.permutations = 39});
  EXPECT_EQ(significant_components(choice), 20);
}

TEST(Significance, noise_has_none_but_for_one_time_in_twenty) {
  int false_alarms = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const Matrix<double> x = random.normal(60, 5);
    const auto choice = significance(Rows<double>(x), {.seed = seed}, {.permutations = 19});
    false_alarms += significant_components(choice) > 0;
    EXPECT_TRUE(std::ranges::is_sorted(choice.p_values));
  }
  // Binomial(40, 1/20): mean 2, above 6 once in 300.
  EXPECT_LE(false_alarms, 6);
}

TEST(Significance, p_value_is_the_share_of_permutations_that_reach_the_eigenvalue) {
  // Two columns: a permutation is one correlation r, and the first eigenvalue of z-scores is 1 +
  // |r|.
  Random random(11);
  Matrix<double> x = random.normal(30, 2);
  x.col(1) += 0.35 * x.col(0);
  const auto choice = significance(Rows<double>(x), {.scale = Scale::std}, {.permutations = 1999});
  Matrix<double> z = x.rowwise() - x.colwise().mean();
  const double r = z.col(0).dot(z.col(1)) / (z.col(0).norm() * z.col(1).norm());
  // Student's t of r with 28 degrees of freedom, by simulation of independent columns.
  int reached = 0;
  constexpr int draws = 4000;
  for (int i = 0; i < draws; ++i) {
    Matrix<double> y = random.normal(30, 2);
    y.rowwise() -= y.colwise().mean().eval();
    reached +=
        std::abs(y.col(0).dot(y.col(1))) / (y.col(0).norm() * y.col(1).norm()) >= std::abs(r);
  }
  // Both shares have deviations of some 0.005 here.
  EXPECT_NEAR(choice.p_values[0], static_cast<double>(reached) / draws, 0.03);
}

TEST(Significance, of_kernels_keeps_the_width_of_the_data) {
  Random random(5);
  Matrix<double> x = 0.3 * random.normal(90, 4);
  for (Index i = 0; i < 90; ++i) x(i, i % 3) += 2;  // three clusters
  const auto model = fit(x, {.components = significant(), .kernel = Kernel::parse("rbf")});
  EXPECT_GE(model.outputs(), 2);
  EXPECT_LE(model.outputs(), 4);
  EXPECT_EQ(model.map().kernel(),
            fit(x, {.components = 2, .kernel = Kernel::parse("rbf")}).map().kernel());
}

TEST(Significance, of_a_map_permutes_the_inputs) {
  Random random(6);
  Matrix<double> x(120, 2);
  for (Index i = 0; i < 120; ++i) {
    const double angle = 6.283185307179586 * random.uniform();
    x.row(i) << std::cos(angle), std::sin(angle);
  }
  x += 0.02 * random.normal(120, 2);
  // A circle is a line in (x₁², x₂²), which no permuted circle is.
  const auto model = fit(x, squares_map<double>(2), {.components = significant()});
  EXPECT_EQ(model.outputs(), 1);
}

TEST(Significance, is_the_same_for_any_number_of_threads_and_in_float) {
  const Matrix<double> x = with_factors(200, 12, 2, 1);
  const Rows<double> rows(x);
  const auto one = significance(rows, {.threads = 1}), two = significance(rows, {.threads = 2});
  EXPECT_EQ(one.p_values, two.p_values);
  const Matrix<float> f = x.cast<float>();
  EXPECT_EQ(fit(f, {.components = significant()}).outputs(), 2);
}

TEST(Significance, of_a_stream_looks_at_a_sample) {
  const Matrix<double> x = with_factors(500, 8, 2, 4);
  ChunkedSource<double> source(x, 70);
  const auto model = fit(source, {.components = significant(), .scale = Scale::std});
  EXPECT_EQ(model.outputs(), 2);
  EXPECT_EQ(model.report().n_samples, 500);
  EXPECT_EQ(source.rewinds, 1);  // after the sample
}

TEST(Significance, weights_decide_in_memory_and_in_a_stream) {
  // A third factor that only rows without weight have.
  Matrix<double> x = with_factors(240, 8, 2, 12);
  Random random(13);
  const Matrix<double> load = 2 * random.normal(1, 8);
  Vector<double> weights = Vector<double>::Constant(240, 2);
  for (Index i = 0; i < 240; i += 2) {
    x.row(i) += random.normal() * load;
    weights[i] = 0;
  }
  const FitOptions options{.components = significant(), .scale = Scale::std};
  EXPECT_EQ(fit(x, options).outputs(), 3);
  EXPECT_EQ(fit(Rows<double>(x), options, weights).outputs(), 2);
  ChunkedSource<double> source(x, 70, weights);
  const auto streamed = fit(source, options);
  EXPECT_EQ(streamed.outputs(), 2);
  EXPECT_EQ(streamed.report().chosen->rows, 120);
}

TEST(Significance, large_rows_of_little_weight_do_not_make_chance_large) {
  // Half the rows share a factor; the others are noise, 4.5 times as large with a 20th of the
  // weight. Columns permuted without regard to weights have five times the variance of the data.
  Random random(22);
  Matrix<double> x = 0.5 * random.normal(200, 6);
  Vector<double> weights = Vector<double>::Ones(200);
  for (Index i = 0; i < 200; ++i) {
    if (i % 2 == 0) {
      x.row(i).array() += random.normal();
    } else {
      x.row(i) *= 9;
      weights[i] = 0.05;
    }
  }
  EXPECT_EQ(fit(Rows<double>(x), {.components = significant()}, weights).outputs(), 1);
}

TEST(Significance, rows_without_weight_take_no_place_in_the_sample_of_a_stream) {
  Matrix<double> x = Matrix<double>::Zero(24'000, 4);
  Vector<double> weights = Vector<double>::Zero(24'000);
  const Matrix<double> few = with_factors(120, 4, 1, 30);
  for (Index i = 0; i < 120; ++i) {
    x.row(200 * i) = few.row(i);
    weights[200 * i] = 1;
  }
  ChunkedSource<double> source(x, 1000, weights);
  EXPECT_EQ(fit(source, {.components = significant()}).report().chosen->rows, 120);
}

TEST(Significance, survives_the_model_file) {
  const auto model = fit(with_factors(100, 6, 1, 2), {.components = significant()});
  const auto again = Model<double>::deserialize(model.serialize());
  EXPECT_EQ(again.report().chosen->reason, model.report().chosen->reason);
  EXPECT_EQ(again.report().chosen->p_values, model.report().chosen->p_values);
  EXPECT_EQ(again.report().chosen->rows, 100);
  EXPECT_EQ(again.report().chosen->excess, model.report().chosen->excess);
  // By chance, too, the first of six has at least an equal share.
  EXPECT_GT(again.report().chosen->excess, 0);
  EXPECT_LT(again.report().chosen->excess, model.explained_variance_ratio()[0] - 1.0 / 6);
}

TEST(Significance, refuses_what_it_cannot_tell) {
  Random random(9);
  const Matrix<double> noise = random.normal(50, 4);
  expect_error(Errc::bad_data, {"no component is above chance", "`components=2`"},
               [&] { fit(noise, {.components = significant()}); });
  const Matrix<double> k = noise * noise.transpose();
  expect_error(Errc::bad_option, {"precomputed", "`components`"},
               [&] { fit(k, {.components = significant(), .precomputed = true}); });
  expect_error(Errc::bad_option, {"`components=gavish_donoho()`", "linear"}, [&] {
    fit(noise, {.components = gavish_donoho(), .kernel = Kernel::parse("rbf")});
  });
  expect_error(Errc::bad_option, {"`components=significant()`"}, [&] {
    merge<double>({fit(noise), fit(noise)}, {.components = significant()});
  });
}

TEST(GavishDonoho, threshold_is_that_of_the_paper) {
  // 4/√3 over the root of the median of the quarter circle law's square.
  EXPECT_NEAR(gavish_donoho_threshold(1), 2.858, 5e-4);
  // Their polynomial is within 0.02 of the exact values.
  for (const double b : {0.05, 0.1, 0.3, 0.5, 0.8, 1.0})
    EXPECT_NEAR(gavish_donoho_threshold(b), 0.56 * b * b * b - 0.95 * b * b + 1.82 * b + 1.43,
                0.02);
}

TEST(GavishDonoho, keeps_what_stands_out_of_white_noise) {
  Random random(21);
  Vector<double> strength = Vector<double>::Zero(40);
  strength.head(3) << 8, 6, 5;
  Matrix<double> x = random.normal(200, 40);
  for (Index j = 0; j < 3; ++j) {
    Vector<double> u = random.normal(200, 1), v = random.normal(40, 1);
    x += strength[j] * std::sqrt(200.0) * u.normalized() * v.normalized().transpose();
  }
  const auto model = fit(x, {.components = gavish_donoho()});
  EXPECT_EQ(model.outputs(), 3);
  EXPECT_EQ(model.report().chosen->method, "gavish-donoho");
  EXPECT_TRUE(model.components().isApprox(fit(x, {.components = 3}).components(), 1e-9));
  expect_error(Errc::bad_data, {"no singular value"},
               [&] { fit(random.normal(200, 40), {.components = gavish_donoho()}); });
  const Vector<double> weights = Vector<double>::Constant(200, 2);
  expect_error(Errc::bad_option, {"weights", "`components=significant()`"},
               [&] { fit(Rows<double>(x), {.components = gavish_donoho()}, weights); });
  // Two columns of five have any variance at all.
  Matrix<double> flat = Matrix<double>::Zero(50, 5);
  flat.leftCols(2) = random.normal(50, 2);
  expect_error(Errc::bad_data, {"are 0", "`components`"},
               [&] { fit(flat, {.components = gavish_donoho()}); });
}

}  // namespace mercer::test::significance_test
