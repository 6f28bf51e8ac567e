#pragma once
// Sums over all rows of a fit, on one process or on a team.
//
// On a team, rank 0 calls these functions and the other ranks serve them (pca/orders.hpp). With a
// checkpoint their results are saved, and read where it has them (pca/recorded_pass.hpp).

#include "data/preprocess.hpp"
#include "pca/passes.hpp"

#include <mercer/fit.hpp>
#include <mercer/moments.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace mercer {

template <class T>
void add_rows(Passes<T>& passes, std::string_view what, const FitOptions& options,
              Moments& moments);
template <class T>
void serve_moments(Passes<T>& passes, const FitOptions& options, const std::string& with);

/// The means of the columns, and what rounding took off them; of the observed cells where missing
/// ones are filled in.
template <class T>
Preprocess means_of(Passes<T>& passes, const FitOptions& options);

/// Σ w (x − mean)², Σ w (x − mean) and Σ w of columns, added up row by row.
struct ScaleSums {
  explicit ScaleSums(Index columns)
      : squares(static_cast<std::size_t>(columns)), sums(squares), present(squares) {}
  std::vector<RunningSum> squares, sums, present;
  RunningSum all;  ///< Σ w of the rows

  template <class Use>
  void members(Use&& use) {
    use(squares, sums, present, all);
  }
};
template <class T>
ScaleSums scale_sums(Passes<T>& passes, const FitOptions& options, const Vector<double>& mean);

/// The triangular factor of the rows less `mean`, with a column of ones in front where they are
/// centred; missing cells lie at `missing` from the mean.
template <class T>
Matrix<double> triangle_of(Passes<T>& passes, const FitOptions& options, const Vector<double>& mean,
                           const Vector<double>& missing);

/// `Passes::normalize`, for numbers of all rows.
template <class T>
void normalize(Passes<T>& passes);

/// `Passes::scale_weights`, on all ranks.
template <class T>
void scale_weights(Passes<T>& passes, int exponent);

/// Throws `Errc::bad_data` for the first number that is not finite, where rows are in memory; NaN
/// may be there where missing cells are `filled`.
template <class T>
void require_finite_rows(const Passes<T>& passes, bool filled = false);

}  // namespace mercer
