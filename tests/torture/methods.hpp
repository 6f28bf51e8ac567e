#pragma once
// Every way the library has to answer a problem.

#include "torture/problem.hpp"

#include <string>
#include <vector>

namespace mercer::torture {

struct Answer {
  std::string refusal;  ///< the message, when there is no answer
  std::vector<double> eigenvalues, low, high;
  double total = 0;  ///< sum of all eigenvalues: total variance times (weight − ddof)
  double confidence = 1;
  double above = 0;     ///< approximation error that is stated
  double rounding = 0;  ///< as stated
  std::string bytes;    ///< the model file
  /// Σ w s², and Σ w s t with the second: of the scores of the rows along the first component.
  double first_squares = 0, first_with_second = 0;
  bool refused() const { return !refusal.empty(); }
};

struct Method {
  std::string name;
  bool kernel = false;     ///< for problems with a kernel; otherwise for those without
  bool exact = true;       ///< else the interval has an approximation error
  bool automatic = false;  ///< may not refuse where another exact method answers
  Answer (*run)(const Problem& problem, int threads);
  bool own_total = false;  ///< random features: the total is theirs, not the kernel's
  bool of_models = false;  ///< models round their means: the tolerance is not asked of them
};

const std::vector<Method>& methods();

}  // namespace mercer::torture
