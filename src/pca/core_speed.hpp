#pragma once
// Seconds of one core per flop, as plans count flops: what the seconds of a team plan come from.
//
// `./dev bench distributed` measures these numbers and prints them beside those that stand here.
// They are from one core of the machine that docs/distributed.md names. Other processors are
// faster or slower, mostly by less than a factor of two.

namespace mercer::core_speed {

constexpr double kernel_value = 1.8e-11;    ///< kernel values, by Kernel::flops_per_pair
constexpr double product = 1.0e-11;         ///< products of computed tiles with vectors
constexpr double stored_product = 1.0e-11;  ///< the same of stored tiles, which memory limits
constexpr double vectors = 4.5e-11;         ///< 10·n·m·b of a pass over a basis of m vectors
constexpr double scatter = 2.1e-11;         ///< sums of products of columns, or with vectors
constexpr double eigen = 1.5e-11;           ///< 10·n³ of a dense eigenproblem

}  // namespace mercer::core_speed
