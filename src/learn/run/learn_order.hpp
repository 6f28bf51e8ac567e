#pragma once
// The rows of a run in the order in which they are learned, a few at a time.

#include "pca/standard.hpp"

#include <mercer/source.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace mercer {

/// Rows with their weights and, if they are in memory, their numbers.
struct LearnRows {
  Rows<double> rows;
  std::span<const double> weights{};
  std::span<const Index> numbers{};
};

class RowOrder {
 public:
  /// Over rows in memory, with their weights or null; shuffled for each epoch, or in order.
  /// What is borrowed stays with the caller. `standard`: null where rows are taken as they are.
  RowOrder(const Rows<double>& memory, const double* weights, bool shuffled, std::uint64_t seed,
           const Standard* standard);
  /// In order; rewound for each epoch but the first.
  RowOrder(Source<double>& source, const Standard* standard);

  /// Epochs count from 0. The first `skip` rows are passed over; returns how many there were of
  /// them.
  std::int64_t begin(int epoch, std::int64_t skip);
  /// The next rows, at most so many; none at the end of the epoch. Valid until the next call.
  LearnRows next(Index most);

 private:
  LearnRows chosen(Index most);
  bool refill();

  std::optional<Rows<double>> memory_;
  const double* weights_ = nullptr;  // of rows in memory
  Source<double>* source_ = nullptr;
  const Standard* standard_;
  bool shuffled_ = false;
  std::uint64_t seed_ = 0;
  bool begun_ = false;

  std::vector<Index> order_;  // of the epoch, of rows in memory
  Block<double> block_;       // of a source
  Index at_ = 0;              // in memory, in the order, or in the block
  Matrix<double> copy_, gathered_;
  std::vector<double> gathered_weights_;
};

}  // namespace mercer
