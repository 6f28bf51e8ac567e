// Rows A1–A6 of what the library must do: linear PCA, against definitions and closed forms.
#include <mercer/mercer.hpp>

#include "support/random.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>
#include <Eigen/Eigenvalues>

namespace mercer::linear_pca_test {

using test::Random;

constexpr Solver solvers[] = {Solver::covariance, Solver::gram, Solver::svd};

/// Covariance by its definition, in long double.
Matrix<double> covariance(const Matrix<double>& x, int ddof) {
  using Long = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;
  Long z = x.cast<long double>();
  z.rowwise() -= z.colwise().mean().eval();
  return (z.transpose() * z / static_cast<long double>(x.rows() - ddof)).cast<double>();
}

Matrix<double> wine() { return read<double>(test::data_file("wine.csv"), {.label = "cultivar"}).x; }

TEST(LinearPca, M_A1_components_are_orthonormal_eigenvectors_of_the_covariance) {
  const Matrix<double> x = wine();
  const auto model = fit(x);
  const Matrix<double> r = covariance(x, 1), q = model.components();
  ASSERT_EQ(q.rows(), 13);
  const Vector<double> lambda = model.explained_variance();
  EXPECT_LT((q * q.transpose() - Matrix<double>::Identity(13, 13)).norm(), 1e-12);
  EXPECT_LT((q * r - lambda.asDiagonal() * q).norm(), 1e-12 * r.norm());
  for (Index j = 1; j < 13; ++j) EXPECT_LE(lambda[j], lambda[j - 1]);
  EXPECT_LT((model.mean() - x.colwise().mean().transpose()).norm(), 1e-12 * model.mean().norm());
}

TEST(LinearPca, M_A2_the_variance_probe_is_stationary_at_the_eigenvectors_and_bounded_by_them) {
  const Matrix<double> x = wine();
  const auto model = fit(x);
  const Rows<double> rows(x);
  const Vector<double> lambda = model.explained_variance();
  const Vector<double> along = variance_along(rows, model.components().eval());
  EXPECT_LT((along - lambda).norm(), 1e-12 * lambda[0]);

  Random random(2);
  const Matrix<double> anywhere = random.normal(200, 13);  // any length: it is normalised
  const Vector<double> probes = variance_along(rows, anywhere);
  const Matrix<double> r = covariance(x, 1);
  for (Index i = 0; i < probes.size(); ++i) {
    const Vector<double> q = anywhere.row(i).normalized().transpose();
    EXPECT_NEAR(probes[i], q.dot(r * q), 1e-12 * lambda[0]);
    EXPECT_LE(probes[i], lambda[0] * (1 + 1e-12));
    EXPECT_GE(probes[i], lambda[12] * (1 - 1e-9));
  }
  // Stationary: a step of size h away from an eigenvector changes ψ by O(h²), elsewhere by O(h).
  const double h = 1e-5;
  for (Index j = 0; j < 13; ++j) {
    Matrix<double> near = model.components().row(j);
    near += h * random.normal(1, 13);
    EXPECT_LT(std::abs(variance_along(rows, near)[0] - lambda[j]), 100 * h * h * lambda[0]);
  }
}

TEST(LinearPca, M_A2_the_variance_probe_sees_the_z_scores_and_filled_cells_that_fit_sees) {
  Matrix<double> x = wine();
  for (Index i = 0; i < x.rows(); i += 7) x(i, i % 13) = std::nan("");
  const FitOptions options{.scale = Scale::std, .missing = Missing::mean};
  Matrix<double> z = x;  // by hand
  for (Index j = 0; j < 13; ++j) {
    double sum = 0;
    Index n = 0;
    for (Index i = 0; i < x.rows(); ++i)
      if (!std::isnan(x(i, j))) sum += x(i, j), ++n;
    const double mean = sum / static_cast<double>(n);
    z.col(j) = x.col(j).unaryExpr([&](double v) { return std::isnan(v) ? 0 : v - mean; });
    z.col(j) /= z.col(j).norm() / std::sqrt(static_cast<double>(x.rows() - 1));
  }
  const Matrix<double> q = Random(3).normal(5, 13);
  const Vector<double> probes = variance_along(Rows<double>(x), q, options);
  for (Index i = 0; i < 5; ++i)
    EXPECT_NEAR(
        probes[i],
        (z * q.row(i).normalized().transpose()).squaredNorm() / static_cast<double>(x.rows() - 1),
        1e-12);
  EXPECT_THROW(variance_along(Rows<double>(x), q), Error);  // a NaN, and no leave to fill it
}

TEST(LinearPca, M_A3_the_mean_squared_reconstruction_error_is_the_discarded_variance) {
  const Matrix<double> x = wine();
  const auto all = fit(x, {.ddof = 0});
  for (Index l : {1, 2, 5, 12}) {
    const auto model = fit(x, {.components = l, .ddof = 0});
    const Matrix<double> back = model.inverse(model.transform(x));
    const double error = (back - x).squaredNorm() / static_cast<double>(x.rows());
    EXPECT_NEAR(error, all.explained_variance().tail(13 - l).sum(), 1e-9 * error) << l;
    // Decoding only the first scores of a larger model is the same as a smaller model.
    const Matrix<double> first = all.transform(x).leftCols(l);
    EXPECT_LT((all.inverse(first) - back).norm(), 1e-10 * x.norm());
  }
  EXPECT_LT((all.inverse(all.transform(x)) - x).norm(), 1e-13 * x.norm());
}

TEST(LinearPca, M_A4_variances_add_up_to_the_trace_and_k_is_a_count_a_fraction_or_all) {
  const Matrix<double> x = wine();
  const double trace = covariance(x, 1).trace();
  const auto all = fit(x);
  EXPECT_NEAR(all.explained_variance().sum(), trace, 1e-12 * trace);
  EXPECT_NEAR(all.explained_variance_ratio().sum(), 1, 1e-12);
  EXPECT_EQ(fit(x, {.components = 3}).outputs(), 3);
  // The total is exact although only k components are computed.
  for (Solver solver : solvers)
    EXPECT_NEAR(fit(x, {.components = 2, .solver = solver}).report().total_variance, trace,
                1e-12 * trace);
  for (double fraction : {0.5, 0.9, 0.99, 0.9999, 1.0}) {
    const auto model = fit(x, {.components = variance_fraction(fraction), .scale = Scale::std});
    const Vector<double> ratio = model.explained_variance_ratio();
    EXPECT_GE(ratio.sum(), fraction - 1e-12);
    EXPECT_LT(ratio.head(ratio.size() - 1).sum(), fraction);
  }
}

TEST(LinearPca, M_A5_primal_dual_and_svd_give_the_same_model_signs_included) {
  Random random(5);
  for (const auto& [n, d] : {std::pair<Index, Index>{40, 60}, {60, 40}, {300, 8}, {8, 300}}) {
    Vector<double> deviations(std::min(n - 1, d));
    for (Index j = 0; j < deviations.size(); ++j)
      deviations[j] = 3 * std::pow(0.9, static_cast<double>(j));
    Matrix<double> x = random.normal(n, deviations.size()) * deviations.asDiagonal() *
                       random.rotation(d).topRows(deviations.size());
    x.array() += 7;
    for (const Scale scale : {Scale::none, Scale::std}) {
      for (const bool center : {true, false}) {
        const FitOptions options{.components = 6, .center = center, .scale = scale};
        FitOptions o = options;
        o.solver = Solver::svd;
        const auto reference = fit(x, o);
        for (const Solver solver : {Solver::covariance, Solver::gram}) {
          o.solver = solver;
          const auto model = fit(x, o);
          EXPECT_LT((model.components() - reference.components()).norm(), 1e-10);
          EXPECT_LT((model.mean() - reference.mean()).norm(), 1e-12);
          const Vector<double> difference = model.eigenvalues() - reference.eigenvalues();
          EXPECT_LT(difference.norm(), 1e-12 * reference.eigenvalues()[0]);
          EXPECT_LT((model.transform(x) - reference.transform(x)).norm(), 1e-10 * x.norm());
        }
      }
    }
  }
}

TEST(LinearPca, M_A6_the_two_clouds_have_the_variances_that_theory_expects) {
  Random random(6);
  Matrix<double> x(1800, 2);
  x.topRows(800) = random.normal(800, 2) / 9;
  x.topRows(800).array() += 0.5;
  x.bottomRows(1000) = random.normal(1000, 2) / 6;
  x.bottomRows(1000).array() += 1;
  const auto model = fit(x, {.ddof = 0});
  // Within: 4/9·1/81 + 5/9·1/36 on both axes; between: 4/9·5/9·0.5² on each, all along (1,1)/√2.
  const double within = 4.0 / 9 / 81 + 5.0 / 9 / 36, between = 4.0 / 9 * 5 / 9 * 0.25;
  EXPECT_NEAR(within + 2 * between, 0.1443, 1e-4);
  EXPECT_NEAR(within, 0.0209, 1e-4);
  // The standard error of a variance of 1800 normal numbers is √(2/1800) of it; four of them.
  const double four_errors = 4 * std::sqrt(2.0 / 1800);
  EXPECT_NEAR(model.explained_variance()[0] / (within + 2 * between), 1, four_errors);
  EXPECT_NEAR(model.explained_variance()[1] / within, 1, four_errors);
  EXPECT_NEAR(model.components()(0, 0), std::sqrt(0.5), 0.03);
  EXPECT_NEAR(model.components()(0, 1), std::sqrt(0.5), 0.03);
}

TEST(LinearPca, a_mean_of_1e8_beside_unit_variance_costs_no_digits) {
  Random random(8);
  Vector<double> deviations(4);
  deviations << 1, 0.8, 0.6, 0.4;
  const Matrix<double> x = test::rows_with_deviations(random, 500, deviations, 1e8);
  // What the stored numbers hold, without any cancellation: 1e8 is exact, so is the difference.
  const Matrix<double> near_zero = x.array() - 1e8;
  for (const Solver solver : solvers) {
    const auto far = fit(x, {.solver = solver});
    const auto near = fit(near_zero, {.solver = solver});
    const Vector<double> difference = far.eigenvalues() - near.eigenvalues();
    EXPECT_LT(difference.norm(), 1e-12 * near.eigenvalues()[0]);
    EXPECT_LT((far.components() - near.components()).norm(), 1e-10);
    // The mean itself is only known to half a unit in the last place of 1e8: 7.5e-9.
    EXPECT_LT((far.transform(x) - near.transform(near_zero)).cwiseAbs().maxCoeff(), 4e-8);
  }
}

TEST(LinearPca, variances_from_1_to_1e_20_are_all_found) {
  Random random(9);
  Vector<double> deviations(6);
  deviations << 1, 1e-2, 1e-4, 1e-6, 1e-8, 1e-10;
  const Matrix<double> x = test::rows_with_deviations(random, 400, deviations, 0);
  for (const Solver solver : solvers) {
    const auto model = fit(x, {.solver = solver});
    ASSERT_EQ(model.outputs(), 6);
    const Vector<double> found = model.explained_variance().cwiseSqrt();
    for (Index j = 0; j < 6; ++j)
      // A deviation is known to ε of the largest number in x.
      EXPECT_NEAR(found[j], deviations[j], 1e-14 + 1e-9 * deviations[j]) << j;
  }
  const Matrix<double> wide = test::rows_with_deviations(random, 400, deviations, 0).transpose();
  const Vector<double> expected =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(covariance(wide, 1)).eigenvalues();
  const auto gram = fit(wide, {.solver = Solver::gram});
  EXPECT_EQ(gram.outputs(), 5);  // six rows, centred
  EXPECT_NEAR(gram.explained_variance()[0], expected[399], 1e-12 * expected[399]);
}

TEST(LinearPca, no_component_is_made_from_rounding_noise) {
  Random random(10);
  Matrix<double> x = random.normal(200, 3) * random.normal(3, 10);  // rank 3 in 10 columns
  x.array() += 100;
  for (const Solver solver : solvers) EXPECT_EQ(fit(x, {.solver = solver}).outputs(), 3);
  const Matrix<float> f = x.cast<float>();
  for (const Solver solver : solvers) EXPECT_EQ(fit(f, {.solver = solver}).outputs(), 3);
  try {
    fit(x, {.components = 4});
    FAIL() << "four components of three were given";
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), Errc::bad_option);
    EXPECT_NE(std::string(e.what()).find("only 3 directions"), std::string::npos) << e.what();
  }
}

TEST(LinearPca, float_rows_give_the_double_answer_to_float_precision) {
  const Matrix<double> x = wine();
  const Matrix<float> f = x.cast<float>();
  for (const Solver solver : solvers) {
    const auto single = fit(f, {.components = 3, .solver = solver});
    const auto twice = fit(f.cast<double>().eval(), {.components = 3, .solver = solver});
    const Vector<double> difference = single.eigenvalues() - twice.eigenvalues();
    EXPECT_LT(difference.norm(), 1e-12 * twice.eigenvalues()[0]);
    EXPECT_LT((single.components().cast<double>() - twice.components()).norm(), 1e-6);
    EXPECT_LT((single.transform(f).cast<double>() - twice.transform(f.cast<double>())).norm(),
              1e-6 * twice.transform(f.cast<double>()).norm());
  }
}

TEST(LinearPca, standardized_columns_have_variance_one_and_constant_ones_stay_out) {
  Matrix<double> x = wine();
  x.conservativeResize(x.rows(), 14);
  x.col(13).setConstant(0.1);  // 0.1 has no finite binary form: its mean must still be exact
  for (const Solver solver : solvers) {
    const auto model = fit(x, {.solver = solver, .scale = Scale::std});
    EXPECT_EQ(model.outputs(), 13);
    EXPECT_NEAR(model.report().total_variance, 13, 1e-12);
    EXPECT_EQ(model.scale()[13], 1);
    const Matrix<double> z =
        (x.rowwise() - x.colwise().mean()).array().rowwise() /
        covariance(x, 1).diagonal().cwiseMax(1e-300).cwiseSqrt().transpose().array();
    const Matrix<double> y = z.leftCols(13) * model.components().leftCols(13).transpose();
    EXPECT_LT((model.transform(x) - y).norm(), 1e-10 * y.norm());
    EXPECT_LT((model.inverse(model.transform(x)) - x).norm(), 1e-12 * x.norm());
  }
}

TEST(LinearPca, weights_count_rows_as_if_they_were_repeated) {
  Random random(12);
  const Matrix<double> x = random.normal(30, 4) * random.normal(4, 4);
  std::vector<double> weights(30);
  Matrix<double> repeated(0, 4);
  for (Index i = 0; i < 30; ++i) {
    const Index times = i % 4;  // some rows do not count at all
    weights[static_cast<std::size_t>(i)] = static_cast<double>(times);
    repeated.conservativeResize(repeated.rows() + times, 4);
    repeated.bottomRows(times).rowwise() = x.row(i);
  }
  for (const Solver solver : solvers)
    for (const Scale scale : {Scale::none, Scale::std}) {
      const auto weighted = fit(Rows<double>(x), {.solver = solver, .scale = scale}, weights);
      const auto reference = fit(repeated, {.solver = solver, .scale = scale});
      const Vector<double> difference = weighted.eigenvalues() - reference.eigenvalues();
      EXPECT_LT(difference.norm(), 1e-12 * reference.eigenvalues()[0]);
      EXPECT_LT((weighted.components() - reference.components()).norm(), 1e-10);
      EXPECT_NEAR(weighted.report().total_variance, reference.report().total_variance,
                  1e-12 * reference.report().total_variance);
      EXPECT_TRUE(weighted.report().weighted);
      EXPECT_EQ(weighted.report().weight, static_cast<double>(repeated.rows()));
    }
}

TEST(LinearPca, missing_cells_count_as_lying_on_the_mean) {
  Random random(13);
  Matrix<double> holes = random.normal(50, 5), filled = holes;
  for (const auto& [i, j] : {std::pair<Index, Index>{0, 0}, {7, 0}, {8, 3}, {49, 4}})
    holes(i, j) = std::numeric_limits<double>::quiet_NaN();
  for (Index j = 0; j < 5; ++j) {
    double sum = 0, count = 0;
    for (Index i = 0; i < 50; ++i)
      if (!std::isnan(holes(i, j))) sum += holes(i, j), ++count;
    for (Index i = 0; i < 50; ++i)
      if (std::isnan(holes(i, j))) filled(i, j) = sum / count;
  }
  for (const Solver solver : solvers) {
    const auto model = fit(holes, {.solver = solver, .missing = Missing::mean});
    const auto reference = fit(filled, {.solver = solver});
    EXPECT_LT((model.components() - reference.components()).norm(), 1e-10);
    EXPECT_LT((model.mean() - reference.mean()).norm(), 1e-13);
    const Matrix<double> scores = model.transform(holes, {.missing = Missing::mean});
    EXPECT_LT((scores - reference.transform(filled)).norm(), 1e-10);
  }
  EXPECT_THROW(fit(holes), Error);
  EXPECT_THROW(fit(filled).transform(holes), Error);
}

TEST(LinearPca, the_answer_does_not_depend_on_the_number_of_threads) {
  Random random(14);
  const Matrix<double> x = random.normal(20000, 24) * random.normal(24, 24);
  for (const Solver solver : {Solver::covariance, Solver::svd}) {
    const auto one = fit(x, {.components = 5, .solver = solver, .threads = 1});
    for (const int threads : {2, 3, 7}) {
      const auto many = fit(x, {.components = 5, .solver = solver, .threads = threads});
      EXPECT_LT((one.components() - many.components()).norm(), 1e-11);
      const auto again = fit(x, {.components = 5, .solver = solver, .threads = threads});
      EXPECT_EQ(many.components(), again.components());  // bit for bit
    }
  }
}

TEST(LinearPca, automatic_takes_the_cheaper_side_and_says_why) {
  Random random(15);
  const auto tall = fit(random.normal(500, 5).eval(), {.components = 2});
  EXPECT_EQ(tall.report().solver.name, "covariance");
  EXPECT_NE(tall.report().solver.why.find("flops"), std::string::npos);
  const auto wide = fit(random.normal(5, 500).eval(), {.components = 2});
  EXPECT_EQ(wide.report().solver.name, "gram");
  EXPECT_TRUE(wide.report().solver.converged);
  for (const double r : wide.report().solver.residuals) EXPECT_LE(r, 1e-10);
}

TEST(LinearPca, column_major_matrices_are_taken_as_they_are) {
  Random random(16);
  const Matrix<double> x = random.normal(40, 3);
  const Eigen::MatrixXd column_major = x;
  EXPECT_EQ(fit(column_major).components(), fit(x).components());
  EXPECT_EQ(fit(x).transform(column_major), fit(x).transform(x));
}

}  // namespace mercer::linear_pca_test
