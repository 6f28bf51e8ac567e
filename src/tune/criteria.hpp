#pragma once
// What a kernel is worth, by each criterion.

#include <mercer/tune.hpp>

#include <cstdint>

namespace mercer {

/// Held-out errors of one fold, one for each number of components: mean squared distance between
/// rows and what is made of their noisy copies, over mean squared deviation, in units of the scale
/// where there is one. Fewer where the rows have not as many components.
template <class T>
std::vector<double> preimage_errors(const Matrix<T>& train, const Matrix<T>& held_out,
                                    const Kernel& kernel, const std::vector<Index>& components,
                                    const TuneOptions& options, std::uint64_t seed);

/// Mean leave-one-out log-likelihood of a row. Throws `Errc::bad_option` for kernels that are no
/// density.
template <class T>
double log_likelihood(const Matrix<T>& x, const std::string& kernel, int threads);

}  // namespace mercer
