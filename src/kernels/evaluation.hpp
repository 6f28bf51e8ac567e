#pragma once
// One tile of pairs while a kernel is evaluated on it: its rows, and the ingredients that leaves
// share, each computed once.

#include "kernels/scratch.hpp"
#include "simd/elementwise.hpp"

#include <mercer/rows.hpp>

#include <array>
#include <cstddef>
#include <optional>

namespace mercer {

/// What a leaf makes its values from.
enum class Ingredient {
  none,
  inner,    ///< x·y
  cosines,  ///< x·y / (‖x‖‖y‖)
  distances,  ///< ‖x−y‖², from inner products of centred rows: absolute error ε(‖x‖² + ‖y‖²)
  exact,     ///< the same with near pairs computed from differences, for functions of the root
  absolute,  ///< ‖x−y‖₁
  chi2,      ///< Σ (x−y)²/(x+y)
  harmonic,  ///< Σ 2xy/(x+y)
};
constexpr std::size_t ingredient_count = 8;

/// How many leaves ask for each ingredient.
using Uses = std::array<int, ingredient_count>;

/// A tile of numbers somewhere in memory.
template <class T>
struct TileView {
  T* data;
  Index rows, cols, stride;
};

template <class T>
class Evaluation {
 public:
  Evaluation(const Rows<T>& x, const Rows<T>& y, const Uses& uses);

  const Rows<T>& x() const { return x_; }
  const Rows<T>& y() const { return y_; }

  /// out = f(ingredient). An ingredient that is used once is computed in `out` itself.
  /// False when something is not finite.
  bool apply_to(Ingredient ingredient, const Formula<T>& formula, const TileView<T>& out);

 private:
  void compute(Ingredient ingredient, const TileView<T>& out);
  /// The ingredient in a tile of its own, for all who want it.
  const T* kept(Ingredient ingredient, Index rows, Index cols);
  /// The ingredient that another one is made from: kept when leaves want it too.
  void compute_base(Ingredient base, const TileView<T>& out);
  void centre();

  Rows<T> x_, y_;
  Uses uses_;
  std::array<std::optional<Scratch<T>>, ingredient_count> kept_;
  std::optional<Scratch<T>> shifted_x_, shifted_y_, squares_;  // for distances
};

/// The ingredient of (x_i, x_i), without rounding where it is 0 or 1.
template <class T>
Vector<T> diagonal_ingredient(Ingredient ingredient, const Rows<T>& x);

}  // namespace mercer
