#pragma once
// The exact answer, for the theory beside a run: all eigenpairs of R, the second moment of φ about
// the mean that the learner uses, with divisor N, the
// sum of the weights where rows have some.

#include "pca/standard.hpp"

#include <mercer/learn.hpp>

namespace mercer {

struct Exact {
  Vector<double> values;   ///< descending; those that are 0 may be left out
  Matrix<double> vectors;  ///< rows
  Vector<double> mean;     ///< about which R is taken
  Index rows = 0;          ///< N
};

/// Reads `memory`, with its weights, or the source where that is null (which is left at its end).
Exact exact_pairs(const Rows<double>* memory, const double* weights, Source<double>& source,
                  const std::shared_ptr<const Map<double>>& map, const Standard* standard,
                  const LearnOptions& options);

}  // namespace mercer
