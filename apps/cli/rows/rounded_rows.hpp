#pragma once
// Rows that were rounded to float before anything was computed: the intervals of linear PCA hold
// the eigenvalues of the numbers as they were given.

#include <mercer/model.hpp>

#include <string>
#include <vector>

namespace mercer::cli {

/// Whether all of the files hold floats already, so that reading them as such rounds nothing.
bool hold_floats(const std::vector<std::string>& files);

/// The same model with intervals that are wider by what rounding the rows did. A number x becomes
/// x(1 + δ), |δ| ≤ 2⁻²⁴: the rows move by ‖δX‖ ≤ 2⁻²⁴‖X‖_F, each singular value of the centred rows
/// by no more than that, and twice as much when columns are divided by their deviations. Throws
/// `Errc::not_converged` where that exceeds 1e-5 of the first eigenvalue, or the tolerance if that
/// is more. Models of kernels, maps or without intervals are left as they are.
Model<float> of_rounded_rows(Model<float> model, double tolerance);

}  // namespace mercer::cli
