#pragma once
// The first pass of an approximation: rows drawn from all, and the kernel with what is open in it
// set.

#include "pca/kernel/sampled_rows.hpp"
#include "pca/kernel/seen_rows.hpp"

#include <mercer/kernel.hpp>

#include <string>
#include <vector>

namespace mercer {

template <class T>
struct RowSample {
  std::vector<SampledRow<T>> rows;  ///< in proportion to their weights, as they were drawn
  Kernel kernel;
};

/// At most `most` rows.
template <class T>
RowSample<T> sample_rows(SeenRows<T>& rows, Index most);

/// The kernel that rank 0 has, by its text.
Kernel same_kernel(const FitOptions& options, const std::string& text);

/// The part of another rank.
template <class T>
void serve_sample(Passes<T>& passes, const FitOptions& options, const std::string& with);

}  // namespace mercer
