#include "maps/budget.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"

namespace mercer {

template <class T>
void require_fits(const Map<T>& map, double numbers_a_feature, std::size_t budget) {
  const double need = static_cast<double>(map.features()) * numbers_a_feature * sizeof(T);
  require(
      need <= static_cast<double>(budget), Errc::out_of_memory,
      "{} of {} columns has {} features, which need {}, but only {} is allowed; use a smaller "
      "degree or fewer columns, raise the memory budget, or use a kernel, which needs no features",
      map.text(), map.inputs(), map.features(), format_bytes(need),
      format_bytes(static_cast<double>(budget)));
}

template void require_fits(const Map<float>&, double, std::size_t);
template void require_fits(const Map<double>&, double, std::size_t);

}  // namespace mercer
