#include "data/npy_cells.hpp"

#include "data/shortest.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>

namespace mercer {

namespace {

template <class S, bool swapped>
S load(const char* at) {
  std::array<char, sizeof(S)> bytes;
  std::memcpy(bytes.data(), at, sizeof(S));
  if constexpr (swapped) std::reverse(bytes.begin(), bytes.end());
  return std::bit_cast<S>(bytes);
}

/// Calls f.operator()<S, swapped>() for the stored type: one dispatch a block, not one a number.
template <class F>
auto with_type(const NpyType& type, F&& f) {
  const auto either = [&]<class S>() {
    return type.swapped ? f.template operator()<S, true>() : f.template operator()<S, false>();
  };
  const auto by_size = [&]<class S1, class S2, class S4, class S8>() {
    switch (type.size) {
      case 1:
        return f.template operator()<S1, false>();
      case 2:
        return either.template operator()<S2>();
      case 4:
        return either.template operator()<S4>();
      default:
        return either.template operator()<S8>();
    }
  };
  switch (type.kind) {
    case 'f':
      return type.size == 4 ? either.template operator()<float>()
                            : either.template operator()<double>();
    case 'i':
      return by_size.template operator()<std::int8_t, std::int16_t, std::int32_t, std::int64_t>();
    default:
      return by_size
          .template operator()<std::uint8_t, std::uint16_t, std::uint32_t, std::uint64_t>();
  }
}

template <class S, bool swapped, class T>
void gather(const NpyCells& cells, Index first, Index rows, const Index* columns, Index width,
            T* out) {
  const char* const base = cells.data + static_cast<std::size_t>(first) * cells.row_stride;
  if (!columns && cells.col_stride == sizeof(S)) {
    for (Index r = 0; r < rows; ++r) {
      const char* const row = base + static_cast<std::size_t>(r) * cells.row_stride;
      for (Index c = 0; c < width; ++c)
        out[r * width + c] =
            static_cast<T>(load<S, swapped>(row + static_cast<std::size_t>(c) * sizeof(S)));
    }
    return;
  }
  // A few rows at a time: in column order they share the cache lines that are read.
  constexpr Index tile = 16;
  for (Index begin = 0; begin < rows; begin += tile) {
    const Index end = std::min(begin + tile, rows);
    for (Index c = 0; c < width; ++c) {
      const auto column = static_cast<std::size_t>(columns ? columns[c] : c);
      const char* const top = base + column * cells.col_stride;
      for (Index r = begin; r < end; ++r)
        out[r * width + c] =
            static_cast<T>(load<S, swapped>(top + static_cast<std::size_t>(r) * cells.row_stride));
    }
  }
}

const char* place(const NpyCells& cells, Index row, Index column) {
  return cells.data + static_cast<std::size_t>(row) * cells.row_stride +
         static_cast<std::size_t>(column) * cells.col_stride;
}

}  // namespace

template <class T>
void npy_gather(const NpyCells& cells, Index first, Index rows, const Index* columns, Index width,
                T* out) {
  with_type(cells.type, [&]<class S, bool swapped>() {
    gather<S, swapped>(cells, first, rows, columns, width, out);
  });
}

double npy_number(const NpyCells& cells, Index row, Index column) {
  return with_type(cells.type, [&]<class S, bool swapped>() {
    return static_cast<double>(load<S, swapped>(place(cells, row, column)));
  });
}

void npy_text(const NpyCells& cells, Index row, Index column, TextColumn& out) {
  with_type(cells.type, [&]<class S, bool swapped>() {
    push_shortest(out, load<S, swapped>(place(cells, row, column)));
  });
}

template void npy_gather(const NpyCells&, Index, Index, const Index*, Index, float*);
template void npy_gather(const NpyCells&, Index, Index, const Index*, Index, double*);

}  // namespace mercer
