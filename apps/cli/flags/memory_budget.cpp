#include "flags/memory_budget.hpp"

#include "core/budget.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "diagnostics/limits.hpp"
#include "flags/options.hpp"

#include <CLI/CLI.hpp>

#include <sys/stat.h>

#include <algorithm>
#include <limits>

namespace mercer::cli {

namespace {

/// Reading a block of CSV takes its text and its rows, writing it the scores and their text, and a
/// thread has some of each: a block is the 16th part, and not smaller than this.
constexpr double parts = 16, least_block = 256 << 10;

template <class T>
double entries_of(const Rows<T>& rows) {
  return static_cast<double>(rows.rows() > 0 ? rows.entries() : 0);
}

/// The bytes of `--memory` when it is given; freed memory would count as well.
std::size_t limit_of(const std::string& text) {
  return_freed_memory();
  return parse_bytes(text, "--memory");
}

[[noreturn]] void too_small(double total, double least) {
  fail(Errc::out_of_memory, "--memory {} is too small: at least {} is needed", format_bytes(total),
       format_least_bytes(least));
}

}  // namespace

CLI::Option* add_memory_flag(CLI::App& app, std::string& memory, const std::string& help) {
  return add_text(app, "--memory", memory, "SIZE",
                  help.empty() ? "memory budget such as 256MiB" : help, "Running")
      ->default_str("no limit");
}

std::size_t memory_of(const std::string& text) {
  return Budget(text.empty() ? 0 : limit_of(text)).bytes();
}

MemoryBudget::MemoryBudget(const std::string& text)
    : total_(text.empty() ? 0 : static_cast<double>(limit_of(text))) {}

void MemoryBudget::load(const std::string& model_file) {
  struct stat info {};
  if (stat(model_file.c_str(), &info) == 0) load_bytes(static_cast<double>(info.st_size));
}

void MemoryBudget::load_bytes(double model_bytes) {
  const double least = held_ + 2 * model_bytes + parts * least_block;
  if (limited() && least > total_) too_small(total_, least);
}

MemoryBudget& MemoryBudget::hold(double bytes) {
  held_ += bytes;
  return *this;
}

MemoryBudget& MemoryBudget::work(double bytes_per_thread) {
  work_ += bytes_per_thread;
  return *this;
}

void MemoryBudget::settle(double row_bytes, int& threads) {
  if (!limited()) return;
  const double blocks = parts * std::max(least_block, row_bytes);
  if (held_ + work_ + blocks > total_) too_small(total_, held_ + work_ + blocks);
  if (work_ > 0) {
    const double affordable = (total_ - held_ - blocks) / work_;
    threads = std::min(thread_count(threads), static_cast<int>(std::min(affordable, 4096.0)));
  }
  const double left = total_ - held_ - work_ * (work_ > 0 ? threads : 0);
  block_ = std::min(block_, static_cast<std::size_t>(left / parts));
  piece_ = std::min(piece_, block_);
}

double MemoryBudget::share() const {
  return limited() ? (total_ - held_) / 2 : std::numeric_limits<double>::infinity();
}

template <class T>
double bytes_of(const Model<T>& model) {
  // Components once more: divided by scales, or as many of a kernel are multiplied.
  const bool twice = !model.map().is_identity() || model.scale().size() > 0;
  const auto components = static_cast<double>(model.components().size());
  // Names, in the model and in the file that is read; components that are multiplied at once.
  const double columns = 400 * static_cast<double>(model.inputs());
  return columns + std::min(8 * components, double{8 << 20}) +
         static_cast<double>(sizeof(T)) *
             ((twice ? 2 : 1) * components + entries_of(model.map().anchors()) +
              entries_of(Rows<T>(model.rows())));
}

template <class T>
void hold_decoder(MemoryBudget& budget, const Model<T>& model, const PreImageOptions& options) {
  if (model.map().is_identity()) return;
  const auto features = static_cast<double>(model.map().features());
  const auto columns = static_cast<double>(model.inputs()),
             k = static_cast<double>(model.outputs());
  const Index kept = std::max(model.rows().rows(), model.map().anchors().rows());
  const Index most = options.method == PreImageMethod::distances ? 4000 : 1000;
  const auto learned = static_cast<double>(std::min(kept, most));
  // Components three times; anchors and rows to learn from, widened; the matrix of the ridge, and
  // of landmarks that of the kernel, each with its factor.
  budget.hold(8 * (3 * k * features + features * columns + learned * (2 * columns + 3 * k) +
                   2 * learned * learned));
  if (model.report().approximation) budget.hold(8 * 2 * features * features);
  const double rows = std::clamp(2097152 / std::max(features, 1.0), 16.0, 256.0);
  budget.work(8 * rows * (3 * features + learned + 6 * columns));
}

template <class T>
void hold_scorer(MemoryBudget& budget, const Model<T>& model, double level) {
  const auto features = static_cast<double>(model.map().features());
  const auto k = static_cast<double>(model.outputs());
  budget.hold(8 * 2 * k * features);
  const double rows = std::clamp(524288 / std::max(features, 1.0), 1.0, 512.0);
  budget.work(8 * rows * (4 * features + 2 * k));
  if (model.map().is_identity()) {
    // Limits are simulated by samples with as many rows and columns, up to 2^20 numbers each.
    const auto samples = static_cast<double>(model.report().n_samples);
    const double sample = std::min(double{1 << 20}, features * std::min(features, samples));
    budget.hold(8 * 4 * sample).work(8 * 2 * sample);
    return;
  }
  // Of the rows that the model keeps: their features in two precisions, their matrix, its
  // eigenvectors and what those are found in.
  const auto kept =
      static_cast<double>(std::max(model.rows().rows(), model.map().anchors().rows()));
  const double used =
      std::min(kept, std::max(1000.0, static_cast<double>(rows_for_left_out_limits(level))));
  budget.hold(8 * (2 * used * features + 5 * used * used));
  if (model.map().space() == Space::kernel && model.report().approximation)
    budget.hold(8 * 3 * features * features);
}

#define MERCER_INSTANTIATE(T)                                                         \
  template double bytes_of(const Model<T>&);                                          \
  template void hold_decoder(MemoryBudget&, const Model<T>&, const PreImageOptions&); \
  template void hold_scorer(MemoryBudget&, const Model<T>&, double);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer::cli
