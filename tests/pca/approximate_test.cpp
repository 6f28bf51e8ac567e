#include "pca/approximate_support.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace mercer::test::approximate_test {

Matrix<double> rbf_matrix(const Matrix<double>& x, const Matrix<double>& y, double gamma) {
  Matrix<double> k(x.rows(), y.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < y.rows(); ++j)
      k(i, j) = std::exp(-gamma * (x.row(i) - y.row(j)).squaredNorm());
  return k;
}

Matrix<double> centring(Index n) {
  return Matrix<double>::Identity(n, n) -
         Matrix<double>::Constant(n, n, 1.0 / static_cast<double>(n));
}

Vector<double> eigenvalues_of(const Matrix<double>& a) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
  return solver.eigenvalues().reverse();
}

TEST(Approximate, with_all_rows_as_landmarks_it_is_exact_kernel_pca) {
  const Matrix<double> x = cloud(90, 5);
  const Matrix<double> fresh = cloud(20, 5, 2);
  for (const char* text : {"rbf(gamma=0.4)", "poly(degree=2, coef0=1)", "laplacian(gamma=0.3)",
                           "0.5*rbf(gamma=0.1) + linear"})
    for (const bool center : {true, false})
      for (const LandmarkChoice by :
           {LandmarkChoice::uniform, LandmarkChoice::leverage, LandmarkChoice::cholesky}) {
        FitOptions options{.components = 5, .kernel = Kernel::parse(text), .center = center};
        const auto exact = fit(x, options);
        options.approx = Nystrom{.landmarks = 90, .by = by};
        const auto model = fit(x, options);
        const double first = exact.eigenvalues()[0];
        EXPECT_LE((model.eigenvalues() - exact.eigenvalues()).cwiseAbs().maxCoeff(), 1e-8 * first)
            << text;
        EXPECT_NEAR(model.report().total_variance, exact.report().total_variance,
                    1e-8 * exact.report().total_variance);
        EXPECT_LE(up_to_sign(model.transform(fresh), exact.transform(fresh)),
                  1e-8 * std::sqrt(first))
            << text;
        EXPECT_LE(trace_error(model), 1e-8);
      }
}

TEST(Approximate, the_trace_error_is_that_of_the_nystrom_matrix) {
  const Matrix<double> x = clustered(160);
  const double gamma = 0.05;
  const Matrix<double> k = rbf_matrix(x, x, gamma);
  for (const Approx& approx :
       {Approx(Nystrom{.landmarks = 30}), Approx(Nystrom{30, LandmarkChoice::kmeans}),
        Approx(Nystrom{30, LandmarkChoice::leverage}), Approx(Cholesky{.rank = 30})}) {
    const auto model =
        fit(x, {.components = 6, .kernel = kernels::rbf({.gamma = gamma}), .approx = approx});
    const Matrix<double> landmarks = model.map().anchors().dense();
    EXPECT_EQ(landmarks.rows(), 30);
    // K̂ = C W⁺ Cᵀ, by a solver that knows of no Cholesky factor.
    const Matrix<double> c = rbf_matrix(x, landmarks, gamma);
    const Eigen::MatrixXd w = rbf_matrix(landmarks, landmarks, gamma);
    const Matrix<double> near =
        c * w.completeOrthogonalDecomposition().solve(Eigen::MatrixXd(c.transpose()));
    const double error = (k - near).trace() / k.trace();
    EXPECT_NEAR(trace_error(model), error, 1e-9) << text_of(approx);
    EXPECT_EQ(model.report().approximation->spread, 0);
    // The model is PCA of that matrix …
    const Matrix<double> j = centring(160);
    const Vector<double> expected = eigenvalues_of(j * near * j).head(6);
    EXPECT_LE((model.eigenvalues() - expected).cwiseAbs().maxCoeff(), 1e-9 * expected[0]);
    // … and the true eigenvalues lie where it says.
    const Vector<double> exact = eigenvalues_of(j * k * j);
    const Approximation& bar = *model.report().approximation;
    for (Index i = 0; i < 6; ++i) {
      EXPECT_GE(exact[i], model.eigenvalues()[i] - bar.below - 1e-9 * exact[0]);
      EXPECT_LE(exact[i], model.eigenvalues()[i] + bar.above);
    }
    // Scores have the variances that are reported, about a mean of 0.
    const Matrix<double> scores = model.transform(x);
    EXPECT_LE(scores.colwise().mean().cwiseAbs().maxCoeff(), 1e-8);
    for (Index i = 0; i < 6; ++i)
      EXPECT_NEAR(scores.col(i).squaredNorm(), model.eigenvalues()[i], 1e-8 * expected[0]);
  }
}

TEST(Approximate, pivoted_cholesky_stops_at_its_tolerance) {
  const Matrix<double> x = clustered(600);
  for (const double tolerance : {0.2, 0.02, 1e-4}) {
    const auto model = fit(x, {.components = 4,
                               .kernel = kernels::rbf({.gamma = 0.05}),
                               .approx = Cholesky{.tolerance = tolerance}});
    const Approximation& a = *model.report().approximation;
    EXPECT_LE(a.error, tolerance);
    EXPECT_LT(a.rank, 600);
    // One landmark fewer would not have done.
    const Matrix<double> landmarks = model.map().anchors().dense().topRows(a.rank - 1);
    const Matrix<double> c = rbf_matrix(x, landmarks, 0.05);
    const Eigen::MatrixXd w = rbf_matrix(landmarks, landmarks, 0.05);
    const Matrix<double> near =
        c * w.completeOrthogonalDecomposition().solve(Eigen::MatrixXd(c.transpose()));
    EXPECT_GT(1 - near.trace() / 600, tolerance);
  }
}

TEST(Approximate, pivoted_cholesky_at_half_the_rank_beats_uniform_landmarks_on_clusters) {
  const Matrix<double> x = clustered(2000);
  double pivoted = 0, uniform = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    FitOptions options{.components = 2, .kernel = kernels::rbf({.gamma = 0.05}), .seed = seed};
    options.approx = Cholesky{.rank = 50};
    pivoted += trace_error(fit(x, options));
    options.approx = Nystrom{.landmarks = 100};
    uniform += trace_error(fit(x, options));
  }
  EXPECT_LE(pivoted, uniform);
}

TEST(Approximate, landmarks_that_repeat_each_other_are_left_out) {
  const Matrix<double> few = cloud(12, 3);
  const Matrix<double> x = few.replicate(20, 1);
  const FitOptions exact{.components = 4, .kernel = kernels::rbf({.gamma = 1})};
  const auto expected = fit(x, exact);
  for (const char* text : {"nystrom(landmarks=150)", "cholesky(rank=150)", "cholesky"}) {
    FitOptions options = exact;
    options.approx = parse_approx(text);
    const auto model = fit(x, options);
    EXPECT_LE(model.report().approximation->rank, 12) << text;
    if (std::string(text) != "cholesky")
      EXPECT_LE((model.eigenvalues() - expected.eigenvalues()).cwiseAbs().maxCoeff(),
                1e-8 * expected.eigenvalues()[0]);
  }
}

TEST(Approximate, random_features_say_how_far_they_may_be_off) {
  const Matrix<double> x = clustered(600);  // more than are compared pair by pair
  const Matrix<double> k = rbf_matrix(x, x, 0.05);
  const auto model = fit(x, {.components = 5,
                             .kernel = kernels::rbf({.gamma = 0.05}),
                             .approx = Fourier{.features = 64}});
  const Approximation& a = *model.report().approximation;
  EXPECT_TRUE(a.estimated);
  Matrix<double> phi(600, 64);
  model.map().apply(Rows<double>(x), phi);
  const double error = (k - phi * phi.transpose()).norm() / k.norm();
  EXPECT_GT(a.spread, 0);
  EXPECT_NEAR(a.error, error, 4 * a.spread);
  const Vector<double> exact = eigenvalues_of(centring(600) * k * centring(600));
  for (Index i = 0; i < 5; ++i) {
    EXPECT_GE(exact[i], model.eigenvalues()[i] - a.below);
    EXPECT_LE(exact[i], model.eigenvalues()[i] + a.above);
  }
  // The error falls with the root of the number of features: half of it with four times as many.
  const auto finer = fit(x, {.components = 5,
                             .kernel = kernels::rbf({.gamma = 0.05}),
                             .approx = Fourier{.features = 256}});
  EXPECT_LE(finer.report().approximation->error, 0.7 * a.error);
}

TEST(Approximate, a_sketch_of_a_polynomial_kernel_is_near_it) {
  const Matrix<double> x = cloud(500, 8);
  FitOptions options{.components = 3, .kernel = kernels::poly({.degree = 2, .coef0 = 1})};
  const auto exact = fit(x, options);
  options.approx = TensorSketch{.features = 512};
  const auto model = fit(x, options);
  const Approximation& a = *model.report().approximation;
  EXPECT_TRUE(a.estimated);
  for (Index i = 0; i < 3; ++i)
    EXPECT_NEAR(model.eigenvalues()[i], exact.eigenvalues()[i], a.above);
  EXPECT_LE(a.error, 0.2);
}

TEST(Approximate, a_model_keeps_its_error_bar) {
  const Matrix<double> x = clustered(300);
  for (const char* text : {"cholesky(rank=30)", "fourier(features=64)"}) {
    const auto model = fit(
        x,
        {.components = 3, .kernel = kernels::rbf({.gamma = 0.05}), .approx = parse_approx(text)});
    const auto same = Model<double>::deserialize(model.serialize());
    const Approximation &a = *model.report().approximation, &b = *same.report().approximation;
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.text, b.text);
    EXPECT_EQ(a.rank, b.rank);
    EXPECT_EQ(a.error, b.error);
    EXPECT_EQ(a.spread, b.spread);
    EXPECT_EQ(a.estimated, b.estimated);
    EXPECT_EQ(a.below, b.below);
    EXPECT_EQ(a.above, b.above);
    EXPECT_EQ(model.transform(x), same.transform(x));
    EXPECT_NE(to_json(same).find(a.estimated ? "frobenius_error_ratio" : "trace_error_ratio"),
              std::string::npos);
  }
}

TEST(Approximate, a_fraction_counts_what_the_features_leave_out) {
  const Matrix<double> x = clustered(500);
  const FitOptions exact{.components = variance_fraction(0.8),
                         .kernel = kernels::rbf({.gamma = 0.05})};
  FitOptions options = exact;
  options.approx = Cholesky{.tolerance = 0.001};
  EXPECT_NEAR(static_cast<double>(fit(x, options).outputs()),
              static_cast<double>(fit(x, exact).outputs()), 1);
  options.approx = Cholesky{.rank = 3};
  options.components = variance_fraction(0.99);
  expect_error(Errc::bad_option, {"0.99", "cholesky(rank=3)"}, [&] { fit(x, options); });
}

TEST(Approximate, time_decides_between_exact_and_approximate_and_says_so) {
  // What is decided at a given speed is tested in plan_test.cpp; no machine computes 8e4 kernel
  // values in a nanosecond, or takes a day for 6e6.
  const Matrix<double> x = clustered(2500);
  FitOptions options{.components = 3, .kernel = kernels::rbf({.gamma = 0.05}), .seconds = 1e5};
  const auto exact = fit(x, options);
  EXPECT_FALSE(exact.report().approximation);
  EXPECT_HAS(exact.report().solver.why, "exact: expected to take");
  options.seconds = 1e-9;
  const auto quick = fit(x, options);
  ASSERT_TRUE(quick.report().approximation);
  EXPECT_EQ(quick.report().approximation->name, "cholesky");
  EXPECT_HAS(quick.report().solver.why, "exact kernel PCA would take about");
  EXPECT_HAS(quick.report().solver.why, "the target time is exceeded");
}

TEST(Approximate, M_C5_its_text_parses_back) {
  for (const char* text : {"nystrom(landmarks=100, by=kmeans)", "nystrom(landmarks=7, by=uniform)",
                           "cholesky(rank=500)", "cholesky(tolerance=0.001)",
                           "fourier(features=64, orthogonal=no)", "tensorsketch(features=1024)"})
    EXPECT_EQ(text_of(parse_approx(text)), text);
  EXPECT_EQ(text_of(parse_approx(" nystrom ( by = leverage ) ")),
            "nystrom(landmarks=1000, by=leverage)");
  EXPECT_EQ(text_of(parse_approx("cholesky")), "cholesky(tolerance=0.01)");
  EXPECT_EQ(text_of(parse_approx("cholesky(error=0.1, rank=3)")), "cholesky(rank=3, error=0.1)");
  for (const ApproxEntry& entry : approx_table())
    EXPECT_TRUE(text_of(parse_approx(entry.example)).starts_with(entry.name + "(")) << entry.name;
}

TEST(Approximate, what_cannot_be_is_refused) {
  const Matrix<double> x = cloud(50, 3);
  const auto with = [&](const char* approx, const char* kernel = "rbf") {
    return [&x, approx, kernel] {
      fit(x, {.components = 2, .kernel = Kernel::parse(kernel), .approx = parse_approx(approx)});
    };
  };
  expect_error(Errc::bad_option, {"nystroem", "did you mean nystrom?"}, with("nystroem"));
  expect_error(Errc::bad_option, {"column 9", "landmark", "did you mean landmarks?"},
               with("nystrom(landmark=3)"));
  expect_error(Errc::bad_option, {"column 19", "landmarks = 0", "integer from 1"},
               with("nystrom(landmarks=0)"));
  expect_error(Errc::bad_option, {"by = luck", "uniform, kmeans, leverage or cholesky"},
               with("nystrom(by=luck)"));
  expect_error(Errc::bad_option, {"tolerance = 2", "between 0 and 1"},
               with("cholesky(tolerance=2)"));
  expect_error(Errc::bad_option, {"column 18: unexpected 'x', expected the end"},
               with("cholesky(rank=5) x"));
  expect_error(Errc::bad_option, {"rank is given twice"}, with("cholesky(rank=5, rank=6)"));
  expect_error(Errc::bad_option, {"landmarks=51", "50 rows"}, with("nystrom(landmarks=51)"));
  expect_error(Errc::bad_option, {"rank=51", "50 rows"}, with("cholesky(rank=51)"));
  expect_error(Errc::bad_option, {"`components=2`", "cholesky(rank=1)"}, with("cholesky(rank=1)"));
  expect_error(Errc::bad_option, {"rbf"}, with("fourier(features=10)", "poly"));
  expect_error(Errc::bad_option, {"poly"}, with("tensorsketch(features=16)", "rbf"));
  expect_error(Errc::invalid_kernel, {"not positive semi-definite"},
               with("cholesky(rank=5)", "sigmoid(gamma=2, coef0=-3)"));
  // Settings of a program, which no text was read for.
  const auto given = [&](const Approx& approx) {
    return [&x, approx] { fit(x, {.components = 2, .kernel = kernels::rbf(), .approx = approx}); };
  };
  expect_error(Errc::bad_option, {"nystrom: landmarks = 0"}, given(Nystrom{.landmarks = 0}));
  expect_error(Errc::bad_option, {"cholesky: rank = -1"}, given(Cholesky{.rank = -1}));
  expect_error(Errc::bad_option, {"cholesky: tolerance = nan"},
               given(Cholesky{.tolerance = std::nan("")}));
  expect_error(Errc::bad_option, {"fourier: error = 1 must lie between"},
               given(Fourier{.error = 1}));
  expect_error(Errc::bad_option, {"tensorsketch: error = nan"},
               given(TensorSketch{.error = std::nan("")}));
  const Matrix<double> same = Matrix<double>::Constant(30, 3, 0.7);
  for (const char* text : {"nystrom(landmarks=5)", "cholesky(rank=5)", "fourier(features=16)"})
    expect_error(Errc::bad_data, {"all rows are equal"}, [&] {
      fit(same,
          {.components = 1, .kernel = kernels::rbf({.gamma = 1}), .approx = parse_approx(text)});
    });
  // Rows of no weight cannot be landmarks.
  std::vector<double> few(50, 0.0);
  few[3] = few[7] = few[20] = 1;
  for (const char* by : {"uniform", "kmeans", "leverage", "cholesky"})
    EXPECT_LE(fit(Rows<double>(x),
                  {.components = 2,
                   .kernel = kernels::rbf({.gamma = 1}),
                   .approx = parse_approx(std::string("nystrom(landmarks=40, by=") + by + ")")},
                  few)
                  .report()
                  .approximation->rank,
              3)
        << by;
  const FitOptions linear{.approx = Cholesky{}};
  expect_error(Errc::bad_option, {"`kernel`"}, [&] { fit(x, linear); });
  const FitOptions both{.kernel = kernels::rbf(), .approx = Cholesky{}, .seconds = 1};
  expect_error(Errc::bad_option, {"`approx`", "`seconds`"}, [&] { fit(x, both); });
  const FitOptions tight{
      .kernel = kernels::rbf(), .approx = Cholesky{.rank = 40}, .memory = 34'000'000, .threads = 2};
  const Matrix<double> many = cloud(5000, 3);
  FitOptions large = tight;
  large.approx = Nystrom{.landmarks = 4000};
  expect_error(Errc::out_of_memory, {"landmarks=4000", "`memory`"}, [&] { fit(many, large); });
}

TEST(Approximate, M_P2_linear_kernels_are_not_lost_beside_a_far_constant_column) {
  test::Random random(33);
  Matrix<double> x = random.normal(200, 3);
  x.col(1) *= 0.1;
  Eigen::MatrixXd centred = x.rowwise() - x.colwise().mean();
  const Vector<double> truth = eigenvalues_of(Matrix<double>(centred.transpose() * centred));
  for (const double far : {1e4, 1e8, 1e12}) {
    Matrix<double> with(200, 4);
    with << x, Vector<double>::Constant(200, far);
    for (const char* approx : {"nystrom(landmarks=50)", "cholesky(rank=10)"}) {
      const auto model =
          fit(with, {.components = 2, .kernel = kernels::linear(), .approx = parse_approx(approx)});
      for (Index j = 0; j < 2; ++j)
        EXPECT_NEAR(model.eigenvalues()[j], truth[j], 1e-10 * truth[0]) << far << approx;
      const Matrix<double> scores = model.transform(with);
      EXPECT_NEAR(scores.col(0).squaredNorm(), truth[0], 1e-9 * truth[0]);
    }
    // A polynomial cannot be moved: the truth is that its values are rounded, not that rows are
    // equal.
    if (far > 1e4) try {
        fit(with, {.components = 1,
                   .kernel = kernels::poly({.degree = 2}),
                   .approx = Nystrom{.landmarks = 50}});
        FAIL() << far;
      } catch (const Error& e) {
        EXPECT_HAS(e.what(), "mean is large relative to their spread");
      }
  }
}

TEST(Approximate, M_P2_kernels_that_are_all_rounding_are_refused_in_one_true_line) {
  test::Random random(34);
  const Matrix<double> x = random.normal(100, 2);
  for (const char* approx : {"nystrom(landmarks=50)", "cholesky(rank=20)", "cholesky"})
    for (const double gamma : {1e-12, 1e-15, 1e-18}) try {
        fit(x, {.components = at_most(3),
                .kernel = kernels::rbf({.gamma = gamma}),
                .approx = parse_approx(approx)});
        FAIL() << approx << gamma;
      } catch (const Error& e) {
        EXPECT_HAS(e.what(), "nearly constant");
        EXPECT_EQ(std::string(e.what()).find("1e-05"), std::string::npos) << e.what();
      }
}

TEST(Approximate, nystrom_takes_all_rows_where_they_are_fewer_than_its_default) {
  test::Random random(35);
  const Matrix<double> x = random.normal(300, 3);
  const auto model =
      fit(x, {.components = 2, .kernel = kernels::rbf({.gamma = 0.5}), .approx = Nystrom{}});
  EXPECT_EQ(model.report().approximation->text, "nystrom(landmarks=300, by=uniform)");
}

TEST(Approximate, bounds_of_rounding_can_be_stopped_and_change_nothing_when_watched) {
  const Matrix<double> x = cloud(1500, 5);
  FitOptions options{
      .components = 2, .kernel = kernels::rbf({.gamma = 1}), .approx = Nystrom{.landmarks = 700}};
  const std::string unwatched = fit(x, options).serialize();
  // Before the rows are summed, and after.
  for (const bool after : {false, true}) {
    bool summed = false, asked = false, stop = false;
    options.monitor = [&](const Progress& p) {
      summed = summed || p.what == "features";
      if (p.what != "rounding bounds" || summed != after) return true;
      EXPECT_GT(p.done, 0);
      EXPECT_LE(p.done, p.total);
      asked = true;
      return !stop;
    };
    EXPECT_EQ(fit(x, options).serialize(), unwatched);
    EXPECT_TRUE(asked);
    stop = true;
    summed = false;
    EXPECT_EQ(error_of([&] { fit(x, options); }).code(), Errc::interrupted);
  }
}

TEST(Approximate, a_run_of_pivots_says_how_far_it_is) {
  const Matrix<double> x = cloud(3000, 5);
  std::vector<std::string> notes;
  FitOptions options{
      .components = 2, .kernel = kernels::rbf({.gamma = 1}), .approx = Cholesky{.tolerance = 0.3}};
  options.monitor = [&](const Progress& p) {
    if (p.what == "landmarks" && !p.note.empty()) notes.emplace_back(p.note);
    return true;
  };
  fit(x, options);
  ASSERT_FALSE(notes.empty());
  EXPECT_HAS(notes.back(), "rank ");
  EXPECT_HAS(notes.back(), "% of the trace left");
}

}  // namespace mercer::test::approximate_test
