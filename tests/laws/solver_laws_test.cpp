// Laws that every solver of linear PCA obeys on any data. The solvers are those of the table.
#include <mercer/mercer.hpp>

#include "pca/linear/solver_row.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <vector>

namespace mercer::solver_laws_test {

using test::Random;

const std::vector<Solver> all_solvers = [] {
  std::vector<Solver> all;
  for (const LinearSolverRow* row : linear_solvers()) all.push_back(row->solver);
  return all;
}();

struct Case {
  Matrix<double> x;
  FitOptions options;
};

/// Rows of any shape with well-separated variances, so that components are well determined.
Case any_case() {
  Random random(*rc::gen::inRange<std::uint64_t>(0, 1 << 30));
  const Index n = *rc::gen::inRange<Index>(4, 60), d = *rc::gen::inRange<Index>(1, 40);
  const Index rank = std::min(n - 1, d);
  Vector<double> deviations(rank);
  for (Index j = 0; j < rank; ++j) deviations[j] = 5 * std::pow(0.7, static_cast<double>(j));
  Case c;
  c.x = test::rows_with_deviations(random, n, deviations, 0) * random.rotation(d).topRows(rank);
  c.x.array() += 2;
  c.options.components = *rc::gen::inRange<Index>(1, std::min<Index>(rank, 6) + 1);
  c.options.solver = *rc::gen::elementOf(all_solvers);
  return c;
}

TEST(SolverLaw, components_are_orthonormal_and_variances_descend_and_stay_below_the_total) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const auto model = fit(c.x, c.options);
    const Matrix<double>& b = model.components();
    RC_ASSERT((b * b.transpose() - Matrix<double>::Identity(b.rows(), b.rows())).norm() < 1e-10);
    const Vector<double> lambda = model.explained_variance();
    for (Index j = 1; j < lambda.size(); ++j) RC_ASSERT(lambda[j] <= lambda[j - 1]);
    RC_ASSERT(lambda.sum() <= model.report().total_variance * (1 + 1e-12));
    for (Index i = 0; i < b.rows(); ++i) {
      Index at = 0;
      b.row(i).cwiseAbs().maxCoeff(&at);
      RC_ASSERT(b(i, at) > 0 || std::abs(b(i, at)) < b.row(i).maxCoeff() * (1 + 1e-5));
    }
  }));
}

TEST(SolverLaw, scores_have_mean_zero_and_the_variances_as_covariance) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const auto model = fit(c.x, c.options);
    const Matrix<double> y = model.transform(c.x);
    RC_ASSERT(y.colwise().mean().norm() < 1e-10);
    const Matrix<double> r = y.transpose() * y / static_cast<double>(c.x.rows() - 1);
    const Matrix<double> expected = model.explained_variance().asDiagonal();
    RC_ASSERT((r - expected).norm() < 1e-10 * expected(0, 0));
  }));
}

TEST(SolverLaw, moving_all_rows_moves_the_mean_and_nothing_else) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const double step = *rc::gen::element(1.0, -300.0, 1e5);
    const auto model = fit(c.x, c.options);
    const auto moved = fit((c.x.array() + step).matrix().eval(), c.options);
    // Adding the step rounds the rows at ε·|step|.
    const double bound = 1e-10 + 1e-13 * std::abs(step);
    RC_ASSERT((moved.components() - model.components()).norm() < bound);
    RC_ASSERT(((moved.mean() - model.mean()).array() - step).matrix().norm() < 1e-9);
  }));
}

TEST(SolverLaw, the_order_of_rows_does_not_matter) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    Eigen::PermutationMatrix<Eigen::Dynamic> reversed(c.x.rows());
    for (Index i = 0; i < c.x.rows(); ++i)
      reversed.indices()[i] = static_cast<int>(c.x.rows() - 1 - i);
    const auto model = fit(c.x, c.options);
    const auto other = fit((reversed * c.x).eval(), c.options);
    RC_ASSERT((other.components() - model.components()).norm() < 1e-10);
  }));
}

TEST(SolverLaw, scaling_all_numbers_scales_variances_by_its_square) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const double factor = *rc::gen::element(1e-6, 0.5, 1024.0, 1e12);
    const auto model = fit(c.x, c.options);
    const auto scaled = fit((factor * c.x).eval(), c.options);
    RC_ASSERT((scaled.components() - model.components()).norm() < 1e-10);
    const Vector<double> difference =
        scaled.explained_variance() / (factor * factor) - model.explained_variance();
    RC_ASSERT(difference.norm() < 1e-12 * model.explained_variance()[0]);
  }));
}

TEST(SolverLaw, models_survive_their_file_bit_for_bit) {
  EXPECT_TRUE(rc::check([] {
    const Case c = any_case();
    const auto model = fit(c.x, c.options);
    const auto copy = Model<double>::deserialize(model.serialize());
    RC_ASSERT(copy.transform(c.x) == model.transform(c.x));
    RC_ASSERT(copy.serialize() == model.serialize());
  }));
}

}  // namespace mercer::solver_laws_test
