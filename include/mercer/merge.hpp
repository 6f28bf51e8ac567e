#pragma once
/// \file
/// Models fitted elsewhere, made one: as if all their rows had been fitted together.
///
///     auto here  = mercer::Model<double>::load("monday.st");
///     auto there = mercer::Model<double>::load("tuesday.st");
///     auto both  = mercer::merge<double>({here, there});
///     both.report().merged.missing_variance;      // 0: exact, as both have all their components
///
/// With weights W_i, means m_i and scatter matrices S_i, of which a model holds the leading part
/// Ŝ_i = Σ μ q qᵀ,
///
///     m = Σ W_i m_i / W          S = Σ S_i + Σ W_i (m_i − m)(m_i − m)ᵀ
///
/// Ŝ_i for S_i gives the eigenvalues from below: μ̂ ≤ μ ≤ μ̂ + Σ ‖S_i − Ŝ_i‖. A discarded direction
/// has at most the variance of the last one that was kept, and all of them together what the
/// total variance, which every model knows, leaves over; the smaller bound is reported. The total
/// variance of the result is exact in any case, and nothing is missing where every model has all
/// its components (`-k all`).
///
/// The factor [√μ qᵀ; √W_i (m_i − m)ᵀ] is decomposed, not S: small variances keep their digits and
/// nothing of size d×d is made while the models' components are fewer than the columns. The order
/// of the models matters to rounding only. Cost: r²·d for r components in all.

#include <mercer/fit.hpp>
#include <mercer/model.hpp>

#include <string>
#include <vector>

namespace mercer {

struct MergeOptions {
  Components components{};           ///< of the result; default: all that the models' have
  int threads = 0;                   ///< 0: one per core
  std::vector<std::string> names{};  ///< what messages call the models: their files, for example
  Monitor monitor{};
};

/// Merges two or more models of the same columns, matched by name where both have names; of linear
/// PCA or of the same explicit map. `Errc::bad_option` where that cannot be: kernels (each model
/// has anchors of its own), learned models, z-scores (each has scales of its own), different ddof
/// or centring. `Errc::bad_data` for different columns.
template <class T>
Model<T> merge(const std::vector<Model<T>>& models, const MergeOptions& options = {});

}  // namespace mercer
