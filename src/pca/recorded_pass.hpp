#pragma once
// Passes over the rows whose results are saved in a checkpoint, and read where it has them.

#include "core/packed.hpp"
#include "core/row_hash.hpp"
#include "pca/pass_log.hpp"
#include "pca/passes.hpp"

#include <mercer/fit.hpp>
#include <mercer/fit_checkpoint.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace mercer {

/// Where a fit saves its passes; null: nowhere.
inline PassLog* log_of(const FitOptions& options) {
  PassLog* const log = options.checkpoint ? &options.checkpoint->log() : nullptr;
  return log && log->active() ? log : nullptr;
}

/// Bytes that this run has less than the one that it continues, by whose memory it is planned.
inline double lacking_memory(const FitOptions& options) {
  const PassLog* const log = log_of(options);
  return log ? static_cast<double>(log->lacks()) : 0;
}

/// Computes a result by one pass, or reads it. On a team only rank 0 has results: it then does not
/// call the others. `save()` gives the result as bytes, `restore(bytes)` takes it; `input` is what
/// the pass depends on in addition to the rows and the options.
template <class T, class Compute, class Save, class Restore, class... X>
void recorded_pass(Passes<T>& passes, const FitOptions& options, std::string_view what,
                   const Compute& compute, const Save& save, const Restore& restore,
                   const X&... input) {
  PassLog* const log = log_of(options);
  if (!log || (passes.team() && passes.team()->rank() != 0)) return compute();
  const PassKey key{what, hash_of(packed(passes.exponent(), input...))};
  std::string bytes, result;
  if (log->read(Team::alone(), key, bytes)) {
    std::int64_t rows = 0;
    double weight = 0;
    unpack(bytes, rows, weight, result);
    passes.took_as(rows, weight);
    return restore(result);
  }
  compute();
  log->write(Team::alone(), key, packed(passes.rows(), passes.weight(), std::string(save())));
}

}  // namespace mercer
