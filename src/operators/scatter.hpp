#pragma once
// The scatter matrix of rows as a SymmetricOperator that is never formed: one pass over the rows
// for every product.
//
//     ScatterOperator<double> s(d, [&](const auto& visit) { visit(rows, nullptr); }, {});
//     KrylovResult found = krylov_pairs(s, 20);     // found.pairs, found.passes
//
//     S = D⁻¹ Σ w (x − m)(x − m)ᵀ D⁻¹          m: the mean; D: scales, when there are any
//
// Dense rows are shifted by the mean of the first ones, so that a far mean loses no accuracy,
// and the rest of the mean is subtracted afterwards. Sparse rows are not shifted: they stay sparse,
// until `recentre` finds that this has cost their digits.
// A product with b vectors costs 4·d·b flops per row (4·b per entry of sparse rows). It has the
// same bits for any number of threads and any blocks (core/segments.hpp); rows of weight 0 are as
// good as absent.

#include <mercer/matrix.hpp>
#include <mercer/rows.hpp>
#include <mercer/team.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace mercer {

class TeamTraffic;

struct ScatterOptions {
  bool center = true;
  Vector<double> shift{};    ///< where rows are shifted to; empty: the operator chooses
  Vector<double> missing{};  ///< x − shift of missing cells; empty: NaN
  bool make_dense = false;   ///< sparse rows are shifted too, a strip at a time
  Vector<double> scale{};    ///< divisors; empty: none
  int threads = 0;

  template <class Use>
  void members(Use&& use) {
    use(center, shift, missing, make_dense, scale, threads);
  }
};

/// Bytes that a product with `block` vectors of d numbers takes beside these and the result.
double scatter_bytes(Index d, Index block, int threads);

/// What `collect` of an operator sends for rows that begin at `first[rank]` (core/team_nodes.hpp),
/// and how many of the first rows choose a shift; rows of leaves.
void add_scatter_sums(TeamTraffic& traffic, const std::vector<std::int64_t>& first, Index d,
                      Index block, bool sparse);
Index scatter_shift_rows(Index d);
Index scatter_leaf(Index d, bool sparse);

template <class T>
class ScatterOperator {
 public:
  using Visit = std::function<void(const Rows<T>& rows, const double* weights)>;
  /// Has every row visited once, in the same order each time.
  using Pass = std::function<void(const Visit&)>;

  ScatterOperator(Index features, Pass pass, ScatterOptions options);

  Index size() const { return features_; }
  void apply(const Matrix<double>& v, Matrix<double>& out);

  /// The same in steps, for rows that lie on several ranks (pca/linear/product_sums.hpp): each adds
  /// the leaves that are its own, so many after the first of all; the sums meet on rank 0, where
  /// the product ends.
  void begin(const Matrix<double>& v);
  void begin_at(std::int64_t leaf, bool sparse);
  void add(const Rows<T>& rows, const double* weights);
  void finish_rows();
  void collect(Team& team);
  void end(const Matrix<double>& v, double weight, Matrix<double>& out);
  Index leaf_rows(bool sparse) const;
  /// How many of the first rows are needed to choose a shift; 0: there is one.
  Index rows_of_shift(bool sparse) const;
  void add_to_shift(const Rows<T>& rows, const double* weights);
  Vector<double> shift_of_these();
  void set_shift(Vector<double> shift) { options_.shift = std::move(shift); }
  const ScatterOptions& options() const { return options_; }
  /// Whether the mean and the squares are still to be summed.
  bool is_first() const { return first_; }
  void set_first(bool first) { first_ = first; }
  /// What later products and the functions below need of those before: to be saved and restored
  /// (core/packed.hpp).
  template <class Use>
  void members(Use&& use) {
    use(first_, shifted_, weight_, sum_, squares_, options_.shift);
  }

  /// Valid after the first `apply`.
  Vector<double> mean() const;
  /// What `mean()` lost when it was rounded.
  Vector<double> mean_rest() const;
  Vector<double> diagonal() const;  ///< of S, so its sum is the trace
  double weight() const { return weight_; }
  /// The trace of what was summed, about the shift, and the part of it that the distance of the
  /// shift from the mean has: rounding is relative to them.
  struct Summed {
    double squares, distance;
  };
  Summed summed() const;
  /// Whether the shift has cost digits: two in a column of dense rows, four of the trace of sparse
  /// ones, which then become dense. If so, the mean is the shift from now on, and what was computed
  /// so far does not count.
  bool recentre();
  /// Roundings that a term of a product passes, after so many rows.
  double depth(double rows) const;

 private:
  struct Sums;
  struct Walk;  // what a pass has so far
  bool is_shifted(bool sparse) const { return !sparse || options_.make_dense; }
  template <class U>
  void wait(const Rows<U>& rows, const double* weights, Index room, Walk& walk);
  template <class U>
  void add_dense(const Rows<U>& rows, const double* weights, Walk& walk);
  void add_sparse(const Rows<T>& rows, const double* weights, Walk& walk);
  /// Whole strips.
  template <class U>
  void add_strips(const Rows<U>& rows, const double* weights, Walk& walk);
  template <class U>
  void add_leaves(const Rows<U>& rows, const double* weights, Index leaf_rows, Walk& walk);
  template <class U>
  void add_wide_leaves(const Rows<U>& rows, const double* weights, Walk& walk);
  template <class U>
  void add_wide(const Rows<U>& rows, const double* weights, Walk& walk);
  template <class U>
  void add_to(const Rows<U>& rows, const double* weights, const Walk& walk, Sums& sums) const;
  void choose_shift(Walk& walk);

  Index features_;
  Pass pass_;
  ScatterOptions options_;
  std::shared_ptr<Walk> walk_;  // of the pass that is under way
  bool first_ = true;
  bool shifted_ = false;  // rows were; sparse ones are mostly not
  double weight_ = 0;
  Vector<double> sum_;      // Σ w (x − shift)
  Vector<double> squares_;  // Σ w (x − shift)², by column
};

}  // namespace mercer
