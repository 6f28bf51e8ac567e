#pragma once
// A formula (simd/elementwise.hpp) one number at a time, where speed does not count: its
// derivative, and how far it falls below its value at 0.

#include "simd/elementwise.hpp"

namespace mercer {

/// f'(z); 0 at the kink that e^(−a√z) has at z = 0.
double slope(const Formula<double>& formula, double z);

/// What z is compared with in f, so that errors of z much smaller than this do not matter however
/// small z is; 0 where they do.
double scale_of(const Formula<double>& formula);

/// f(z) − f(0) for the functions that fall from 1 at 0, to a few units in the last place of the
/// result itself; 0 for constants.
double fallen(const Formula<double>& formula, double z);

/// out = f(in) − f(0), as `apply`.
bool apply_fallen(const Formula<double>& formula, const Sweep<double>& sweep);

}  // namespace mercer
