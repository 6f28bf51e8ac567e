// Linear PCA of rows that lie on several ranks is that of all rows on one process, bit for bit.
#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/thread_team.hpp"

#include <mercer/expression.hpp>
#include <mercer/fit.hpp>
#include <mercer/map.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <Eigen/SparseCore>

#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace mercer::test::linear_team_test {

const std::vector<int> rank_counts = {1, 2, 3, 4, 5, 7, 8};

/// Where the rows of each rank begin: uneven shares, some of them empty.
std::vector<Index> cuts_of(Index n, int ranks, int variant) {
  std::vector<Index> cuts{0};
  for (int r = 1; r < ranks; ++r) {
    Index at = n * r / ranks;
    if (variant == 1) at = n * r * r / (ranks * ranks) / 2;  // most rows on the last rank
    if (variant == 2 && r % 2 == 1) at = cuts.back();        // every other rank is empty
    if (variant == 3) at = std::min<Index>(n, 3 * r);        // far less than a leaf
    cuts.push_back(std::max(at, cuts.back()));
  }
  cuts.push_back(n);
  return cuts;
}

/// The bytes of the model on every rank; the message of the error, where there is one.
template <class T>
std::vector<std::string> fit_on(int ranks, int variant, const Rows<T>& x, FitOptions options,
                                Weights weights = {},
                                const std::shared_ptr<const Map<T>>& map = nullptr,
                                bool streamed = false) {
  std::vector<std::string> out(static_cast<std::size_t>(ranks));
  const std::vector<Index> cuts = cuts_of(x.rows(), ranks, variant);
  with_team(ranks, [&](Team& team) {
    const auto rank = static_cast<std::size_t>(team.rank());
    const Index first = cuts[rank], count = cuts[rank + 1] - first;
    FitOptions mine = options;
    mine.team = &team;
    const Rows<T> rows = x.middle(first, count);
    const Weights w = weights.empty()
                          ? weights
                          : Weights(weights.data() + first, static_cast<std::size_t>(count));
    try {
      if (streamed) {
        ChunkedSource<T> source(rows, 97);
        out[rank] = fit(source, mine).serialize();
      } else {
        out[rank] = map ? fit(rows, map, mine, w).serialize() : fit(rows, mine, w).serialize();
      }
    } catch (const Error& error) {
      out[rank] = error.what();
    }
  });
  return out;
}

template <class T>
void expect_same_bits(const Rows<T>& x, const FitOptions& options, Weights weights = {},
                      const std::shared_ptr<const Map<T>>& map = nullptr) {
  FitOptions alone = options;
  alone.solver = Solver::covariance;
  const std::string expected =
      map ? fit(x, map, alone, weights).serialize() : fit(x, alone, weights).serialize();
  for (const int ranks : rank_counts)
    for (const int variant : {0, 1, 2, 3})
      for (const int threads : {1, 2}) {
        if (threads == 2 && variant != 0) continue;
        alone.threads = threads;
        const std::vector<std::string> got = fit_on(ranks, variant, x, alone, weights, map);
        for (const std::string& bytes : got)
          ASSERT_TRUE(bytes == expected)
              << ranks << " ranks, cuts " << variant << ", " << threads
              << " threads: " << (bytes.size() < 400 ? bytes : "other bits");
      }
}

Matrix<double> rows_of(Index n, Index d, std::uint64_t seed) {
  Random random(seed);
  Matrix<double> x = random.normal(n, d);
  for (Index j = 0; j < d; ++j) x.col(j) = x.col(j).array() * (1.0 + double(j)) + 3.0 * double(j);
  return x;
}

Vector<double> weights_for(Index n) {
  Vector<double> w(n);
  for (Index i = 0; i < n; ++i) w[i] = i % 7 == 3 ? 0.0 : 0.1 + 0.01 * static_cast<double>(i % 13);
  return w;
}

TEST(LinearTeam, M_P4_has_the_bits_of_one_process_for_any_number_of_ranks) {
  // Fewer rows than give a shift, one leaf, several leaves; few and many columns, and tiles.
  for (const auto& [n, d] : std::vector<std::pair<Index, Index>>{
           {5, 3}, {200, 3}, {700, 4}, {9000, 30}, {2600, 90}, {900, 530}}) {
    const Matrix<double> x = rows_of(n, d, 1);
    SCOPED_TRACE(fmt::format("{} x {}", n, d));
    expect_same_bits(Rows<double>(x), {.components = 2});
  }
}

TEST(LinearTeam, M_P4_many_leaves_of_few_columns) {
  const Matrix<double> x = rows_of(150000, 3, 2);
  const std::string expected = fit(x, {.solver = Solver::covariance}).serialize();
  for (const int ranks : {2, 3, 5})
    for (const int variant : {0, 1})
      for (const std::string& bytes :
           fit_on(ranks, variant, Rows<double>(x), {.solver = Solver::covariance}))
        EXPECT_TRUE(bytes == expected) << ranks;
}

TEST(LinearTeam, M_P4_weights_scales_and_missing_cells) {
  Matrix<double> x = rows_of(3000, 8, 3);
  const Vector<double> w = weights_for(x.rows());
  expect_same_bits(Rows<double>(x), {.components = 3}, w);
  expect_same_bits(Rows<double>(x), {.components = 3, .scale = Scale::std, .ddof = 0}, w);
  expect_same_bits(Rows<double>(x), {.components = 3, .center = false});
  x.array() += 1e3;  // the deviations take a pass of their own
  expect_same_bits(Rows<double>(x), {.components = 3, .center = false, .scale = Scale::std});
  for (Index i = 0; i < x.rows(); ++i) x(i, i % 7) = i % 3 == 0 ? std::nan("") : x(i, i % 7);
  x.col(4).head(1500).setConstant(std::nan(""));
  expect_same_bits(Rows<double>(x), {.components = 3, .missing = Missing::mean}, w);
}

TEST(LinearTeam, M_P4_small_variances_by_the_qr_of_all_rows) {
  Matrix<double> x = rows_of(5000, 6, 4);
  x.col(5) = x.col(0) + 1e-7 * x.col(5);
  expect_same_bits(Rows<double>(x), {});
  expect_same_bits(Rows<double>(x), {.center = false}, weights_for(x.rows()));
  Matrix<double> wide = rows_of(2000, 140, 5);
  wide.col(139) = wide.col(0) + 1e-7 * wide.col(139);
  expect_same_bits(Rows<double>(wide), {});
}

TEST(LinearTeam, M_P4_shifts_that_the_first_rows_do_not_show) {
  Matrix<double> x = rows_of(4000, 5, 6);
  x.bottomRows(3500).array() += 1e6;  // a second pass about the mean
  expect_same_bits(Rows<double>(x), {});
}

TEST(LinearTeam, M_P4_numbers_whose_squares_overflow) {
  const Matrix<double> x = rows_of(1500, 4, 7) * 1e200;
  expect_same_bits(Rows<double>(x), {.scale = Scale::std});
}

TEST(LinearTeam, M_P4_floats_and_sparse_rows) {
  const Matrix<float> x = rows_of(3000, 12, 8).cast<float>();
  expect_same_bits(Rows<float>(x), {.components = 4, .scale = Scale::std});
  Matrix<double> holes = rows_of(9000, 10, 9);
  for (Index i = 0; i < holes.rows(); ++i)
    for (Index j = 0; j < holes.cols(); ++j)
      if ((i * 7 + j * 3) % 5 != 0) holes(i, j) = 0;
  const auto sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(holes.sparseView()));
  expect_same_bits(Rows<double>(sparse), {.components = 4});
  expect_same_bits(Rows<double>(sparse), {.components = 4, .scale = Scale::std},
                   weights_for(holes.rows()));
}

TEST(LinearTeam, M_P4_explicit_maps) {
  const Matrix<double> x = rows_of(2500, 3, 10);
  expect_same_bits(Rows<double>(x), {.components = 4, .scale = Scale::std}, weights_for(x.rows()),
                   polynomial_map<double>(3, 3));
  expect_same_bits(Rows<double>(x), {.components = 4}, {}, polynomial_map<double>(3, 2));
  const Matrix<float> f = x.cast<float>();
  expect_same_bits(Rows<float>(f), {.components = 4}, {}, polynomial_map<float>(3, 2));
}

TEST(LinearTeam, M_P4_streamed_shares) {
  const Matrix<double> x = rows_of(60000, 30, 11);
  FitOptions options{.components = 3, .solver = Solver::covariance};
  const std::string expected = fit(x, options).serialize();
  options.memory = 3 << 20;  // a share has 2.9 MB or more
  for (const int ranks : {2, 3, 5})
    for (const std::string& bytes : fit_on(ranks, 0, Rows<double>(x), options, {}, {}, true))
      EXPECT_TRUE(bytes == expected) << ranks << ": " << (bytes.size() < 400 ? bytes : "bits");
}

TEST(LinearTeam, M_G2_a_bad_cell_on_one_rank_is_the_error_of_all) {
  Matrix<double> x = rows_of(100, 3, 12);
  x(70, 1) = std::nan("");
  x(90, 0) = INFINITY;
  std::string expected;
  try {
    fit(x, {.solver = Solver::covariance});
  } catch (const Error& error) {
    expected = error.what();
  }
  EXPECT_EQ(expected, "row 71, column 2 is nan; remove the row or fill in a number");
  for (const int ranks : {2, 3, 8})
    for (const std::string& message : fit_on(ranks, 0, Rows<double>(x), {}))
      EXPECT_EQ(message, expected);
}

TEST(LinearTeam, M_G2_a_bad_weight_is_named_by_its_row_in_all_rows) {
  const Matrix<double> x = rows_of(60, 3, 13);
  Vector<double> w = Vector<double>::Ones(60);
  w[45] = -1;
  for (const std::string& message : fit_on(4, 0, Rows<double>(x), {}, w))
    EXPECT_EQ(message, "the weight of row 46 is -1; weights must be numbers of 0 or more");
}

TEST(LinearTeam, M_G2_errors_of_the_solver_reach_all_ranks) {
  const Matrix<double> x = Matrix<double>::Constant(50, 3, 2.5);
  for (const std::string& message : fit_on(3, 0, Rows<double>(x), {}))
    EXPECT_EQ(message, "the data: all rows are equal, there is no variance to explain");
  const Matrix<double> none(0, 3);
  for (const std::string& message : fit_on(3, 0, Rows<double>(none), {}))
    EXPECT_EQ(message, "the data has no rows");
}

TEST(LinearTeam, M_G2_ranks_with_different_options_are_told_which) {
  const Matrix<double> x = rows_of(60, 3, 14);
  with_team(3, [&](Team& team) {
    FitOptions options{.ddof = team.rank() == 2 ? 0 : 1};
    options.team = &team;
    expect_error(Errc::bad_option, {"`ddof` of rank 2 is not that of rank 0"},
                 [&] { fit(x, options); });
  });
  with_team(2, [&](Team& team) {
    FitOptions options;
    options.team = &team;
    const Matrix<double> mine = x.leftCols(team.rank() == 1 ? 2 : 3);
    expect_error(Errc::bad_option, {"the number of columns of rank 1 is not that of rank 0"},
                 [&] { fit(mine, options); });
  });
}

TEST(LinearTeam, M_G2_what_is_not_distributed_is_refused_by_name) {
  const Matrix<double> x = rows_of(60, 3, 15);
  const auto refused = [&](FitOptions options, const std::string& what) {
    for (const std::string& message : fit_on(2, 0, Rows<double>(x), options))
      EXPECT_NE(message.find(what + " is not distributed over several processes"),
                std::string::npos)
          << message;
  };
  refused({.components = significant()}, "`components=significant()`");
  refused({.components = 1, .missing = Missing::em}, "`missing=em`");
  refused({.keep_rows = 5}, "`keep_rows`");
  refused({.solver = Solver::svd}, "`solver=svd`");
  for (const std::string& message :
       fit_on<double>(2, 0, Rows<double>(x), {}, {}, expression_map<double>("x1^2", 3)))
    EXPECT_NE(message.find("expressions as a map are not distributed"), std::string::npos);
}

TEST(LinearTeam, an_interrupt_on_one_rank_ends_all) {
  const Matrix<double> x = rows_of(5000, 6, 16);
  with_team(3, [&](Team& team) {
    FitOptions options;
    options.team = &team;
    if (team.rank() == 1) options.monitor = [](const Progress&) { return false; };
    expect_error(Errc::interrupted, {"interrupted"}, [&] { fit(x, options); });
  });
}

}  // namespace mercer::test::linear_team_test
