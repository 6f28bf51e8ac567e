// Fits an exact kernel model by the processes of an MPI job, and prints what each of them has sent:
// the bytes that namespaces.py looks for on the links between them.
#include "distributed/mpi_team.hpp"
#include "support/random.hpp"

#include <mercer/fit.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>

int main(int argc, char** argv) {
  using namespace mercer;
  MpiJob mpi(&argc, &argv);
  Team& team = mpi.team();
  test::Random random(6);
  constexpr Index n = 6000, d = 10;
  const Matrix<double> x = random.normal(n, d);
  const Index first = n * team.rank() / team.size(), end = n * (team.rank() + 1) / team.size();
  FitOptions options{.components = 8, .kernel = kernels::rbf({.gamma = 0.05})};
  options.solver = Solver::krylov;
  options.team = &team;
  fit(Rows<double>(x).middle(first, end - first), options);
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  const Team::Traffic traffic = team.traffic();
  std::fputs(
      fmt::format("{} {:.0f} {:.0f}\n", host.data(), traffic.bytes, traffic.messages).c_str(),
      stdout);
  std::fflush(stdout);
  return mpi.end(0, "");
}
