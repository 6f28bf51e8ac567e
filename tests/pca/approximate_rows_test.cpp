// Rows that come as a stream, in parts, sparse, weighted or in single precision: the same model.
#include "pca/approximate_support.hpp"
#include "support/chunked_source.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/QR>
#include <Eigen/SparseCore>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace mercer::test::approximate_rows_test {

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

}  // namespace mercer::test::approximate_rows_test
