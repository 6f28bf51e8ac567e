#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>

namespace mercer::test::keep_rows_test {

/// Every kept row, put back into the columns' units, is a row of x.
void expect_rows_of(const Matrix<double>& x, const Model<double>& model, double tolerance) {
  for (Index i = 0; i < model.rows().rows(); ++i) {
    Eigen::RowVectorXd row = model.rows().row(i);
    if (model.scale().size() > 0)
      row =
          row.array() * model.scale().transpose().array() + model.input_mean().transpose().array();
    EXPECT_LE((x.rowwise() - row).rowwise().norm().minCoeff(), tolerance) << i;
  }
}

TEST(KeepRows, maps_and_approximations_keep_as_many_rows_as_asked_for) {
  const Matrix<double> x = Random(1).normal(50, 3);
  const auto map = fit(x, monomial_map<double>(3, 2), {.scale = Scale::std, .keep_rows = 20});
  EXPECT_EQ(map.rows().rows(), 20);
  expect_rows_of(x, map, 1e-12);
  for (const Approx& approx : {Approx(Fourier{.features = 10}), Approx(Nystrom{.landmarks = 5})}) {
    const auto model =
        fit(x, {.components = 2, .kernel = kernels::rbf(), .approx = approx, .keep_rows = 1000});
    EXPECT_EQ(model.rows().rows(), 50);  // all there are
    expect_rows_of(x, model, 0);
  }
}

TEST(KeepRows, models_that_need_none_keep_none) {
  const Matrix<double> x = Random(2).normal(30, 3);
  EXPECT_EQ(fit(x, {.keep_rows = 10}).rows().size(), 0);
  EXPECT_EQ(fit(x, {.components = 2, .kernel = kernels::rbf(), .keep_rows = 10}).rows().size(), 0);
  EXPECT_EQ(fit(x, monomial_map<double>(3, 2)).rows().size(), 0);
}

TEST(KeepRows, the_draw_depends_on_the_rows_not_on_blocks_or_roads) {
  const Matrix<double> x = Random(3).normal(80, 2);
  const FitOptions options{.components = 2,
                           .kernel = kernels::rbf({.gamma = 1}),
                           .approx = Fourier{.features = 8},
                           .keep_rows = 30};
  const auto whole = fit(x, options);
  for (const Index block : {7, 80}) {
    ChunkedSource<double> source(x, block);
    EXPECT_EQ(fit(source, options).rows(), whole.rows());
  }
  FitOptions other = options;
  other.seed = 2;
  EXPECT_NE(fit(x, other).rows(), whole.rows());
}

TEST(KeepRows, rows_of_no_weight_are_not_kept_and_missing_cells_are_filled) {
  Matrix<double> x = Random(4).normal(40, 2);
  std::vector<double> weights(40, 1);
  std::fill_n(weights.begin(), 15, 0.0);
  const auto model = fit(Rows<double>(x), monomial_map<double>(2, 2), {.keep_rows = 40}, weights);
  EXPECT_EQ(model.rows().rows(), 25);
  expect_rows_of(x.bottomRows(25), model, 0);
  x(3, 1) = std::numeric_limits<double>::quiet_NaN();
  const auto filled =
      fit(x, monomial_map<double>(2, 2), {.missing = Missing::mean, .keep_rows = 40});
  x(3, 1) = filled.input_mean()[1];
  expect_rows_of(x, filled, 0);
}

TEST(KeepRows, sparse_rows_are_kept_dense) {
  Csr<double> x{3, {0}, {}, {}};
  Random random(5);
  for (int i = 0; i < 30; ++i) {
    x.columns.push_back(i % 3);
    x.values.push_back(random.normal());
    x.offsets.push_back(i + 1);
  }
  const auto model = fit(Rows<double>(x), {.components = 2,
                                           .kernel = kernels::rbf(),
                                           .approx = Fourier{.features = 8},
                                           .keep_rows = 10});
  ASSERT_EQ(model.rows().rows(), 10);
  for (Index i = 0; i < 10; ++i) EXPECT_EQ((model.rows().row(i).array() != 0).count(), 1);
}

TEST(KeepRows, kept_rows_are_in_the_file_and_older_files_have_none) {
  const Matrix<double> x = Random(6).normal(20, 2);
  const auto model = fit(x, monomial_map<double>(2, 2), {.keep_rows = 8});
  const auto same = Model<double>::deserialize(model.serialize());
  EXPECT_EQ(same.rows(), model.rows());
  EXPECT_EQ(Model<float>::deserialize(model.serialize()).rows(), model.rows().cast<float>());
  ModelParts<double> parts = model.parts();
  parts.rows.resize(8, 3);
  parts.rows.setZero();
  expect_error(Errc::bad_data, {"rows it stores"}, [&] { Model<double> wrong(parts); });
  parts.rows = Matrix<double>::Constant(1, 2, std::numeric_limits<double>::infinity());
  expect_error(Errc::bad_data, {"finite"}, [&] { Model<double> wrong(parts); });
}

TEST(KeepRows, what_cannot_be_kept_is_refused) {
  const Matrix<double> x = Random(7).normal(20, 2);
  expect_error(Errc::bad_option, {"`keep_rows=-1`"}, [&] { fit(x, {.keep_rows = -1}); });
  expect_error(Errc::bad_option, {"`precomputed`"},
               [&] { fit(x, {.precomputed = true, .keep_rows = 1}); });
  expect_error(Errc::out_of_memory, {"`keep_rows=1000000000`"}, [&] {
    fit(x, monomial_map<double>(2, 2), {.keep_rows = 1000000000, .memory = 64 << 20});
  });
}

}  // namespace mercer::test::keep_rows_test
