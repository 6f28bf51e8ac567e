#include "pca/kernel/seen_rows.hpp"

#include "core/monitor.hpp"
#include "core/packed.hpp"
#include "pca/team_rows.hpp"

#include <algorithm>

namespace mercer {

namespace {
/// Rows between two calls of the monitor: those whose features are computed at once, on all
/// threads.
constexpr Index rows_a_piece = 2048;
}  // namespace

template <class T>
SeenRows<T>::SeenRows(Passes<T>& passes, const std::string& how, const FitOptions& options)
    : passes_(passes), standard_(nullptr), options_(options) {
  if (how.empty()) return;
  unpack(how, own_.emplace());
  standard_ = &*own_;
}

template <class T>
std::string SeenRows<T>::how() const {
  return standard_ ? packed(*standard_) : std::string();
}

template <class T>
void SeenRows<T>::see(const Rows<T>& block, const double* weights, std::int64_t& first,
                      const Visit& visit) const {
  // Pieces may be copied: those of wide rows are 16 MiB at most, or one row.
  const Index most =
      std::clamp<Index>((Index{1} << 21) / std::max<Index>(1, passes_.features()), 1, rows_a_piece);
  for (Index i = 0; i < block.rows(); i += most) {
    const Index n = std::min(most, block.rows() - i);
    const Rows<T> raw = block.middle(i, n);
    const Matrix<T> copy = standard_ ? (*standard_)(raw) : Matrix<T>();
    visit(standard_ ? Rows<T>(copy) : raw, weights ? weights + i : nullptr, first);
    first += n;
  }
}

template <class T>
void SeenRows<T>::run(std::string_view what, const Visit& visit, std::string_view note,
                      Index leaf) {
  const Monitor silent;
  // A source reports by itself as it is read.
  const Rows<T>* memory = passes_.memory();
  Reporter report(memory ? options_.monitor : silent, what, "rows",
                  memory ? static_cast<double>(memory->rows()) : 0);
  report.note(note);
  const std::int64_t begin = team() ? leaves_before(leaf) * leaf : 0;
  std::int64_t first = begin;
  const Visit visit_and_report = [&](const Rows<T>& rows, const double* weights, std::int64_t at) {
    visit(rows, weights, at);
    report(static_cast<double>(at + rows.rows() - begin));
  };
  const auto take = [&](const Rows<T>& block, const double* weights) {
    see(block, weights, first, visit_and_report);
  };
  if (team()) run_leaves(passes_, what, leaf, take, Filling::all);
  else passes_.run(what, take);
}

template <class T>
void SeenRows<T>::visit_first(Index count, const Visit& visit) {
  std::int64_t first = 0;
  visit_first_rows(
      passes_, count,
      [&](const Rows<T>& block, const double* weights) { see(block, weights, first, visit); },
      Filling::all);
}

template <class T>
std::int64_t SeenRows<T>::leaves_before(Index leaf) const {
  return mercer::leaves_before(passes_, leaf, Filling::all);
}

template class SeenRows<float>;
template class SeenRows<double>;

}  // namespace mercer
