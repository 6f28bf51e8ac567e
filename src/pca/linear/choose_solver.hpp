#pragma once
// Which solver, by cost; and whether it fits.

#include <mercer/fit.hpp>

namespace mercer {

/// What is known of the rows before the fit.
struct Size {
  double rows = 0;
  double cols = 0;
  double entries = 0;  ///< rows·cols, or the stored ones of sparse rows
  bool sparse = false;
  bool in_memory = false;  ///< the Gram matrix and the SVD of wide rows need them there
  double bytes = 8;        ///< of one number
};

struct Choice {
  Solver solver = Solver::covariance;
  std::string why;
};

/// As a message names it: `solver=svd`.
const char* name_of(Solver solver);

/// Memory a solver takes besides the rows themselves.
double working_bytes(Solver solver, const Size& size, int threads);

/// The solver asked for, or the cheapest of covariance, Gram and randomized that fits in `budget`
/// bytes.
/// Throws `Errc::out_of_memory`, naming the least that would do, when nothing fits.
/// `randomized`: whether products with random vectors may be chosen.
Choice choose_solver(const Size& size, const FitOptions& options, double budget,
                     bool randomized = true);

}  // namespace mercer
