// Approximate kernel PCA on any number of ranks and threads: the bits of one process.
#include "support/chunked_source.hpp"
#include "support/random.hpp"
#include "support/same_bits.hpp"

#include <mercer/fit.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace mercer::test::approximate_test {

/// Three clusters in a few columns.
Matrix<double> clusters(Index n, Index d, std::uint64_t seed) {
  Matrix<double> x = Random(seed).normal(n, d);
  for (Index i = 0; i < n; ++i) x(i, i % 3 % d) += 4;
  return x;
}

std::vector<double> uneven_weights(Index n) {
  std::vector<double> w;
  for (Index i = 0; i < n; ++i) w.push_back(i % 7 == 3 ? 0.0 : 0.1 + 0.01 * double(i % 13));
  return w;
}

FitOptions approximated(const char* approx, const char* kernel) {
  return {.components = 2, .kernel = Kernel::parse(kernel), .approx = parse_approx(approx)};
}

/// More rows than a leaf of sums has: two for each of eight ranks.
constexpr Index many = 150000;

TEST(TeamApproximations, M_G4_landmarks_of_many_rows) {
  const Matrix<double> x = clusters(many, 3, 1);
  expect_same_bits(Rows<double>(x), approximated("nystrom(landmarks=12)", "rbf(gamma=0.1)"));
}

TEST(TeamApproximations, M_G4_every_choice_of_landmarks) {
  const Matrix<double> x = clusters(5000, 3, 2);
  for (const char* approx :
       {"nystrom(landmarks=40)", "nystrom(landmarks=40, by=cholesky)",
        "nystrom(landmarks=20, by=kmeans)", "nystrom(landmarks=30, by=leverage)",
        "cholesky(rank=100)", "cholesky(tolerance=0.2)"}) {
    SCOPED_TRACE(approx);
    expect_same_bits(Rows<double>(x), approximated(approx, "rbf(gamma=0.1)"), {}, {1, 3, 8});
    expect_same_bits(Rows<double>(x), approximated(approx, "rbf"), uneven_weights(x.rows()), {5});
  }
}

TEST(TeamApproximations, M_G4_random_features) {
  const Matrix<double> x = clusters(many / 3, 3, 3);
  expect_same_bits(Rows<double>(x), approximated("fourier(features=40)", "rbf(gamma=0.1)"));
  expect_same_bits(Rows<double>(x),
                   approximated("fourier(features=30, orthogonal=no)", "laplacian"),
                   uneven_weights(x.rows()), {4});
  expect_same_bits(Rows<double>(x), approximated("tensorsketch(features=32)", "poly(degree=2)"), {},
                   {2, 7});
  // So few that all of them are in the sample of the error.
  const Matrix<double> few = clusters(300, 3, 4);
  expect_same_bits(Rows<double>(few), approximated("fourier(features=40)", "rbf"), {}, {2, 5});
}

TEST(TeamApproximations, M_G4_sparse_rows_floats_and_z_scores) {
  Matrix<double> holes = clusters(4000, 12, 5);
  for (Index i = 0; i < holes.rows(); ++i)
    for (Index j = 0; j < holes.cols(); ++j)
      if ((i * 7 + j * 3) % 5 != 0) holes(i, j) = 0;
  const auto sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(holes.sparseView()));
  const Matrix<float> floats = clusters(4000, 3, 6).cast<float>();
  for (const char* approx :
       {"cholesky(rank=30)", "nystrom(landmarks=30)", "fourier(features=40)"}) {
    SCOPED_TRACE(approx);
    FitOptions options = approximated(approx, "rbf");
    expect_same_bits(Rows<double>(sparse), options, {}, {3});
    options.tolerance = 1e-4;
    expect_same_bits(Rows<float>(floats), options, uneven_weights(floats.rows()), {4});
    options.scale = Scale::std;
    expect_same_bits(Rows<double>(holes), options, {}, {5});
  }
}

TEST(TeamApproximations, M_G4_missing_cells_far_means_and_large_weights) {
  Matrix<double> x = clusters(3000, 4, 7);
  for (Index i = 0; i < x.rows(); i += 3) x(i, i % 4) = std::nan("");
  FitOptions filled = approximated("nystrom(landmarks=30)", "rbf");
  filled.missing = Missing::mean;
  expect_same_bits(Rows<double>(x), filled, {}, {3});
  // x·y of rows far from 0 is computed about their mean.
  Matrix<double> far = clusters(3000, 4, 8);
  far.array() += 1e6;
  expect_same_bits(Rows<double>(far), approximated("cholesky(rank=4)", "linear"), {}, {4});
  expect_same_bits(Rows<double>(far),
                   approximated("nystrom(landmarks=20)", "linear + rbf(gamma=1)"),
                   uneven_weights(far.rows()), {3});
  std::vector<double> large = uneven_weights(3000);
  for (double& w : large) w *= 1e200;
  const Matrix<double> ordinary = clusters(3000, 4, 9);
  expect_same_bits(Rows<double>(ordinary), approximated("cholesky(rank=20)", "rbf"), large, {3});
}

/// Rows whose number is not known before they are read: they are not held.
class Uncounted : public ForwardingSource<double> {
 public:
  using ForwardingSource::ForwardingSource;
  std::optional<Block<double>> next() override { return source_.next(); }
  Index expected_rows() const override { return 0; }
};

TEST(TeamApproximations, M_G4_rows_that_are_read_again_for_every_pass) {
  const Matrix<double> x = clusters(many, 3, 12);
  const FitOptions options = approximated("cholesky(rank=10)", "rbf");
  const std::string expected = fit(Rows<double>(x), options).serialize();
  std::vector<std::string> out(3);
  std::vector<int> rewinds(3);
  with_team(3, [&](Team& team) {
    const auto rank = static_cast<std::size_t>(team.rank());
    FitOptions mine = options;
    mine.team = &team;
    ChunkedSource<double> chunks(Rows<double>(x).middle(many / 3 * team.rank(), many / 3), 97);
    Uncounted source(chunks);
    out[rank] = fit(source, mine).serialize();
    rewinds[rank] = chunks.rewinds;
  });
  for (const std::string& bytes : out) EXPECT_TRUE(bytes == expected);
  for (const int count : rewinds) EXPECT_GE(count, 3);
}

TEST(TeamApproximations, M_G4_few_rows) {
  const Matrix<double> x = clusters(5, 2, 10);
  expect_same_bits(Rows<double>(x), approximated("nystrom", "rbf"), {}, {2, 8});
  expect_same_bits(Rows<double>(x), approximated("cholesky(rank=3)", "rbf"), {}, {3});
}

TEST(TeamApproximations, M_G4_errors_of_one_rank_are_those_of_all) {
  const Matrix<double> x = clusters(3000, 3, 11);
  const auto refused = [&](const Matrix<double>& rows, const FitOptions& options,
                           const std::string& message) {
    for (const std::string& said : fits_on_team(3, Shares::even, Rows<double>(rows), options))
      EXPECT_EQ(said, message);
  };
  Matrix<double> bad = x;
  bad(2500, 1) = std::nan("");
  refused(bad, approximated("cholesky(rank=10)", "rbf"),
          "row 2501, column 2 is nan; remove the row or fill in a number");
  Matrix<double> negative = x.cwiseAbs();
  negative(1500, 0) = -1;
  const FitOptions of_counts = approximated("nystrom(landmarks=10)", "chi2(gamma=1)");
  std::string alone;
  try {
    fit(Rows<double>(negative), of_counts);
  } catch (const Error& error) {
    alone = error.what();
  }
  EXPECT_NE(alone.find("row 1501"), std::string::npos) << alone;
  refused(negative, of_counts, alone);
  refused(x, approximated("cholesky(rank=5000)", "rbf"),
          "`approx`: rank=5000 is more than the 3000 rows of the data");
  FitOptions own = approximated("nystrom(landmarks=10)", "rbf");
  own.kernel = Kernel::function(
      "own", [](std::span<const double> a, std::span<const double> b) { return a[0] * b[0] + 1; });
  refused(
      x, own,
      "an approximation of a user-defined kernel is not distributed over several processes; use "
      "one process");
  FitOptions stopped = approximated("nystrom(landmarks=10)", "rbf");
  stopped.monitor = [](const Progress& p) { return p.what != "features"; };
  refused(x, stopped, "interrupted");
}

}  // namespace mercer::test::approximate_test
