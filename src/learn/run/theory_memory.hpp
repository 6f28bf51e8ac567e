#pragma once
// `theory` finds all eigenpairs before the run, which may take more memory than learning.

#include <mercer/learn.hpp>

#include <functional>

namespace mercer {

/// Bytes of memory that are enough for the eigenpairs of so many features; 0: `options.memory` is.
/// `buffers`: those of the reader with so much memory.
double least_for_theory(const Source<double>& source, const LearnOptions& options, double features,
                        const std::function<double(double)>& buffers);

}  // namespace mercer
