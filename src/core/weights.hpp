#pragma once
// Row weights are spans at the public edge, and inside pointers that are null where there are none.

#include "core/require.hpp"

#include <mercer/rows.hpp>

#include <span>

namespace mercer {

/// Null for none. Throws `Errc::bad_data` when there are not as many as rows.
inline const double* weights_of(std::span<const double> weights, Index rows) {
  if (weights.empty()) return nullptr;
  require(std::ssize(weights) == rows, Errc::bad_data,
          "there are {} `weights` for {} rows: one per row is needed", weights.size(), rows);
  return weights.data();
}

/// And back.
inline Weights as_weights(const double* weights, Index rows) {
  return weights ? Weights(weights, static_cast<std::size_t>(rows)) : Weights();
}

}  // namespace mercer
