#pragma once
/// \file
/// Count, mean and scatter of a stream of rows, in double and in one pass.
///
///     mercer::Moments moments(x.cols());
///     moments.add(x);
///     moments.mean();                    // Σ w x / Σ w
///     moments.scatter();                 // Σ w (x − mean)(x − mean)ᵀ
///
/// Rows are shifted by the mean of the first ones before they are multiplied, so a mean that is
/// large relative to the spread loses no accuracy: with shift s, a = Σ w(x−s) and A = Σ
/// w(x−s)(x−s)ᵀ, mean = s + a/W and scatter = A − a aᵀ/W. Moments of parts merge into those of the
/// whole (Chan, Golub & LeVeque 1983).
///
/// The result is bit-identical for any number of threads and any split of the rows into calls of
/// `add`: rows are summed in leaves of a fixed size, and leaves in a tree. A row of weight 0 does
/// not affect the result (but `rows()` counts it).
///
/// Cost: N·d² flops at SYRK speed, one read of the data; d² doubles per thread up to 512 columns,
/// and d² for each level of the tree, log₂(N·d²/4e6) of them up to 128 columns, log₁₆(N/1024) up to
/// 512 and log₁₆(N/16384) beyond.

#include <mercer/progress.hpp>
#include <mercer/rows.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace mercer {

class Moments {
 public:
  explicit Moments(Index features);
  /// With a known centre; NaN is then replaced by it, or by centre + rest: a mean to more digits
  /// than one number has.
  explicit Moments(Vector<double> centre, Vector<double> rest = {});
  Moments(const Moments& other);
  Moments(Moments&& other) noexcept;
  Moments& operator=(const Moments& other);
  Moments& operator=(Moments&& other) noexcept;
  ~Moments();

  /// Adds rows, each counted `weights[i]` times (once without weights). A call that the
  /// monitor stops has added some of its rows.
  template <class T>
  void add(const Rows<T>& rows, Weights weights = {}, const RunOptions& options = {});
  template <RowsLike X>
  void add(const X& x, Weights weights = {}, const RunOptions& options = {}) {
    add(Rows<typename X::Scalar>(x), weights, options);
  }

  /// Adds the rows of another object.
  void merge(const Moments& other);

  Index features() const;
  std::int64_t rows() const;
  double weight() const;  ///< Σ w; the number of rows without weights

  Vector<double> mean() const;
  /// What `mean()` lost when it was rounded: the mean is mean() + mean_rest().
  Vector<double> mean_rest() const;
  /// Full symmetric scatter about the mean, or about the origin.
  Matrix<double> scatter(bool centred = true) const;
  /// Its diagonal, without forming it.
  Vector<double> scatter_diagonal(bool centred = true) const;

  /// Cancellation by centring: the largest ratio of a column's accumulated second moment to its
  /// scatter. It can be large for sparse rows, which are not shifted; otherwise it is close to 1.
  /// Infinite if all accuracy is lost.
  double cancellation() const;

  /// A proven bound on the rounding of `scatter(centred)`: it and the exact scatter matrix differ
  /// by |δS_ij| ≤ r_i·r_j, so ‖δS‖₂ ≤ ‖r‖². The bound counts the additions per entry (Higham,
  /// Accuracy and Stability, 2002, §3.1) and uses the sums of squares about the shift, second_ii =
  /// Σ w (x_i − s_i)² + (not centred: W s_i²): r_i² = rounding_constant()·ε·second_ii, ε = 2⁻⁵²; a
  /// little more after `merge`.
  Vector<double> rounding(bool centred = true) const;
  double rounding_constant() const;

  /// The complete state, to resume bit for bit.
  std::vector<double> save_state() const;
  /// Throws `Errc::bad_data` if this is not the state of as many columns.
  void load_state(const std::vector<double>& state);

  class Impl;
  /// The sums, for those who have its header: the library.
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace mercer
