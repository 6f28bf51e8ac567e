#pragma once
/// \file
/// The matrices and vectors that a model consists of, with names for rows and columns.
///
///     using mercer::ModelObject, mercer::NameStyle;
///     auto q = mercer::export_object(model, ModelObject::rotation, NameStyle::r);
///     q.values;                     // d×k, R's prcomp()$rotation
///     q.columns;                    // PC1, PC2, …
///     mercer::save(q, "rotation.csv");
///
/// With B the components, μ the eigenvalues of the scatter matrix (or of the centred kernel matrix)
/// and λ = μ/(N − ddof):
///
///     components    B, k×D             linear models and maps
///     mean          m, D               linear models and maps
///     scale         s, d               models of z-scores
///     eigenvalues   μ, k               all
///     variances     λ, k               all
///     sdev          √λ, k              all
///     rotation      Bᵀ, D×k            linear models and maps
///     eigenvectors  Bᵀ: RQ = QΛ; of exact kernel models U, N×k: (JKJ)U = U diag(μ)
///     loadings      b_cj √λ_c, d×k     linear models
///     alpha         U diag(μ)^-½, N×k  exact kernel models: α_cᵀα_c = 1/μ_c
///
/// The component of a kernel model is Σ_i α_ic (φ(x_i) − mean). Costs a copy.

#include <mercer/model.hpp>
#include <mercer/named_matrix.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mercer {

enum class ModelObject {
  components,
  mean,
  scale,
  eigenvalues,
  variances,
  sdev,
  rotation,
  eigenvectors,
  loadings,
  alpha
};

/// Names of components: `pc1`; R's `PC1`; scikit-learn's `pca0`, as of `get_feature_names_out`.
/// Vectors: `mean`, R's `center`, scikit-learn's `mean_`.
enum class NameStyle { mercer, r, sklearn };

/// Entry in the list of objects.
struct ObjectEntry {
  std::string name;
  ModelObject object = ModelObject::components;
  std::string notes;
  std::string models;  ///< which models have it
};
std::span<const ObjectEntry> object_table();
/// By its name. Throws `Errc::bad_option` with the names.
ModelObject parse_object(std::string_view name);

/// "mercer", "r" or "sklearn". Throws `Errc::bad_option`.
NameStyle parse_name_style(std::string_view name);

/// Throws `Errc::bad_option` when the model has no such object; the message states which models do.
template <class T>
NamedMatrix export_object(const Model<T>& model, ModelObject object,
                          NameStyle names = NameStyle::mercer);

/// Whether it has.
template <class T>
bool has_object(const Model<T>& model, ModelObject object);

}  // namespace mercer
