#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/SparseCore>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace mercer::test::kernel_pca_test {

/// Kernel PCA by its definition: all of JKJ, a dense eigensolver, no tricks.
struct Reference {
  Vector<double> eigenvalues;  // descending
  Matrix<double> scores;       // N×N, columns
  double trace;
};

Reference reference(const Matrix<double>& k, bool center = true) {
  const Index n = k.rows();
  Matrix<double> a = k;
  if (center) {
    const Matrix<double> j = Matrix<double>::Identity(n, n) -
                             Matrix<double>::Constant(n, n, 1.0 / static_cast<double>(n));
    a = j * k * j;
  }
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(a);
  Reference out;
  out.eigenvalues = solver.eigenvalues().reverse();
  out.scores = solver.eigenvectors().rowwise().reverse();
  for (Index j = 0; j < n; ++j) out.scores.col(j) *= std::sqrt(std::max(0.0, out.eigenvalues[j]));
  out.trace = a.trace();
  return out;
}

Matrix<double> rbf_matrix(const Matrix<double>& x, double gamma) {
  Matrix<double> k(x.rows(), x.rows());
  for (Index i = 0; i < x.rows(); ++i)
    for (Index j = 0; j < x.rows(); ++j)
      k(i, j) = std::exp(-gamma * (x.row(i) - x.row(j)).squaredNorm());
  return k;
}

/// Largest difference of columns that may differ in sign.
double up_to_sign(const Matrix<double>& a, const Matrix<double>& b) {
  double worst = 0;
  for (Index j = 0; j < a.cols(); ++j)
    worst = std::max(worst, std::min((a.col(j) - b.col(j)).cwiseAbs().maxCoeff(),
                                     (a.col(j) + b.col(j)).cwiseAbs().maxCoeff()));
  return worst;
}

Matrix<double> cloud(Index n, Index d, unsigned seed = 1) {
  Random random(seed);
  Matrix<double> x = random.normal(n, d);
  for (Index j = 0; j < d; ++j) x.col(j) /= std::sqrt(static_cast<double>(j + 1));
  return x;
}

Matrix<double> rings(Index n, unsigned seed = 5) {
  Random random(seed);
  Matrix<double> x(n, 2);
  for (Index i = 0; i < n; ++i) {
    const double angle = 6.283185307179586 * random.uniform();
    const double radius = (i % 2 == 0 ? 1.0 : 3.0) + 0.1 * random.normal();
    x.row(i) << radius * std::cos(angle), radius * std::sin(angle);
  }
  return x;
}

TEST(KernelPca, M_D1_axes_have_unit_norm_in_feature_space) {
  const Matrix<double> x = cloud(120, 4);
  const Matrix<double> k = rbf_matrix(x, 0.3);
  for (const Solver solver : {Solver::dense, Solver::krylov}) {
    const auto model =
        fit(x, {.components = 8, .kernel = kernels::rbf({.gamma = 0.3}), .solver = solver});
    // ‖Σ b_i φ̃(x_i)‖² = bᵀ JKJ b, and α = b has αᵀα = 1/μ.
    const Matrix<double> b = model.components();
    const Matrix<double> gram = b * k * b.transpose();
    EXPECT_LT((gram - Matrix<double>::Identity(8, 8)).norm(), 1e-9);
    for (Index j = 0; j < 8; ++j)
      EXPECT_NEAR(b.row(j).squaredNorm() * model.eigenvalues()[j], 1, 1e-9);
  }
}

TEST(KernelPca, M_D2_training_scores_and_eigenvalues_are_those_of_the_definition) {
  const Matrix<double> x = cloud(300, 6);
  const Reference want = reference(rbf_matrix(x, 0.2));
  for (const Solver solver : {Solver::dense, Solver::krylov, Solver::automatic}) {
    const auto model =
        fit(x, {.components = 10, .kernel = kernels::rbf({.gamma = 0.2}), .solver = solver});
    EXPECT_LT((model.eigenvalues() - want.eigenvalues.head(10)).cwiseAbs().maxCoeff(),
              1e-9 * want.eigenvalues[0]);
    EXPECT_LT(up_to_sign(model.transform(x), want.scores.leftCols(10)),
              1e-7 * want.scores.cwiseAbs().maxCoeff());
    EXPECT_NEAR(model.report().total_variance, want.trace / 299, 1e-10 * want.trace);
    for (const double residual : model.report().solver.residuals)
      EXPECT_LE(residual, model.report().solver.tolerance);
    EXPECT_TRUE(model.report().solver.converged);
  }
}

TEST(KernelPca, M_D2_scores_of_a_map_are_those_of_its_kernel) {
  const Matrix<double> x = cloud(80, 3, 7);
  struct Pair {
    std::shared_ptr<const Map<double>> map;
    Kernel kernel;
  };
  const Pair pairs[] = {{monomial_map<double>(3, 2), pow(kernels::linear(), 2)},
                        {polynomial_map<double>(3, 3), kernels::poly({.degree = 3, .coef0 = 1})}};
  for (const Pair& pair : pairs) {
    const auto by_map = fit(x, pair.map);
    const auto by_kernel = fit(x, {.kernel = pair.kernel});
    // The rank is that of the map, without the constant: nothing is invented from rounding.
    ASSERT_EQ(by_kernel.outputs(), by_map.outputs());
    const Index k = by_map.outputs();
    EXPECT_EQ(k, pair.map->features() - (pair.map->text() == "polynomial(degree=3)" ? 1 : 0));
    EXPECT_LT((by_map.eigenvalues() - by_kernel.eigenvalues()).cwiseAbs().maxCoeff(),
              1e-10 * by_map.eigenvalues()[0]);
    const Matrix<double> a = by_map.transform(x), b = by_kernel.transform(x);
    EXPECT_LT(up_to_sign(a.leftCols(5), b.leftCols(5)), 1e-10 * a.cwiseAbs().maxCoeff());
  }
}

TEST(KernelPca, M_B1_the_quick_way_and_the_svd_give_the_same_scores) {
  const Matrix<double> x = cloud(20, 3, 8);  // 20 rows, 35 features: the Gram matrix is quick
  const auto quick =
      fit(x, polynomial_map<double>(3, 4), {.components = 6, .solver = Solver::gram});
  const auto svd = fit(x, polynomial_map<double>(3, 4), {.components = 6, .solver = Solver::svd});
  EXPECT_LT((quick.transform(x) - svd.transform(x)).cwiseAbs().maxCoeff(),
            1e-9 * svd.transform(x).cwiseAbs().maxCoeff());
}

TEST(KernelPca, M_B4_a_circle_becomes_a_line_under_squares) {
  Matrix<double> x(60, 2);
  for (Index i = 0; i < 60; ++i)
    x.row(i) << std::cos(static_cast<double>(i)), std::sin(static_cast<double>(i));
  const auto model = fit(x, squares_map<double>(2), {.components = 1});
  EXPECT_NEAR(model.explained_variance()[0], model.report().total_variance, 1e-12);
}

TEST(KernelPca, M_B5_conics_become_planes_under_monomials_of_degree_two) {
  Random random(9);
  Matrix<double> x(200, 2);
  for (Index i = 0; i < 200; ++i) {
    const double t = 6.283185307179586 * random.uniform();
    x.row(i) << 3 * std::cos(t) + std::sin(t), 0.5 * std::sin(t);  // an ellipse, tilted
  }
  const auto model = fit(x, monomial_map<double>(2, 2));
  EXPECT_EQ(model.outputs(), 2);  // of three: the smallest eigenvalue is rounding
}

TEST(KernelPca, M_D3_training_points_sent_through_as_new_get_their_training_scores) {
  const Matrix<double> x = cloud(150, 3, 3), fresh = cloud(40, 3, 4);
  const auto model = fit(x, {.components = 5, .kernel = kernels::rbf({.gamma = 0.5})});
  const Reference want = reference(rbf_matrix(x, 0.5));
  EXPECT_LT(up_to_sign(model.transform(x), want.scores.leftCols(5)), 1e-8);
  // New points by the definition: ⟨φ(x) − φ̄, v_j⟩ with everything written out.
  const Matrix<double> scores = model.transform(fresh), b = model.components();
  const Matrix<double> k = rbf_matrix(x, 0.5);
  for (Index i = 0; i < fresh.rows(); ++i) {
    Vector<double> similar(150);
    for (Index r = 0; r < 150; ++r)
      similar[r] = std::exp(-0.5 * (fresh.row(i) - x.row(r)).squaredNorm());
    const double own = similar.mean(), all = k.mean();
    for (Index j = 0; j < 5; ++j) {
      double y = 0;
      for (Index r = 0; r < 150; ++r) y += b(j, r) * (similar[r] - own - k.row(r).mean() + all);
      EXPECT_NEAR(scores(i, j), y, 1e-11);
    }
  }
}

TEST(KernelPca, M_D4_uncentred_and_more_components_than_columns) {
  const Matrix<double> x = cloud(100, 2, 6);
  const Reference want = reference(rbf_matrix(x, 1.0), false);
  const auto model =
      fit(x, {.components = 9, .kernel = kernels::rbf({.gamma = 1}), .center = false});
  EXPECT_LT((model.eigenvalues() - want.eigenvalues.head(9)).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT(up_to_sign(model.transform(x), want.scores.leftCols(9)), 1e-8);
  EXPECT_GT(model.outputs(), model.inputs());
}

TEST(KernelPca, M_D5_eigenvalues_and_variances_are_both_reported) {
  const Matrix<double> x = cloud(100, 2, 6);
  for (const int ddof : {0, 1}) {
    const auto model =
        fit(x, {.components = 3, .kernel = kernels::rbf({.gamma = 1}), .ddof = ddof});
    EXPECT_LT((model.explained_variance() * (100 - ddof) - model.eigenvalues()).norm(), 1e-12);
    // The variance of a score is the variance of its direction.
    const Matrix<double> scores = model.transform(x);
    for (Index j = 0; j < 3; ++j)
      EXPECT_NEAR(scores.col(j).squaredNorm() / (100 - ddof), model.explained_variance()[j], 1e-10);
  }
}

TEST(KernelPca, M_D6_linear_kernel_is_linear_pca) {
  const Matrix<double> x = cloud(90, 5, 11);
  const auto linear = fit(x);
  for (const Solver solver : {Solver::dense, Solver::krylov}) {
    const auto kernel = fit(x, {.kernel = kernels::linear(), .solver = solver});
    ASSERT_EQ(kernel.outputs(), 5);
    EXPECT_LT((kernel.eigenvalues() - linear.eigenvalues()).cwiseAbs().maxCoeff(),
              1e-10 * linear.eigenvalues()[0]);
    EXPECT_LT(up_to_sign(kernel.transform(x), linear.transform(x)), 1e-8);
    EXPECT_NEAR(kernel.report().total_variance, linear.report().total_variance, 1e-10);
  }
}

TEST(KernelPca, M_D7_two_rings_are_separated_by_a_line_in_two_scores) {
  const Matrix<double> x = rings(300);
  const auto separable = [&](const Matrix<double>& y) {
    // A perceptron ends exactly when a line separates.
    Eigen::Vector3d w = Eigen::Vector3d::Zero();
    for (int epoch = 0; epoch < 1000; ++epoch) {
      Index wrong = 0;
      for (Index i = 0; i < y.rows(); ++i) {
        const Eigen::Vector3d z(y(i, 0), y(i, 1), 0.3);
        const double side = i % 2 == 0 ? 1 : -1;
        if (side * w.dot(z) <= 0) {
          w += side * z;
          ++wrong;
        }
      }
      if (wrong == 0) return true;
    }
    return false;
  };
  EXPECT_FALSE(separable(x));
  EXPECT_FALSE(separable(fit(x, {.components = 2}).transform(x)));
  EXPECT_TRUE(
      separable(fit(x, {.components = 2, .kernel = kernels::rbf({.gamma = 0.3})}).transform(x)));
}

TEST(KernelPca, M_C4_a_precomputed_matrix_gives_the_scores_of_the_data) {
  const Matrix<double> x = cloud(130, 3, 12), fresh = cloud(30, 3, 13);
  const Kernel kernel = kernels::laplacian({.gamma = 0.4});
  const auto from_data = fit(x, {.components = 4, .kernel = kernel});
  const Matrix<double> k = kernel.matrix(Rows<double>(x));
  const auto from_matrix = fit(k, {.components = 4, .precomputed = true});
  EXPECT_LT((from_data.transform(x) - from_matrix.transform(k)).cwiseAbs().maxCoeff(), 1e-9);
  const Matrix<double> block = kernel.matrix(Rows<double>(fresh), Rows<double>(x));
  EXPECT_LT((from_data.transform(fresh) - from_matrix.transform(block)).cwiseAbs().maxCoeff(),
            1e-9);
  EXPECT_THROW(from_matrix.transform(block.leftCols(100).eval()), Error);
}

TEST(KernelPca, components_by_fraction_of_the_exact_trace) {
  const Matrix<double> x = cloud(400, 3, 14);
  const Reference want = reference(rbf_matrix(x, 0.3));
  for (const Solver solver : {Solver::dense, Solver::krylov}) {
    const auto model = fit(x, {.components = variance_fraction(0.97),
                               .kernel = kernels::rbf({.gamma = 0.3}),
                               .solver = solver});
    const Index k = model.outputs();
    EXPECT_GE(want.eigenvalues.head(k).sum(), 0.97 * want.trace * (1 - 1e-9));
    EXPECT_LT(want.eigenvalues.head(k - 1).sum(), 0.97 * want.trace);
    EXPECT_NEAR(model.explained_variance_ratio().sum(), want.eigenvalues.head(k).sum() / want.trace,
                1e-9);
  }
}

TEST(KernelPca, weights_are_repetitions) {
  const Matrix<double> x = cloud(60, 3, 15);
  Vector<double> weights(60);
  Matrix<double> repeated(120, 3);
  Index at = 0;
  for (Index i = 0; i < 60; ++i) {
    weights[i] = static_cast<double>(i % 3) + 1;
    for (Index r = 0; r <= i % 3; ++r) repeated.row(at++) = x.row(i);
  }
  ASSERT_EQ(at, 120);
  for (const Solver solver : {Solver::dense, Solver::krylov}) {
    const FitOptions options{
        .components = 4, .kernel = kernels::rbf({.gamma = 0.3}), .solver = solver};
    const auto a = fit(Rows<double>(x), options, weights);
    const auto b = fit(repeated, options);
    EXPECT_LT((a.eigenvalues() - b.eigenvalues()).cwiseAbs().maxCoeff(), 1e-9);
    EXPECT_LT(up_to_sign(a.transform(x), b.transform(x)), 1e-8);
    EXPECT_NEAR(a.report().total_variance, b.report().total_variance, 1e-10);
  }
}

TEST(KernelPca, the_scale_of_weights_is_that_of_the_eigenvalues_and_of_nothing_else) {
  const Matrix<double> x = cloud(60, 3, 15);
  Vector<double> weights(60);
  for (Index i = 0; i < 60; ++i) weights[i] = static_cast<double>(i % 3) + 1;
  const auto narrow = kernels::rbf({.gamma = 0.3});
  std::vector<FitOptions> all(9, FitOptions{.components = 3, .kernel = narrow, .ddof = 0});
  all[0].kernel.reset();  // linear PCA
  all[1].solver = Solver::dense;
  all[2].solver = Solver::krylov;
  all[3].scale = Scale::std;
  all[4].kernel = kernels::rbf();  // of a width that is chosen by the weights
  all[5].approx = Nystrom{.landmarks = 20};
  all[6].approx = Nystrom{.landmarks = 20, .by = LandmarkChoice::leverage};
  all[7].approx = Cholesky{.rank = 20};
  all[8].approx = Fourier{.features = 50};
  for (std::size_t c = 0; c < all.size(); ++c)
    for (const int exponent : {-700, -300, 300, 700, 1000}) {
      SCOPED_TRACE(std::to_string(c) + ": 2^" + std::to_string(exponent));
      const auto a = fit(Rows<double>(x), all[c], weights);
      const Vector<double> scaled = weights * std::ldexp(1.0, exponent);
      const auto b = fit(Rows<double>(x), all[c], scaled);
      const Vector<double> back = b.eigenvalues() * std::ldexp(1.0, -exponent);
      EXPECT_LT((back - a.eigenvalues()).cwiseAbs().maxCoeff(), 1e-12 * a.eigenvalues()[0]);
      EXPECT_LT(up_to_sign(a.transform(x), b.transform(x)), 1e-8);
      EXPECT_NEAR(a.report().total_variance, b.report().total_variance,
                  1e-12 * a.report().total_variance);
      EXPECT_NEAR(a.explained_variance()[0], b.explained_variance()[0],
                  1e-12 * a.explained_variance()[0]);
      EXPECT_EQ(b.report().weight, scaled.sum());
      const Certificate &narrower = a.report().certificate, &found = b.report().certificate;
      for (std::size_t j = 0; j < 3; ++j) {
        EXPECT_LE(found.low[j], b.eigenvalues()[static_cast<Index>(j)]);
        EXPECT_GE(found.high[j], b.eigenvalues()[static_cast<Index>(j)]);
        EXPECT_NEAR(std::ldexp(found.high[j], -exponent), narrower.high[j],
                    1e-9 * a.eigenvalues()[0]);
      }
    }
}

TEST(KernelPca, weights_whose_sum_or_eigenvalues_overflow_are_refused) {
  const Matrix<double> x = cloud(60, 3, 15);
  const auto refused = [&](const FitOptions& options, double weight) {
    return test::refusal([&] { fit(Rows<double>(x), options, std::vector<double>(60, weight)); },
                         Errc::bad_data);
  };
  FitOptions options{.components = 2};
  EXPECT_TRUE(test::has(refused(options, 1e307), "weights add up to more than 1.8e+308"));
  EXPECT_TRUE(test::has(refused(options, 1e-300), "weights add up to 6e-299"));
  options.kernel = kernels::rbf({.gamma = 0.3});
  EXPECT_TRUE(test::has(refused(options, 1e307), "weights add up to more than 1.8e+308"));
  EXPECT_TRUE(test::has(refused(options, 1e-300), "weights add up to 6e-299"));
  options.kernel = Kernel::parse("1e100*rbf(gamma=0.3)");
  EXPECT_TRUE(test::has(refused(options, 1e220), "and the eigenvalues to more than 1.8e+308"));
  options.approx = Nystrom{.landmarks = 20};
  EXPECT_TRUE(test::has(refused(options, 1e220), "and the eigenvalues to more than 1.8e+308"));
}

TEST(KernelPca, z_scores_and_missing_cells_come_before_the_kernel) {
  Matrix<double> x = cloud(80, 3, 16);
  x.col(1) *= 100;
  x(3, 1) = std::nan("");
  Matrix<double> z = x;
  z(3, 1) = 0;
  double sum = 0;
  for (Index i = 0; i < 80; ++i)
    if (i != 3) sum += x(i, 1);
  z(3, 1) = sum / 79;
  z.rowwise() -= z.colwise().mean().eval();
  z.array().rowwise() /= (z.colwise().norm() / std::sqrt(79.0)).array();
  const FitOptions options{.components = 3, .kernel = kernels::rbf({.gamma = 0.2})};
  FitOptions with = options;
  with.scale = Scale::std;
  with.missing = Missing::mean;
  const auto a = fit(x, with), b = fit(z, options);
  EXPECT_LT((a.eigenvalues() - b.eigenvalues()).cwiseAbs().maxCoeff(), 1e-10);
  EXPECT_LT((a.transform(x, {.missing = Missing::mean}) - b.transform(z)).cwiseAbs().maxCoeff(),
            1e-9);
  const auto mapped = fit(x, polynomial_map<double>(3, 2),
                          {.components = 3, .scale = Scale::std, .missing = Missing::mean});
  const auto plain = fit(z, polynomial_map<double>(3, 2), {.components = 3});
  EXPECT_LT((mapped.eigenvalues() - plain.eigenvalues()).cwiseAbs().maxCoeff(),
            1e-10 * plain.eigenvalues()[0]);
}

TEST(KernelPca, sparse_rows_give_the_model_of_dense_ones) {
  Matrix<double> x = cloud(70, 12, 17);
  x = (x.array() > 0.1).select(x, 0.0);
  const Csr<double> sparse = Csr<double>::from(
      Eigen::SparseMatrix<double, Eigen::RowMajor>(Eigen::MatrixXd(x).sparseView()));
  for (const char* text : {"rbf(gamma=0.5)", "poly(degree=2)", "laplacian(gamma=0.3)"}) {
    const FitOptions options{.components = 4, .kernel = Kernel::parse(text)};
    const auto a = fit(x, options);
    const auto b = fit(Rows<double>(sparse), options);
    EXPECT_LT((a.eigenvalues() - b.eigenvalues()).cwiseAbs().maxCoeff(),
              1e-10 * a.eigenvalues()[0]);
    EXPECT_LT((a.transform(x) - b.transform(Rows<double>(sparse))).cwiseAbs().maxCoeff(), 1e-8)
        << text;
  }
}

TEST(KernelPca, float_rows_find_the_rank_and_come_near) {
  const Matrix<double> x = cloud(500, 3, 18);
  const auto fine = fit(x, {.components = 5, .kernel = kernels::rbf({.gamma = 0.5})});
  const Matrix<float> coarse_rows = x.cast<float>();
  for (const Solver solver : {Solver::dense, Solver::krylov}) {
    const auto coarse = fit(
        coarse_rows, {.components = 5, .kernel = kernels::rbf({.gamma = 0.5}), .solver = solver});
    EXPECT_LT((fine.eigenvalues() - coarse.eigenvalues()).cwiseAbs().maxCoeff(),
              1e-5 * fine.eigenvalues()[0]);
    // Three columns have three components, in float too.
    EXPECT_EQ(fit(coarse_rows, {.kernel = kernels::linear(), .solver = solver}).outputs(), 3);
  }
}

TEST(KernelPca, residuals_of_a_float_matrix_are_those_of_the_matrix_as_it_is) {
  const Matrix<float> k = rbf_matrix(cloud(300, 3, 23), 0.4).cast<float>();
  const auto model =
      fit(k, {.components = 6, .precomputed = true, .solver = Solver::krylov, .tolerance = 1e-10});
  const Reference truth = reference(k.cast<double>());
  for (Index i = 0; i < 6; ++i) {
    EXPECT_LE(model.report().solver.residuals[static_cast<std::size_t>(i)], 1e-10);
    EXPECT_NEAR(model.eigenvalues()[i], truth.eigenvalues[i], 1e-10 * truth.eigenvalues[0]);
  }
}

TEST(KernelPca, the_answer_is_the_same_for_one_and_two_threads) {
  const Matrix<double> x = cloud(600, 4, 19);
  FitOptions options{.components = 6,
                     .kernel = kernels::rbf({.gamma = 0.3}),
                     .solver = Solver::krylov,
                     .threads = 1};
  const auto one = fit(x, options);
  options.threads = 2;
  const auto two = fit(x, options), again = fit(x, options);
  EXPECT_LT((one.eigenvalues() - two.eigenvalues()).cwiseAbs().maxCoeff(),
            1e-10 * one.eigenvalues()[0]);
  EXPECT_LT((one.transform(x) - two.transform(x)).cwiseAbs().maxCoeff(), 1e-7);
  EXPECT_EQ(two.components(), again.components());  // bit by bit
}

TEST(KernelPca, M_D2_eigenvectors_hold_the_scores_of_the_rows) {
  const Matrix<double> x = cloud(80, 3, 23);
  for (const bool center : {true, false}) {
    FitOptions options{.components = 4, .kernel = kernels::rbf({.gamma = 0.3}), .center = center};
    const auto model = fit(x, options);
    EXPECT_LT((model.training_scores() - model.transform(x)).cwiseAbs().maxCoeff(), 1e-9);
    const Matrix<float> y = x.cast<float>();
    const auto in_float = fit(y, options);
    EXPECT_LT((in_float.training_scores() - in_float.transform(y)).cwiseAbs().maxCoeff(), 1e-4F);

    const std::vector<double> weights(80, 2.0);
    EXPECT_EQ(fit(Rows<double>(x), options, weights).training_scores().size(), 0);
    options.approx = Cholesky{.rank = 20};
    EXPECT_EQ(fit(x, options).training_scores().size(), 0);
  }
  EXPECT_EQ(fit(x, {.components = 2}).training_scores().size(), 0);
}

TEST(KernelPca, a_small_budget_gives_the_same_answer) {
  const Matrix<double> x = cloud(3000, 4, 20);  // 36 MB of tiles
  FitOptions options{
      .components = 5, .kernel = kernels::rbf({.gamma = 0.3}), .solver = Solver::krylov};
  const auto all = fit(x, options);
  options.memory = 40 << 20;
  options.threads = 2;  // each takes room of its own
  const auto some = fit(x, options);
  EXPECT_NE(some.report().solver.why.find("recomputed on every pass"), std::string::npos);
  EXPECT_LT((all.eigenvalues() - some.eigenvalues()).cwiseAbs().maxCoeff(),
            1e-9 * all.eigenvalues()[0]);
}

TEST(KernelPca, rounded_tiles_are_certified_against_the_matrix_itself) {
  const Matrix<double> x = cloud(3000, 4, 21);  // 38 MB of tiles, 19 in 32 bits
  FitOptions options{
      .components = 5, .kernel = kernels::rbf({.gamma = 0.3}), .solver = Solver::krylov};
  const auto exact = fit(x, options);
  EXPECT_EQ(exact.report().solver.why.find("32 bits"), std::string::npos);
  options.memory = 40 << 20;
  options.threads = 2;
  for (const double tolerance : {1e-6, 1e-10}) {  // by the bound; by one more pass
    options.tolerance = tolerance;
    const auto rounded = fit(x, options);
    EXPECT_NE(rounded.report().solver.why.find("32 bits"), std::string::npos);
    for (Index i = 0; i < 5; ++i) {
      const double residual = rounded.report().solver.residuals[static_cast<std::size_t>(i)];
      EXPECT_LE(residual, tolerance);
      // An eigenvalue lies within the residual, and these are well apart.
      EXPECT_NEAR(rounded.eigenvalues()[i], exact.eigenvalues()[i],
                  (residual + 1e-12) * exact.eigenvalues()[0]);
    }
  }
}

TEST(KernelPca, eigenvalues_below_the_rounding_of_tiles_are_found_without_it) {
  // Two directions of variance 1 and 1e-10: the second drowns in 32 bits.
  Matrix<double> x = cloud(3000, 2, 22);
  x.col(1) *= 1e-5;
  FitOptions options{.components = 2,
                     .kernel = kernels::linear(),
                     .solver = Solver::krylov,
                     .tolerance = 1e-5,
                     .memory = 40 << 20,
                     .threads = 2};
  const auto model = fit(x, options);
  const auto plain = fit(x, {.components = 2});
  EXPECT_EQ(model.report().solver.why.find("32 bits"), std::string::npos);
  EXPECT_NEAR(model.eigenvalues()[1], plain.eigenvalues()[1], 1e-5 * plain.eigenvalues()[1]);
}

}  // namespace mercer::test::kernel_pca_test
