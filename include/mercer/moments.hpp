#pragma once
/// \file
/// Count, mean and scatter of a stream of rows, in double and in one pass.
///
///     mercer::Moments moments(x.cols());
///     moments.add(mercer::Rows<double>(x));
///     moments.mean();                    // Σ w x / Σ w
///     moments.scatter();                 // Σ w (x − mean)(x − mean)ᵀ
///
/// Rows are shifted by the mean of the first ones before they are multiplied, so a mean that is
/// large beside the spread costs no digits: with shift s, a = Σ w(x−s) and A = Σ w(x−s)(x−s)ᵀ,
/// mean = s + a/W and scatter = A − a aᵀ/W. Moments of parts merge into those of the whole
/// (Chan, Golub & LeVeque 1983).
///
/// Cost: N·d² flops at SYRK speed, one read of the data, d² doubles a thread.

#include <mercer/rows.hpp>

#include <cstdint>
#include <vector>

namespace mercer {

class Moments {
 public:
  explicit Moments(Index features);
  /// With a known centre; NaN cells then count as lying on it.
  explicit Moments(Vector<double> centre);

  /// Adds rows, each counted `weights[i]` times (once when null). `threads` 0: one per core.
  template <class T>
  void add(const Rows<T>& rows, const double* weights = nullptr, int threads = 0);

  /// Adds the rows that another object has seen.
  void merge(const Moments& other);

  Index features() const { return static_cast<Index>(shift_.size()); }
  std::int64_t rows() const { return rows_; }
  double weight() const { return weight_; }  ///< Σ w; the number of rows without weights

  Vector<double> mean() const;
  /// Full symmetric scatter about the mean, or about the origin.
  Matrix<double> scatter(bool centred = true) const;
  /// Its diagonal, without forming it.
  Vector<double> scatter_diagonal(bool centred = true) const;

  /// What centring after the fact may have cost: the largest ratio of a column's second moment,
  /// as it was summed, to its scatter. Sparse rows cannot be shifted and stay sparse, so this can
  /// be large for them; it is 1 or little more otherwise.
  double cancellation() const;

  /// A proven bound on what rounding did to the scatter matrix: the computed S and that of the
  /// given numbers differ by |δS_ij| ≤ r_i·r_j, so ‖δS‖₂ ≤ ‖r‖². It comes from the number of
  /// additions that each entry goes through (Higham, Accuracy and Stability, 2002, §3.1) and from
  /// the sums of squares about the shift:
  /// r_i² = rounding_constant()·ε·second_ii, with ε = 2⁻⁵² and second_ii = Σ w (x_i − s_i)².
  Vector<double> rounding(bool centred = true) const;
  double rounding_constant() const;

  /// Everything it knows, to go on later or elsewhere bit for bit.
  std::vector<double> state() const;
  /// `Errc::bad_data` when that is not the state of as many columns.
  void restore(const std::vector<double>& state);

 private:
  Vector<double> shift_;   // s
  Vector<double> sum_;     // a, about s
  Matrix<double> second_;  // A, about s; upper triangle
  std::int64_t rows_ = 0;
  double weight_ = 0;
  bool shifted_ = false;       // s is chosen
  bool nan_on_shift_ = false;  // missing cells count as lying on s
};

}  // namespace mercer
