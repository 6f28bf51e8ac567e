// A rank that fails in the middle of messages, as by an allocation, says nothing more: whatever it
// sent would be taken for what the others wait for. Who runs the team ends it then.
#include "support/random.hpp"
#include "support/thread_team.hpp"

#include <mercer/fit.hpp>

#include <gtest/gtest.h>

#include <new>
#include <stdexcept>

namespace mercer::test::failing_team_test {

/// One rank's end of a team, on which some call fails.
class FailingTeam final : public Team {
 public:
  FailingTeam(Team& team, int failing_call) : team_(team), left_(failing_call) {}

  int rank() const override { return team_.rank(); }
  int size() const override { return team_.size(); }
  void send(int to, const void* data, std::size_t bytes) override {
    count();
    team_.send(to, data, bytes);
  }
  void receive(int from, void* data, std::size_t bytes) override {
    count();
    team_.receive(from, data, bytes);
  }
  void exchange(int to, const void* out, std::size_t out_bytes, int from, void* in,
                std::size_t in_bytes) override {
    count();
    team_.exchange(to, out, out_bytes, from, in, in_bytes);
  }
  void broadcast(int root, void* data, std::size_t bytes) override {
    count();
    team_.broadcast(root, data, bytes);
  }
  Traffic traffic() const override { return team_.traffic(); }

  bool failed() const { return left_ <= 0; }
  bool spoke_afterwards() const { return left_ < 0; }

 private:
  void count() {
    if (--left_ > 0) return;
    if (left_ == 0) throw std::bad_alloc();
    throw std::logic_error("a rank that has failed goes on");
  }

  Team& team_;
  int left_;
};

/// Fits with every `step`-th call of every rank failing; returns how many did.
int fail_calls(const Matrix<double>& x, FitOptions options, int step) {
  int calls = 0;
  for (const int failing : {0, 1, 2})
    for (int call = 1;; call += step) {
      bool failed = false, spoke = false;
      try {
        with_team(3, [&](Team& team) {
          FailingTeam ends(team, team.rank() == failing ? call : 1 << 30);
          FitOptions mine = options;
          mine.team = &ends;
          mine.threads = 1;
          const Index n = x.rows(), first = n * team.rank() / 3, end = n * (team.rank() + 1) / 3;
          try {
            fit(Rows<double>(x).middle(first, end - first), mine);
          } catch (...) {
            if (team.rank() == failing) failed = ends.failed(), spoke = ends.spoke_afterwards();
            throw;
          }
          if (team.rank() == failing) failed = ends.failed();
        });
        EXPECT_FALSE(failed) << "rank " << failing << ", call " << call << " failed unnoticed";
      } catch (const std::exception&) {
        EXPECT_FALSE(spoke) << "rank " << failing << ", call " << call;
      }
      if (!failed || spoke) break;
      ++calls;
    }
  return calls;
}

TEST(FailingTeam, M_G6_a_rank_that_fails_among_messages_is_silent) {
  const Matrix<double> x = Random(1).normal(600, 3);
  EXPECT_GT(fail_calls(x, {.components = 2, .scale = Scale::std}, 2), 20);
  EXPECT_GT(fail_calls(x, {.components = 2, .solver = Solver::randomized}, 4), 20);
  FitOptions kernel{.components = 2, .kernel = kernels::rbf({.gamma = 0.2})};
  kernel.solver = Solver::krylov;
  EXPECT_GT(fail_calls(x, kernel, 11), 20);
}

}  // namespace mercer::test::failing_team_test
