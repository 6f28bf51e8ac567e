#include "solvers/missed.hpp"

#include "solvers/krylov.hpp"
#include "support/operators.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace mercer::missed_test {

using test::Random;

/// Eigenvectors as rows, values descending: a matrix whose pairs are known.
struct Known {
  Vector<double> values;
  Matrix<double> vectors;
  test::DenseOperator matrix;
};

Known known(Vector<double> values, std::uint64_t seed) {
  const Index n = values.size();
  const Matrix<double> x = Random(seed).normal(n, n);
  const Matrix<double> q = symmetric_eigen(x + x.transpose(), n).vectors;
  Matrix<double> a = test::product(q.transpose(), values.asDiagonal() * q);
  return {std::move(values), q, {std::move(a)}};
}

Completeness complete_for(const Vector<double>& values, bool norms) {
  Completeness out;
  if (norms)
    out.norms = [values] {
      return MatrixNorms{values.squaredNorm() * (1 + 1e-13), values.sum() * (1 + 1e-13)};
    };
  return out;
}

/// As eigs is asked with a start that spans an invariant subspace below the largest eigenvalues.
void expect_hidden_found(const std::function<double(Index i, Index hidden, Random&)>& value,
                         bool copies) {
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    Random random(seed);
    const Index n = 150, hidden = 1 + static_cast<Index>(random.bits() % 3);
    Vector<double> values(n);
    for (Index i = 0; i < n; ++i) values[i] = value(i, hidden, random);
    std::sort(values.begin(), values.end(), std::greater<>());
    Known a = known(values, seed);
    const Matrix<double> start = a.vectors.middleRows(hidden, 8).transpose();
    const Completeness complete = complete_for(values, seed % 2 == 0);
    for (const Index k : {1, 4}) {
      const KrylovResult found =
          krylov_pairs(a.matrix, k, {.block = 8}, {.start = &start, .complete = &complete});
      EXPECT_LT((found.pairs.values - values.head(k)).cwiseAbs().maxCoeff(), 1e-9) << seed;
      EXPECT_GE(found.confidence, 1 - 1e-6);
      EXPECT_GE(found.ceiling, values[k] - 1e-9);
      // Copies leave the random vectors little to tell by: the bound may be wide, which depends on
      // the last digits of the matrix, and so on the processor; it is still a bound.
      if (!copies) EXPECT_LE(found.ceiling, values[k - 1] + 1e-9) << seed << ", k = " << k;
    }
  }
}

TEST(Missed, M_P1_a_start_of_smaller_eigenvectors_does_not_hide_larger_ones) {
  expect_hidden_found(
      [](Index i, Index hidden, Random& random) {
        const double apart = 0.02 * static_cast<double>(i);
        return i < hidden ? 4 - apart : i < 20 ? 3.5 - apart : 1 + random.uniform();
      },
      false);
}

TEST(Missed, M_P1_copies_of_smaller_eigenvectors_do_not_hide_larger_ones) {
  expect_hidden_found(
      [](Index i, Index hidden, Random& random) {
        return i < hidden ? 4 : i < 20 ? 3 : 1 + random.uniform();
      },
      true);
}

TEST(Missed, M_P1_small_remainders_are_proven) {
  Vector<double> values(200);
  for (Index i = 0; i < 200; ++i) values[i] = std::pow(0.7, static_cast<double>(i));
  Known a = known(values, 3);
  const Completeness complete = complete_for(values, true);
  const KrylovResult found = krylov_pairs(a.matrix, 5, {.block = 8}, {.complete = &complete});
  EXPECT_EQ(found.confidence, 1);
  EXPECT_LE(found.ceiling, values[4] * (1 + 1e-9));
  // Without norms there is no proof, but random vectors do.
  const Completeness guess = complete_for(values, false);
  EXPECT_EQ(krylov_pairs(a.matrix, 5, {.block = 8}, {.complete = &guess}).confidence, 1 - 1e-6);
}

TEST(Missed, copies_beyond_the_random_vectors_are_found) {
  Vector<double> values(200);
  for (Index i = 0; i < 200; ++i) values[i] = i < 40 ? 2 : 1 / (1.0 + static_cast<double>(i));
  Known a = known(values, 4);
  const Completeness complete = complete_for(values, false);
  const KrylovResult found = krylov_pairs(a.matrix, 42, {.block = 8}, {.complete = &complete});
  EXPECT_LT((found.pairs.values - values.head(42)).cwiseAbs().maxCoeff(), 1e-9);
}

TEST(Missed, a_smallest_basis_ends_with_a_bound_that_holds) {
  Vector<double> values(120);
  for (Index i = 0; i < 120; ++i) values[i] = 1 - 0.005 * static_cast<double>(i);
  Known a = known(values, 5);
  const Completeness complete = complete_for(values, false);
  const KrylovResult found = krylov_pairs(
      a.matrix, 3, {.block = 8, .basis = 19, .max_passes = 3000}, {.complete = &complete});
  EXPECT_LT((found.pairs.values - values.head(3)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_GE(found.ceiling, values[3]);
}

TEST(Missed, follows_the_lower_end_when_asked) {
  Vector<double> values(300);
  for (Index i = 0; i < 300; ++i) values[i] = i == 299 ? -0.8 : 1 / (1.0 + static_cast<double>(i));
  Known a = known(values, 6);
  Completeness complete = complete_for(values, false);
  complete.lower_end = true;
  EXPECT_LT(krylov_pairs(a.matrix, 4, {.block = 8}, {.complete = &complete}).smallest, -0.5);
}

TEST(Missed, limits_are_quantiles_of_the_smallest_singular_value) {
  // One vector: χ² with s degrees of freedom, P(χ² ≤ x) ≤ x^{s/2} / (2^{s/2} Γ(s/2 + 1)).
  for (const Index s : {3, 7, 12}) {
    const double eta = probe_limit(s, 1, 1e-6);
    const double half = 0.5 * static_cast<double>(s);
    EXPECT_NEAR(std::exp(half * std::log(eta * eta / 2) - std::lgamma(half + 1)), 1e-6, 1e-12);
  }
  // Two copies, by simulation: the smaller singular value of 4×2 normal numbers.
  const double eta = probe_limit(4, 2, 0.05);
  Random random(1);
  int below = 0;
  for (int i = 0; i < 20000; ++i) {
    const Matrix<double> g = random.normal(4, 2);
    const double a = g.col(0).squaredNorm(), c = g.col(1).squaredNorm(), b = g.col(0).dot(g.col(1));
    below += 0.5 * (a + c) - std::hypot(0.5 * (a - c), b) <= eta * eta;
  }
  EXPECT_LE(below, 1000 + 4 * 31);  // four standard deviations of the count
  EXPECT_GE(below, 500);            // and the bound is no waste
  EXPECT_EQ(probe_limit(4, 3, 1e-6), 0);
}

TEST(Missed, clusters_are_counted_among_values_that_are_new) {
  Vector<double> values(6), none(0), two(2);
  values << 5, 4, 4 - 1e-9, 4 - 2e-9, 1, 1;
  two << 4, 1;
  EXPECT_EQ(largest_cluster(values, 6, none, 1e-8), 3);
  EXPECT_EQ(largest_cluster(values, 6, two, 1e-8), 2);
  EXPECT_EQ(largest_cluster(values, 1, none, 1e-8), 1);
  EXPECT_EQ(largest_cluster(values, 0, none, 1e-8), 0);
}

}  // namespace mercer::missed_test
