// Rows so far from 0 that the mean, rounded to one number, is off by more than the scores may be.
#include "support/temp_dir.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

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
