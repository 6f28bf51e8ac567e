#include "commands/commands.hpp"
#include "terminal/program.hpp"
#include "terminal/terminal.hpp"

#include <cstdlib>
#include <string>

namespace mercer::cli {

namespace {

constexpr const char* examples =
    "  mercer fit wine.csv --label cultivar --scale std           a summary; nothing is saved\n"
    "  mercer fit wine.csv --label cultivar --scale std -k 0.9 -o wine.st --scores scores.csv\n"
    "  mercer transform wine.st new.csv -o - | head\n"
    "  mercer inspect wine.st\n"
    "  producer | mercer learn - --rule gha -k 3 -o model.st       from a stream, row by row\n";

void add_commands(CLI::App& app) {
  add_fit(app);
  add_tune(app);
  add_transform(app);
  add_inverse(app);
  add_denoise(app);
  add_compress(app);
  add_decompress(app);
  add_inspect(app);
  add_export(app);
  add_score(app);
  add_moments(app);
  add_merge(app);
  add_contour(app);
  add_plot(app);
  add_probe(app);
  add_matrix(app);
  add_map(app);
  add_learn(app);
  add_kernel(app);
  add_eigs(app);
  add_lecture(app);
  add_data_command(app);
  add_completion(app);
  add_help_command(app);
}

}  // namespace

}  // namespace mercer::cli

/// Started by mpirun or srun, each process would do all of the work.
static void note_several_processes() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    const char* const count = std::getenv(variable);
    if (!count || std::atoi(count) < 2) continue;
    mercer::cli::say(std::string("mercer: note: one of ") + count +
                     " processes, each of which works alone; mercer-mpi shares the work\n");
    return;
  }
}

int main(int argc, char** argv) {
  using namespace mercer::cli;
  note_several_processes();
  return run_program(
      {"mercer", "Principal component analysis from the command line.", examples, add_commands},
      argc, argv);
}
