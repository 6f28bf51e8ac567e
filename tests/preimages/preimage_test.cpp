#include "preimages/feature_space.hpp"

#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/Cholesky>

#include <cmath>
#include <limits>

namespace mercer::test::preimage_test {

/// A noisy circle in the plane.
Matrix<double> circle(Index n, double noise, unsigned seed) {
  Random random(seed);
  Matrix<double> x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 6.283185307179586 * random.uniform();
    x.row(i) << std::cos(angle) + noise * random.normal(),
        std::sin(angle) + noise * random.normal();
  }
  return x;
}

double mean_square(const Matrix<double>& a) {
  return a.squaredNorm() / static_cast<double>(a.rows());
}

double rbf(const Vector<double>& x, const Vector<double>& y, double gamma) {
  return std::exp(-gamma * (x - y).squaredNorm());
}

Matrix<double> rbf_of(const Matrix<double>& x, const Matrix<double>& y, double gamma) {
  return Matrix<double>::NullaryExpr(
      x.rows(), y.rows(), [&](Index i, Index j) { return rbf(x.row(i), y.row(j), gamma); });
}

/// ‖Φ(x) − P‖² by its definition: P = Σ g_j Φ(a_j), all inner products one by one.
double squared_distance(const Vector<double>& x, const Vector<double>& g, const Matrix<double>& a,
                        double gamma) {
  double sum = 1;
  for (Index i = 0; i < a.rows(); ++i) {
    sum -= 2 * g[i] * rbf(x, a.row(i), gamma);
    for (Index j = 0; j < a.rows(); ++j) sum += g[i] * g[j] * rbf(a.row(i), a.row(j), gamma);
  }
  return sum;
}

TEST(PreImage, a_linear_model_is_decoded_exactly) {
  const Matrix<double> x = Random(1).normal(50, 4);
  const auto model = fit(x, {.components = 2, .scale = Scale::std});
  const Matrix<double> scores = model.transform(x);
  const Decoder<double> decoder(model);
  const auto found = decoder(scores);
  EXPECT_EQ(decoder.method(), PreImageMethod::exact);
  EXPECT_EQ(decoder.text(), "exact");
  EXPECT_EQ(found.rows, model.inverse(scores));
  EXPECT_EQ(found.distance, Vector<double>::Zero(50));
  EXPECT_EQ(found.not_converged(), 0);
}

TEST(PreImage, the_distance_is_that_of_the_definition) {
  const Matrix<double> x = circle(40, 0.1, 2);
  const double gamma = 0.7;
  const auto model = fit(x, {.components = 3, .kernel = kernels::rbf({.gamma = gamma})});
  const Matrix<double> scores = model.transform(circle(5, 0.3, 3));
  for (const auto method :
       {PreImageMethod::ridge, PreImageMethod::fixed_point, PreImageMethod::distances}) {
    const auto found = preimages(model, scores, {.method = method});
    for (Index i = 0; i < scores.rows(); ++i) {
      const Vector<double> g =
          (model.components().transpose() * scores.row(i).transpose()).array() +
          1.0 / static_cast<double>(x.rows());
      const double spread = model.report().total_variance * 39 / 40;
      EXPECT_NEAR(found.distance[i],
                  std::sqrt(squared_distance(found.rows.row(i), g, x, gamma) / spread), 1e-7)
          << name_of(method);
    }
  }
}

TEST(PreImage, ridge_is_kernel_ridge_regression_of_centred_rows) {
  const Matrix<double> x = circle(60, 0.1, 4).array() + 5;
  const auto model = fit(x, {.components = 4, .kernel = kernels::rbf({.gamma = 0.5})});
  const Matrix<double> y = model.transform(x),
                       fresh = model.transform(Matrix<double>(circle(7, 0.1, 5).array() + 5));
  const auto found = preimages(
      model, fresh,
      {.method = PreImageMethod::ridge, .kernel = kernels::rbf({.gamma = 2}), .alpha = 0.3});
  const Eigen::RowVectorXd mean = x.colwise().mean();
  Matrix<double> k = rbf_of(y, y, 2);
  k.diagonal().array() += 0.3;
  const Matrix<double> weights = k.ldlt().solve(x.rowwise() - mean);
  const Matrix<double> wanted = (rbf_of(fresh, y, 2) * weights).rowwise() + mean;
  EXPECT_LT((found.rows - wanted).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(PreImage, the_fixed_point_is_stationary_and_no_worse_than_the_ridge) {
  const Matrix<double> x = circle(80, 0.1, 6);
  const double gamma = 1.5, penalty = 0.2;
  const auto model = fit(x, {.components = 4, .kernel = kernels::rbf({.gamma = gamma})});
  const Matrix<double> scores = model.transform(circle(20, 0.3, 7));
  const auto start = preimages(model, scores, {.method = PreImageMethod::ridge});
  const auto found = preimages(model, scores,
                               {.method = PreImageMethod::fixed_point,
                                .penalty = penalty,
                                .tolerance = 1e-9,
                                .iterations = 5000});
  EXPECT_EQ(found.not_converged(), 0);
  for (Index i = 0; i < scores.rows(); ++i) {
    const Vector<double> g = (model.components().transpose() * scores.row(i).transpose()).array() +
                             1.0 / static_cast<double>(x.rows());
    const auto cost = [&](const Vector<double>& at) {
      return squared_distance(at, g, x, gamma) +
             2 * gamma * penalty * (at - start.rows.row(i).transpose()).squaredNorm();
    };
    const Vector<double> here = found.rows.row(i), from = start.rows.row(i);
    EXPECT_LE(cost(here), cost(from) + 1e-12);
    for (Index j = 0; j < 2; ++j) {  // the gradient, by central differences
      const Vector<double> h = 1e-5 * Vector<double>::Unit(2, j);
      EXPECT_NEAR((cost(here + h) - cost(here - h)) / 2e-5, 0, 1e-6);
    }
  }
}

TEST(PreImage, denoising_brings_rows_back_to_the_circle) {
  const Matrix<double> x = circle(200, 0.02, 8), noisy = circle(60, 0.2, 9);
  const auto model = fit(x, {.components = 6, .kernel = kernels::rbf({.gamma = 1})});
  const auto off_circle = [](const Matrix<double>& rows) {
    return mean_square((rows.rowwise().norm().array() - 1).matrix());
  };
  for (const auto method :
       {PreImageMethod::automatic, PreImageMethod::fixed_point, PreImageMethod::distances}) {
    const auto clean = preimages(model, model.transform(noisy), {.method = method});
    EXPECT_LT(off_circle(clean.rows), off_circle(noisy) / 4) << name_of(method);
  }
}

TEST(PreImage, denoise_is_transform_and_back_or_starts_at_the_row) {
  const Matrix<double> x = circle(80, 0.05, 31), noisy = circle(20, 0.2, 32);
  const auto model =
      fit(x, {.components = 5, .kernel = kernels::rbf({.gamma = 1}), .scale = Scale::std});
  EXPECT_EQ(Decoder<double>(model).denoise(noisy).rows,
            preimages(model, model.transform(noisy)).rows);
  const auto held = [&](double penalty) {
    return Decoder<double>(model, {.start = PreImageStart::row, .penalty = penalty})
        .denoise(noisy)
        .rows;
  };
  // A strong penalty holds a row where it is; a weak one lets it go to where it would anyway.
  EXPECT_LT((held(1e6) - noisy).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_GT(mean_square(held(1e-3) - noisy), 0.01);
  EXPECT_LT(mean_square(held(1e-3) - Decoder<double>(model, {.penalty = 1e-3}).denoise(noisy).rows),
            1e-3);
  Matrix<double> hole = noisy.topRows(1), filled = hole;
  hole(0, 1) = std::numeric_limits<double>::quiet_NaN();
  filled(0, 1) = model.input_mean()[1];
  const Decoder<double> from_rows(model, {.start = PreImageStart::row});
  // One lies on the mean, the other on the mean as rounded to one number.
  EXPECT_LT((from_rows.denoise(hole, Missing::mean).rows - from_rows.denoise(filled).rows)
                .cwiseAbs()
                .maxCoeff(),
            1e-13);
  expect_error(Errc::bad_option, {"start from rows"}, [&] { from_rows(model.transform(noisy)); });
  expect_error(Errc::bad_option, {"start from rows", "ridge"}, [&] {
    Decoder<double> d(model, {.method = PreImageMethod::ridge, .start = PreImageStart::row});
  });
}

TEST(PreImage, every_component_gives_the_rows_back) {
  const Matrix<double> x = circle(40, 0.3, 10);
  const auto model = fit(x, {.kernel = kernels::rbf({.gamma = 3})});
  const auto found =
      preimages(model, model.transform(x), {.penalty = 0, .tolerance = 1e-9, .iterations = 2000});
  EXPECT_LT((found.rows - x).cwiseAbs().maxCoeff(), 1e-4);
  EXPECT_LT(found.distance.maxCoeff(), 1e-4);
}

TEST(PreImage, the_linear_kernel_is_decoded_as_linear_pca) {
  Matrix<double> x = Random(11).normal(30, 4);
  x.array() += 2;
  const auto linear = fit(x, {.components = 2});
  const auto kernel = fit(x, {.components = 2, .kernel = kernels::linear()});
  const Decoder<double> decoder(kernel);
  EXPECT_EQ(decoder.method(), PreImageMethod::exact);
  EXPECT_LT((decoder(kernel.transform(x)).rows - linear.inverse(linear.transform(x)))
                .cwiseAbs()
                .maxCoeff(),
            1e-9);
}

TEST(PreImage, weights_are_repeated_rows) {
  const Matrix<double> x = circle(30, 0.1, 12);
  Matrix<double> twice(40, 2);
  twice << x, x.topRows(10);
  std::vector<double> weights(30, 1);
  std::fill_n(weights.begin(), 10, 2.0);
  const FitOptions options{.components = 3, .kernel = kernels::rbf({.gamma = 1})};
  const auto weighted = fit(Rows<double>(x), options, weights);
  const auto repeated = fit(twice, options);
  const Matrix<double> scores = repeated.transform(circle(6, 0.2, 13));
  // The same kernel and start for both: only the mean of the feature space could differ.
  const PreImageOptions how{.kernel = kernels::rbf({.gamma = 1}),
                            .alpha = 10,
                            .penalty = 0,
                            .tolerance = 1e-10,
                            .iterations = 5000};
  const auto a = preimages(weighted, scores, how), b = preimages(repeated, scores, how);
  EXPECT_LT((a.rows - b.rows).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LT((a.distance - b.distance).cwiseAbs().maxCoeff(), 1e-6);
}

TEST(PreImage, landmarks_come_near_the_exact_model) {
  const Matrix<double> x = circle(300, 0.1, 14), noisy = circle(40, 0.2, 15);
  FitOptions options{.components = 5, .kernel = kernels::rbf({.gamma = 1})};
  const auto exact = fit(x, options);
  const auto wanted = preimages(exact, exact.transform(noisy));
  for (const Approx& approx : {Approx(Nystrom{.landmarks = 60}), Approx(Cholesky{.rank = 60})}) {
    options.approx = approx;
    const auto model = fit(x, options);
    const auto found = preimages(model, model.transform(noisy));
    EXPECT_LT(mean_square(found.rows - wanted.rows), 1e-3) << text_of(approx);
    EXPECT_LT((found.distance - wanted.distance).cwiseAbs().maxCoeff(), 0.05) << text_of(approx);
  }
}

TEST(PreImage, random_features_learn_from_the_rows_they_keep) {
  const Matrix<double> x = circle(300, 0.05, 16), fresh = circle(40, 0.05, 17);
  const auto model = fit(x, {.components = 5,
                             .kernel = kernels::rbf({.gamma = 1}),
                             .approx = Fourier{.features = 400},
                             .keep_rows = 200});
  EXPECT_EQ(model.rows().rows(), 200);
  for (const auto method : {PreImageMethod::automatic, PreImageMethod::distances}) {
    const Decoder<double> decoder(model, {.method = method});
    // About as near as the rows are to the circle that they scatter about.
    EXPECT_LT(mean_square(decoder(model.transform(fresh)).rows - fresh), 3 * 0.05 * 0.05)
        << decoder.text();
  }
  const auto sketch = fit(x, {.components = 4,
                              .kernel = kernels::poly({.degree = 2}),
                              .approx = TensorSketch{.features = 64},
                              .keep_rows = 300});
  EXPECT_EQ(sketch.rows().rows(), 300);
  const Decoder<double> decoder(sketch);
  EXPECT_EQ(decoder.method(), PreImageMethod::ridge);
  EXPECT_LT(mean_square(decoder(sketch.transform(x)).rows - x), 0.05);
}

TEST(PreImage, maps_that_hold_x_are_read_off) {
  const Matrix<double> x = Random(18).normal(60, 2);
  for (const auto& map : {polynomial_map<double>(2, 3), plain_map<double>(2, 2)}) {
    const auto model = fit(x, map, {.scale = Scale::std});
    const Decoder<double> decoder(model);
    EXPECT_EQ(decoder.method(), PreImageMethod::exact);
    const auto found = decoder(model.transform(x));
    EXPECT_LT((found.rows - x).cwiseAbs().maxCoeff(), 1e-8) << map->text();
    EXPECT_LT(found.distance.maxCoeff(), 1e-6);
  }
}

TEST(PreImage, squares_have_the_signs_of_the_rows_that_were_kept) {
  Matrix<double> x = Random(19).normal(80, 2).cwiseAbs().array() + 0.5;
  x.col(1) *= -1;
  const auto blind = fit(x, squares_map<double>(2));
  EXPECT_LT((preimages(blind, blind.transform(x)).rows - x.cwiseAbs()).cwiseAbs().maxCoeff(), 1e-8);
  const auto model = fit(x, squares_map<double>(2), {.keep_rows = 50});
  EXPECT_LT((preimages(model, model.transform(x)).rows - x).cwiseAbs().maxCoeff(), 1e-8);
}

TEST(PreImage, float_is_double_with_fewer_digits) {
  const Matrix<double> x = circle(100, 0.1, 20);
  const FitOptions options{.components = 4, .kernel = kernels::rbf({.gamma = 1})};
  const auto wide = fit(x, options);
  const auto narrow = fit(Matrix<float>(x.cast<float>()), options);
  const Matrix<double> y = wide.transform(circle(30, 0.2, 21));
  const PreImageOptions how{.kernel = kernels::rbf({.gamma = 1}), .alpha = 0.1};
  const auto a = preimages(wide, y, how);
  const auto b = preimages(narrow, Matrix<float>(y.cast<float>()), how);
  EXPECT_LT((a.rows - b.rows.cast<double>()).cwiseAbs().maxCoeff(), 1e-3);
  EXPECT_LT((a.distance - b.distance).cwiseAbs().maxCoeff(), 1e-3);
}

TEST(PreImage, threads_and_blocks_do_not_change_a_bit) {
  const Matrix<double> x = circle(90, 0.1, 22);
  const auto model = fit(x, {.components = 4, .kernel = kernels::rbf({.gamma = 1})});
  const Matrix<double> y = model.transform(circle(600, 0.2, 23));
  for (const auto method :
       {PreImageMethod::ridge, PreImageMethod::fixed_point, PreImageMethod::distances}) {
    const Decoder<double> decoder(model, {.method = method, .threads = 1});
    const auto one = decoder(y);
    const auto three = Decoder<double>(model, {.method = method, .threads = 3})(y);
    EXPECT_EQ(one.rows, three.rows) << name_of(method);
    EXPECT_EQ(one.distance, three.distance) << name_of(method);
  }
}

TEST(PreImage, points_outside_the_data_are_flagged) {
  const Matrix<double> x = circle(200, 0.05, 24);
  const auto model = fit(x, {.components = 6, .kernel = kernels::rbf({.gamma = 1})});
  const Decoder<double> decoder(model);
  EXPECT_LE(decoder(model.transform(circle(100, 0.05, 25))).outside_rows(), 2);
  Matrix<double> far(2, 2);
  far << 0, 30, -40, 3;
  EXPECT_EQ(decoder(model.transform(far)).outside_rows(), 2);
  EXPECT_EQ(decoder(3 * model.transform(x.topRows(3))).outside_rows(), 3);
  const auto linear = fit(x, {.components = 2});
  const Decoder<double> exact(linear);
  EXPECT_EQ(exact(linear.transform(x)).outside_rows(), 0);
  EXPECT_EQ(exact(linear.transform(far)).outside_rows(), 2);
}

TEST(PreImage, rows_that_do_not_converge_are_counted) {
  const Matrix<double> x = circle(60, 0.1, 26);
  const auto model = fit(x, {.components = 4, .kernel = kernels::rbf({.gamma = 2})});
  const Matrix<double> y = model.transform(circle(20, 0.3, 27));
  const auto hasty = preimages(model, y, {.tolerance = 1e-14, .iterations = 1});
  EXPECT_EQ(hasty.not_converged(), 20);
  EXPECT_EQ(hasty.converged.size(), 20u);
  EXPECT_TRUE(hasty.rows.allFinite());
  EXPECT_EQ(preimages(model, y).not_converged(), 0);
}

TEST(PreImage, a_learned_kernel_model_whose_axes_are_not_orthonormal_is_decoded_too) {
  // The axes of a fitted model, mixed: the same points of the same subspace by other scores.
  const Matrix<double> x = circle(50, 0.1, 28);
  const auto model = fit(x, {.components = 3, .kernel = kernels::rbf({.gamma = 1})});
  ModelParts<double> parts = model.parts();
  Matrix<double> mix(3, 3);
  mix << 2, 0.5, 0, 0, 1, 0.3, 0.1, 0, 0.7;
  parts.components = mix * parts.components;
  parts.report.method = "kernel-hebbian";
  const Model<double> mixed(parts);
  const Matrix<double> fresh = circle(8, 0.2, 29);
  const auto a = preimages(model, model.transform(fresh),
                           {.penalty = 0, .tolerance = 1e-10, .iterations = 5000});
  const auto b = preimages(mixed, mixed.transform(fresh),
                           {.penalty = 0, .tolerance = 1e-10, .iterations = 5000});
  EXPECT_LT((a.rows - b.rows).cwiseAbs().maxCoeff(), 1e-5);
  EXPECT_LT((a.distance - b.distance).cwiseAbs().maxCoeff(), 1e-7);
}

TEST(PreImage, kernels_that_are_not_gaussian_take_the_ridge_and_say_why) {
  test::Random random(41);
  const Matrix<double> x = random.normal(80, 2) * random.normal(2, 4) + 0.05 * random.normal(80, 4);
  const double total = (x.rowwise() - x.colwise().mean()).squaredNorm();
  for (const char* text : {"laplacian(gamma=0.2)", "poly(degree=2, coef0=1, gamma=0.5)",
                           "poly(degree=3, coef0=0, gamma=0.5)", "matern(nu=1.5, length=3)",
                           "exponential(gamma=0.2)", "rbf(gamma=0.05)+linear()"}) {
    SCOPED_TRACE(text);
    const Kernel kernel = Kernel::parse(text);
    const auto model = fit(x, {.components = 6, .kernel = kernel});
    const Decoder<double> decoder(model);
    EXPECT_EQ(decoder.method(), PreImageMethod::ridge);
    EXPECT_HAS(decoder.text(), "ridge(rbf(");
    EXPECT_HAS(decoder.text(), "the fixed point is for Gaussian kernels, not for " + kernel.text());
    EXPECT_LT((decoder.denoise(Rows<double>(x)).rows - x).squaredNorm(), 0.2 * total);
    const auto asked = [&](PreImageMethod method) {
      return std::string(error_of([&] { Decoder<double>(model, {.method = method}); }).what());
    };
    EXPECT_HAS(asked(PreImageMethod::fixed_point), "use ridge");
    if (kernel.text().starts_with("matern") || kernel.text().starts_with("exp")) continue;
    EXPECT_HAS(asked(PreImageMethod::distances), "decreases with |x - y|");
    // Nothing is explained that was asked for.
    EXPECT_EQ(Decoder<double>(model, {.method = PreImageMethod::ridge}).text().find("fixed point"),
              std::string::npos);
  }
  const Kernel gaussian = kernels::rbf({.gamma = 0.05});
  const auto exact = fit(x, {.components = 4, .kernel = gaussian});
  EXPECT_EQ(Decoder<double>(exact).method(), PreImageMethod::fixed_point);
  const auto features = fit(
      x,
      {.components = 4, .kernel = gaussian, .approx = Fourier{.features = 100}, .keep_rows = 80});
  EXPECT_EQ(Decoder<double>(features).method(), PreImageMethod::ridge);
  EXPECT_HAS(Decoder<double>(features).text(), "not random features");
}

TEST(PreImage, distances_are_read_off_any_kernel_that_falls_with_them) {
  test::Random random(42);
  const Matrix<double> x = random.normal(60, 2), fresh = 0.8 * random.normal(8, 2);
  for (const char* text :
       {"exponential(gamma=0.4)", "matern(nu=1.5, length=2)", "matern(nu=2.5, length=1)",
        "rational_quadratic(alpha=1, length=2)", "rational_quadratic(alpha=0.2, length=1)",
        "2*exponential(gamma=0.3) + rbf(gamma=0.1)", "rbf(gamma=0.2)*matern(nu=0.5, length=3)"}) {
    SCOPED_TRACE(text);
    // With all components P is the image of the row where the row is one of those learned from:
    // its distances to others are true, and two dimensions need three.
    const auto model = fit(x, {.kernel = Kernel::parse(text)});
    const Decoder<double> decoder(model, {.method = PreImageMethod::distances});
    EXPECT_HAS(decoder.text(), "distances to 10 of 60 rows");
    EXPECT_LT((decoder(model.transform(x)).rows - x).cwiseAbs().maxCoeff(), 1e-4);
    // New rows come back nearly: what the rows do not span of their images is missing.
    EXPECT_LT((decoder.denoise(Rows<double>(fresh)).rows - fresh).norm(), 0.5 * fresh.norm());
  }
}

TEST(PreImage, what_cannot_be_done_is_refused) {
  const Matrix<double> x = circle(30, 0.1, 30);
  const auto method = [](PreImageMethod m) { return PreImageOptions{.method = m}; };
  const auto gauss = fit(x, {.components = 2, .kernel = kernels::rbf({.gamma = 1})});
  const auto laplace = fit(x, {.components = 2, .kernel = kernels::laplacian({.gamma = 1})});
  const auto cubic = fit(x, monomial_map<double>(2, 3));
  const auto fourier = fit(
      x,
      {.components = 2, .kernel = kernels::rbf({.gamma = 1}), .approx = Fourier{.features = 20}});
  const auto linear = fit(x, {.components = 2});
  const auto similarities = fit(kernels::rbf({.gamma = 1}).matrix(Rows<double>(x)),
                                {.components = 2, .precomputed = true});

  expect_error(Errc::bad_data, {"3 scores", "2 components"},
               [&] { preimages(gauss, Matrix<double>(Matrix<double>::Zero(1, 3))); });
  Matrix<double> bad = Matrix<double>::Zero(2, 2);
  bad(1, 0) = std::numeric_limits<double>::quiet_NaN();
  expect_error(Errc::bad_data, {"pc1", "row 2", "nan"}, [&] { preimages(gauss, bad); });
  expect_error(Errc::bad_option, {"no rows", "`keep_rows=1000`"},
               [&] { Decoder<double> d(fourier); });
  expect_error(Errc::bad_option, {"no rows", "`keep_rows=1000`"},
               [&] { Decoder<double> d(cubic); });
  expect_error(Errc::bad_option, {"kernel matrix"}, [&] { Decoder<double> d(similarities); });
  expect_error(Errc::bad_option, {"laplacian", "ridge"},
               [&] { Decoder<double> d(laplace, method(PreImageMethod::fixed_point)); });
  expect_error(Errc::bad_option, {"laplacian", "ridge"},
               [&] { Decoder<double> d(laplace, method(PreImageMethod::distances)); });
  expect_error(Errc::bad_option, {"rbf", "exact"},
               [&] { Decoder<double> d(gauss, method(PreImageMethod::exact)); });
  expect_error(Errc::bad_option, {"linear model", "exact"},
               [&] { Decoder<double> d(linear, method(PreImageMethod::ridge)); });
  expect_error(Errc::bad_option, {"`alpha=-1`"}, [&] { Decoder<double> d(gauss, {.alpha = -1}); });
  expect_error(Errc::bad_option, {"`penalty=-1`"},
               [&] { Decoder<double> d(gauss, {.penalty = -1}); });
  expect_error(Errc::bad_option, {"neighbours"},
               [&] { Decoder<double> d(gauss, {.neighbours = 1}); });
  expect_error(Errc::bad_option, {"'magic'", "fixed-point"},
               [] { parse_preimage_method("magic"); });
  ModelParts<double> many = fit(x, monomial_map<double>(2, 2), {.keep_rows = 30}).parts();
  many.components = Matrix<double>::Ones(9, 3);
  many.eigenvalues = Vector<double>::Zero(9);
  many.report.solver.residuals.clear();
  many.report.certificate = {};
  many.report.method = "oja";
  expect_error(Errc::bad_data, {"9 components in 3"},
               [&] { Decoder<double> d{Model<double>(many)}; });
  EXPECT_EQ(Decoder<double>(laplace).method(), PreImageMethod::ridge);
  for (const auto m : {PreImageMethod::automatic, PreImageMethod::exact, PreImageMethod::ridge,
                       PreImageMethod::fixed_point, PreImageMethod::distances})
    EXPECT_EQ(parse_preimage_method(name_of(m)), m);
}

TEST(PreImageSpace, rows_of_the_fit_are_known_without_the_kernel) {
  const Matrix<double> x = circle(60, 0.1, 31);
  for (const bool center : {true, false}) {
    FitOptions options{.components = 4, .kernel = kernels::rbf({.gamma = 0.7}), .center = center};
    const auto model = fit(x, options);
    const PreImageSpace<double> space(model, 1);
    Matrix<double> some(25, 2);
    for (Index i = 0; i < 25; ++i) some.row(i) = x.row(i * 60 / 25);
    const auto known = space.known(Rows<double>(some));
    ASSERT_TRUE(known);
    const RowImages seen = space.see(Rows<double>(some), 1);
    EXPECT_LT((known->scores - seen.scores).cwiseAbs().maxCoeff(), 1e-9);  // residuals are 1e-10
    EXPECT_LT((known->centred - seen.centred).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_EQ(known->squares, seen.squares);

    options.approx = Cholesky{.rank = 30};
    EXPECT_FALSE(PreImageSpace<double>(fit(x, options), 1).known(Rows<double>(some)));
  }
}

TEST(PreImage, squares_are_exact_up_to_signs_and_say_so) {
  const Matrix<double> x = Random(5).normal(30, 2);
  const auto model = fit(x, squares_map<double>(2), {.components = 2});
  EXPECT_HAS(Decoder<double>(model).text(), "exact up to signs, which are lost");
  const auto kept = fit(x, squares_map<double>(2), {.components = 2, .keep_rows = 30});
  EXPECT_HAS(Decoder<double>(kept).text(), "exact up to signs, which are those of ridge");
  const auto plain = fit(x, polynomial_map<double>(2, 2), {.components = 2});
  EXPECT_EQ(Decoder<double>(plain, {.method = PreImageMethod::exact}).text(), "exact");
}

}  // namespace mercer::test::preimage_test
