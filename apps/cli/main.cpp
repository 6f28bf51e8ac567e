#include "commands/commands.hpp"
#include "terminal/program.hpp"

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

int main(int argc, char** argv) {
  using namespace mercer::cli;
  return run_program(
      {"mercer", "Principal component analysis from the command line.", examples, add_commands},
      argc, argv);
}
