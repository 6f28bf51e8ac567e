// `auto` finds directions without tuning; benchmarks/learn prints the whole table of
// docs/learning.md, this is a small part of it.
#include <mercer/data.hpp>
#include <mercer/fit.hpp>
#include <mercer/hebbian.hpp>

#include "core/random.hpp"
#include "support/temp_dir.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace mercer::auto_rate_test {

/// Columns with mean 0 and variance 1.
Matrix<double> z_scores(const std::string& file, const std::string& label) {
  Matrix<double> x = read<double>(test::data_file(file), {.label = label}).x;
  x.rowwise() -= x.colwise().mean().eval();
  for (Index j = 0; j < x.cols(); ++j)
    x.col(j) /= std::sqrt(x.col(j).squaredNorm() / static_cast<double>(x.rows() - 1));
  return x;
}

/// The rows in an order of their own.
Matrix<double> shuffled(const Matrix<double>& x, Random& random) {
  std::vector<Index> order(static_cast<std::size_t>(x.rows()));
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t i = order.size() - 1; i > 0; --i)
    std::swap(order[i], order[random.below(i + 1)]);
  Matrix<double> out(x.rows(), x.cols());
  for (Index i = 0; i < x.rows(); ++i) out.row(i) = x.row(order[static_cast<std::size_t>(i)]);
  return out;
}

void check(const std::string& file, const std::string& label, Index batch) {
  const Matrix<double> x = z_scores(file, label);
  const Index k = std::min<Index>(3, x.cols());
  const auto exact = fit(x, {.components = std::min<Index>(4, x.cols())});
  const Vector<double> lambda = exact.explained_variance();
  for (const std::uint64_t seed : {1, 2, 3}) {
    Hebbian gha(identity_map<double>(x.cols()), {.components = k, .batch = batch, .seed = seed});
    Random random(seed);
    for (int e = 0; e < 100; ++e) gha.update(shuffled(x, random));
    const Matrix<double> found = gha.model().components();
    for (Index j = 0; j < k; ++j) {
      const double gap = j + 1 < lambda.size() ? lambda[j] - lambda[j + 1] : lambda[j];
      if (gap < 0.08 * lambda[0]) break;
      const double cosine = std::abs(found.row(j).dot(exact.components().row(j)));
      EXPECT_LT(std::acos(std::min(1.0, cosine)) * 180 / M_PI, 1)
          << file << ", direction " << j + 1 << ", seed " << seed << ", batch " << batch;
    }
  }
}

TEST(AutoRate, M_E5_finds_the_directions_of_bundled_data_within_a_degree) {
  for (const Index batch : {1, 10}) {
    check("iris.csv", "species", batch);
    check("wine.csv", "cultivar", batch);
    check("moons.csv", "class", batch);
  }
}

TEST(AutoRate, M_E5_does_not_depend_on_the_unit_of_the_rows) {
  const Matrix<double> x = z_scores("wine.csv", "cultivar");
  Hebbian one(identity_map<double>(x.cols()), {.components = 2});
  Hebbian thousand(identity_map<double>(x.cols()), {.components = 2});
  one.update(x);
  thousand.update(Matrix<double>(1024 * x));
  // Powers of two: the same bits but for η, which carries the unit.
  EXPECT_LT((one.weights() - thousand.weights()).norm(), 1e-12);
}

}  // namespace mercer::auto_rate_test
