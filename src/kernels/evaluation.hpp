#pragma once
// One tile of pairs while a kernel is evaluated on it: its rows, and the ingredients that leaves
// share, each computed once. All of it is in double; rows of floats are widened before
// (wide_rows.hpp) and only the values of the kernel are rounded to floats.

#include "kernels/scratch.hpp"
#include "simd/elementwise.hpp"

#include <mercer/rows.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace mercer {

/// What a leaf makes its values from.
enum class Ingredient {
  none,
  inner,      ///< x·y
  cosines,    ///< x·y / (‖x‖‖y‖)
  distances,  ///< ‖x−y‖²; the error is bounded as `near_share` says
  absolute,   ///< ‖x−y‖₁
  chi2,       ///< Σ (x−y)²/(x+y)
  harmonic,   ///< Σ 2xy/(x+y)
};
constexpr std::size_t ingredient_count = 7;

/// Squared distances z are ‖x‖² + ‖y‖² − 2x·y where the pair is not near, that is, where
///
///     z + scale ≥ near_share·(‖x‖² + ‖y‖²),
///
/// and sums of squared differences elsewhere. `scale` is what z is compared with in the formula
/// (1/γ for rbf; 0 where a root makes the smallest z matter). The error of the first is at most
/// c·ε·(‖x‖² + ‖y‖²) with c = 2d + 12 and ε = 2⁻⁵³, hence at most (c/near_share)·ε·(z + scale).
constexpr double near_share = 0.125;

/// What the leaves of a kernel need.
struct Uses {
  std::array<int, ingredient_count> count{};
  double scale = std::numeric_limits<double>::infinity();  ///< the smallest of all leaves
  bool differences = false;        ///< all squared distances from differences, near or not
  const double* centre = nullptr;  ///< dense rows are moved by this before products are taken
};

/// A tile of numbers somewhere in memory.
template <class T>
struct TileView {
  T* data;
  Index rows, cols, stride;
};

/// Every choice is made by a row of x and all rows of y, so that values do not depend on the rows of
/// x that come with it.
class Evaluation {
 public:
  /// `fallen`: leaves give k(x, y) − k(x, x) instead of k(x, y), without cancellation.
  Evaluation(const Rows<double>& x, const Rows<double>& y, const Uses& uses, bool fallen = false);

  const Rows<double>& x() const { return x_; }
  const Rows<double>& y() const { return y_; }

  /// out = f(ingredient), or f(ingredient) − f(0). An ingredient that is used once is computed in
  /// `out` itself. False when something is not finite.
  bool apply_to(Ingredient ingredient, const Formula<double>& formula, const TileView<double>& out);

 private:
  void compute(Ingredient ingredient, const TileView<double>& out);
  /// The ingredient in a separate tile, shared by all leaves that use it.
  const double* kept(Ingredient ingredient, Index rows, Index cols);
  /// The ingredient that another one is computed from: kept if leaves need it too.
  void compute_base(Ingredient base, const TileView<double>& out);
  void measure();
  void centre();

  Rows<double> x_, y_;
  Uses uses_;
  bool fallen_;
  std::array<std::optional<Scratch<double>>, ingredient_count> kept_;
  std::optional<Scratch<double>> shifted_x_, shifted_y_;  // for distances
  Vector<double> x_squares_, y_squares_;                  // squared norms, of shifted rows
  std::vector<bool> far_;  // rows of the tile of distances that hold inner products
};

/// Number of pairs of rows for which this process has evaluated a kernel, for tests that nothing is
/// computed twice. Counted tile by tile.
std::uint64_t evaluated_pairs();

/// The ingredient of (x_i, x_i), without rounding where it is 0 or 1.
Vector<double> diagonal_ingredient(Ingredient ingredient, const Rows<double>& x);

}  // namespace mercer
