#include "fit/passes.hpp"

#include "core/monitor.hpp"
#include "core/require.hpp"
#include "core/segments.hpp"

#include <algorithm>
#include <cstring>

namespace mercer {

namespace {
/// Rows between two calls of the monitor: a few tenths of a second of work. An entry of sparse rows
/// costs more than one of dense rows, and a little is done for every column where means are taken.
template <class T>
Index piece_rows(const Rows<T>& all) {
  const Index columns = std::max<Index>(1, all.cols());
  if (!all.sparse()) return std::max<Index>(1, (Index{1} << 25) / columns);
  const Index by_entries = all.rows() * (Index{1} << 23) / std::max<Index>(1, all.entries());
  return std::max<Index>(1, std::min(by_entries, (Index{1} << 30) / columns));
}

/// Goes on with a digest of one cell a row, whatever blocks the rows come in. `row` counts from the
/// first row of the pass.
template <class T>
std::uint64_t digested(std::uint64_t digest, const Rows<T>& rows, std::int64_t row) {
  for (Index i = 0; i < rows.rows() && !rows.sparse(); ++i) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, rows.row(i) + (row + i) % rows.cols(), sizeof(T));
    digest = (digest ^ bits) * 0x9E3779B97F4A7C15U;
    digest ^= digest >> 32;
  }
  return digest;
}
}  // namespace

template <class T>
Passes<T>::Passes(const Rows<T>& rows, const double* weights, const Monitor& monitor)
    : memory_(rows),
      weights_(weights),
      monitor_(&monitor),
      features_(rows.cols()),
      sparse_(rows.sparse()) {}

template <class T>
Passes<T>::Passes(Source<T>& source)
    : source_(&source), features_(source.schema().features), sparse_(source.schema().sparse) {}

template <class T>
void Passes<T>::run(std::string_view what, const Visit& visit) {
  std::int64_t rows = 0;
  RunningSum weight;
  const auto take = [&](const Rows<T>& block, const double* weights) {
    rows += block.rows();
    weight.add(weights, block.rows());
    visit(block, weights);
  };
  if (source_) {
    if (count_ > 0) source_->rewind();
    std::uint64_t digest = 0;
    while (const auto block = source_->next()) {
      digest = digested(digest, block->rows, rows);
      take(block->rows, block->weights);
    }
    require(count_ == 0 || rows == rows_, Errc::bad_data,
            "{} changed while it was read: {} rows in the first pass, {} now", name(), rows_, rows);
    require(count_ == 0 || digest == digest_, Errc::bad_data,
            "{} changed while it was read: its numbers are not those of the first pass", name());
    digest_ = digest;
  } else {
    Reporter report(*monitor_, what, "rows", static_cast<double>(memory_.rows()));
    const Index step = piece_rows(memory_);
    for (Index i = 0; i < memory_.rows(); i += step) {
      const Index n = std::min(step, memory_.rows() - i);
      take(memory_.middle(i, n), weights_ ? weights_ + i : nullptr);
      report(static_cast<double>(i + n));
    }
  }
  ++count_;
  rows_ = rows;
  weight_ = weight.value();
}

template class Passes<float>;
template class Passes<double>;

}  // namespace mercer
