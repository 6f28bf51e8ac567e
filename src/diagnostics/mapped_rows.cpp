#include "diagnostics/mapped_rows.hpp"

#include "core/require.hpp"
#include "data/finite.hpp"
#include "maps/finite_features.hpp"
#include "model/partial_row.hpp"
#include "model/parts.hpp"

namespace mercer {

template <class T>
Rows<T> map_inputs(const Model<T>& model, const Rows<T>& x, Missing missing, Index first,
                   Matrix<T>& buffer) {
  require(x.cols() == model.inputs(), Errc::bad_data,
          "rows have {} columns, the model was fitted to {}", x.cols(), model.inputs());
  const bool linear = model.map().is_identity();
  require(missing != Missing::em || linear, Errc::bad_option,
          "`missing=em` is for linear models; use `missing=mean`");
  const bool holes = require_finite(x, keeps_holes(missing), first);
  if (linear) return x;  // missing cells are seen to once the mean is off
  const Preprocess before = preprocess(model.parts());
  Rows<T> z = x;
  if (holes || before.scale.size() > 0) {
    require(before.mean.size() > 0, Errc::bad_option,
            "the model has no column means to replace missing values");
    buffer.resize(x.rows(), x.cols());
    before.apply<T>(x, buffer);
    z = buffer;
  }
  model.map().require_domain(z, first);
  return z;
}

template <class T>
Matrix<double> centred_features(const Model<T>& model, const Rows<T>& z, Missing missing,
                                Index first) {
  const ModelParts<T>& parts = model.parts();
  if (model.map().is_identity()) {
    const Preprocess before = preprocess(parts);
    Matrix<double> out = before.as<double>(z);
    if (missing != Missing::em) return out;
    Matrix<T> row(1, z.cols());
    for (Index i = 0; i < z.rows(); ++i) {
      model.map().apply(z.middle(i, 1), row);
      if (!row.array().isNaN().any()) continue;
      // As the least-squares scores of the other cells have it: Bᵀy. The scores of the completed
      // row are those, and its residuals those of the observed cells.
      const Vector<double> y = scores_of_partial_row<T>(parts, before, row, first + i);
      const Vector<double> told = parts.components.template cast<double>().transpose() * y;
      out.row(i) = row.array().isNaN().select(told.transpose(), out.row(i));
    }
    return out;
  }
  Matrix<T> phi(z.rows(), model.map().features());
  model.map().apply(z, phi);
  if (model.map().space() == Space::features && !phi.allFinite())
    require_finite_features(model.map(), z, first, parts.feature_names);
  Matrix<double> out = phi.template cast<double>();
  out.rowwise() -= parts.mean.template cast<double>().transpose();
  if (parts.mean_rest.size() > 0)
    out.rowwise() -= parts.mean_rest.template cast<double>().transpose();
  return out;
}

#define MERCER_INSTANTIATE(T)                                                               \
  template Rows<T> map_inputs(const Model<T>&, const Rows<T>&, Missing, Index, Matrix<T>&); \
  template Matrix<double> centred_features(const Model<T>&, const Rows<T>&, Missing, Index);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
