#pragma once
// Landmarks or exactness: which costs more.

#include <mercer/kernel.hpp>

#include <string>

namespace mercer {

/// Whether m landmarks of n rows with so many entries each cost more than exact kernel PCA, by
/// counted operations, and both enough to matter. A function of its arguments alone.
bool costs_more_than_exact(const Kernel& kernel, double n, double entries, double m);

/// A line for the reader when that is so; empty otherwise.
std::string expected_slower(const Kernel& kernel, double n, double entries, double m);

}  // namespace mercer
