#include "pca/kernel/landmarks.hpp"

#include "core/require.hpp"

#include <algorithm>

namespace mercer {

template <class T>
void require_landmarks(const SeenRows<T>& rows, const char* option, Index asked, Index most) {
  const auto n = static_cast<Index>(rows.passes().rows());
  require(asked <= n, Errc::bad_option, "`approx`: {}={} is more than the {} rows of {}", option,
          asked, n, rows.passes().name());
  require(asked <= most, Errc::out_of_memory,
          "`approx`: {}={} does not fit in memory, {} would; use a larger `memory`", option, asked,
          most);
}

template <class T>
LandmarkFeatures<T> no_landmarks(const Kernel& kernel, Index cols, bool sparse,
                                 const std::vector<SampledRow<T>>& sample) {
  double largest = 0;
  for (const SampledRow<T>& row : sample) {
    RowList<double> one(cols, sparse);
    one.push_back(row);
    largest = std::max(largest, std::abs(kernel.diagonal(one.rows())[0]));
  }
  return LandmarkFeatures<T>(kernel, cols, sparse, scale_for(largest));
}

#define MERCER_INSTANTIATE(T)                                                     \
  template void require_landmarks(const SeenRows<T>&, const char*, Index, Index); \
  template LandmarkFeatures<T> no_landmarks(const Kernel&, Index, bool,           \
                                            const std::vector<SampledRow<T>>&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
