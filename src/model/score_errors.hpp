#pragma once
// Scores of kernel models are sums of kernel values, and off by their rounding. Centring takes off
// what all values share, so the scores of a nearly constant kernel, and of components of little
// variance, keep few digits. Nearly dependent landmarks have the same effect: their B is large.

#include <mercer/kernel.hpp>
#include <mercer/model.hpp>

#include <string>
#include <vector>

namespace mercer {

/// Error of the scores B(k − m) of rows like those of the fit, in standard deviations of each
/// component. Errors at different anchors are taken as independent: n of them add up to √n times
/// one. `kernel`: that of the map; null: not known, its values are taken as exact to 4ε. Empty:
/// there are no kernel values.
template <class T>
std::vector<double> score_errors(const ModelParts<T>& parts, const Kernel* kernel);

/// The largest of them as text if it leaves less than half of the digits that T has; empty
/// otherwise.
template <class T>
std::string lost_digits(const ModelParts<T>& parts, const Kernel* kernel);

}  // namespace mercer
