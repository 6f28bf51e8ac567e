#pragma once
// `--memory` of commands that send rows through a model: what is held all the time is counted
// first, threads and blocks of rows share what is left. The code of the program and its libraries,
// some 12 MiB, comes on top, as docs/cli.md says.
//
//     MemoryBudget budget(flags.memory);
//     budget.hold_model(*size_of_file(path));        // before it is loaded
//     budget.hold(bytes).work(bytes);                // all the time; for each thread
//     budget.settle(widest row in bytes, threads);   // refused when this is too little
//     reading.block_bytes = budget.block_bytes();

#include "flags/model_size.hpp"

#include <mercer/preimage.hpp>

#include <cstddef>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace mercer::cli {

CLI::Option* add_memory_flag(CLI::App& app, std::string& memory, const std::string& help = {});

/// The bytes of `--memory`; empty: half of the free memory. Measured once per command.
std::size_t memory_of(const std::string& text);

class MemoryBudget {
 public:
  /// The text of `--memory`; empty: there is no limit.
  explicit MemoryBudget(const std::string& text);

  bool limited() const { return total_ > 0; }
  /// While it is loaded, its file and the model are there for a moment.
  MemoryBudget& hold_model(const ModelSize& model);
  MemoryBudget& hold(double bytes);
  MemoryBudget& work(double bytes_per_thread);
  /// Chooses the blocks, and fewer threads where all would take too much; results do not depend on
  /// them. Throws `Errc::out_of_memory` with the least that would do.
  void settle(double row_bytes, int& threads);

  std::size_t block_bytes() const { return block_; }  ///< of rows that are read
  std::size_t piece_bytes() const { return piece_; }  ///< of rows or scores in work
  /// What is left for something that grows with the rows, in bytes; infinite without a limit.
  double share() const;

 private:
  double total_ = 0, held_ = 0, work_ = 0;
  double loading_ = 0;  // the most while models are loaded
  std::size_t block_ = std::size_t{8} << 20, piece_ = std::size_t{4} << 20;
};

/// Rows that are decoded together, at least.
constexpr Index least_decoded = 64;

/// Counts what pre-images of a model take.
void hold_decoder(MemoryBudget& budget, const ModelSize& model, const PreImageOptions& options);

/// Counts what T² and SPE with their limits at a level take.
void hold_scorer(MemoryBudget& budget, const ModelSize& model, double level);

}  // namespace mercer::cli
