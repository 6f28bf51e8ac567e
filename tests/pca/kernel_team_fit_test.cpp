// Exact kernel PCA on teams of threads: the model of one process, bit by bit, on every rank.
#include "core/team.hpp"
#include "pca/kernel/kernel_pca.hpp"
#include "pca/kernel/kernel_shares.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"
#include "support/thread_team.hpp"

#include <mercer/mercer.hpp>

#include <gtest/gtest.h>
#include <Eigen/SparseCore>

namespace mercer::test::kernel_team_fit_test {

template <class T>
bool same(const T& a, const T& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
}

template <class T>
void expect_same(const Model<T>& one, const Model<T>& other, int ranks) {
  EXPECT_TRUE(same(one.eigenvalues(), other.eigenvalues())) << ranks;
  EXPECT_TRUE(same(one.components(), other.components())) << ranks;
  EXPECT_TRUE(same(one.mean(), other.mean())) << ranks;
  const Report &a = one.report(), &b = other.report();
  EXPECT_EQ(a.solver.residuals, b.solver.residuals) << ranks;
  EXPECT_EQ(a.solver.passes, b.solver.passes) << ranks;
  EXPECT_EQ(a.total_variance, b.total_variance) << ranks;
  EXPECT_EQ(a.certificate.low, b.certificate.low) << ranks;
  EXPECT_EQ(a.certificate.high, b.certificate.high) << ranks;
}

template <class T>
class KernelTeamFit : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(KernelTeamFit, Precisions);

TYPED_TEST(KernelTeamFit, M_P4_every_rank_has_the_model_of_one_process) {
  using T = TypeParam;
  Random random(21);
  const Index n = 1150;
  Matrix<double> x = random.normal(n, 4);
  for (Index j = 0; j < 4; ++j) x.col(j) *= 2.0 / (1.0 + static_cast<double>(j));
  const Matrix<T> rows = x.cast<T>();
  std::vector<double> weights(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = i % 5 == 0 ? 0 : 1.0 + (i % 3);
  struct Case {
    Components components = 5;
    Solver solver = Solver::krylov;
    bool weighted = false;
  };
  const Case cases[] = {{}, {.components = 0.9}, {.weighted = true}, {.solver = Solver::dense}};
  for (const Case& c : cases) {
    FitOptions options{.components = c.components,
                       .kernel = kernels::rbf({.gamma = 0.2}),
                       .solver = c.solver,
                       .memory = std::size_t{1} << 29};
    const double* w = c.weighted ? weights.data() : nullptr;
    const Plan plan = mercer::plan(Rows<T>(rows), options);
    const Model<T> plain =
        c.weighted ? fit(Rows<T>(rows), options, weights) : fit(Rows<T>(rows), options);
    for (const int ranks : {1, 2, 3, 5}) {
      with_team(ranks, [&](Team& team) {
        FitOptions own = options;
        own.threads = 1 + ranks % 2;
        expect_same(fit_kernel(Rows<T>(rows), plan, own, w, Schema{}, team), plain, ranks);
      });
    }
  }
}

TEST(KernelTeamFits, shares_of_rows_of_any_lengths_give_the_model_of_all_rows) {
  const Index n = 700;
  Matrix<double> x = Random(23).normal(n, 6);
  x = (x.array() < 0.3).select(0.0, x);
  const Csr<double> sparse =
      Csr<double>::from(Eigen::SparseMatrix<double, Eigen::RowMajor>(x.sparseView()));
  std::vector<double> weights(static_cast<std::size_t>(n));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 1.0 + static_cast<double>(i % 3);
  FitOptions options{
      .components = 4, .kernel = kernels::rbf({.gamma = 0.2}), .solver = Solver::krylov};
  options.memory = std::size_t{1} << 29;
  for (const bool dense : {true, false}) {
    const Rows<double> all = dense ? Rows<double>(x) : Rows<double>(sparse);
    const Model<double> plain = fit(all, options, weights);
    for (const int ranks : {1, 2, 4})
      with_team(ranks, [&](Team& team) {
        // Shares of 1 : 2 : 3 …, the last of which has the rest: not where segments begin.
        const Index unit = 2 * n / (ranks * (ranks + 1));
        const Index first = unit * team.rank() * (team.rank() + 1) / 2;
        const Index end = team.rank() + 1 == ranks ? n : first + unit * (team.rank() + 1);
        FitOptions own = options;
        own.memory += static_cast<std::size_t>(dense ? n * 6 * 8 + n * 8
                                                     : all.entries() * 12 + n * 8 + n * 8);
        expect_same(fit_kernel_shares(team, all.middle(first, end - first), weights.data() + first,
                                      own, Schema{}),
                    plain, ranks);
        own.memory = 10'000;
        refusal(
            [&] {
              fit_kernel_shares(team, all.middle(first, end - first), nullptr, own, Schema{});
            },
            Errc::out_of_memory);
      });
  }
}

TEST(KernelTeamFits, a_refusal_and_a_stopped_rank_end_all_ranks) {
  const Matrix<double> x = Random(22).normal(900, 3);
  FitOptions options{
      .components = 5, .kernel = kernels::rbf({.gamma = 0.2}), .solver = Solver::krylov};
  const Plan plan = mercer::plan(Rows<double>(x), options);
  with_team(3, [&](Team& team) {
    FitOptions own = options;
    int seen = 0;
    own.monitor = [&](const Progress&) { return team.rank() != 1 || ++seen < 3; };
    refusal([&] { fit_kernel(Rows<double>(x), plan, own, nullptr, Schema{}, team); },
            Errc::interrupted);
    own.monitor = {};
    own.tolerance = 1e-17;
    refusal([&] { fit_kernel(Rows<double>(x), plan, own, nullptr, Schema{}, team); },
            Errc::not_converged);
  });
}

}  // namespace mercer::test::kernel_team_fit_test
