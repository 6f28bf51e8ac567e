#pragma once
// Features are rounded before linear PCA sees them: its intervals are made wider by that.
//
// Features that are off by |δφ_ij| ≤ r·|φ_ij| move the rows by ‖δΦ‖_F ≤ r‖Φ‖_F, each singular value
// of the centred ones by no more, and so each eigenvalue μ = σ² by at most 2σ‖δΦ‖ + ‖δΦ‖². Where
// the cells of x are off by c·|x| + s themselves, as z-scores are, monomials of degree p are off by
//     p·(c·‖φ(x)‖ + s·d·√(1 + ‖φ(x)‖²))
// in 2-norm: no derivative of one is more than p of the monomials, of a lower degree.

#include "kernels/entry_error.hpp"

#include <mercer/fit.hpp>
#include <mercer/map.hpp>
#include <mercer/model.hpp>

namespace mercer {

/// `parts` are those of linear PCA of features that `map` made of rows whose cells are off by
/// `cells`. Throws `Errc::not_converged`, with the number, where that exceeds `allowed` of the
/// first eigenvalue. `measured`: ‖δΦ‖_F², for maps that bound it (`FeatureErrorSum`); negative:
/// it is not known.
template <class T>
void add_feature_rounding(ModelParts<T>& parts, const Map<T>& map, const CellError& cells,
                          double allowed, double measured = -1);

}  // namespace mercer
