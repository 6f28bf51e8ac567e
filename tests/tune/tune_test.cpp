// Kernels and numbers of components, by held-out rows.
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <cmath>
#include <cstring>
#include <numbers>
#include <set>

namespace mercer::test::tune_test {

using Texts = std::vector<std::string>;

/// A noisy circle: one angle explains it, no line does.
Matrix<double> circle(Index n, double noise, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2 * std::numbers::pi * random.uniform();
    x.row(i) << std::cos(angle), std::sin(angle);
  }
  return x + noise * random.normal(n, 2);
}

TEST(KernelGrid, lists_and_ranges_are_written_out) {
  const Matrix<double> x = circle(20, 0.1, 1);
  const Rows<double> rows(x);
  EXPECT_EQ(
      kernel_grid({"rbf(gamma={0.5,2})", "poly(degree={2,3}, coef0={0,1})"}, rows),
      (Texts{"rbf(gamma=0.5)", "rbf(gamma=2)", Kernel::parse("poly(degree=2, coef0=0)").text(),
             Kernel::parse("poly(degree=2, coef0=1)").text(),
             Kernel::parse("poly(degree=3, coef0=0)").text(),
             Kernel::parse("poly(degree=3, coef0=1)").text()}));
  EXPECT_EQ(kernel_grid({"rbf(gamma={0.01..100:3})"}, rows),
            (Texts{"rbf(gamma=0.01)", "rbf(gamma=1)", "rbf(gamma=100)"}));
  // Around 1/median(‖x − y‖²), which the fit of the same rows takes.
  const auto around = kernel_grid({"rbf"}, rows);
  ASSERT_EQ(around.size(), 9);
  const double median = std::stod(kernel_grid({"rbf"}, rows)[4].substr(10));
  EXPECT_NEAR(std::stod(Kernel::parse("rbf").completed(rows).text().substr(10)), median,
              1e-5 * median);
  EXPECT_NEAR(std::stod(around[0].substr(10)) * 64, median, 1e-4 * median);
  EXPECT_EQ(kernel_grid({"rbf(gamma=-1)", "what"}, rows), (Texts{"rbf(gamma=-1)", "what"}));
  expect_error(Errc::bad_option, {"{ without"}, [&] { kernel_grid({"rbf(gamma={1,2)"}, rows); });
  expect_error(Errc::bad_option, {"'a'", "number"},
               [&] { kernel_grid({"rbf(gamma={a..2})"}, rows); });
}

TEST(KernelGrid, widths_that_are_given_stay_and_open_ones_vary) {
  const Matrix<double> x = circle(20, 0.1, 1);
  const Rows<double> rows(x);
  const double length = std::stod(
      Kernel::parse("matern").completed(rows).text().substr(std::strlen("matern(nu=1.5, length=")));
  const Texts grid = kernel_grid({"rbf(gamma=0.5) + matern"}, rows);
  ASSERT_EQ(grid.size(), 9);
  std::set<double> lengths;
  for (const std::string& text : grid) {
    const std::string fixed = "rbf(gamma=0.5) + matern(nu=1.5, length=";
    ASSERT_TRUE(text.starts_with(fixed)) << text;
    lengths.insert(std::stod(text.substr(fixed.size())));
  }
  // From 1/64 to 64 times γ, of which a length is the inverse root.
  ASSERT_EQ(lengths.size(), 9);
  EXPECT_NEAR(*lengths.begin(), length / 8, 1e-5 * length);
  EXPECT_NEAR(*lengths.rbegin(), length * 8, 1e-4 * length);
  for (const std::string& text : kernel_grid({"2*(poly(gamma=3) + rbf)^2"}, rows))
    EXPECT_HAS(text, "gamma=3)");
}

TEST(KernelGrid, several_open_widths_vary_together) {
  const Matrix<double> x = circle(20, 0.1, 1);
  const Rows<double> rows(x);
  const Texts grid = kernel_grid({"rbf + laplacian"}, rows), alone = kernel_grid({"rbf"}, rows),
              other = kernel_grid({"laplacian"}, rows);
  ASSERT_EQ(grid.size(), 9);
  for (std::size_t i = 0; i < 9; ++i) EXPECT_EQ(grid[i], alone[i] + " + " + other[i]);
}

TEST(Tune, likelihood_is_for_densities_alone) {
  const Matrix<double> x = circle(30, 0.1, 5);
  const Tuned tuned =
      tune(Rows<double>(x),
           {.kernels = {"rbf(gamma=1)", "rbf(gamma=1) + linear", "laplacian(gamma=1)*cosine"},
            .criterion = Criterion::likelihood});
  EXPECT_EQ(tuned.cells[0].problem, "");
  EXPECT_HAS(tuned.cells[1].problem, "rbf and laplacian");
  EXPECT_HAS(tuned.cells[2].problem, "rbf and laplacian");
}

TEST(KernelGrid, M_P7_widths_count_rows_as_often_as_their_weights_say) {
  const Matrix<double> x = circle(60, 0.2, 3);
  std::vector<double> weights;
  std::vector<Index> repeated;
  for (Index i = 0; i < 60; ++i) {
    weights.push_back(static_cast<double>(i % 4));
    for (Index p = 0; p < i % 4; ++p) repeated.push_back(i);
  }
  Matrix<double> far = x, long_rows(static_cast<Index>(repeated.size()), 2);
  for (Index i = 0; i < 60; i += 4) far.row(i).array() += 1e6;  // of weight 0
  for (std::size_t i = 0; i < repeated.size(); ++i)
    long_rows.row(static_cast<Index>(i)) = x.row(repeated[i]);
  for (const Scale scale : {Scale::none, Scale::std}) {
    const Texts given = kernel_grid({"rbf"}, Rows<double>(far), scale, weights);
    const Texts wanted = kernel_grid({"rbf"}, Rows<double>(long_rows), scale);
    ASSERT_EQ(given.size(), wanted.size());
    for (std::size_t i = 0; i < given.size(); ++i)
      EXPECT_NEAR(std::stod(given[i].substr(10)) / std::stod(wanted[i].substr(10)), 1, 1e-4);
  }
}

TEST(Tune, error_is_that_of_fits_by_hand) {
  const Matrix<double> x = circle(60, 0.05, 2);
  TuneOptions options{.kernels = {"rbf(gamma=2)"}, .components = {2, 4}, .noise = 0, .folds = 3};
  options.preimage.method = PreImageMethod::ridge;
  const Tuned tuned = tune(Rows<double>(x), options);
  ASSERT_EQ(tuned.cells.size(), 2);
  // The folds are drawn by chance, so the mean over all ways to cut differs by its spread only.
  for (const TuneCell& cell : tuned.cells) {
    double sum = 0, total = 0;
    for (Index f = 0; f < 3; ++f) {
      Matrix<double> train(40, 2), test(20, 2);
      for (Index i = 0, a = 0, b = 0; i < 60; ++i)
        (i % 3 == f ? test.row(b++) : train.row(a++)) = x.row(i);
      const auto model =
          fit(train, {.components = cell.components, .kernel = Kernel::parse("rbf(gamma=2)")});
      const auto back = preimages(model, model.transform(test), {.method = PreImageMethod::ridge});
      sum += (back.rows - test).squaredNorm();
      total += (test.rowwise() - train.colwise().mean()).squaredNorm();
    }
    EXPECT_NEAR(cell.score, sum / total, 4 * cell.spread + 0.3 * cell.score);
  }
}

TEST(Tune, prefers_a_width_that_follows_the_data) {
  const Matrix<double> x = circle(120, 0.05, 3);
  const Tuned tuned = tune(
      Rows<double>(x),
      {.kernels = {"rbf(gamma=1e-4)", "rbf(gamma=1)", "rbf(gamma=1e4)"}, .components = {2, 4}});
  EXPECT_EQ(tuned.cells[tuned.best].kernel, "rbf(gamma=1)");
  EXPECT_EQ(tuned.options.kernel->text(), "rbf(gamma=1)");
  const auto model = fit(x, tuned.options);
  EXPECT_EQ(model.outputs(), tuned.cells[tuned.best].components);
}

TEST(Tune, noise_tells_how_many_components_hold_the_data) {
  Random random(14);
  // Two strong directions of twelve: two components hold them, more keep noise.
  const Matrix<double> x =
      random.normal(120, 2) * random.normal(2, 12) + 0.05 * random.normal(120, 12);
  TuneOptions options{.kernels = {"linear"}, .components = {1, 2, 4, 8}};
  const Tuned noisy = tune(Rows<double>(x), options);
  EXPECT_EQ(noisy.cells[noisy.best].components, 2);
  EXPECT_GT(noisy.cells[3].score, 2 * noisy.cells[1].score);
  // Without noise each component takes from the error.
  options.noise = 0;
  const Tuned plain = tune(Rows<double>(x), options);
  for (std::size_t i = 1; i < 4; ++i) EXPECT_LT(plain.cells[i].score, plain.cells[i - 1].score);
}

TEST(Tune, takes_fewest_components_of_those_that_are_as_good) {
  Random random(4);
  // A line in five dimensions with little noise: one linear component does it.
  const Matrix<double> x =
      random.normal(90, 1) * random.normal(1, 5) * 3 + 0.01 * random.normal(90, 5);
  const Tuned tuned = tune(Rows<double>(x), {.kernels = {"linear"}, .components = {1, 2, 3}});
  const TuneCell& best = tuned.cells[tuned.best];
  double least = INFINITY, spread = 0;
  for (const TuneCell& cell : tuned.cells)
    if (cell.score < least) least = cell.score, spread = cell.spread;
  EXPECT_LE(best.score, least + spread);
  for (const TuneCell& cell : tuned.cells)
    if (cell.components < best.components) EXPECT_GT(cell.score, least + spread);
}

TEST(Tune, is_the_same_for_any_number_of_threads) {
  const Matrix<double> x = circle(50, 0.1, 5);
  TuneOptions options{.kernels = {"rbf(gamma=0.5)", "laplacian(gamma=1)"}, .components = {1, 3}};
  options.fit.threads = 1;
  const Tuned one = tune(Rows<double>(x), options);
  options.fit.threads = 2;
  const Tuned two = tune(Rows<double>(x), options);
  for (std::size_t i = 0; i < one.cells.size(); ++i)
    EXPECT_EQ(one.cells[i].score, two.cells[i].score);
}

TEST(Tune, a_kernel_that_does_not_work_is_marked_and_the_rest_goes_on) {
  const Matrix<double> x = circle(40, 0.1, 6);
  const Tuned tuned = tune(
      Rows<double>(x), {.kernels = {"rbf(gamma=-1)", "sigmoid(gamma=5, coef0=-3)", "rbf(gamma=1)"},
                        .components = {2}});
  ASSERT_EQ(tuned.cells.size(), 3);
  EXPECT_HAS(tuned.cells[0].problem, "gamma");
  EXPECT_HAS(tuned.cells[1].problem, "positive semi-definite");
  EXPECT_EQ(tuned.best, 2);
  expect_error(Errc::bad_data, {"every kernel failed", "gamma"},
               [&] { tune(Rows<double>(x), {.kernels = {"rbf(gamma=-1)"}}); });
}

TEST(Tune, known_cells_are_not_computed_again) {
  const Matrix<double> x = circle(40, 0.1, 7);
  TuneOptions options{.kernels = {"rbf(gamma=1)", "rbf(gamma=4)"}, .components = {1, 2}};
  std::vector<TuneCell> seen;
  options.on_cells = [&](const std::vector<TuneCell>& cells) {
    seen.insert(seen.end(), cells.begin(), cells.end());
  };
  const Tuned all = tune(Rows<double>(x), options);
  EXPECT_EQ(seen.size(), 4);
  options.known = {seen[0], seen[1]};
  options.known[0].score = 1e-9;  // taken as it is
  seen.clear();
  const Tuned resumed = tune(Rows<double>(x), options);
  EXPECT_EQ(seen.size(), 2);
  EXPECT_EQ(resumed.cells[0].score, 1e-9);
  EXPECT_EQ(resumed.cells[3].score, all.cells[3].score);
}

TEST(Tune, likelihood_is_that_of_the_density_left_out_row_by_row) {
  Matrix<double> x = circle(30, 0.2, 8);
  x.row(0).array() += 5;  // so far from the others that its own k(x, x) would hide theirs
  const Tuned tuned = tune(Rows<double>(x), {.kernels = {"rbf(gamma=3)", "laplacian(gamma=2)"},
                                             .criterion = Criterion::likelihood});
  double gauss = 0, laplace = 0;
  for (Index i = 0; i < 30; ++i) {
    double g = 0, l = 0;
    for (Index j = 0; j < 30; ++j) {
      if (i == j) continue;
      g += 3 / std::numbers::pi * std::exp(-3 * (x.row(i) - x.row(j)).squaredNorm());
      l += std::exp(-2 * (x.row(i) - x.row(j)).lpNorm<1>());  // (γ/2)² = 1
    }
    gauss += std::log(g / 29) / 30;
    laplace += std::log(l / 29) / 30;
  }
  EXPECT_NEAR(tuned.cells[0].score, gauss, 1e-10);
  EXPECT_NEAR(tuned.cells[1].score, laplace, 1e-10);
  EXPECT_EQ(tuned.best, gauss > laplace ? 0 : 1);
  const Tuned marked = tune(
      Rows<double>(x), {.kernels = {"linear", "rbf(gamma=1)"}, .criterion = Criterion::likelihood});
  EXPECT_HAS(marked.cells[0].problem, "densities");
}

/// Mean log-likelihood, all in logarithms and in long double.
double likelihood_in_logarithms(const Matrix<double>& x, long double gamma) {
  const Index n = x.rows();
  long double sum = 0;
  for (Index i = 0; i < n; ++i) {
    std::vector<long double> exponents;
    for (Index j = 0; j < n; ++j) {
      long double squared = 0;
      for (Index c = 0; c < x.cols(); ++c)
        squared += (static_cast<long double>(x(i, c)) - x(j, c)) *
                   (static_cast<long double>(x(i, c)) - x(j, c));
      if (i != j) exponents.push_back(-gamma * squared);
    }
    const long double top = *std::max_element(exponents.begin(), exponents.end());
    long double others = 0;
    for (const long double e : exponents) others += std::exp(e - top);
    sum +=
        top + std::log(others / static_cast<long double>(n - 1)) +
        static_cast<long double>(x.cols()) / 2 * std::log(gamma / std::numbers::pi_v<long double>);
  }
  return static_cast<double>(sum / static_cast<long double>(n));
}

TEST(Tune, M_P1_an_outlier_does_not_choose_the_width) {
  // Every value between the last row and the others underflows, at both widths; what stood for its
  // logarithm was the same for both, and the narrow one won.
  Random random(31);
  Matrix<double> x = 0.3 * random.normal(200, 2);
  x.row(199).setConstant(40);
  const Matrix<float> narrow = x.cast<float>();
  const TuneOptions options{.kernels = {"rbf(gamma=0.3)", "rbf(gamma=3)"},
                            .criterion = Criterion::likelihood};
  const Tuned tuned = tune(Rows<double>(x), options), floats = tune(Rows<float>(narrow), options);
  for (const std::size_t i : {0, 1}) {
    const long double gamma = i == 0 ? 0.3L : 3.0L;
    const double truth = likelihood_in_logarithms(x, gamma),
                 of_floats = likelihood_in_logarithms(narrow.cast<double>(), gamma);
    EXPECT_NEAR(tuned.cells[i].score, truth, 1e-12 * std::abs(truth));
    EXPECT_NEAR(floats.cells[i].score, of_floats, 1e-12 * std::abs(truth));
  }
  EXPECT_LT(likelihood_in_logarithms(x, 3.0L), likelihood_in_logarithms(x, 0.3L));
  EXPECT_EQ(tuned.cells[static_cast<std::size_t>(tuned.best)].kernel, "rbf(gamma=0.3)");
  EXPECT_EQ(floats.cells[static_cast<std::size_t>(floats.best)].kernel, "rbf(gamma=0.3)");
}

TEST(Tune, parallel_takes_the_width_with_most_variance_beyond_chance) {
  Random random(9);
  Matrix<double> x = 0.3 * random.normal(90, 4);
  for (Index i = 0; i < 90; ++i) x(i, i % 3) += 2;
  const Tuned tuned = tune(Rows<double>(x), {.kernels = {"rbf(gamma=0.3)", "rbf(gamma=300)"},
                                             .criterion = Criterion::parallel});
  EXPECT_EQ(tuned.cells[tuned.best].kernel, "rbf(gamma=0.3)");
  EXPECT_GE(tuned.cells[0].components, 2);
}

TEST(Tune, rows_of_weight_0_are_as_if_they_were_not_there) {
  Random random(21);
  Matrix<double> x = 0.3 * random.normal(48, 4);
  for (Index i = 0; i < 48; ++i) x(i, i % 3) += 2;
  const Matrix<double> some = x.topRows(30);
  Vector<double> weights = Vector<double>::Zero(48);
  weights.head(30).setConstant(2.5);
  for (const Criterion criterion :
       {Criterion::preimage_cv, Criterion::parallel, Criterion::likelihood}) {
    const TuneOptions options{.kernels = {"rbf(gamma=0.1)", "rbf(gamma=0.3)"},
                              .components = {1, 3},
                              .criterion = criterion};
    const Tuned all = tune(Rows<double>(x), options, weights);
    const Tuned alone = tune(Rows<double>(some), options);
    ASSERT_EQ(all.cells.size(), alone.cells.size());
    // Equal weights change nothing but roundings.
    for (std::size_t i = 0; i < all.cells.size(); ++i) {
      EXPECT_NEAR(all.cells[i].score, alone.cells[i].score, 1e-6 * std::abs(alone.cells[i].score));
      EXPECT_NEAR(all.cells[i].spread, alone.cells[i].spread, 1e-6);
    }
    EXPECT_EQ(all.best, alone.best);
  }
}

TEST(Tune, weighted_error_is_that_of_weighted_fits_on_weighted_rows) {
  // Pre-images of the linear kernel are exact: what one component of two columns loses is the
  // variance along the second, as the rows weigh it.
  Random random(22);
  Matrix<double> x(200, 2);
  x.col(0) = random.normal(200, 1);
  x.col(1) = 0.3 * random.normal(200, 1);
  Vector<double> weights(200);
  // Half of the rows lie across, and weigh nothing to speak of.
  for (Index i = 0; i < 200; ++i) weights[i] = i % 2 == 0 ? 1 : 1e-4;
  for (Index i = 1; i < 200; i += 2) std::swap(x(i, 0), x(i, 1));
  const TuneOptions options{
      .kernels = {"linear"}, .components = {1}, .noise = 0, .folds = 5, .fit = {.ddof = 0}};
  const Tuned weighted = tune(Rows<double>(x), options, weights);
  const Tuned plain = tune(Rows<double>(x), options);
  const auto lost = [&](const Vector<double>& w) {
    const Vector<double> mean = x.transpose() * w / w.sum();
    const Matrix<double> centred = x.rowwise() - mean.transpose();
    const Matrix<double> r = centred.transpose() * w.asDiagonal() * centred;
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen{Eigen::MatrixXd(r)};
    return eigen.eigenvalues()[0] / r.trace();
  };
  EXPECT_NEAR(weighted.cells[0].score, lost(weights), 4 * weighted.cells[0].spread);
  // Without weights the two directions are alike, and half is lost.
  EXPECT_LT(3 * weighted.cells[0].score, plain.cells[0].score);
}

TEST(Tune, weighted_likelihood_leaves_a_row_out_with_all_its_copies) {
  const Matrix<double> x = circle(20, 0.2, 23);
  Vector<double> weights(20);
  for (Index i = 0; i < 20; ++i) weights[i] = static_cast<double>(1 + i % 3);
  const Tuned tuned = tune(
      Rows<double>(x), {.kernels = {"rbf(gamma=3)"}, .criterion = Criterion::likelihood}, weights);
  std::vector<Index> copies;
  for (Index i = 0; i < 20; ++i)
    for (double w = 0; w < weights[i]; ++w) copies.push_back(i);
  double sum = 0;
  for (const Index i : copies) {
    double density = 0, others = 0;
    for (const Index j : copies) {
      if (i == j) continue;
      density += 3 / std::numbers::pi * std::exp(-3 * (x.row(i) - x.row(j)).squaredNorm());
      ++others;
    }
    sum += std::log(density / others);
  }
  EXPECT_NEAR(tuned.cells[0].score, sum / static_cast<double>(copies.size()), 1e-10);
}

TEST(Tune, refuses_weights_that_are_none) {
  const Matrix<double> x = circle(20, 0.2, 24);
  Vector<double> weights = Vector<double>::Ones(20);
  weights[6] = -1;
  const TuneOptions options{.kernels = {"rbf(gamma=1)"}};
  expect_error(Errc::bad_data, {"row 7", "-1"}, [&] { tune(Rows<double>(x), options, weights); });
  weights.setZero();
  weights.head(5).setOnes();
  expect_error(Errc::bad_data, {"5 rows with weight", "5 folds"},
               [&] { tune(Rows<double>(x), options, weights); });
}

TEST(Tune, refuses_too_few_rows_and_too_many_components) {
  const Matrix<double> x = circle(12, 0.1, 10);
  expect_error(Errc::bad_data, {"12 rows", "10 folds"},
               [&] { tune(Rows<double>(x), {.kernels = {"rbf"}, .folds = 10}); });
  expect_error(Errc::bad_option, {"between 1 and 8"},
               [&] { tune(Rows<double>(x), {.kernels = {"rbf"}, .components = {50}}); });
  expect_error(Errc::bad_option, {"`criterion` 'best'", "likelihood"},
               [] { parse_criterion("best"); });
}

}  // namespace mercer::test::tune_test
