// One file by the ranks of a team.
#include "support/random.hpp"
#include "support/temp_dir.hpp"
#include "support/thread_team.hpp"

#include <mercer/data.hpp>
#include <mercer/error.hpp>
#include <mercer/team.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <string>

namespace mercer::test::team_sink_test {

void write_share(const std::string& path, const Matrix<double>& x, Team& team,
                 const Monitor& monitor = {}) {
  const Index n = x.rows(), first = n * team.rank() / team.size(),
              end = n * (team.rank() + 1) / team.size();
  Sink<double> out(path, {"a", "b"}, {.threads = 1, .team = &team, .monitor = monitor});
  out.write(x.middleRows(first, end - first));
  out.finish();
  out.close();
}

TEST(TeamSink, M_G5_has_the_bytes_of_one_process) {
  const TempDir dir;
  Random random(1);
  for (const Index n : {Index{2}, Index{1000}, Index{200000}}) {
    const Matrix<double> x = random.normal(n, 2);
    for (const char* name : {"x.csv", "x.tsv", "x.npy", "x.csv.gz"}) {
      if (n > 1000 && std::string(name) == "x.csv.gz") continue;
      write_share(dir / name, x, Team::alone());
      const std::string expected = slurp(dir / name);
      for (const int ranks : {2, 3, 5}) {
        with_team(ranks, [&](Team& team) { write_share(dir / name, x, team); });
        EXPECT_TRUE(slurp(dir / name) == expected) << name << " " << n << " " << ranks;
      }
    }
  }
}

TEST(TeamSink, M_G6_an_error_while_rows_are_collected_is_that_of_all_ranks) {
  const TempDir dir;
  const Matrix<double> x = Random(2).normal(300000, 2);
  std::atomic<int> failed = 0;
  const auto count = [&](Errc code, const auto& work) {
    failed = 0;
    with_team(3, [&](Team& team) {
      try {
        work(team);
      } catch (const Error& error) {
        if (error.code() == code) ++failed;
      }
    });
    return failed.load();
  };
  EXPECT_EQ(count(Errc::interrupted,
                  [&](Team& team) {
                    write_share(dir / "x.csv", x, team, [](const Progress&) { return false; });
                  }),
            3);
  // Rank 0 has no rows before those of the others, so that its device is full only then.
  EXPECT_EQ(count(Errc::io,
                  [&](Team& team) {
                    Sink<double> out("/dev/full", {}, {.threads = 1, .team = &team});
                    if (team.rank() > 0) out.write(x);
                    out.finish();
                  }),
            3);
  EXPECT_TRUE(dir.list().empty());
}

}  // namespace mercer::test::team_sink_test
