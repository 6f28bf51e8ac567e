#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <mercer/data.hpp>
#include <mercer/export.hpp>
#include <mercer/fit.hpp>

#include <gtest/gtest.h>

#include <cmath>

namespace mercer::export_test {

using test::error_of;
using test::has;
using Names = std::vector<std::string>;

Matrix<double> export_rows() {
  test::Random random(8);
  Vector<double> deviations(4);
  deviations << 3, 2, 1, 0.5;
  return test::rows_with_deviations(random, 40, deviations, 7);
}

/// Σ (x − m)(x − m)ᵀ/(N − 1), by its definition in long double.
Matrix<double> covariance(const Matrix<double>& x) {
  Eigen::Matrix<long double, -1, -1> a = x.cast<long double>();
  a.rowwise() -= a.colwise().mean().eval();
  return (a.transpose() * a / static_cast<long double>(x.rows() - 1)).cast<double>();
}

TEST(Export, M_T1_eigenvectors_and_variances_of_a_linear_model_satisfy_RQ_equals_QL) {
  const Matrix<double> x = export_rows(), r = covariance(x);
  const auto model = fit(x);
  const Matrix<double> q = export_object(model, ModelObject::eigenvectors).values;
  const Vector<double> l = export_object(model, ModelObject::variances).values.col(0);
  EXPECT_LE((r * q - q * l.asDiagonal()).cwiseAbs().maxCoeff(), 1e-13 * r.norm());
  EXPECT_EQ(export_object(model, ModelObject::rotation).values, q);
  EXPECT_EQ(export_object(model, ModelObject::components).values, q.transpose());
  const Vector<double> mean = export_object(model, ModelObject::mean).values.col(0);
  EXPECT_LE((mean - x.colwise().mean().transpose()).cwiseAbs().maxCoeff(), 1e-14 * 7);
  EXPECT_LE((export_object(model, ModelObject::sdev).values.col(0) - l.cwiseSqrt()).norm(), 1e-15);
  EXPECT_LE((export_object(model, ModelObject::eigenvalues).values.col(0) - 39 * l).norm(), 1e-12);
  EXPECT_LE((export_object(model, ModelObject::loadings).values -
             q * Vector<double>(l.cwiseSqrt()).asDiagonal())
                .norm(),
            1e-14);
}

TEST(Export, M_T1_alpha_is_normalised_and_an_eigenvector_of_the_centred_kernel_matrix) {
  const Matrix<double> x = export_rows();
  const Index n = x.rows();
  Matrix<double> k(n, n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) k(i, j) = std::exp(-0.1 * (x.row(i) - x.row(j)).squaredNorm());
  const Matrix<double> centring = Matrix<double>::Identity(n, n).array() - 1.0 / n;
  const Matrix<double> jkj = centring * k * centring;
  const auto model = fit(x, {.components = 5, .kernel = kernels::rbf({.gamma = 0.1})});
  const Matrix<double> alpha = export_object(model, ModelObject::alpha).values;
  const Vector<double> mu = export_object(model, ModelObject::eigenvalues).values.col(0);
  ASSERT_EQ(alpha.rows(), n);
  ASSERT_EQ(alpha.cols(), 5);
  for (Index c = 0; c < 5; ++c) EXPECT_NEAR(alpha.col(c).squaredNorm() * mu[c], 1, 1e-12);
  EXPECT_LE((jkj * alpha - alpha * mu.asDiagonal()).cwiseAbs().maxCoeff(), 1e-10 * mu[0]);
  const Matrix<double> u = export_object(model, ModelObject::eigenvectors).values;
  EXPECT_LE((u.transpose() * u - Matrix<double>::Identity(5, 5)).norm(), 1e-12);
}

TEST(Export, M_L8_names_are_those_of_r_and_of_scikit_learn) {
  Schema schema;
  schema.feature_names = {"a", "b", "c", "d"};
  const Matrix<double> x = export_rows();
  const auto rows = from_memory(Rows<double>(x), {}, schema);
  const auto model = fit(*rows, {.components = 2, .scale = Scale::std});
  const NamedMatrix rotation = export_object(model, ModelObject::rotation, NameStyle::r);
  EXPECT_EQ(rotation.rows, Names({"a", "b", "c", "d"}));
  EXPECT_EQ(rotation.columns, Names({"PC1", "PC2"}));
  EXPECT_EQ(export_object(model, ModelObject::mean, NameStyle::r).columns, Names({"center"}));
  EXPECT_EQ(export_object(model, ModelObject::scale, NameStyle::r).columns, Names({"scale"}));
  EXPECT_EQ(export_object(model, ModelObject::sdev, NameStyle::r).columns, Names({"sdev"}));
  const NamedMatrix b = export_object(model, ModelObject::components, NameStyle::sklearn);
  EXPECT_EQ(b.rows, Names({"pca0", "pca1"}));
  EXPECT_EQ(b.columns, Names({"a", "b", "c", "d"}));
  EXPECT_EQ(export_object(model, ModelObject::variances, NameStyle::sklearn).columns,
            Names({"explained_variance_"}));
  EXPECT_EQ(export_object(model, ModelObject::components).rows, Names({"pc1", "pc2"}));
  const auto mapped = fit(Matrix<double>(x.leftCols(2)), monomial_map<double>(2, 2));
  EXPECT_EQ(export_object(mapped, ModelObject::mean).rows,
            Names({"x1^2", "sqrt(2)*x1*x2", "x2^2"}));
}

TEST(Export, M_T1_an_object_that_the_model_lacks_is_refused_with_the_models_that_have_it) {
  const Matrix<double> x = export_rows();
  const auto linear = fit(x, {.components = 2});
  const auto kernel = fit(x, {.components = 2, .kernel = kernels::rbf({.gamma = 0.1})});
  const auto weighted =
      fit(x, {.components = 2, .kernel = kernels::rbf({.gamma = 0.1})}, std::vector<double>(40, 2));
  const auto expect = [&](const auto& model, ModelObject what, const char* text) {
    const Error error = error_of([&] { export_object(model, what); });
    EXPECT_EQ(error.code(), Errc::bad_option);
    EXPECT_TRUE(has(error.what(), text));
    EXPECT_FALSE(has_object(model, what));
  };
  expect(linear, ModelObject::alpha, "only exact kernel models");
  expect(linear, ModelObject::scale, "only models of z-scores have scale; this is a linear model");
  expect(kernel, ModelObject::rotation, "models of a map have rotation; this is an exact model");
  expect(kernel, ModelObject::loadings, "linear models");
  expect(weighted, ModelObject::alpha,
         "equally weighted rows have alpha; this is a weighted model");
  EXPECT_TRUE(has(error_of([] { parse_object("component"); }).what(), "did you mean components?"));
}

TEST(Export, M_T1_files_read_back_exactly_and_vectors_are_one_dimensional) {
  const test::TempDir dir;
  const auto model = fit(export_rows(), {.components = 3});
  const NamedMatrix b = export_object(model, ModelObject::components);
  save(b, dir / "b.csv");
  const auto table = read<double>(dir / "b.csv", {.id = "component"});
  EXPECT_EQ(table.x, b.values);
  EXPECT_EQ(table.ids[2], "pc3");
  save(b, dir / "b.npy");
  EXPECT_EQ(read<double>(dir / "b.npy").x, b.values);
  const NamedMatrix mean = export_object(model, ModelObject::mean);
  save(mean, dir / "mean.npy");
  EXPECT_TRUE(has(test::slurp(dir / "mean.npy"), "'shape': (4,)"));
  EXPECT_EQ(read<double>(dir / "mean.npy").x, mean.values);
  const auto single = fit(Matrix<float>(export_rows().cast<float>()), {.components = 2});
  save(export_object(single, ModelObject::components), dir / "s.csv");
  EXPECT_EQ(read<float>(dir / "s.csv", {.id = "component"}).x, single.components());
  EXPECT_LT(test::slurp(dir / "s.csv").size(), 150u) << "floats have 9 digits at most";
}

TEST(Export, M_T1_text_is_aligned_and_has_all_digits) {
  const NamedMatrix m{.values = (Matrix<double>(2, 2) << 0.1, -2, 1.0 / 3, 4e20).finished(),
                      .rows = {"größe", "b"},
                      .columns = {"pc1", "pc2"},
                      .row_kind = "column"};
  EXPECT_EQ(to_text(m),
            "column                 pc1    pc2\n"
            "größe                  0.1     -2\n"
            "b       0.3333333333333333  4e+20\n");
}

}  // namespace mercer::export_test
