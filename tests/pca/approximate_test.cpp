#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace mercer::test::approximate_test {

/// Clusters of very different sizes: what uniform landmarks see little of.
Matrix<double> clustered(Index n, Index d = 6, unsigned seed = 3) {
  Random random(seed);
  Matrix<double> x = 0.25 * random.normal(n, d);
  const Matrix<double> centres = 3 * random.normal(30, d);
  for (Index i = 0; i < n; ++i) {
    // Half of the rows in the first cluster, a quarter in the second, …, some in each.
    Index c = 0;
    while (c < 29 && random.uniform() < 0.5) ++c;
    x.row(i) += centres.row(i % 20 == 0 ? (i / 20) % 30 : c);
  }
  return x;
}

Matrix<double> cloud(Index n, Index d, unsigned seed = 1) {
  Random random(seed);
  Matrix<double> x = random.normal(n, d);
  for (Index j = 0; j < d; ++j) x.col(j) /= std::sqrt(static_cast<double>(j + 1));
  return x;
}

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

double up_to_sign(const Matrix<double>& a, const Matrix<double>& b) {
  double worst = 0;
  for (Index j = 0; j < a.cols(); ++j)
    worst = std::max(worst, std::min((a.col(j) - b.col(j)).cwiseAbs().maxCoeff(),
                                     (a.col(j) + b.col(j)).cwiseAbs().maxCoeff()));
  return worst;
}

double trace_error(const Model<double>& model) { return model.report().approximation->error; }

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

TEST(Approximate, a_stream_gives_what_memory_gives_however_it_is_cut) {
  const Matrix<double> x = clustered(3000);
  for (const char* text : {"nystrom(landmarks=60)", "nystrom(landmarks=30, by=kmeans)",
                           "nystrom(landmarks=30, by=leverage)", "cholesky(rank=60)",
                           "cholesky(tolerance=0.05)", "fourier(features=64)"}) {
    FitOptions options{.components = 3,
                       .kernel = kernels::rbf({.gamma = 0.05}),
                       .approx = parse_approx(text),
                       .scale = Scale::std};
    const auto whole = fit(x, options);
    options.memory = 40'000'000;  // room for the features' moments, not for a large share of rows
    options.threads = 2;
    for (const Index chunk : {Index{3000}, Index{700}, Index{37}}) {
      ChunkedSource<double> source{Rows<double>(x), chunk};
      const auto streamed = fit(source, options);
      EXPECT_LE((streamed.eigenvalues() - whole.eigenvalues()).cwiseAbs().maxCoeff(),
                1e-9 * whole.eigenvalues()[0])
          << text;
      EXPECT_LE(up_to_sign(streamed.transform(x), whole.transform(x)), 1e-7) << text;
    }
  }
}

TEST(Approximate, any_number_of_threads_gives_the_same_answer) {
  const Matrix<double> x = clustered(1500);
  FitOptions options{.components = 3,
                     .kernel = kernels::rbf({.gamma = 0.05}),
                     .approx = Cholesky{.rank = 50},
                     .threads = 1};
  const auto one = fit(x, options);
  options.threads = 3;
  const auto three = fit(x, options);
  EXPECT_LE((one.eigenvalues() - three.eigenvalues()).cwiseAbs().maxCoeff(),
            1e-10 * one.eigenvalues()[0]);
  EXPECT_EQ(fit(x, options).eigenvalues(), three.eigenvalues());  // bit for bit
}

TEST(Approximate, weights_count_as_repeated_rows) {
  const Matrix<double> x = cloud(60, 3);
  std::vector<double> weights;
  Matrix<double> repeated(0, 3);
  for (Index i = 0; i < x.rows(); ++i) {
    weights.push_back(static_cast<double>(1 + i % 3));
    for (Index r = 0; r <= i % 3; ++r) {
      repeated.conservativeResize(repeated.rows() + 1, 3);
      repeated.row(repeated.rows() - 1) = x.row(i);
    }
  }
  const FitOptions options{
      .components = 4, .kernel = kernels::rbf({.gamma = 0.4}), .approx = Nystrom{.landmarks = 60}};
  const auto weighted = fit(Rows<double>(x), options, weights);
  FitOptions exact = options;
  exact.approx.reset();
  const auto plain = fit(repeated, exact);
  EXPECT_LE((weighted.eigenvalues() - plain.eigenvalues()).cwiseAbs().maxCoeff(),
            1e-8 * plain.eigenvalues()[0]);
  EXPECT_NEAR(weighted.report().total_variance, plain.report().total_variance, 1e-8);
}

TEST(Approximate, sparse_rows_give_what_dense_ones_give) {
  Random random(4);
  Matrix<double> x = random.normal(300, 20);
  for (Index i = 0; i < x.size(); ++i)
    if (random.uniform() < 0.8) x.data()[i] = 0;
  const Csr<double> csr =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
  for (const char* text : {"nystrom(landmarks=50)", "nystrom(landmarks=50, by=kmeans)",
                           "cholesky(rank=50)", "fourier(features=100)"}) {
    const FitOptions options{
        .components = 3, .kernel = kernels::rbf({.gamma = 0.05}), .approx = parse_approx(text)};
    const auto dense = fit(x, options);
    const auto sparse = fit(Rows<double>(csr), options);
    EXPECT_LE((dense.eigenvalues() - sparse.eigenvalues()).cwiseAbs().maxCoeff(),
              1e-9 * dense.eigenvalues()[0])
        << text;
    EXPECT_LE(up_to_sign(dense.transform(x), sparse.transform(Rows<double>(csr))), 1e-8) << text;
  }
}

TEST(Approximate, single_precision_is_near_double) {
  const Matrix<double> x = cloud(800, 6);  // no two rows so near that one is left out
  const Matrix<float> y = x.cast<float>();
  for (const char* text :
       {"nystrom(landmarks=80)", "cholesky(rank=80)", "cholesky", "fourier(features=200)"}) {
    const FitOptions options{
        .components = 4, .kernel = kernels::rbf({.gamma = 0.3}), .approx = parse_approx(text)};
    const auto wide = fit(x, options);
    const auto narrow = fit(y, options);
    // Rows have an error of 1e-7.
    EXPECT_LE((wide.eigenvalues() - narrow.eigenvalues()).cwiseAbs().maxCoeff(),
              1e-4 * wide.eigenvalues()[0])
        << text;
    EXPECT_NEAR(narrow.report().approximation->error, wide.report().approximation->error, 1e-4);
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

TEST(Approximate, batches_that_are_not_kept_give_the_same_model_however_they_are_cut) {
  const Matrix<double> x = clustered(4000);
  const FitOptions options{.components = 3,
                           .kernel = kernels::rbf(),
                           .approx = Cholesky{.rank = 60},
                           .scale = Scale::std};
  const auto model_of = [&](Index batch, Index first) {
    IncrementalKernelPca<double> pca(x.cols(), options, first);
    for (Index i = 0; i < x.rows(); i += batch)
      pca.update(Rows<double>(x).middle(i, std::min(batch, x.rows() - i)));
    EXPECT_EQ(pca.rows(), 4000);
    EXPECT_EQ(pca.fixed(), first <= 4000);
    return pca.model();
  };
  const auto whole = model_of(4000, 1000);
  for (const Index batch : {Index{1000}, Index{333}, Index{7}}) {
    const auto cut = model_of(batch, 1000);
    EXPECT_LE((cut.eigenvalues() - whole.eigenvalues()).cwiseAbs().maxCoeff(),
              1e-10 * whole.eigenvalues()[0]);
    EXPECT_LE((cut.transform(x) - whole.transform(x)).cwiseAbs().maxCoeff(), 1e-8);
  }
  // The error bar is that of all rows: by the definition, with the landmarks it has.
  const Kernel kernel = Kernel::parse(whole.map().kernel());
  const Matrix<double> z = (x.rowwise() - whole.input_mean().transpose()).array().rowwise() /
                           whole.scale().transpose().array();
  const Matrix<double> landmarks = whole.map().anchors().dense();
  const Matrix<double> c = kernel.matrix(Rows<double>(z), Rows<double>(landmarks));
  const Eigen::MatrixXd w = kernel.matrix(Rows<double>(landmarks));
  const Matrix<double> half =
      w.completeOrthogonalDecomposition().solve(Eigen::MatrixXd(c.transpose()));
  const double explained = (c.array() * half.transpose().array()).sum();
  EXPECT_NEAR(trace_error(whole), 1 - explained / 4000, 1e-8);
  // As long as all rows are kept it is what `fit` finds.
  EXPECT_EQ(model_of(500, 5000).eigenvalues(), fit(x, options).eigenvalues());
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

/// γ = 1/median of the squared distances of all pairs of rows that differ, repeated as told.
double gamma_of(const Matrix<double>& x, const std::vector<int>& times) {
  std::vector<double> distances;
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < i; ++j) {
      const double z = (x.row(i) - x.row(j)).squaredNorm();
      const int pairs = times[static_cast<std::size_t>(i)] * times[static_cast<std::size_t>(j)];
      for (int p = 0; p < pairs && z > 0; ++p) distances.push_back(z);
    }
  std::sort(distances.begin(), distances.end());
  return 1 / distances[distances.size() / 2];
}

TEST(Approximate, M_P7_an_open_width_counts_rows_as_often_as_their_weights_say) {
  // Rows of weight 0 lie far away, and those of weight 3 close to each other.
  test::Random random(31);
  Matrix<double> x = random.normal(80, 2);
  std::vector<double> weights(80, 1);
  std::vector<int> times(80, 1);
  for (std::size_t i = 0; i < 80; ++i) {
    if (i % 4 == 0) x.row(static_cast<Index>(i)) *= 1e3;
    if (i % 4 == 1) x.row(static_cast<Index>(i)) *= 0.01;
    times[i] = i % 4 == 0 ? 0 : i % 4 == 1 ? 3 : 1;
    weights[i] = times[i];
  }
  const double gamma = gamma_of(x, times);
  const auto expect_gamma = [&](const Model<double>& model, const char* what) {
    const std::string kernel = model.map().kernel();
    EXPECT_NEAR(std::stod(kernel.substr(kernel.find('=') + 1)), gamma, 1e-12 * gamma) << what;
  };
  for (const char* approx : {"none", "cholesky(rank=9)", "nystrom(landmarks=20)"}) {
    FitOptions options{.components = 2, .kernel = kernels::rbf()};
    if (std::string(approx) != "none") options.approx = parse_approx(approx);
    expect_gamma(fit(Rows<double>(x), options, weights), approx);
    ChunkedSource<double> source(Rows<double>(x), 7, weights);
    options.memory = 30'000'000;
    expect_gamma(fit(source, options), approx);
  }
  for (const Index landmarks : {0, 30}) {
    LearnOptions options;
    options.learner.components = 1;
    options.kernel = kernels::rbf();
    options.landmarks = landmarks;
    options.epochs = 2;
    expect_gamma(learn(Rows<double>(x), options, weights).model, "learn");
  }
}

TEST(Approximate, M_P7_a_width_of_many_weighted_rows_is_that_of_repeated_ones) {
  test::Random random(32);
  const Matrix<double> x = random.normal(700, 2);
  std::vector<double> weights;
  std::vector<Index> repeated;
  for (Index i = 0; i < 700; ++i) {
    weights.push_back(static_cast<double>(i % 5));
    for (Index p = 0; p < i % 5; ++p) repeated.push_back(i);
  }
  Matrix<double> long_rows(static_cast<Index>(repeated.size()), 2);
  for (std::size_t i = 0; i < repeated.size(); ++i)
    long_rows.row(static_cast<Index>(i)) = x.row(repeated[i]);
  for (const bool approximate : {false, true}) {
    FitOptions options{.components = 1, .kernel = kernels::rbf()};
    if (approximate) options.approx = Cholesky{.rank = 5};
    EXPECT_EQ(fit(Rows<double>(x), options, weights).map().kernel(),
              fit(long_rows, options).map().kernel());
  }
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

TEST(Approximate, a_stream_of_extreme_weights_gives_the_model_of_ordinary_ones) {
  const Matrix<double> x = cloud(3000, 4);
  FitOptions options{.components = 3,
                     .kernel = kernels::rbf({.gamma = 0.5}),
                     .approx = Nystrom{.landmarks = 30},
                     .ddof = 0};
  const auto model = [&](double weight) {
    IncrementalKernelPca<double> pca(4, options, 1000);
    for (Index i = 0; i < 3000; i += 500) {
      std::vector<double> weights;
      for (Index j = i; j < i + 500; ++j)
        weights.push_back(weight * static_cast<double>(1 + j % 2));
      pca.update(Rows<double>(x).middle(i, 500), weights);
    }
    return pca.model();
  };
  const auto streamed = [&](double weight) {
    std::vector<double> weights;
    for (Index j = 0; j < 3000; ++j) weights.push_back(weight * static_cast<double>(1 + j % 2));
    ChunkedSource<double> source(Rows<double>(x), 700, weights);
    FitOptions small = options;
    small.memory = 30'000'000;
    return fit(source, small);
  };
  const auto ordinary = model(1), of_source = streamed(1);
  for (const int exponent : {-700, 700}) {
    const auto large = streamed(std::ldexp(1.0, exponent));
    EXPECT_LT((large.eigenvalues() * std::ldexp(1.0, -exponent) - of_source.eigenvalues())
                  .cwiseAbs()
                  .maxCoeff(),
              1e-12 * of_source.eigenvalues()[0]);
    const auto extreme = model(std::ldexp(1.0, exponent));
    EXPECT_LT((extreme.eigenvalues() * std::ldexp(1.0, -exponent) - ordinary.eigenvalues())
                  .cwiseAbs()
                  .maxCoeff(),
              1e-12 * ordinary.eigenvalues()[0]);
    EXPECT_EQ(extreme.report().weight, std::ldexp(ordinary.report().weight, exponent));
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
