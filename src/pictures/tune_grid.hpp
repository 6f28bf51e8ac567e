#pragma once
// What the kernels of a search have in common: one expression whose parameters vary.

#include <mercer/tune.hpp>

#include <map>
#include <string>
#include <vector>

namespace mercer {

/// `rbf(gamma=0.1)` and `rbf(gamma=1)` are one family, "rbf", in which gamma varies.
struct TuneGrid {
  /// Kernels of several families, or of one that does not vary, have no names here.
  explicit TuneGrid(const std::vector<const TuneCell*>& cells);

  std::string family;                       ///< the text up to its parameters
  std::vector<std::string> names;           ///< of the parameters that vary
  std::vector<std::vector<double>> values;  ///< that each takes, ascending

  /// The value of the i-th varying parameter in a cell of the grid.
  double at(const TuneCell& cell, std::size_t i) const { return of_kernel_.at(cell.kernel)[i]; }

 private:
  std::map<std::string, std::vector<double>> of_kernel_;
};

}  // namespace mercer
