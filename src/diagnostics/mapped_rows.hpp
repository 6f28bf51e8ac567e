#pragma once
// Rows as the map of a model sees them, and their centred features, in double.

#include <mercer/model.hpp>

namespace mercer {

/// The rows that φ takes: checked, filled with the mean and standardised, in `buffer` where they
/// had to be changed. Those of linear models stay as they are. Throws `Errc::bad_data` for other
/// numbers of columns, cells that are not finite and those outside the domain; rows are numbered
/// from `first` + 1.
template <class T>
Rows<T> map_inputs(const Model<T>& model, const Rows<T>& x, Missing missing, Index first,
                   Matrix<T>& buffer);

/// φ(z) − m of what `map_inputs` gave; for the identity (z − m)/scale, missing cells on the mean
/// or, with `em`, from the observed cells of the row.
template <class T>
Matrix<double> centred_features(const Model<T>& model, const Rows<T>& z,
                                Missing missing = Missing::mean, Index first = 0);

/// Rows that are best taken together.
template <class T>
Index block_rows(const Model<T>& model) {
  return std::clamp<Index>((Index{1} << 19) / std::max<Index>(1, model.map().features()), 1, 512);
}

}  // namespace mercer
