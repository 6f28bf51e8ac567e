#pragma once
// The truth, computed another way and in more digits: 113 bits for sums and differences, 64 for
// exponentials and eigenvalues. Nothing here comes from the library but the types of its matrices.

#include "torture/problem.hpp"

#include <vector>

namespace mercer::torture {

struct Truth {
  std::vector<double> eigenvalues;  ///< of the centred scatter or kernel matrix, descending
  double trace = 0;
  double size = 0;   ///< of the numbers that the matrix is made of: ‖x‖² or k(x, x), summed
  double error = 0;  ///< of the eigenvalues here
};

/// Of the scatter matrix, d×d, when the problem has no kernel, of the kernel matrix otherwise.
Truth truth_of(const Problem& problem);

}  // namespace mercer::torture
