// Exact kernel PCA of rows that lie on several ranks, by the options that users give.
#include "support/chunked_source.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/team_fit.hpp"
#include "support/thread_team.hpp"

#include <mercer/fit.hpp>

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace mercer::test::kernel_team_test {

/// The bytes of the model on every rank, or the message of the error. Rows are shared evenly, but
/// rank 1 of three or more has none.
std::vector<std::string> kernel_fit_on(int ranks, const Matrix<double>& x,
                                       const FitOptions& options,
                                       const std::vector<double>& weights, bool streamed) {
  std::vector<std::string> out(static_cast<std::size_t>(ranks));
  with_team(ranks, [&](Team& team) {
    const auto cut = [&](int rank) {
      return x.rows() * (rank == 2 && ranks > 2 ? 1 : rank) / ranks;
    };
    const Index first = cut(team.rank()), count = cut(team.rank() + 1) - first;
    FitOptions mine = options;
    mine.team = &team;
    const Rows<double> rows = Rows<double>(x).middle(first, count);
    const Weights w = weights.empty()
                          ? Weights()
                          : Weights(weights.data() + first, static_cast<std::size_t>(count));
    std::string& bytes = out[static_cast<std::size_t>(team.rank())];
    try {
      if (streamed) {
        ChunkedSource<double> source(rows, 61);
        bytes = fit(source, mine).serialize();
      } else {
        bytes = fit(rows, mine, w).serialize();
      }
    } catch (const Error& error) {
      bytes = error.what();
    }
  });
  return out;
}

TEST(KernelTeam, M_G3_exact_kernels_have_the_bits_of_one_process) {
  const Matrix<double> x = Random(7).normal(900, 4);
  std::vector<double> weights(900);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1.0 + static_cast<double>(i % 3);
  for (const Solver solver : {Solver::automatic, Solver::krylov})
    for (const Scale scale : {Scale::none, Scale::std})
      for (const bool weighted : {false, true}) {
        FitOptions options{.components = 4,
                           .kernel = Kernel::parse("rbf(gamma=0.3)"),
                           .solver = solver,
                           .scale = scale};
        options.memory = std::size_t{1} << 29;
        const std::vector<double> w = weighted ? weights : std::vector<double>();
        const std::string expected = fit(x, options, w).serialize();
        for (const int ranks : {1, 2, 3, 5}) {
          options.threads = 1 + ranks % 2;
          for (const std::string& bytes : kernel_fit_on(ranks, x, options, w, false))
            ASSERT_TRUE(bytes == expected)
                << ranks << " ranks: " << (bytes.size() < 400 ? bytes : "other bits");
        }
        if (weighted) continue;
        for (const std::string& bytes : kernel_fit_on(3, x, options, w, true))
          EXPECT_TRUE(bytes == expected) << (bytes.size() < 400 ? bytes : "other bits");
      }
}

TEST(KernelTeam, M_G3_models_do_not_depend_on_the_tiles_that_ranks_store) {
  const Matrix<double> x = Random(9).normal(2100, 3);
  FitOptions options{
      .components = 3, .kernel = Kernel::parse("rbf(gamma=0.3)"), .solver = Solver::krylov};
  options.memory = std::size_t{40} << 20;
  options.threads = 1;
  const Model<double> one = fit(x, options);
  EXPECT_TRUE(has(one.report().solver.why, "the rest recomputed on every pass"));
  for (const int ranks : {2, 4})
    for (const std::string& bytes : kernel_fit_on(ranks, x, options, {}, false))
      EXPECT_TRUE(bytes == one.serialize())
          << ranks << " ranks: " << (bytes.size() < 400 ? bytes : "other bits");
}

TEST(KernelTeam, M_G3_what_is_not_distributed_is_refused_on_all_ranks) {
  const Matrix<double> x = Random(8).normal(60, 3);
  FitOptions options{.components = 2, .kernel = kernels::rbf({.gamma = 1})};
  const auto expect_refused = [&](const FitOptions& asked, const std::string& part) {
    for (const std::string& message : kernel_fit_on(3, x, asked, {}, false))
      EXPECT_TRUE(has(message, part)) << message;
  };
  FitOptions timed = options;
  timed.seconds = 1;
  expect_refused(timed, "`seconds` is not distributed");
  FitOptions dense = options;
  dense.solver = Solver::dense;
  expect_refused(dense, "use `solver=krylov`");
  FitOptions small = options;
  small.memory = 1000;
  expect_refused(small, "memory");
}

/// The last segment has one row, which is all of a rank.
TEST(KernelTeam, M_G3_one_row_in_the_last_segment) {
  for (const Index n : {257, 513, 769}) {
    const Matrix<double> x = Random(static_cast<std::uint64_t>(n)).normal(n, 8);
    FitOptions options{.components = 3,
                       .kernel = Kernel::parse("rbf(gamma=0.05)"),
                       .solver = Solver::krylov,
                       .memory = std::size_t{1} << 30,
                       .threads = 1};
    const std::string expected = fit(Rows<double>(x), options).serialize();
    for (const int ranks : {2, 3, 5})
      for (const std::string& bytes : fits_on_team(ranks, Shares::even, Rows<double>(x), options))
        EXPECT_TRUE(bytes == expected)
            << n << " rows on " << ranks << ": " << difference(bytes, expected);
  }
}

}  // namespace mercer::test::kernel_team_test
