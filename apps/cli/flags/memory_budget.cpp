#include "flags/memory_budget.hpp"

#include "core/budget.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/require.hpp"
#include "diagnostics/limits.hpp"
#include "flags/options.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <limits>

namespace mercer::cli {

namespace {

/// Reading a block of CSV takes its text and its rows, writing it the scores and their text, and a
/// thread has some of each: a block is the 16th part, and not smaller than this.
constexpr double parts = 16, least_block = 256 << 10;

/// The bytes of `--memory` when it is given; freed memory would count as well.
std::size_t limit_of(const std::string& text) {
  return_freed_memory();
  return parse_bytes(text, "--memory");
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

MemoryBudget& MemoryBudget::hold_model(const ModelSize& model) {
  loading_ = std::max(loading_, held_ + 2 * model.file_bytes + parts * least_block);
  return hold(bytes_of(model));
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
  const double least = std::max(loading_, held_ + work_ + blocks);
  if (least > total_)
    fail(Errc::out_of_memory, "--memory {} is too small: at least {} is needed",
         format_bytes(total_), format_least_bytes(least));
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

void hold_decoder(MemoryBudget& budget, const ModelSize& model, const PreImageOptions& options) {
  budget.hold(8 * least_decoded * std::max(model.inputs, model.outputs));
  if (model.linear) return;
  const double features = model.features, columns = model.inputs, k = model.outputs;
  const double most = options.method == PreImageMethod::distances ? 4000 : 1000;
  const double learned = std::min(std::max(model.rows, model.anchors), most);
  // Components three times; anchors and rows to learn from, widened; the matrix of the ridge, and
  // of landmarks that of the kernel, each with its factor.
  budget.hold(8 * (3 * k * features + features * columns + learned * (2 * columns + 3 * k) +
                   2 * learned * learned));
  if (model.approximate) budget.hold(8 * 2 * features * features);
  const double rows = std::clamp(2097152 / std::max(features, 1.0), 16.0, 256.0);
  budget.work(8 * rows * (3 * features + learned + 6 * columns));
}

void hold_scorer(MemoryBudget& budget, const ModelSize& model, double level) {
  const double features = model.features, k = model.outputs;
  budget.hold(8 * 2 * k * features);
  const double rows = std::clamp(524288 / std::max(features, 1.0), 1.0, 512.0);
  budget.work(8 * rows * (4 * features + 2 * k));
  if (model.linear) {
    // Limits are simulated by samples with as many rows and columns, up to 2^20 numbers each and
    // 2^22 in all; a thread has one of them, its products and what eigenvectors are found in.
    const double shorter = std::min({features, model.samples, 1024.0});
    const double sample = std::min(double{1 << 20}, features * shorter);
    const double samples = std::clamp((1 << 17) / (shorter * shorter), 4.0, 400.0);
    budget.hold(8 * std::min(double{1 << 22}, samples * sample))
        .work(8 * (sample + 3 * shorter * shorter));
    return;
  }
  // Of the rows that the model keeps: their features in two precisions, their matrix, its
  // eigenvectors and what those are found in.
  const double used =
      std::min(std::max(model.rows, model.anchors),
               std::max(1000.0, static_cast<double>(rows_for_left_out_limits(level))));
  budget.hold(8 * (2 * used * features + 5 * used * used));
  if (model.kernel && model.approximate) budget.hold(8 * 3 * features * features);
}

}  // namespace mercer::cli
