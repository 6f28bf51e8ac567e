#pragma once
// What is done to a row before φ, by fits and by models alike:
//
//     z = ((x − mean) − rest)/scale          a missing cell lies on the mean: z = 0
//
// mean + rest is the mean to about twice the precision of a number: at a mean of 1e9 deviations the
// rest is 1e-7 of one. Without a scale rows stay as they are, and a missing cell is the mean as
// rounded to one number.

#include <mercer/rows.hpp>

namespace mercer {

struct Preprocess {
  Vector<double> mean{};   ///< of the observed cells; 0 for x/scale; empty: NaN stays
  Vector<double> rest{};   ///< what rounding took off the mean; empty: nothing
  Vector<double> scale{};  ///< empty: none

  /// The rows, dense; `Out` may be wider than T. `out` has their shape.
  template <class Out, class T>
  void apply(const Rows<T>& rows, Eigen::Ref<Matrix<Out>> out) const;
  template <class Out, class T>
  Matrix<Out> as(const Rows<T>& rows) const {
    Matrix<Out> out(rows.rows(), rows.cols());
    apply<Out>(rows, out);
    return out;
  }
  template <class T>
  Matrix<T> operator()(const Rows<T>& rows) const {
    return as<T>(rows);
  }

  /// Back to x, in place: mean + (rest + scale·z), where there is a scale.
  template <class T>
  void undo(Eigen::Ref<Matrix<T>> z) const;
};

}  // namespace mercer
