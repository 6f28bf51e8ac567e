// mercer-mpi: commands of `mercer` that the processes of an MPI job run together.
#include "commands/commands.hpp"
#include "distributed/mpi_team.hpp"
#include "terminal/job.hpp"
#include "terminal/program.hpp"

namespace mercer::cli {

namespace {

constexpr const char* examples =
    "  mpirun -n 4 --bind-to none mercer-mpi fit part-*.npy -k 10 -o model.st\n"
    "  mpirun -n 4 --bind-to none mercer-mpi fit rows.csv --label class --scale std -o model.st\n"
    "  mpirun -n 4 --bind-to none mercer-mpi transform model.st part-*.npy -o scores.csv\n";

void add_commands(CLI::App& app) {
  add_fit(app);
  add_transform(app);
  add_score(app);
  add_help_command(app);
}

}  // namespace

}  // namespace mercer::cli

int main(int argc, char** argv) {
  using namespace mercer;
  MpiJob mpi(&argc, &argv);
  TeamLedger ledger(mpi.team());
  cli::job() = {.team = ledger.size() > 1 ? &ledger : nullptr,
                .processes_here = mpi.processes_here(),
                .launched = true};
  const int code = cli::run_program(
      {"mercer-mpi", "Principal component analysis by the processes of an MPI job.", cli::examples,
       cli::add_commands},
      argc, argv);
  return mpi.end(code, cli::unsaid());
}
