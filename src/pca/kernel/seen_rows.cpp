#include "pca/kernel/seen_rows.hpp"

#include "core/monitor.hpp"

#include <algorithm>

namespace mercer {

namespace {
/// Rows between two calls of the monitor: those whose features are computed at once, on all
/// threads.
constexpr Index rows_a_piece = 2048;
}  // namespace

template <class T>
void SeenRows<T>::run(std::string_view what, const Visit& visit, std::string_view note) {
  const Monitor silent;
  // A source reports by itself as it is read.
  const Rows<T>* memory = passes_.memory();
  Reporter report(memory ? options_.monitor : silent, what, "rows",
                  memory ? static_cast<double>(memory->rows()) : 0);
  report.note(note);
  // Pieces may be copied: those of wide rows are 16 MiB at most, or one row.
  const Index most =
      std::clamp<Index>((Index{1} << 21) / std::max<Index>(1, passes_.features()), 1, rows_a_piece);
  std::int64_t first = 0;
  passes_.run(what, [&](const Rows<T>& block, const double* weights) {
    for (Index i = 0; i < block.rows(); i += most) {
      const Index n = std::min(most, block.rows() - i);
      const Rows<T> raw = block.middle(i, n);
      const Matrix<T> copy = standard_ ? (*standard_)(raw) : Matrix<T>();
      visit(standard_ ? Rows<T>(copy) : raw, weights ? weights + i : nullptr, first);
      first += n;
      report(static_cast<double>(first));
    }
  });
}

template class SeenRows<float>;
template class SeenRows<double>;

}  // namespace mercer
