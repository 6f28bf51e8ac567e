#pragma once
// Going over all rows, once or several times, wherever they are.

#include <mercer/progress.hpp>
#include <mercer/source.hpp>

#include <cstdint>
#include <functional>
#include <vector>

namespace mercer {

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

  /// From now on all rows come multiplied by the power of two that takes the largest √w·|x| near
  /// 1, for numbers whose squares a double cannot hold. One pass; rows in memory are copied.
  void normalize();
  bool normalized() const { return normalized_; }
  int exponent() const { return exponent_; }  ///< of that power

  /// From now on all weights come multiplied by 2^exponent.
  void scale_weights(int exponent);

  void took(int passes) { count_ += passes; }  ///< over rows in memory, not through `run`
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

  Rows<T> memory_;
  const double* weights_ = nullptr;
  const Monitor* monitor_ = nullptr;
  Source<T>* source_ = nullptr;
  Index features_ = 0;
  bool sparse_ = false;
  int count_ = 0;
  std::int64_t rows_ = 0;
  double weight_ = 0;
  std::uint64_t digest_ = 0;  // of the first pass
  bool normalized_ = false;
  int exponent_ = 0;
  int weight_exponent_ = 0;
  std::vector<double> scaled_weights_;  // of rows in memory
  Matrix<T> scaled_;                    // rows in memory, multiplied
  std::vector<T> scaled_values_;        // the same of sparse ones
};

}  // namespace mercer
