#pragma once
// One function per command: adds it, with its flags, its examples and what it does.

namespace CLI {
class App;
}

namespace mercer::cli {

void add_fit(CLI::App& app);
void add_tune(CLI::App& app);
void add_transform(CLI::App& app);
void add_inverse(CLI::App& app);
void add_denoise(CLI::App& app);
void add_compress(CLI::App& app);
void add_decompress(CLI::App& app);
void add_inspect(CLI::App& app);
void add_export(CLI::App& app);
void add_matrix(CLI::App& app);
void add_map(CLI::App& app);
void add_moments(CLI::App& app);
void add_merge(CLI::App& app);
void add_contour(CLI::App& app);
void add_plot(CLI::App& app);
void add_probe(CLI::App& app);
void add_score(CLI::App& app);
void add_learn(CLI::App& app);
void add_kernel(CLI::App& app);
void add_eigs(CLI::App& app);
void add_lecture(CLI::App& app);
void add_data_command(CLI::App& app);
void add_completion(CLI::App& app);
void add_help_command(CLI::App& app);  ///< after the others, whose names it lists

}  // namespace mercer::cli
