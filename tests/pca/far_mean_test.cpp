// Rows so far from 0 that the mean, rounded to one number, is off by more than the scores may be.
#include "support/temp_dir.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>
#include <Eigen/SparseCore>

#include <cmath>
#include <limits>

namespace mercer::test::far_mean_test {

/// Whole numbers beside `far`, exact as T has them, whose mean is no number of T.
template <class T>
Matrix<T> far_rows(double far) {
  Matrix<T> x(7, 3);
  x << 0, 5, 1, 1, 3, 0, 3, 2, 2, 4, 0, 1, 8, 1, 0, 9, 4, 3, 12, 2, 2;
  x.array() += static_cast<T>(far);
  return x;
}

/// Scores about the exact mean: means of whole numbers near 0 are exact to 1e-16.
Matrix<double> exact_scores(const Matrix<double>& components, const Vector<double>& scale = {}) {
  Matrix<double> near = far_rows<double>(0);
  near.rowwise() -= near.colwise().mean().eval();
  if (scale.size() > 0) near.array().rowwise() /= scale.array().transpose();
  return near * components.transpose();
}

template <class T>
void expect_scores(const Model<T>& model, const Matrix<T>& x, const char* what) {
  const double tolerance = 100 * std::numeric_limits<T>::epsilon();  // products of 3, of up to 12
  const Matrix<double> exact = exact_scores(model.components().template cast<double>(),
                                            model.scale().template cast<double>());
  EXPECT_LE((model.transform(x).template cast<double>() - exact).cwiseAbs().maxCoeff(), tolerance)
      << what;
  EXPECT_LE((model.transform(x, {.missing = Missing::mean}).template cast<double>() - exact)
                .cwiseAbs()
                .maxCoeff(),
            tolerance)
      << what << ", missing=mean";
}

template <class T>
class FarMean : public testing::Test {
 protected:
  // Numbers of T are 1/8 and 1/2 apart there.
  static constexpr double far = sizeof(T) == sizeof(float) ? 5e6 : 1e15;
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FarMean, Precisions);

TYPED_TEST(FarMean, M_P1_scores_of_every_solver_are_about_the_exact_mean) {
  using T = TypeParam;
  const Matrix<T> x = far_rows<T>(this->far);
  for (const Solver solver :
       {Solver::covariance, Solver::gram, Solver::svd, Solver::randomized, Solver::automatic})
    for (const Scale scale : {Scale::none, Scale::std})
      expect_scores(fit(x, {.components = 2, .solver = solver, .scale = scale}), x,
                    solver == Solver::covariance   ? "covariance"
                    : solver == Solver::gram       ? "gram"
                    : solver == Solver::svd        ? "svd"
                    : solver == Solver::randomized ? "randomized"
                                                   : "automatic");
}

TYPED_TEST(FarMean, M_P1_batches_and_files_keep_it) {
  using T = TypeParam;
  const Matrix<T> x = far_rows<T>(this->far);
  IncrementalPca<T> pca(3, {.components = 2});
  pca.update(x.topRows(3));
  pca.update(x.bottomRows(4));
  expect_scores(pca.model(), x, "batches");

  const TempDir dir;
  const std::string file = dir / "far-mean.st";
  fit(x, {.components = 2}).save(file);
  expect_scores(Model<T>::load(file), x, "file");
}

TYPED_TEST(FarMean, M_P1_merged_models_and_sparse_rows_keep_it) {
  using T = TypeParam;
  const Matrix<T> x = far_rows<T>(this->far);
  const FitOptions all{.components = all_components()};
  const Model<T> first = fit(x.topRows(3), all), second = fit(x.bottomRows(4), all);
  // Components of float models are rounded, by which the merged ones are not orthonormal.
  expect_scores(merge<T>({first, second}, {.components = 2}), x, "merged");
  expect_scores(merge<T>({second, first}, {.components = 2}), x, "merged in the other order");

  const auto sparse =
      Csr<T>::from(Eigen::SparseMatrix<T, Eigen::RowMajor>(x.sparseView(T(0), T(0))));
  const Model<T> model = fit(x, {.components = 2});
  EXPECT_LE((model.transform(Rows<T>(sparse)) - model.transform(x)).cwiseAbs().maxCoeff(),
            100 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(FarMean, M_P1_what_the_model_leaves_of_a_row_is_about_it_too) {
  using T = TypeParam;
  const Matrix<T> x = far_rows<T>(this->far);
  const Model<T> model = fit(x, {.components = 2});
  const RowScores rows = Scorer<T>(model)(x);
  Matrix<double> near = far_rows<double>(0);
  near.rowwise() -= near.colwise().mean().eval();
  const Vector<double> spe =
      near.rowwise().squaredNorm() -
      exact_scores(model.components().template cast<double>()).rowwise().squaredNorm();
  EXPECT_LE((rows.spe - spe).cwiseAbs().maxCoeff(), 1e4 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(FarMean, rows_near_0_store_one_number_per_column) {
  using T = TypeParam;
  EXPECT_EQ(fit(far_rows<T>(0), {.components = 2}).mean_rest().size(), 0);
  EXPECT_EQ(fit(far_rows<T>(this->far), {.components = 2}).mean_rest().size(), 3);
}

using Exact = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;

/// Rows of `far_rows` near 0 less their mean, and divided by their deviations: whole numbers, so
/// that this is exact to 1e-18. Cells that are NaN in `x` are left out of both, and lie on the
/// mean.
template <class T>
Exact exact_rows(const Matrix<T>& x, bool scale) {
  Exact z = far_rows<double>(0).cast<long double>();
  for (Index j = 0; j < z.cols(); ++j) {
    long double sum = 0, count = 0, squares = 0;
    for (Index i = 0; i < z.rows(); ++i)
      if (!std::isnan(x(i, j))) sum += z(i, j), ++count;
    for (Index i = 0; i < z.rows(); ++i) {
      z(i, j) = std::isnan(x(i, j)) ? 0 : z(i, j) - sum / count;
      squares += z(i, j) * z(i, j);
    }
    if (scale) z.col(j) /= std::sqrt(squares / static_cast<long double>(z.rows() - 1));
  }
  return z;
}

/// Scores by these features of rows, one row each.
template <class T>
Exact scores_of(const Model<T>& model, Exact features) {
  features.rowwise() -= features.colwise().mean().eval();
  return features * model.components().template cast<long double>().transpose();
}

template <class T>
double largest_difference(const Matrix<T>& scores, const Exact& exact) {
  return static_cast<double>((scores.template cast<long double>() - exact).cwiseAbs().maxCoeff());
}

TYPED_TEST(FarMean, M_P1_maps_take_exact_z_scores) {
  using T = TypeParam;
  const Matrix<T> x = far_rows<T>(this->far);
  const Exact z = exact_rows(x, true);
  Exact features(7, 6);  // of squares: x₁², x₂², x₃²; of plain monomials x and x²
  features << z, z.cwiseProduct(z);
  // Components and scales are rounded to T; features are below 4.
  const double tolerance = 100 * std::numeric_limits<T>::epsilon();
  const FitOptions options{.components = 2, .scale = Scale::std, .keep_rows = 7};
  const Model<T> squares = fit(x, squares_map<T>(3), options);
  EXPECT_LE(largest_difference(squares.transform(x), scores_of(squares, features.rightCols(3))),
            tolerance);
  EXPECT_EQ(squares.input_rest().size(), 3);
  // Rows that the model keeps, and those of a file.
  ASSERT_EQ(squares.rows().rows(), 7);
  for (Index i = 0; i < 7; ++i) {
    const auto apart = (z.rowwise() - squares.rows().row(i).template cast<long double>()).eval();
    EXPECT_LE(static_cast<double>(apart.rowwise().norm().minCoeff()), tolerance) << i;
  }
  const auto again = Model<T>::deserialize(squares.serialize());
  EXPECT_EQ(again.input_rest(), squares.input_rest());
  EXPECT_EQ(again.transform(x), squares.transform(x));
  // Without the rest, a mean that is rounded to T: this is what a file of an earlier version has.
  ModelParts<T> parts = squares.parts();
  parts.input_rest.resize(0);
  EXPECT_GT(
      largest_difference(Model<T>(parts).transform(x), scores_of(squares, features.rightCols(3))),
      1e-3);
  // SPE is of the same z-scores: what two of three orthonormal components leave.
  const Exact scores = scores_of(squares, features.rightCols(3));
  Exact centred = features.rightCols(3);
  centred.rowwise() -= centred.colwise().mean().eval();
  const RowScores rows = Scorer<T>(squares)(x);
  for (Index i = 0; i < 7; ++i)
    EXPECT_NEAR(rows.spe[i],
                static_cast<double>(centred.row(i).squaredNorm() - scores.row(i).squaredNorm()),
                100 * tolerance)
        << i;
}

TYPED_TEST(FarMean, M_P1_kernels_take_exact_z_scores) {
  using T = TypeParam;
  const Matrix<T> x = far_rows<T>(this->far);
  const Exact z = exact_rows(x, true);
  const auto kernel_of = [&](const auto& k) {
    Exact out(7, 7);
    for (Index i = 0; i < 7; ++i)
      for (Index j = 0; j < 7; ++j) out(i, j) = k(z.row(i), z.row(j));
    return out;
  };
  const Exact gaussian =
      kernel_of([](const auto& a, const auto& b) { return std::exp(-(a - b).squaredNorm() / 4); });
  const Exact cubic =
      kernel_of([](const auto& a, const auto& b) { return std::pow(a.dot(b) / 2 + 1, 3.0L); });
  // Dual coefficients are rounded to T: those of the cubic kernel times its values, up to 100.
  const double tolerance = 1000 * std::numeric_limits<T>::epsilon();
  const FitOptions options{.components = 2, .scale = Scale::std};
  const auto fitted = [&](Kernel kernel, std::optional<Approx> approx = {}) {
    FitOptions with = options;
    with.kernel = kernel;
    with.approx = approx;
    if (sizeof(T) == sizeof(float)) with.tolerance = 1e-4;
    return fit(x, with);
  };
  const Kernel rbf = kernels::rbf({.gamma = 0.25});
  const Kernel poly = kernels::poly({.degree = 3, .coef0 = 1, .gamma = 0.5});
  for (const bool narrow : {true, false}) {
    const Model<T> model = fitted(narrow ? rbf : poly);
    EXPECT_LE(largest_difference(model.transform(x), scores_of(model, narrow ? gaussian : cubic)),
              tolerance)
        << narrow;
    EXPECT_LE((model.training_scores() - model.transform(x)).cwiseAbs().maxCoeff(), tolerance);
  }
  // All rows are landmarks: the same kernel matrix, its rows in the order that landmarks have.
  const Model<T> landmarks = fitted(rbf, Nystrom{.landmarks = 7});
  Exact similar(7, 7);
  const auto anchors = landmarks.map().anchors().dense();
  for (Index j = 0; j < 7; ++j) {
    Index nearest = 0;
    for (Index i = 0; i < 7; ++i) {
      const auto apart = [&](Index r) {
        return (z.row(r) - anchors.row(j).template cast<long double>()).norm();
      };
      if (apart(i) < apart(nearest)) nearest = i;
    }
    similar.col(j) = gaussian.col(nearest);
  }
  EXPECT_LE(largest_difference(landmarks.transform(x), scores_of(landmarks, similar)),
            10 * tolerance);  // landmarks are nearly dependent
  IncrementalKernelPca<T> batches(
      3,
      [&] {
        FitOptions with = options;
        with.kernel = rbf;
        with.approx = Nystrom{.landmarks = 7};
        return with;
      }(),
      7);
  batches.update(x);
  EXPECT_LE(largest_difference(batches.model().transform(x), scores_of(landmarks, similar)),
            10 * tolerance);
}

/// With holes: in the first row as well, which sums are about.
template <class T>
Matrix<T> with_holes(double far) {
  Matrix<T> x = far_rows<T>(far);
  x(0, 1) = x(2, 0) = x(3, 2) = x(4, 1) = x(6, 2) = std::numeric_limits<T>::quiet_NaN();
  return x;
}

TYPED_TEST(FarMean, M_P1_missing_cells_lie_on_the_exact_mean) {
  using T = TypeParam;
  const Matrix<T> x = with_holes<T>(this->far);
  const auto sparse =
      Csr<T>::from(Eigen::SparseMatrix<T, Eigen::RowMajor>(x.sparseView(T(0), T(0))));
  for (const Scale scale : {Scale::none, Scale::std}) {
    const Exact z = exact_rows(x, scale == Scale::std);
    const Exact scatter = z.transpose() * z;
    const Eigen::SelfAdjointEigenSolver<Exact> pairs(scatter);
    for (const Solver solver :
         {Solver::covariance, Solver::gram, Solver::svd, Solver::randomized, Solver::automatic})
      for (const Rows<T>& rows : {Rows<T>(x), Rows<T>(sparse)}) {
        SCOPED_TRACE(testing::Message() << "solver " << static_cast<int>(solver) << ", sparse "
                                        << rows.sparse() << ", scale " << static_cast<int>(scale));
        const Model<T> model = fit(
            rows, {.components = 2, .solver = solver, .scale = scale, .missing = Missing::mean});
        for (Index j = 0; j < 2; ++j) {
          const auto exact = static_cast<double>(pairs.eigenvalues()[2 - j]);
          // Sums of seven squares, and eigenpairs to the tolerance of the solver, squared.
          EXPECT_NEAR(model.eigenvalues()[j], exact, 1e-13 * exact) << j;
          const auto at = static_cast<std::size_t>(j);
          EXPECT_LE(model.report().certificate.low[at], exact) << j;
          EXPECT_GE(model.report().certificate.high[at], exact) << j;
        }
        // The rounding of far means is no longer part of it: 1/16 of a deviation would be.
        EXPECT_LE(model.report().certificate.rounding, 1e-11 * model.eigenvalues()[0]);
        EXPECT_LE(
            largest_difference(model.transform(rows, {.missing = Missing::mean}),
                               z * model.components().template cast<long double>().transpose()),
            100 * std::numeric_limits<T>::epsilon());
      }
    const Matrix<double> q = Matrix<double>::Ones(1, 3);
    const Vector<double> along =
        variance_along(Rows<T>(x), q, {.scale = scale, .missing = Missing::mean});
    EXPECT_NEAR(along[0], static_cast<double>(scatter.sum() / 18), 1e-13 * along[0]);
  }
}

TYPED_TEST(FarMean, M_P1_maps_fill_z_scores_with_0) {
  using T = TypeParam;
  const Matrix<T> x = with_holes<T>(this->far);
  const Model<T> model =
      fit(x, squares_map<T>(3), {.components = 2, .scale = Scale::std, .missing = Missing::mean});
  const Exact z = exact_rows(x, true);
  EXPECT_LE(largest_difference(model.transform(x, {.missing = Missing::mean}),
                               scores_of(model, z.cwiseProduct(z))),
            100 * std::numeric_limits<T>::epsilon());
}

TYPED_TEST(FarMean, M_P1_rows_with_holes_are_scored_about_it) {
  using T = TypeParam;
  const Model<T> model = fit(far_rows<T>(this->far), {.components = 1});
  const Matrix<T> x = with_holes<T>(this->far);
  const Exact near = exact_rows(far_rows<T>(this->far), false);
  const RowScores rows = Scorer<T>(model)(x, Missing::em);
  const Matrix<T> scores = model.transform(x, {.missing = Missing::em});
  for (Index i = 0; i < 7; ++i) {
    // Least squares of one unknown: y = b·z/b·b over the cells that are there.
    long double bz = 0, bb = 0, left = 0;
    const auto b = [&](Index j) { return static_cast<long double>(model.components()(0, j)); };
    for (Index j = 0; j < 3; ++j)
      if (!std::isnan(x(i, j))) bz += b(j) * near(i, j), bb += b(j) * b(j);
    for (Index j = 0; j < 3; ++j)
      if (!std::isnan(x(i, j))) left += std::pow(near(i, j) - b(j) * bz / bb, 2.0L);
    const double tolerance = 100 * std::numeric_limits<T>::epsilon();
    EXPECT_NEAR(static_cast<double>(scores(i, 0)), static_cast<double>(bz / bb), tolerance) << i;
    EXPECT_NEAR(rows.scores(i, 0), static_cast<double>(bz / bb), tolerance) << i;
    EXPECT_NEAR(rows.spe[i], static_cast<double>(left), 10 * tolerance) << i;
  }
}

TEST(FarMeanOfFeatures, M_P1_scores_are_about_it) {
  // Squares of whole numbers near 3e7, at 9e14, are exact; their mean is not.
  Matrix<double> x(5, 1);
  x << 0, 1, 3, 4, 7;
  x.array() += 3e7;
  const auto map = plain_map<double>(1, 2);
  const Model<double> model = fit(x, map, {.components = 1, .tolerance = 1e-8});
  // (x + 3e7)² − 9e14 = x² + 6e7·x, exact in a double.
  Vector<long double> square(5), plain(5);
  for (Index i = 0; i < 5; ++i) {
    plain[i] = x(i, 0) - 3e7;
    square[i] = plain[i] * plain[i] + 6e7L * plain[i];
  }
  square.array() -= square.mean();
  plain.array() -= plain.mean();
  const Matrix<double> scores = model.transform(x);
  ASSERT_EQ(model.components().cols(), 2);
  for (Index i = 0; i < 5; ++i) {
    const long double exact =
        model.components()(0, 0) * plain[i] + model.components()(0, 1) * square[i];
    EXPECT_NEAR(scores(i, 0), static_cast<double>(exact), 1e-6)  // of 4e8, products of two
        << i;
  }
}

}  // namespace mercer::test::far_mean_test
