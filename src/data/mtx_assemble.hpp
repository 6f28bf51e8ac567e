#pragma once
// From the numbers of a MatrixMarket file, in any order, to rows.

#include <mercer/data.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace mercer {

enum class Symmetry { general, symmetric, skew };

template <class T>
struct MtxEntry {
  std::int64_t row;
  std::int32_t column;
  T value;
};

/// A dense matrix as the file lists it: column by column, of symmetric ones the lower triangle.
struct MtxArray {
  Index rows = 0;
  Index cols = 0;
  Symmetry symmetry = Symmetry::general;

  /// How many numbers that is.
  double values() const {
    const auto n = static_cast<double>(rows);
    if (symmetry == Symmetry::symmetric) return n * (n + 1) / 2;
    if (symmetry == Symmetry::skew) return n * (n - 1) / 2;
    return n * static_cast<double>(cols);
  }
};

/// Sparse rows; entries at the same place are summed.
template <class T>
Table<T> assemble_coordinates(std::vector<MtxEntry<T>> entries, Index rows, Index cols,
                              const ReadOptions& options, const std::string& file);

/// Dense rows.
template <class T>
Table<T> assemble_array(const std::vector<T>& values, const MtxArray& shape,
                        const ReadOptions& options, const std::string& file);

}  // namespace mercer
