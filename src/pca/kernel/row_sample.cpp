#include "pca/kernel/row_sample.hpp"

#include "pca/kernel/width_sample.hpp"
#include "pca/orders.hpp"

#include <optional>

namespace mercer {

template <class T>
RowSample<T> sample_rows(SeenRows<T>& rows, Index most) {
  const FitOptions& options = rows.options();
  Team* const team = rows.team();
  call(rows.passes(), Order::sample, rows.how(), most);
  Reservoir<T> reservoir(most, options.seed);
  std::optional<WidthSample<T>> widths;
  if (!options.kernel->complete()) {
    const double total = rows.passes().weight();
    if (team) widths.emplace(rows.cols(), rows.sparse(), total, rows.passes().spread());
    else widths.emplace(rows.cols(), rows.sparse(), total);
  }
  rows.run("sample", [&](const Rows<T>& piece, const double* weights, std::int64_t first) {
    options.kernel->require_domain(piece, static_cast<Index>(first));
    for (Index i = 0; i < piece.rows(); ++i) {
      const double weight = weights ? weights[i] : 1.0;
      reservoir.offer(piece, i, first + i, weight);
      if (widths) widths->offer(piece, i, weight);
    }
  });
  if (team) {
    reservoir.collect(*team);
    if (widths) widths->collect(*team);
  }
  const bool decides = !team || team->rank() == 0;
  return {reservoir.take(),
          widths && decides ? widths->completed(*options.kernel) : *options.kernel};
}

Kernel same_kernel(const FitOptions& options, const std::string& text) {
  return options.kernel->text() == text ? *options.kernel : Kernel::parse(text);
}

template <class T>
void serve_sample(Passes<T>& passes, const FitOptions& options, const std::string& with) {
  std::string how;
  Index most = 0;
  unpack(with, how, most);
  SeenRows<T> rows(passes, how, options);
  sample_rows(rows, most);
}

#define MERCER_INSTANTIATE(T)                             \
  template RowSample<T> sample_rows(SeenRows<T>&, Index); \
  template void serve_sample(Passes<T>&, const FitOptions&, const std::string&);
MERCER_INSTANTIATE(float)
MERCER_INSTANTIATE(double)
#undef MERCER_INSTANTIATE

}  // namespace mercer
