#pragma once
// The triangular factor of rows about their mean, in one pass: RᵀR = Σ w (x − m)(x − m)ᵀ, where m
// is not known before the last row.
//
//     CentredFactor factor(d);
//     factor.add(rows, nullptr, 0, &moments);   // which it adds the rows to as well
//     factor.result();                   // weight, mean and R of all rows so far, at any time
//
// Its singular values stay accurate where those of the scatter matrix do not: next to columns 10⁹
// times as large, and with a drifting mean. Rows are cut into leaves of a fixed number.
//
// While all leaves are well conditioned nothing is factored: entries of S = DCD, D² its diagonal,
// are rounded relative to D, so a Cholesky factor of S has small singular values to the digits that
// the correlations C allow, however different the columns are (Demmel & Veselić, SIAM J. Matrix
// Anal. Appl. 13, 1992). S is what the moments have. A leaf passes when
//   - the correlations of some of its rows, beside the deviations of all, are well conditioned: a
//     part has no more than the whole in any direction, so those of all rows are better still, and
//     those of several leaves are no worse than the worst of them;
//   - the leaves' means lie no further apart than their rows do: what moments are summed about
//     costs no digits then.
// The first leaf that does not pass ends this: the moments up to it become a factor, and from then
// on every leaf has one, by Cholesky where its correlations allow, by QR where not. A leaf is
// centred about its own mean, in two steps, as a mean that is far from 0 is rounded. Two factors
// meet with the difference of their means as one more row,
//
//     RᵀR = R₁ᵀR₁ + R₂ᵀR₂ + w₁w₂/(w₁+w₂) (m₂ − m₁)(m₂ − m₁)ᵀ,
//
// in a tree (core/segments.hpp), so the bits depend neither on threads nor on blocks of rows. A row
// of weight 0 is as good as absent. Cost while leaves pass: a fifth of that of the moments. Memory:
// a leaf of 4096 rows or 40·d, no more than 64 MiB, for each thread, and d² for each level of the
// tree.

#include "core/segments.hpp"

#include <mercer/moments.hpp>
#include <mercer/rows.hpp>

#include <vector>

namespace mercer {

namespace detail {
class CentredFactor;
}
using detail::CentredFactor;

class detail::CentredFactor {
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

  /// Adds rows, to `moments` as well, which must have seen the same rows as this before. Null:
  /// every leaf gets a factor.
  template <class T>
  void add(const Rows<T>& rows, const double* weights = nullptr, int threads = 0,
           Moments* moments = nullptr);
  /// Adds the rows that another object has seen.
  void merge(const CentredFactor& other);

  /// Of all rows so far.
  Node result() const;

  /// The whole state, to continue with the same bits; `restore`: false if these are not a state.
  std::vector<double> state() const;
  bool restore(const double* state, std::size_t size);

 private:
  /// What has to be known of a leaf that gets no factor.
  struct Look {
    bool good = false;
    double weight = 0;
    Vector<double> first, offset;  // its mean is their sum
    Vector<double> within;         // scatter of its columns
  };

  Node leaf(Matrix<double>& rows, const Vector<double>& weights, Index count) const;
  Look look_at(const Matrix<double>& rows, const Vector<double>& weights) const;
  /// Takes in a leaf that passes; false: it does not.
  bool pass(const Look& look);
  /// The factor of leaves that passed, which are all that these moments hold.
  Node squared(const Moments& moments) const;

  Index d_, leaf_rows_;
  bool passing_ = true;              // all leaves so far
  bool from_zero_ = false;           // the first rows were sparse: moments are about 0
  Moments before_;                   // of all leaves that passed
  Vector<double> origin_, offsets_;  // Σ w x of these leaves is W·origin + offsets
  Vector<double> within_, about_;    // scatter of columns within the leaves, and about the origin
  Node merged_;                      // of others; weight 0: none
  Segments<Node> tree_;
  Matrix<double> waiting_;  // rows of the leaf that is not full, as they came
  Vector<double> weights_;
  Index waiting_rows_ = 0;
};

}  // namespace mercer
