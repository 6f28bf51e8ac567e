#pragma once
// Going over all rows, once or several times, wherever they are.

#include "core/segments.hpp"

#include <mercer/progress.hpp>
#include <mercer/source.hpp>
#include <mercer/team.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace mercer {

/// How the rows of a team lie on its ranks.
struct RowSpread {
  /// Rows before each rank, and those of all ranks: all of them, and those of weight > 0.
  std::vector<std::int64_t> begins{}, counted{};
  std::int64_t first = 0;    ///< row of this rank, in all of them
  std::int64_t rows = 0;     ///< of all ranks
  std::int64_t entries = 0;  ///< of these
  bool weighted = false;
  RunningSum weight{};         ///< of all ranks, added up row by row
  RunningSum weight_before{};  ///< of the ranks before this one
};

template <class T>
class Passes {
 public:
  /// Over rows in memory. The monitor hears of every pass.
  Passes(const Rows<T>& rows, const double* weights, const Monitor& monitor);
  /// Over a source, which is rewound before every pass but the first. Its own monitor reports.
  explicit Passes(Source<T>& source);

  using Visit = std::function<void(const Rows<T>& rows, const double* weights)>;
  /// One pass: visits all rows in order, in blocks. Throws `Errc::bad_data` when a source gives
  /// other rows than in the first pass: another number of them, or other numbers in them (one cell
  /// of each row is remembered, another one in each).
  void run(std::string_view what, const Visit& visit);

  /// Visits the first rows, while it is told to go on. This is no pass.
  void peek(const std::function<bool(const Rows<T>& rows, const double* weights)>& visit);

  /// From now on these rows are the share of this rank; counts and weights are those of all rows.
  void join(Team& team, RowSpread spread);
  Team* team() const { return team_; }  ///< null: these are all rows
  const RowSpread& spread() const { return spread_; }
  /// From now on all ranks have all of these rows, and rank 0 has the others help.
  void lead(Team& team) { helpers_ = &team; }
  Team* helpers() const { return helpers_; }  ///< null: none

  /// From now on all rows come multiplied by the power of two that takes the largest √w·|x| near
  /// 1, for numbers whose squares a double cannot hold. One pass; rows in memory are copied.
  void normalize() { multiply(largest()); }
  double largest();               ///< √w·|x|; one pass
  void multiply(double largest);  ///< with what is known to be the largest
  bool normalized() const { return normalized_; }
  int exponent() const { return exponent_; }  ///< of that power

  /// From now on all weights come multiplied by 2^exponent.
  void scale_weights(int exponent);

  void took(int passes) { count_ += passes; }  ///< over rows in memory, not through `run`
  /// A pass was made by an earlier run: it had so many rows, of so much weight.
  void took_as(std::int64_t rows, double weight) {
    ++count_;
    if (team_) return;
    rows_ = rows;
    weight_ = weight;
  }
  int count() const { return count_; }         ///< passes so far
  std::int64_t rows() const { return rows_; }  ///< rows of a pass; known after the first
  double weight() const { return weight_; }    ///< Σ w of a pass
  /// Whether the rows have weights other than 1.
  bool weighted() const { return weight_ != static_cast<double>(rows_); }
  Index features() const { return features_; }
  bool sparse() const { return sparse_; }
  std::string name() const { return source_ ? source_->name() : "the data"; }

  /// The rows, when they are in memory; null otherwise.
  const Rows<T>* memory() const { return source_ ? nullptr : &memory_; }
  const double* memory_weights() const { return weights_; }

 private:
  void visit_scaled(const Rows<T>& rows, const double* weights, const Visit& visit) const;
  /// A block of the source, with what its numbers and weights are multiplied by.
  void show(const Block<T>& block, std::vector<double>& room, const Visit& visit) const;
  void begin_source();

  Rows<T> memory_;
  const double* weights_ = nullptr;
  const Monitor* monitor_ = nullptr;
  Source<T>* source_ = nullptr;
  Index features_ = 0;
  bool sparse_ = false;
  int count_ = 0;
  std::int64_t rows_ = 0;
  double weight_ = 0;
  Team* team_ = nullptr;
  Team* helpers_ = nullptr;
  RowSpread spread_;
  bool begun_ = false;          // the source has been read, so it has to be rewound
  std::int64_t own_rows_ = -1;  // of the first pass; -1: there was none
  std::uint64_t digest_ = 0;    // of the first pass
  bool normalized_ = false;
  int exponent_ = 0;
  int weight_exponent_ = 0;
  std::vector<double> scaled_weights_;  // of rows in memory
  Matrix<T> scaled_;                    // rows in memory, multiplied
  std::vector<T> scaled_values_;        // the same of sparse ones
};

}  // namespace mercer
