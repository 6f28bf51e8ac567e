#pragma once
// Has a Krylov run missed an eigenvalue? Small residuals show that each Ritz value is near some
// eigenvalue, not that there are no larger ones: a start that spans an invariant subspace converges
// at once, to whatever lies in it.
//
// Let Q be the basis, θ_i its Ritz values, e_i = A q_i − θ_i q_i their residuals, and C what A does
// beside the first k pairs, C = (I − Q_kQ_kᵀ)A(I − Q_kQ_kᵀ). When C has no eigenvalue of τ or more,
// the first k eigenvalues of A are θ_1 … θ_k, or less than τ, up to the norm of the first k
// residuals (Weyl). Two ways to see that:
//
// Proof. The part that Q does not see, D = (I − QQᵀ)A(I − QQᵀ), has ‖D‖_F² = ‖A‖_F² − Σθ² − 2Σ‖e‖²,
// and the trace tr A − Σθ where A is positive semi-definite: each bounds ‖D‖₂. By a Schur
// complement C is below τ when, with E = (e_i), i > k,
//
//     ‖D‖₂ + ‖E (τ − Θ)⁻¹ Eᵀ‖₂ < τ
//
// Probability. Let z be a standard normal vector that lies in the basis, z = Σ ζ_i q_i. If C has an
// eigenvalue λ ≥ τ, with the unit vector u, then q_iᵀu = e_iᵀu / (λ − θ_i) for i > k, and 0 for the
// others: hence
//
//     |uᵀz| ≤ ‖E (λ − Θ)⁻¹ ζ‖ for that λ ≥ τ
//
// which is improbably little for a standard normal number once the residuals are small: z would
// have to be nearly orthogonal to u by chance. u does not depend on z where the first k pairs were
// known before z was drawn. Where they were not, u is one of a few fixed directions when
// eigenvalues are apart, and lies in a fixed space of c + 1 dimensions when c of those that were
// found since form a cluster with it; hence `copies` below.
// Unlike bounds for any spectrum (Kuczyński and Woźniakowski, SIMAX 13, 1992: about
// √N exp(−2p√δ) for a distance of δ after p steps), this one uses the gaps that the run has seen.

#include <mercer/matrix.hpp>

#include <functional>
#include <limits>

namespace mercer {

/// Random vectors that a run takes along: with eight columns of the matrix and one of the
/// operator's own they fill two panels of its products.
constexpr Index probe_vectors = 7;

/// Upper bounds on norms of the matrix; infinite: not known.
struct MatrixNorms {
  double squares = std::numeric_limits<double>::infinity();  ///< ‖A‖_F²
  double trace = std::numeric_limits<double>::infinity();    ///< only when A has no negative values
};

/// Asks a run for a bound on what it has missed.
struct Completeness {
  std::function<MatrixNorms()> norms{};  ///< called after the first pass or later
  double failure = 1e-6;                 ///< probability with which the bound may be wrong
  bool lower_end = false;                ///< follow the smallest Ritz value too
};

/// A basis as the bounds see it.
struct RitzSpace {
  Vector<double> values;     ///< all Ritz values, descending
  Index found = 0;           ///< k: the pairs beside which others may have been missed
  Matrix<double> residuals;  ///< EᵀE, for the others
  Matrix<double> probes;     ///< their coordinates ζ of random vectors, one a column
};

/// Is it proven that C has no eigenvalue of τ or more? Values beyond the first k are below τ.
bool nothing_beyond(const RitzSpace& space, const MatrixNorms& norms, double tau);

/// A bound on √Σ_j ‖E (λ − Θ)⁻¹ ζ_j‖² for all λ ≥ τ: what a missed vector can share with the random
/// ones.
double shared_with_missed(const RitzSpace& space, double tau);

/// The largest η for which a matrix of `probes`×`copies` standard normal numbers has a singular
/// value of η or less with no more than this probability; 0 when probes < copies + 2.
double probe_limit(Index probes, Index copies, double failure);

/// For each of the first `count` values that is not among `known`: with how many others of that
/// kind it lies within `window`. The largest such number.
Index largest_cluster(const Vector<double>& values, Index count, const Vector<double>& known,
                      double window);

}  // namespace mercer
