#include "diagnostics/mapped_rows.hpp"

#include "core/require.hpp"
#include "model/partial_row.hpp"

#include <cmath>

namespace mercer {

namespace {

/// Says which cell cannot be used, if one cannot. Returns whether some are missing.
template <class T>
bool check_cells(const Rows<T>& x, bool fill, Index first) {
  bool missing = false;
  for (Index i = 0; i < x.rows(); ++i) {
    const std::int64_t begin = x.sparse() ? x.csr().offsets[i] : 0;
    const std::int64_t end = x.sparse() ? x.csr().offsets[i + 1] : x.cols();
    for (std::int64_t e = begin; e < end; ++e) {
      const T value = x.sparse() ? x.csr().values[e] : x.row(i)[e];
      if (std::isfinite(value)) continue;
      missing = true;
      require(fill && std::isnan(value), Errc::bad_data,
              "row {}, column {} is {}; remove the row or fill in a number", first + i + 1,
              (x.sparse() ? x.csr().columns[e] : e) + 1, value);
    }
  }
  return missing;
}

/// Missing cells by the least-squares scores of the observed ones: m + s∘Bᵀy. The completed row has
/// these scores, and the residuals of the observed cells.
template <class T>
Rows<T> completed(const Model<T>& model, const Rows<T>& x, Index first, Matrix<T>& buffer) {
  const ModelParts<T>& parts = model.parts();
  buffer.resize(x.rows(), x.cols());
  identity_map<T>(x.cols())->apply(x, buffer);
  Vector<T> y(model.outputs());
  for (Index i = 0; i < x.rows(); ++i) {
    auto row = buffer.row(i);
    if (!row.array().isNaN().any()) continue;
    scores_of_partial_row(parts, row.data(), first + i, y.data());
    const Vector<double> told =
        parts.components.template cast<double>().transpose() * y.template cast<double>();
    for (Index j = 0; j < x.cols(); ++j)
      if (std::isnan(row[j]))
        row[j] = static_cast<T>(
            static_cast<double>(parts.mean[j]) +
            (parts.scale.size() > 0 ? static_cast<double>(parts.scale[j]) : 1.0) * told[j]);
  }
  return buffer;
}

}  // namespace

template <class T>
Rows<T> map_inputs(const Model<T>& model, const Rows<T>& x, Missing missing, Index first,
                   Matrix<T>& buffer) {
  require(x.cols() == model.inputs(), Errc::bad_data,
          "rows have {} columns, the model was fitted to {}", x.cols(), model.inputs());
  const bool linear = model.map().is_identity();
  require(missing != Missing::em || linear, Errc::bad_option,
          "`missing=em` is for linear models; use `missing=mean`");
  const bool holes = check_cells(x, keeps_holes(missing), first);
  if (holes && missing == Missing::em) return completed(model, x, first, buffer);
  if (linear) return x;  // a missing cell lies on the mean once that is off
  const bool scale = model.scale().size() > 0;
  Rows<T> z = x;
  if (holes || scale) {
    require(model.input_mean().size() > 0, Errc::bad_option,
            "the model has no column means to replace missing values");
    buffer.resize(x.rows(), x.cols());
    identity_map<T>(x.cols())->apply(x, buffer);
    const auto mean = model.input_mean().transpose().array();
    for (Index i = 0; i < x.rows(); ++i) {
      auto row = buffer.row(i).array();
      row = row.isNaN().select(mean, row);
      if (scale) row = (row - mean) / model.scale().transpose().array();
    }
    z = buffer;
  }
  model.map().require_domain(z, first);
  return z;
}

template <class T>
Matrix<double> centred_features(const Model<T>& model, const Rows<T>& z) {
  Matrix<T> phi(z.rows(), model.map().features());
  model.map().apply(z, phi);
  Matrix<double> out = phi.template cast<double>();
  out.rowwise() -= model.mean().template cast<double>().transpose();
  if (model.mean_rest().size() > 0)
    out.rowwise() -= model.mean_rest().template cast<double>().transpose();
  if (!model.map().is_identity()) return out;
  out = out.array().isNaN().select(0.0, out);
  if (model.scale().size() > 0)
    out.array().rowwise() /= model.scale().template cast<double>().transpose().array();
  return out;
}

#define MERCER_INSTANTIATE(T)                                                               \
  template Rows<T> map_inputs(const Model<T>&, const Rows<T>&, Missing, Index, Matrix<T>&); \
  template Matrix<double> centred_features(const Model<T>&, const Rows<T>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
