// What every transform obeys: scores belong to a row, not to its neighbours.
#include <mercer/mercer.hpp>

#include "model/sample.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace mercer::transform_laws_test {

using test::Random;

/// Scores of all rows at once against those of pieces of the same rows.
template <class T>
void expect_any_pieces_alike(const Model<T>& model, const Matrix<T>& x) {
  const Matrix<T> whole = model.transform(x);
  for (const Index rows : {1, 7, 100, 419}) {
    Matrix<T> pieces(whole.rows(), whole.cols());
    for (Index i = 0; i < x.rows(); i += rows) {
      const Index n = std::min(rows, x.rows() - i);
      const Matrix<T> piece = x.middleRows(i, n);
      pieces.middleRows(i, n) = model.transform(piece);
    }
    EXPECT_TRUE(pieces == whole) << "in pieces of " << rows << " rows: off by "
                                 << (pieces - whole).cwiseAbs().maxCoeff();
  }
}

TEST(TransformLaw, a_row_has_the_same_linear_scores_whatever_rows_come_with_it) {
  Random random(5);
  const Matrix<double> x = random.normal(1000, 40);
  for (const Index k : {3, 30}) expect_any_pieces_alike(fit(x, {.components = k}), x);
}

/// 431 rows; of an odd number of columns they begin on and off a multiple of 16 bytes, and of more
/// than 384 BLAS splits the sums of large blocks only. Every 20th is far
/// away, every 30th at the origin and every 11th next to its predecessor: each is a case of its own
/// in how distances are computed.
template <class T>
Matrix<T> uneven_rows(Index columns) {
  Random random(6);
  Matrix<double> x = random.normal(431, columns).cwiseAbs();
  for (Index i = 1; i < x.rows(); ++i) {
    if (i % 20 == 0) x.row(i) *= 300;
    if (i % 30 == 0) x.row(i).setZero();
    if (i % 11 == 0) x.row(i) = x.row(i - 1).array() + 1e-9;
  }
  return x.cast<T>();
}

template <class T>
void expect_kernel_pieces_alike(Index columns, double far) {
  Matrix<T> x = uneven_rows<T>(columns);
  x.array() += static_cast<T>(far);
  for (const char* kernel :
       {"rbf(gamma=0.3)", "rbf(gamma=0.001)", "poly(degree=2, coef0=1)", "cosine", "linear",
        "matern(length=2)", "laplacian(gamma=0.1)", "rational_quadratic(length=2)", "chi2",
        "rbf(gamma=0.1) + 0.5*cosine*linear"})
    for (const Index k : {3, 30}) {
      SCOPED_TRACE(testing::Message() << kernel << ", k = " << k << ", mean about " << far);
      // Any components will do; those of a fit may not exist for every kernel.
      const auto map = kernel_map<T>(Kernel::parse(kernel), Matrix<T>(x.topRows(300)));
      Random random(7);
      ModelParts<T> p = test::mapped_parts<T>(map);
      p.components = random.normal(k, 300).template cast<T>();
      p.mean = random.normal(300, 1).template cast<T>();
      p.input_mean = Vector<T>::Zero(columns);
      p.eigenvalues = Vector<double>::Ones(k);
      p.report.solver.residuals.clear();
      expect_any_pieces_alike(Model<T>(p), x);
    }
}

TEST(TransformLaw, M_P4_a_row_has_the_same_kernel_scores_whatever_rows_come_with_it) {
  for (const double far : {0.0, 50.0}) {
    expect_kernel_pieces_alike<double>(13, far);
    expect_kernel_pieces_alike<float>(13, far);
  }
  expect_kernel_pieces_alike<double>(501, 0);
}

TEST(TransformLaw, M_P4_a_row_has_the_same_mapped_scores_whatever_rows_come_with_it) {
  const Matrix<double> x = uneven_rows<double>(13);
  for (const Index k : {3, 30}) {
    FitOptions options{.components = k, .scale = Scale::std};
    expect_any_pieces_alike(fit(x, plain_map<double>(13, 2), options), x);
    options.kernel = kernels::rbf({.gamma = 0.05});
    options.approx = Fourier{.features = 200};
    expect_any_pieces_alike(fit(x, options), x);
    options.kernel = kernels::poly({.degree = 2, .coef0 = 1});
    options.approx = TensorSketch{.features = 128};
    expect_any_pieces_alike(fit(x, options), x);
  }
}

}  // namespace mercer::transform_laws_test
