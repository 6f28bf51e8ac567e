// Kernel PCA of rows whose kernel matrix loses its digits when it is formed or centred carelessly.
// References: the centred matrix from differences, and its eigenvalues, all in long double.
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/error.hpp>
#include <mercer/fit.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/SparseCore>

#include <cmath>
#include <functional>

namespace mercer::hostile_kernels_test {

using test::Random;
using Real = long double;
using RealMatrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;
using Pair = std::function<Real(const RealMatrix& x, Index i, Index j)>;

Pair inner() {
  return [](const RealMatrix& x, Index i, Index j) { return x.row(i).dot(x.row(j)); };
}
/// e^(−γ‖x−y‖²) − 1: the constant is what centring removes.
Pair fallen_rbf(Real gamma) {
  return [gamma](const RealMatrix& x, Index i, Index j) {
    return std::expm1(-gamma * (x.row(i) - x.row(j)).squaredNorm());
  };
}

/// Eigenvalues of the centred matrix, descending. Rows are moved to their mean first where `k` may
/// be had of moved rows.
template <class T>
Vector<double> centred_eigenvalues(const Matrix<T>& rows, const Pair& k, bool move) {
  RealMatrix x = rows.template cast<Real>();
  if (move) x.rowwise() -= x.colwise().mean().eval();
  const Index n = x.rows();
  RealMatrix a(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) a(i, j) = k(x, i, j);
  const Eigen::Matrix<Real, 1, Eigen::Dynamic> means = a.colwise().mean();
  const Real overall = means.mean();
  a.rowwise() -= means;
  a.colwise() -= (means.array() - overall).matrix().transpose().eval();
  const Eigen::SelfAdjointEigenSolver<RealMatrix> all(a, Eigen::EigenvaluesOnly);
  return all.eigenvalues().reverse().template cast<double>();
}

/// The model's eigenvalues are those of the reference, and rows sent through as new get the scores
/// whose squares add up to them.
template <class T>
void expect_true(const Matrix<T>& x, const Rows<T>& rows, const Kernel& kernel,
                 const Vector<double>& truth, Index k, double tolerance, double score_tolerance) {
  FitOptions options{.components = k, .kernel = kernel};
  if (sizeof(T) == sizeof(float)) options.tolerance = 1e-5;
  const Model<T> model = fit(rows, options);
  for (Index j = 0; j < k; ++j)
    EXPECT_NEAR(model.eigenvalues()[j], truth[j], tolerance * truth[0]) << kernel.text() << j;
  const Matrix<double> scores = model.transform(x).template cast<double>();
  for (Index j = 0; j < k; ++j) {
    EXPECT_NEAR(scores.col(j).squaredNorm(), truth[j], score_tolerance * truth[0])
        << kernel.text() << j;
    EXPECT_NEAR(scores.col(j).sum(), 0, score_tolerance * std::sqrt(truth[0]) * 10);
  }
}

template <class T>
Matrix<T> clusters(Index n, Index d, double far) {
  Random random(41);
  Matrix<double> x = random.normal(n, d);
  for (Index i = 0; i < n; ++i) x.row(i).array() += i % 2 == 0 ? far : -far;
  return x.cast<T>();
}

TEST(HostileKernels, M_P1_two_clusters_far_apart) {
  const Kernel kernel = kernels::rbf({.gamma = 0.5});
  const Matrix<double> x = clusters<double>(80, 2, 1e8);
  const Vector<double> truth = centred_eigenvalues(x, fallen_rbf(0.5L), false);
  expect_true<double>(x, Rows<double>(x), kernel, truth, 4, 1e-12, 1e-11);
  const auto sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
  expect_true<double>(x, Rows<double>(sparse), kernel, truth, 4, 1e-12, 1e-11);
  const Matrix<float> f = clusters<float>(80, 2, 1e4);
  expect_true<float>(f, Rows<float>(f), kernel, centred_eigenvalues(f, fallen_rbf(0.5L), false), 4,
                     1e-6, 1e-5);
}

TEST(HostileKernels, M_P1_a_far_mean_costs_the_linear_kernel_nothing) {
  Random random(42);
  const Matrix<double> near = random.normal(60, 3) * Vector<double>{{3, 2, 1}}.asDiagonal();
  for (const double mean : {1e4, 1e7, 1e12}) {
    const Matrix<double> x = (near.array() + mean).matrix();
    const Vector<double> truth = centred_eigenvalues(x, inner(), true);
    expect_true<double>(x, Rows<double>(x), kernels::linear(), truth, 3, 1e-12, 1e-11);
    expect_true<double>(x, Rows<double>(x), 2.5 * kernels::linear() + kernels::constant(7),
                        2.5 * truth, 3, 1e-12, 1e-11);
  }
  const Matrix<float> f = (near.array() + 1e4).matrix().cast<float>();
  expect_true<float>(f, Rows<float>(f), kernels::linear(), centred_eigenvalues(f, inner(), true), 3,
                     1e-6, 1e-5);
}

// Found by an attack. Rows are moved where no cell is rounded by that.
TEST(HostileKernels, M_P1_a_far_mean_costs_a_sum_with_a_function_of_differences_nothing) {
  const Pair both = [](const RealMatrix& r, Index i, Index j) {
    return r.row(i).dot(r.row(j)) + std::exp(-0.001L * (r.row(i) - r.row(j)).squaredNorm());
  };
  const Kernel kernel = kernels::linear() + kernels::rbf({.gamma = 0.001});
  for (const double far : {3333.0, 33333333.0, 1e12}) {
    Matrix<double> x(5, 2);
    x << far, 10, far, 30, far, 20, far, 0, far + 1, 50;
    expect_true<double>(x, Rows<double>(x), kernel, centred_eigenvalues(x, both, true), 3, 1e-12,
                        1e-10);
  }
}

TEST(HostileKernels, M_P1_near_pairs_keep_their_distance_beside_a_linear_kernel) {
  // Found by torture: rows were centred for the linear part, and rounded in that.
  for (const double constant : {0.0, 7.0, 1000.0}) {
    const Matrix<double> x{{0.780666625923719, constant},
                           {-0.04206237850317941, constant},
                           {-0.04206237750317941, constant}};
    const Pair both = [](const RealMatrix& r, Index i, Index j) {
      return std::expm1(-1e9L * (r.row(i) - r.row(j)).cwiseAbs().sum()) +
             0.25L * r.row(i).head(1).dot(r.row(j).head(1));
    };
    const Vector<double> truth = centred_eigenvalues(x, both, false);
    // Right or refused: what the linear part loses to the constant may exceed the tolerance.
    try {
      const auto model =
          fit(x, {.components = 1,
                  .kernel = kernels::laplacian({.gamma = 1e9}) + 0.25 * kernels::linear()});
      EXPECT_NEAR(model.eigenvalues()[0], truth[0], 1e-10 * truth[0]) << constant;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Errc::not_converged) << error.what();
      EXPECT_HAS(error.what(), "allow a tolerance of");
    }
  }
}

TEST(HostileKernels, rows_centred_before_the_kernel_still_decode_and_are_not_called_z_scores) {
  Random random(43);
  const Matrix<double> near = random.normal(40, 3) * Vector<double>{{3, 2, 1}}.asDiagonal();
  const Matrix<double> x = (near.array() + 1e7).matrix();
  const Model<double> model = fit(x, {.components = 3, .kernel = kernels::linear()});
  const Model<double> linear = fit(x, {.components = 3});
  const Matrix<double> a = model.transform(x), b = linear.transform(x);
  // Up to signs, which are those of the coefficients; the mean is rounded to 2e-9.
  EXPECT_LT((a.cwiseAbs() - b.cwiseAbs()).cwiseAbs().maxCoeff(), 1e-7);
  const Model<double> again = Model<double>::deserialize(model.serialize());
  EXPECT_EQ(a, again.transform(x));
  EXPECT_NE(to_json(model).find("\"scale\": \"none\""), std::string::npos);
}

TEST(HostileKernels, M_P1_nearly_constant_kernels_keep_their_digits) {
  Random random(44);
  const Matrix<double> x = random.normal(60, 3) * Vector<double>{{3, 2, 1}}.asDiagonal();
  for (const double gamma : {1e-4, 1e-8, 1e-12}) {
    const Vector<double> truth = centred_eigenvalues(x, fallen_rbf(gamma), false);
    // Scores of new rows come from values near 1: what they lose is ε·N/μ₁.
    const double lost = 1e-15 * 60 / truth[0];
    expect_true<double>(x, Rows<double>(x), kernels::rbf({.gamma = gamma}), truth, 3, 1e-11,
                        1e-10 + 10 * lost);
  }
  const Kernel wide = kernels::laplacian({.gamma = 1e-8});
  const Pair fallen = [](const RealMatrix& r, Index i, Index j) {
    return std::expm1(-1e-8L * (r.row(i) - r.row(j)).cwiseAbs().sum());
  };
  expect_true<double>(x, Rows<double>(x), wide, centred_eigenvalues(x, fallen, false), 3, 1e-11,
                      1e-5);
}

// A constant column is met exactly by the point that a nearly constant kernel is taken about.
TEST(HostileKernels, M_P1_a_constant_column_costs_a_nearly_constant_kernel_nothing) {
  Matrix<double> x = Matrix<double>::Zero(17, 2);
  for (const Index i : {0, 7, 14}) x(i, 0) = i == 7 ? -2.6e-54 : 2.6e-54;
  const double gamma = 7.3e98;
  const Vector<double> truth = centred_eigenvalues(x, fallen_rbf(gamma), false);
  for (const double constant : {0.0, 7.0, 1.0 / 3, 1e15}) {
    x.col(1).setConstant(constant);
    const auto model = fit(x, {.components = 1, .kernel = kernels::rbf({.gamma = gamma})});
    EXPECT_NEAR(model.eigenvalues()[0], truth[0], 1e-10 * truth[0]) << constant;
  }
}

// Scores of a float model are sums of float kernel values: components that these cannot show are
// rounding, however well a kernel matrix in double knows their eigenvalues.
TEST(HostileKernels, M_P2_float_models_keep_no_component_whose_scores_are_rounding) {
  Matrix<float> x(3, 2);
  x << 1020.0F, 102000000.0F, -950.0F, -98000000.0F, 1030.0F, 106000000.0F;
  const Kernel kernel = 0.5 * kernels::poly({.degree = 2, .coef0 = 1});
  const auto model = fit(x, {.components = all_components(), .kernel = kernel, .tolerance = 1e-5});
  const Matrix<double> scores = model.transform(x).cast<double>();
  for (Index i = 0; i < scores.cols(); ++i)
    for (Index j = 0; j < scores.cols(); ++j) {
      const double should = i == j ? model.eigenvalues()[i] : 0;
      EXPECT_NEAR(scores.col(i).dot(scores.col(j)), should, 0.01 * model.eigenvalues()[0]);
    }
}

TEST(HostileKernels, M_P2_kernel_values_that_single_precision_does_not_hold_are_refused) {
  Matrix<double> x(3, 2);
  x << 2.98e-8, 0, 2.98e-8, 2.98e-8, 0, -3.1e-8;
  const FitOptions options{.components = 1, .kernel = kernels::poly({.degree = 3, .coef0 = 0})};
  const Matrix<float> single = x.cast<float>();
  test::expect_error(Errc::bad_data, {"single precision"}, [&] { fit(single, options); });
  const auto model = fit(x, options);  // double holds them
  EXPECT_NEAR(model.transform(x).squaredNorm(), model.eigenvalues()[0],
              1e-10 * model.eigenvalues()[0]);
}

}  // namespace mercer::hostile_kernels_test
