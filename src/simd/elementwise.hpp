#pragma once
// One pass over a tile of numbers, with the instructions this machine has (found at run time).

#include <mercer/matrix.hpp>

namespace mercer {

/// What is done to each number z; s = a·√z.
enum class Function {
  identity,
  power,       ///< (az + b)^n, by squaring
  exp,         ///< e^(−az), z ≥ 0
  exp_root,    ///< e^(−s)
  matern3,     ///< (1 + s) e^(−s)
  matern5,     ///< (1 + s + s²/3) e^(−s)
  reciprocal,  ///< 1 / (1 + az)
  rational,    ///< (1 + az)^(−b) = e^(−b·log(1 + az)): relative error of b·log(1 + az) ulp
  tanh,        ///< tanh(az + b)
};

/// The function and its numbers.
template <class T>
struct Formula {
  Function function = Function::identity;
  T a = 1;
  T b = 0;
  int n = 1;
};

/// Where the pass goes; `in` may be `out`. With `row_squares` (one a row) and `column_squares`,
/// the tile holds inner products and z is the squared distance r_i + c_j − 2·in(i, j); where
/// rounding makes that negative it is 0, which is nearer to any distance.
/// Only identity, exp, reciprocal and rational support that.
template <class T>
struct Sweep {
  Index rows = 0, cols = 0;
  const T* in = nullptr;
  Index in_stride = 0;
  T* out = nullptr;
  Index out_stride = 0;
  const T* row_squares = nullptr;
  const T* column_squares = nullptr;
};

/// out = f(z). False when a number that went in or came out is not finite.
template <class T>
bool apply(const Formula<T>& formula, const Sweep<T>& sweep);

/// out += in, or out *= in. False when a result is not finite.
template <class T>
bool add_tile(const Sweep<T>& sweep);
template <class T>
bool multiply_tile(const Sweep<T>& sweep);

}  // namespace mercer
