#pragma once
// What a kernel is worth, by each criterion.

#include <mercer/tune.hpp>

#include <cstdint>

namespace mercer {

template <class T>
struct WeightedRows {
  Matrix<T> x;
  Vector<double> weights;  ///< empty: all 1

  Vector<double> all_weights() const {
    return weights.size() > 0 ? weights : Vector<double>(Vector<double>::Ones(x.rows()));
  }
};

/// Held-out errors of one fold, one for each number of components: mean squared distance between
/// rows and what is made of their noisy copies, over mean squared deviation, in units of the scale
/// where there is one. Fewer where the rows have not as many components.
template <class T>
std::vector<double> preimage_errors(const WeightedRows<T>& train, const WeightedRows<T>& held_out,
                                    const Kernel& kernel, const std::vector<Index>& components,
                                    const TuneOptions& options, std::uint64_t seed);

/// Mean log-likelihood of a row under the density of the others, a row being left out with all its
/// weight: copies of it would give it away. Throws `Errc::bad_option` for kernels that are no
/// density.
template <class T>
double log_likelihood(const WeightedRows<T>& rows, const Kernel& kernel, int threads);

}  // namespace mercer
