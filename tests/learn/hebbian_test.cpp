#include <mercer/hebbian.hpp>

#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace mercer::hebbian_test {

using test::error_of;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Rows with variances 9, 4, 1, 0.25 along rotated axes (as rows of `axes`), mean 3.
struct Cloud {
  Matrix<double> x, axes;
};
Cloud cloud(Index rows, std::uint64_t seed) {
  test::Random random(seed);
  const Vector<double> deviations{{3, 2, 1, 0.5}};
  Cloud c;
  c.axes = random.rotation(4);
  c.x = random.normal(rows, 4) * deviations.asDiagonal() * c.axes;
  c.x.array() += 3;
  return c;
}

double degrees(const Eigen::RowVectorXd& a, const Eigen::RowVectorXd& b) {
  return std::acos(std::min(1.0, std::abs(a.dot(b)) / (a.norm() * b.norm()))) * 180 / M_PI;
}

Hebbian learner(LearnerOptions options, Index d = 4) {
  return Hebbian(identity_map<double>(d), std::move(options));
}

TEST(Gha, M_E4_each_weight_vector_finds_its_own_axis_in_order) {
  const Cloud c = cloud(20000, 1);
  for (const char* rule : {"gha", "block-oja", "ccipca"}) {
    Hebbian gha = learner({.rule = rule, .components = 3, .rate = Rate::power(2, 200, 1)});
    gha.update(c.x);
    for (Index j = 0; j < 3; ++j) {
      // The noise of a step at rate 1/(λn) leaves about 1/√n·(a few), here 2 degrees.
      EXPECT_LT(degrees(gha.weights().row(j), c.axes.row(j)), 3) << rule << ' ' << j;
      EXPECT_NEAR(gha.weights().row(j).norm(), 1, 0.01) << rule;
    }
    const auto model = gha.model();
    const Vector<double> variances = model.explained_variance();
    EXPECT_NEAR(variances[0], 9, 0.4) << rule;
    EXPECT_NEAR(variances[1], 4, 0.2) << rule;
    EXPECT_NEAR(variances[2], 1, 0.06) << rule;
    EXPECT_NEAR(model.report().total_variance, 14.25, 0.5) << rule;
    EXPECT_EQ(model.report().method, rule);
    EXPECT_LT((model.mean().array() - 3).abs().maxCoeff(), 0.1);
  }
}

TEST(Hebbian, M_P1_the_running_mean_is_exact_however_many_rows_have_moved_it) {
  // Whole numbers beside a large one: their sums are exact.
  constexpr double far = 1e12;
  test::Random random(5);
  const Matrix<double> near = (1000 * random.normal(20011, 4)).array().round();
  const Matrix<double> x = near.array() + far;
  const Vector<double> exact = near.colwise().sum().transpose() / 20011.0;
  for (const Index batch : {1, 16}) {
    LearnerOptions options{.components = 1, .rate = Rate::power(1e-6, 200, 1)};
    options.batch = batch;
    Hebbian whole = learner(options), cut = learner(options);
    whole.update(x);
    whole.flush();
    cut.update(x.topRows(777));
    Hebbian later = learner(options);
    later.load_state(cut.save_state());
    later.update(x.bottomRows(x.rows() - 777));
    later.flush();
    EXPECT_EQ(later.save_state(), whole.save_state()) << batch;
    const auto model = whole.model();
    for (Index j = 0; j < 4; ++j) {
      EXPECT_EQ(model.mean()[j], far + exact[j]) << batch;
      // Deviations of 1000 are rounded, to 1e-13; numbers near 1e12 are 1e-4 apart.
      EXPECT_NEAR((model.mean()[j] - far) + model.mean_rest()[j], exact[j], 1e-11) << batch;
    }
  }
}

TEST(Hebbian, M_P1_the_input_mean_of_a_map_is_right_to_an_ulp) {
  test::Random random(6);
  const Matrix<double> x = random.normal(20011, 3).array() + 0.1;
  Vector<long double> sum = Vector<long double>::Zero(3);
  for (Index i = 0; i < x.rows(); ++i) sum += x.row(i).transpose().cast<long double>();
  Hebbian squares(squares_map<double>(3), {.components = 1});
  squares.update(x);
  const Vector<double> mean = squares.model().input_mean();
  for (Index j = 0; j < 3; ++j) {
    const long double exact = sum[j] / static_cast<long double>(x.rows());
    EXPECT_NEAR(mean[j], static_cast<double>(exact), 0x1p-52 * std::abs(mean[j]));
  }
}

TEST(Hebbian, rows_with_missing_cells_are_skipped_and_counted_or_refused) {
  const Cloud c = cloud(100, 2);
  Matrix<double> holes(103, 4);
  holes << c.x.topRows(10), Matrix<double>::Constant(2, 4, nan), c.x.bottomRows(90),
      Matrix<double>::Constant(1, 4, nan);
  holes(10, 0) = 1;
  Hebbian clean = learner({.components = 2});
  clean.update(c.x);
  Hebbian skipping = learner({.components = 2, .missing = MissingRow::skip});
  skipping.update(holes);
  EXPECT_EQ(skipping.skipped(), 3);
  EXPECT_EQ(skipping.rows(), 100);
  EXPECT_EQ(skipping.weights(), clean.weights());

  Hebbian strict = learner({.components = 2});
  const Error error = error_of([&] { strict.update(holes); });
  EXPECT_EQ(error.code(), Errc::bad_data);
  EXPECT_HAS(error.what(), "row 11, column 2 is missing");
  holes(10, 1) = std::numeric_limits<double>::infinity();
  Hebbian infinite = learner({.components = 2, .missing = MissingRow::skip});
  EXPECT_HAS(error_of([&] { infinite.update(holes); }).what(), "row 11, column 2 is inf");
}

TEST(Hebbian, sparse_rows_are_learned_like_dense_ones) {
  Cloud c = cloud(50, 3);
  for (Index i = 0; i < 50; ++i) c.x(i, i % 4) = 0;
  Csr<double> sparse;
  sparse.cols = 4;
  for (Index i = 0; i < 50; ++i) {
    for (Index j = 0; j < 4; ++j)
      if (c.x(i, j) != 0) {
        sparse.columns.push_back(static_cast<std::int32_t>(j));
        sparse.values.push_back(c.x(i, j));
      }
    sparse.offsets.push_back(static_cast<std::int64_t>(sparse.values.size()));
  }
  for (const Index batch : {1, 7}) {
    Hebbian a = learner({.components = 2, .batch = batch});
    Hebbian b = learner({.components = 2, .batch = batch});
    a.update(c.x);
    b.update(sparse);
    EXPECT_EQ(a.weights(), b.weights());
  }
}

TEST(Hebbian, a_model_of_mapped_rows_knows_the_mean_of_the_rows) {
  Matrix<double> x = cloud(105, 4).x;
  for (const Index batch : {1, 10}) {
    Hebbian gha(squares_map<double>(4), {.components = 2, .batch = batch});
    gha.update(x);
    EXPECT_LT((gha.model().input_mean() - x.colwise().mean().transpose()).norm(), 1e-12);
    // It stands for missing cells.
    Matrix<double> hole = x.topRows(1), filled = hole;
    hole(0, 2) = nan;
    filled(0, 2) = x.col(2).mean();
    const TransformOptions fill{.missing = Missing::mean};
    EXPECT_LT((gha.model().transform(hole, fill) - gha.model().transform(filled)).norm(), 1e-10);
  }
}

TEST(Hebbian, options_that_cannot_work_are_refused) {
  const auto message = [](LearnerOptions options) {
    const Error error = error_of([&] { learner(options); });
    EXPECT_EQ(error.code(), Errc::bad_option);
    return std::string(error.what());
  };
  EXPECT_HAS(message({.rule = "ohja"}), "did you mean oja?");
  EXPECT_HAS(message({.components = 0}), "at least 1");
  EXPECT_HAS(message({.components = 5}), "`components=5` is too large: 4 columns");
  EXPECT_HAS(message({.rule = "oja", .components = 2}), "`rule=oja` learns one component");
  EXPECT_HAS(message({.batch = 0}), "`batch=0`");
  EXPECT_HAS(message({.forgetting = 1}), "`forgetting=1`");
  EXPECT_HAS(message({.forgetting = nan}), "forgetting");
  EXPECT_HAS(message({.limit = 0}), "`limit=0`");
  EXPECT_HAS(message({.limit = nan}), "limit");
  EXPECT_HAS(message({.centre = LearnedMean::known}), "mean has 0 numbers");
  EXPECT_HAS(message({.mean = Vector<double>::Zero(4)}), "is not LearnedMean::known");
}

TEST(Hebbian, a_row_of_another_width_is_named) {
  Hebbian gha = learner({});
  gha.update(cloud(7, 1).x);
  const Error error = error_of([&] { gha.update(Matrix<double>(Matrix<double>::Zero(1, 5))); });
  EXPECT_EQ(error.code(), Errc::bad_data);
  EXPECT_HAS(error.what(), "row 8 has 5 columns, those before it have 4");
}

TEST(Hebbian, there_is_no_model_before_the_first_step) {
  EXPECT_EQ(error_of([] { learner({}).model(); }).code(), Errc::bad_data);
  Hebbian waiting = learner({.batch = 10});
  waiting.update(cloud(9, 1).x);
  EXPECT_HAS(error_of([&] { waiting.model(); }).what(), "fewer than a mini-batch of 10");
  waiting.flush();
  EXPECT_EQ(waiting.model().report().n_samples, 9);
  Hebbian still = learner({});
  still.update(Matrix<double>(Matrix<double>::Ones(5, 4)));
  EXPECT_HAS(error_of([&] { still.model(); }).what(), "no variance");
}

}  // namespace mercer::hebbian_test
