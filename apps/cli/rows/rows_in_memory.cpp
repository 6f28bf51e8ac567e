#include "rows/rows_in_memory.hpp"

#include "core/memory.hpp"
#include "core/require.hpp"

namespace mercer::cli {

template <class T>
KeptRows<T>::KeptRows(std::unique_ptr<Source<T>> file, std::size_t memory, bool twice)
    : ForwardingSource<T>(std::move(file)) {
  // Half for the rows: the other half is for what a solver makes of them.
  const std::size_t budget = memory / 2;
  Source<T>& from = this->source_;
  const Schema& s = from.schema();
  const double guess =
      static_cast<double>(from.expected_rows()) * static_cast<double>(s.features) * sizeof(T);
  const bool fits = s.sparse || guess <= static_cast<double>(budget);
  if (fits && (whole_ = from.whole())) return;
  if (from.can_rewind() ? !fits : !twice) return;
  try {
    table_ = read_all(from, budget);
  } catch (const Error& e) {
    if (e.code() != Errc::out_of_memory) throw;
    require(
        from.can_rewind(), Errc::out_of_memory,
        "{} does not fit into {} and cannot be read twice; save it to a file, or raise --memory",
        from.name(), format_bytes(static_cast<double>(memory)));
    table_ = {};
    from.rewind();
    return;
  }
  whole_ = Block<T>{table_.rows(), table_.weights, s.label.empty() ? nullptr : &table_.labels,
                    s.id.empty() ? nullptr : &table_.ids, 0};
}

template <class T>
std::optional<Block<T>> KeptRows<T>::next() {
  if (!in_memory()) return this->source_.next();
  if (given_ || whole_->rows.rows() == 0) {
    this->require_unchanged();
    return std::nullopt;
  }
  given_ = true;
  return whole_;
}

template <class T>
void KeptRows<T>::rewind() {
  if (!in_memory()) this->source_.rewind();
  given_ = false;
}

template class KeptRows<float>;
template class KeptRows<double>;

}  // namespace mercer::cli
