#pragma once
// The triangular factor of rows about their mean, in one pass: RᵀR = Σ w (x − m)(x − m)ᵀ, where m
// is not known before the last row.
//
//     CentredFactor factor(d);
//     factor.add(rows);
//     factor.result();                   // weight, mean and R of all rows so far, at any time
//
// Its singular values keep their digits where those of the scatter matrix are lost: beside columns
// 10⁹ times as large, and beside a mean that drifts. Rows are cut into leaves of a fixed number. A
// leaf is centred about its own mean, in two steps, as a mean that is far from 0 is rounded. Its
// factor is that of Cholesky where its correlations allow (as quick as the scatter matrix), of QR
// where not. Two factors meet with the difference of their means as one more row,
//
//     RᵀR = R₁ᵀR₁ + R₂ᵀR₂ + w₁w₂/(w₁+w₂) (m₂ − m₁)(m₂ − m₁)ᵀ,
//
// in a tree (core/segments.hpp), so the bits depend neither on threads nor on blocks of rows. A row
// of weight 0 is as good as absent. Memory: 8·d² numbers and d² for each level of the tree.

#include "core/segments.hpp"

#include <mercer/rows.hpp>

#include <vector>

namespace mercer {

class CentredFactor {
 public:
  struct Node {
    double weight = 0;
    Vector<double> mean, rest;  // the mean is their sum
    Matrix<double> r;
    /// Cholesky factors stand for rows with vᵀSv off by no more than this share, in every
    /// direction.
    double share = 0;
    /// Householder steps have moved columns of rows by no more than this share of their length.
    double turned = 0;
    void merge(const Node& later);
  };

  explicit CentredFactor(Index features);

  template <class T>
  void add(const Rows<T>& rows, const double* weights = nullptr, int threads = 0);
  /// Adds the rows that another object has seen.
  void merge(const CentredFactor& other);

  /// Of all rows so far.
  Node result() const;

  /// Everything it knows, to go on bit for bit; `restore`: false when that is none.
  std::vector<double> state() const;
  bool restore(const double* state, std::size_t size);

 private:
  Node leaf(Matrix<double>& rows, const Vector<double>& weights, Index count) const;

  Index d_, leaf_rows_;
  Node merged_;  // of others; weight 0: none
  Segments<Node> tree_;
  Matrix<double> waiting_;  // rows of the leaf that is not full, as they came
  Vector<double> weights_;
  Index waiting_rows_ = 0;
};

}  // namespace mercer
