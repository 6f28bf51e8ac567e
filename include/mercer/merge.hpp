#pragma once
/// \file
/// Combines fitted models into one, as if all their rows had been fitted together.
///
///     auto here  = mercer::Model<double>::load("monday.st");
///     auto there = mercer::Model<double>::load("tuesday.st");
///     auto both  = mercer::merge<double>({here, there});
///     both.report().merged.missing_variance;      // 0: exact, as both have all their components
///
/// With weights W_i, means m_i and scatter matrices S_i, of which a model contains the leading part
/// Ŝ_i = Σ μ q qᵀ,
///
///     m = Σ W_i m_i / W          S = Σ S_i + Σ W_i (m_i − m)(m_i − m)ᵀ
///
/// Using Ŝ_i for S_i bounds the eigenvalues from below: μ̂ ≤ μ ≤ μ̂ + Σ ‖S_i − Ŝ_i‖. A discarded
/// direction has at most the variance of the last kept one, and all of them together have at most
/// the total variance, which every model stores, minus the kept part; the smaller bound is
/// reported. The total variance of the result is always exact, and the result is exact if every
/// model has all its components (`-k all`).
///
/// The factor [√μ qᵀ; √W_i (m_i − m)ᵀ] is decomposed, not S: small variances stay accurate and no
/// d×d matrix is formed while the models have fewer components than columns. The order of the
/// models affects only rounding. Cost: r²·d for r components in total.

#include <mercer/fit.hpp>
#include <mercer/model.hpp>

#include <string>
#include <vector>

namespace mercer {

struct MergeOptions {
  Components components{};           ///< of the result; default: all
  int threads = 0;                   ///< 0: one per core
  std::vector<std::string> names{};  ///< names of the models in messages, such as their files
  Monitor monitor{};
};

/// Merges two or more models of the same columns, matched by name where both have names; of linear
/// PCA or of the same explicit map. Throws `Errc::bad_option` for kernels (each model has its own
/// anchors), learned models, z-scores (each has its own scales), different ddof or centring, and
/// `Errc::bad_data` for different columns.
template <class T>
Model<T> merge(const std::vector<Model<T>>& models, const MergeOptions& options = {});

}  // namespace mercer
